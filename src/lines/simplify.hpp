// Fewer points for the same line.
#pragma once

#include <span>
#include <vector>

#include "cuesta/lines.hpp"

namespace cuesta::lines {

/// Which points of a line stay: its ends, those that `kept` (empty, or one for each) names, and
/// those that the algorithm of Ramer (1972) and Douglas & Peucker (1973) takes, such that every
/// point is within `tolerance` of the segment that goes past it. A closed line is cut at its first
/// point and the one farthest from it.
std::vector<char> simplified(std::span<const LinePoint> points, bool closed, double tolerance,
                             std::span<const char> kept = {});

/// Removes what does not stay: `stays` has one for each point.
template <class Point>
void keep(std::vector<Point>& points, std::span<const char> stays) {
  size_t count = 0;
  for (size_t i = 0; i < points.size(); ++i)
    if (stays[i]) points[count++] = points[i];
  points.resize(count);
}

}  // namespace cuesta::lines
