#include "track/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cuesta {

Point foot_of(const Rect& box) { return {box.x + box.width / 2.0, box.y + box.height - 0.5}; }

}  // namespace cuesta

namespace cuesta::track {
namespace {

// Twice the area of the triangle a, b, p: above 0 where p is to the right of a -> b, as y goes
// down.
double turn(Point a, Point b, Point p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

}  // namespace

Box box_of(const Rect& r) {
  return {double(r.x), double(r.y), double(r.x) + r.width, double(r.y) + r.height};
}

Point middle_of(const Rect& box) { return {box.x + box.width / 2.0, box.y + box.height / 2.0}; }

double distance(Point a, Point b) {
  const double x = a.x - b.x, y = a.y - b.y;
  return std::sqrt(x * x + y * y);
}

double overlap_of(const Box& a, const Box& b) {
  const double width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const double height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (!(width > 0 && height > 0)) return 0;
  const double both = width * height;
  return both / ((a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - both);
}

int64_t gap_between(const Rect& a, const Rect& b) {
  const auto along = [](int64_t a0, int64_t a1, int64_t b0, int64_t b1) {
    return std::max({int64_t(0), b0 - a1, a0 - b1});
  };
  return std::max(along(a.x, int64_t(a.x) + a.width, b.x, int64_t(b.x) + b.width),
                  along(a.y, int64_t(a.y) + a.height, b.y, int64_t(b.y) + b.height));
}

Rect around(const Rect& a, const Rect& b) {
  const int32_t x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.x + a.width, b.x + b.width) - x,
          std::max(a.y + a.height, b.y + b.height) - y};
}

bool is_inside(Point p, std::span<const Point> polygon) {
  bool inside = false;
  Point a = polygon.back();
  for (const Point b : polygon) {
    // Edges that a ray to the left meets; a corner belongs to the edge below it alone. From the top
    // down, so that two polygons round the same edge in the same way.
    if ((a.y > p.y) != (b.y > p.y) && (a.y < b.y ? turn(a, b, p) : turn(b, a, p)) <= 0)
      inside = !inside;
    a = b;
  }
  return inside;
}

double signed_area(std::span<const Point> polygon) {
  double twice = 0;
  Point a = polygon.back();
  for (const Point b : polygon) {
    twice += a.x * b.y - b.x * a.y;
    a = b;
  }
  return twice / 2;
}

bool is_beyond(Point p, Point a, Point b, double least, Size size) {
  const double x = b.x - a.x, y = b.y - a.y;
  const double along = ((p.x - a.x) * x + (p.y - a.y) * y) / (x * x + y * y);
  const double part = std::clamp(along, 0.0, 1.0);
  const Point nearest{a.x + part * x, a.y + part * y};
  const double away = distance(p, nearest);
  // How far it is from there to an edge, in lengths of the way to p.
  const auto room = [](double from, double to, double end) {
    if (to == from) return std::numeric_limits<double>::infinity();
    return to > from ? (end - from) / (to - from) : from / (from - to);
  };
  const double lengths =
      std::min(room(nearest.x, p.x, size.width), room(nearest.y, p.y, size.height));
  return away >= (away > 0 ? std::min(least, away * lengths / 2) : least);
}

int crossing_of(Point before, Point now, Point a, Point b) {
  const bool was_right = turn(a, b, before) > 0, is_right = turn(a, b, now) > 0;
  if (was_right == is_right) return 0;
  if ((turn(before, now, a) > 0) == (turn(before, now, b) > 0)) return 0;
  return is_right ? 1 : -1;
}

}  // namespace cuesta::track
