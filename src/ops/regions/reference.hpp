// The steps of regions on the host, and its strategies' entries.
#pragma once

#include <vector>

#include "ops/regions/args.hpp"

namespace cuesta {

namespace regions_of {

/// What is flooded: src blurred, and a rise towards it where it is 0.
void fill_relief(ImageView<const uint16_t> src, ImageView<int32_t> relief, Scratch& scratch);
/// The basins of the relief, numbered by their minima's first pixel in raster order, from 0 on.
/// Returns their number.
int32_t flood(ImageView<const int32_t> relief, ImageView<int32_t> basins, Scratch& scratch);
/// The cost of joining two regions, the smaller of `area` pixels, along `pairs` pairs of pixels.
int32_t cost_of(int64_t strengths, int64_t pairs, int64_t area);

/// Two basins that touch, and the level at which they are of one region.
struct Arc {
  int32_t a, b;  // a < b
  int64_t strengths, pairs;
  int32_t level;
};
/// The arcs between basins, in the order of (a, b); levels are 0.
std::vector<Arc> arcs_between(ImageView<const uint16_t> src, ImageView<const int32_t> basins);
/// Joins all basins, whose areas are given, and sets the level of each arc.
void join_all(std::vector<Arc>& arcs, std::vector<int64_t> areas);

}  // namespace regions_of

/// Strategy `serial`.
void regions_serial(const RegionsArgs& args, Call& call);
/// Strategy `host`, of pictures on a GPU.
void regions_on_host(const RegionsArgs& args, Call& call);

}  // namespace cuesta
