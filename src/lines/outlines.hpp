// Outlines of labelled regions as polygons.
#pragma once

#include <cstdint>
#include <vector>

#include "cuesta/lines.hpp"

namespace cuesta::lines {

/// One region. Its rings follow the sides of pixels, the region on the right of who walks along
/// the points (y goes down): the outer ring, then holes. A ring's first point is not said twice.
struct Outline {
  int32_t label = 0;
  int64_t area = 0;   ///< pixels
  double mean = 0;    ///< gray level of its pixels
  double length = 0;  ///< pixels, of the outer ring before it was simplified
  std::vector<std::vector<LinePoint>> rings{};
};

/// The outlines of regions, which are connected through the sides of pixels and numbered from 1 on,
/// in the order of their labels. 0 is no region. `gray` is u8 or u16 of the labels' size. Rings are
/// simplified by how.tolerance piece by piece, between points where three regions meet, so that
/// neighbours share their border. Regions with an outer ring below how.min_length are left out.
std::vector<Outline> outlines_of(ImageView<const int32_t> labels, ConstAnyView gray,
                                 const TraceOptions& how);

}  // namespace cuesta::lines
