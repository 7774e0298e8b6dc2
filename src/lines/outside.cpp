#include "lines/outside.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lines/simplify.hpp"

namespace cuesta::lines {
namespace {

bool is_inside(const LinePoint& p, ImageView<const uint8_t> holes) {
  const auto x = std::clamp<int64_t>(std::llround(p.x), 0, holes.width - 1);
  const auto y = std::clamp<int64_t>(std::llround(p.y), 0, holes.height - 1);
  return holes.at(int32_t(x), int32_t(y)) != 0;
}

// One open line of these points.
void add_part(std::vector<LinePoint> points, const TraceOptions& how, Polylines& parts) {
  Polyline part;
  double strengths = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    strengths += points[i].strength;
    if (i > 0)
      part.length += std::hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
  }
  if (points.size() < 2 || part.length < how.min_length) return;
  part.strength = strengths / double(points.size());
  keep(points, simplified(points, false, how.tolerance));
  part.points = std::move(points);
  parts.push_back(std::move(part));
}

// A line that no hole cuts.
void add_whole(Polyline line, const TraceOptions& how, Polylines& parts) {
  if (line.length < how.min_length) return;
  keep(line.points, simplified(line.points, line.closed, how.tolerance));
  parts.push_back(std::move(line));
}

}  // namespace

Polylines outside(const Polylines& lines, ImageView<const uint8_t> holes, const TraceOptions& how) {
  Polylines parts;
  for (const Polyline& line : lines) {
    std::vector<LinePoint> points = line.points;
    const auto in_hole = [&](const LinePoint& p) { return is_inside(p, holes); };
    const auto first = std::find_if(points.begin(), points.end(), in_hole);
    if (first == points.end()) {
      add_whole(line, how, parts);
      continue;
    }
    if (line.closed) std::rotate(points.begin(), first, points.end());
    for (auto at = points.begin(); at != points.end();) {
      const auto end = std::find_if(at, points.end(), in_hole);
      add_part({at, end}, how, parts);
      at = std::find_if_not(end, points.end(), in_hole);
    }
  }
  return parts;
}

}  // namespace cuesta::lines
