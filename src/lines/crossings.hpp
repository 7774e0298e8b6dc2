// Zero crossings of a response, between pixels and linked by the squares between four of them.
#pragma once

#include <vector>

#include "lines/linking.hpp"
#include "lines/points.hpp"

namespace cuesta::lines {

struct Crossings {
  std::vector<EdgePoint> points;  // ordered by pixel; of one pixel the one to its right first
  Links links;
};

/// Where `response` changes its sign between a pixel and its right or lower neighbour, and the two
/// differ by more than `threshold` gray levels; one of them is `levels` of the response; as
/// LogOptions::mode has it, a pixel of response 0 between two that do is a crossing itself.
/// Positions are interpolated linearly, or
/// by a cubic; px and py are the upper or left one of the two pixels.
Crossings crossings_of(ImageView<const int32_t> response, double threshold, double levels,
                       bool cubic, int threads);

}  // namespace cuesta::lines
