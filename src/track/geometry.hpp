// Points, boxes, polygons and lines, as zones, the tracker and counting look at them.
#pragma once

#include <span>

#include "cuesta/tracking.hpp"

namespace cuesta::track {

/// A box with edges between pixels: x0 <= x < x1.
struct Box {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};
Box box_of(const Rect& rect);

/// The middle of a box.
Point middle_of(const Rect& box);
double distance(Point a, Point b);

/// Intersection over union; 0 for boxes that only touch.
double overlap_of(const Box& a, const Box& b);

/// Pixels between two boxes, the longer of across and down; 0 for boxes that touch or overlap.
int64_t gap_between(const Rect& a, const Rect& b);
Rect around(const Rect& a, const Rect& b);

/// Even-odd rule. Of an edge the left and upper side are inside: polygons that share one share no
/// point.
bool is_inside(Point p, std::span<const Point> polygon);
/// The sum of the triangles under the edges: 0 for polygons that enclose nothing.
double signed_area(std::span<const Point> polygon);

/// How the way from `before` to `now` crosses the line from `a` to `b`: 1 to its right-hand side,
/// -1 to its left, 0 not at all. What is on the line is on its left.
int crossing_of(Point before, Point now, Point a, Point b);

/// Whether `p` is at least `least` away from the line between `a` and `b`, or half of the way from
/// there to the edge of a picture of this size where that is less.
bool is_beyond(Point p, Point a, Point b, double least, Size size);

}  // namespace cuesta::track
