// Marching squares (Lorensen & Cline 1987 in the plane): between the centres of four pixels a
// contour goes from one side of the square to another. Where all four sides are crossed, the sign
// of the bilinear surface's saddle says which two belong together (Nielson & Hamann 1991).
#include "lines/crossings.hpp"

#include <algorithm>
#include <cmath>

#include "core/threads.hpp"

namespace cuesta::lines {
namespace {

using Response = ImageView<const int32_t>;

bool is_negative(Response l, int32_t x, int32_t y) { return l.at(x, y) < 0; }

// How much two neighbours of different signs, the second dx or dy further on, differ; 0 where their
// signs are not strictly opposite.
int64_t difference(Response l, int32_t x, int32_t y, int32_t dx, int32_t dy) {
  int64_t first = l.at(x, y), second = l.at(x + dx, y + dy);
  // A 0 takes the side of the positive; what crosses there are its two neighbours.
  const auto beyond = [&](int32_t bx, int32_t by) -> int64_t {
    const bool is_inside = bx >= 0 && by >= 0 && bx < l.width && by < l.height;
    return is_inside ? l.at(bx, by) : 0;
  };
  if (first == 0) first = beyond(x - dx, y - dy);
  if (second == 0) second = beyond(x + 2 * dx, y + 2 * dy);
  const bool opposite = (first < 0 && second > 0) || (first > 0 && second < 0);
  return opposite ? std::abs(first - second) : 0;
}

// Where between two neighbours the response is 0, from 0 to 1: on the straight line between them,
// or on the cubic through them and the next on either side, where there are such.
double zero_between(Response l, int32_t x, int32_t y, int32_t dx, int32_t dy, bool cubic) {
  const double p0 = l.at(x, y), p1 = l.at(x + dx, y + dy);
  const double linear = p0 / (p0 - p1);
  if (!cubic || x < dx || y < dy || x + 2 * dx >= l.width || y + 2 * dy >= l.height) return linear;
  const double before = l.at(x - dx, y - dy), after = l.at(x + 2 * dx, y + 2 * dy);
  const double c3 = (after - before) / 6 + (p0 - p1) / 2, c2 = (before + p1) / 2 - p0;
  const double c1 = p1 - before / 3 - p0 / 2 - after / 6;
  const auto at = [&](double t) { return ((c3 * t + c2) * t + c1) * t + p0; };
  // Its signs at both ends differ, so halving finds it.
  double low = 0, high = 1;
  for (int turn = 0; turn < 24; ++turn) {
    const double middle = 0.5 * (low + high);
    ((at(middle) < 0) == (p0 < 0) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// The number of each pixel's crossing to its right and to below; -1 where there is none.
struct Numbers {
  Image<int32_t> right, below;
  int32_t count = 0;
};

Numbers numbered(Response l, double threshold, double levels, int threads) {
  // By one rounding of the difference, so that the comparison is that of the exact product.
  const auto counts = [&](int64_t by) {
    return by > 0 && std::fma(-levels, threshold, double(by)) > 0;
  };
  Numbers numbers{Image<int32_t>(l.size()), Image<int32_t>(l.size()), 0};
  const Strips strips(l.height, threads);
  std::vector<int32_t> first(size_t(strips.count) + 1);
  const auto each = [&](int strip, auto&& body) {
    for (int32_t y = strips.begin(strip); y < strips.end(strip); ++y)
      for (int32_t x = 0; x < l.width; ++x) body(x, y);
  };
  parallel_tasks(strips.count, threads, [&](int strip) {
    int32_t found = 0;
    each(strip, [&](int32_t x, int32_t y) {
      const bool sign = is_negative(l, x, y);
      const bool right =
          x + 1 < l.width && is_negative(l, x + 1, y) != sign && counts(difference(l, x, y, 1, 0));
      const bool below =
          y + 1 < l.height && is_negative(l, x, y + 1) != sign && counts(difference(l, x, y, 0, 1));
      numbers.right.at(x, y) = right ? found++ : -1;
      numbers.below.at(x, y) = below ? found++ : -1;
    });
    first[size_t(strip) + 1] = found;
  });
  for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  parallel_tasks(strips.count, threads, [&](int strip) {
    each(strip, [&](int32_t x, int32_t y) {
      for (int32_t* number : {&numbers.right.at(x, y), &numbers.below.at(x, y)})
        if (*number >= 0) *number += first[size_t(strip)];
    });
  });
  numbers.count = first.back();
  return numbers;
}

enum Side : int { top, right, bottom, left };

// The side by which the contour leaves the square of (x, y) and its right, lower neighbours, that
// it came into by `entry`.
Side exit_of(Response l, int32_t x, int32_t y, Side entry) {
  const bool corners[4] = {is_negative(l, x, y), is_negative(l, x + 1, y),
                           is_negative(l, x + 1, y + 1), is_negative(l, x, y + 1)};
  // Side i goes from corner i to corner i + 1.
  const auto crossed = [&](int side) { return corners[side % 4] != corners[(side + 1) % 4]; };
  const int before = (entry + 3) % 4, after = (entry + 1) % 4, opposite = (entry + 2) % 4;
  if (!crossed(before) || !crossed(after)) {
    return Side(crossed(before) ? before : crossed(after) ? after : opposite);
  }
  // All four: a saddle, of value (ad − bc) / (a + d − b − c) with a and d of one sign.
  const double a = l.at(x, y), b = l.at(x + 1, y), c = l.at(x, y + 1), d = l.at(x + 1, y + 1);
  const double saddle = (a * d - b * c) / (a + d - b - c);
  const bool around = !(saddle < 0);  // the sign that is cut off: true, the negative corners
  return Side(corners[entry] == around ? before : after);
}

}  // namespace

Crossings crossings_of(Response l, double threshold, double levels, bool cubic, int threads) {
  const Numbers numbers = numbered(l, threshold, levels, threads);
  Crossings made{std::vector<EdgePoint>(size_t(numbers.count)), Links(size_t(numbers.count))};
  const auto number_at = [&](int32_t x, int32_t y, Side side) {
    switch (side) {
      case top: return numbers.right.at(x, y);
      case right: return numbers.below.at(x + 1, y);
      case bottom: return numbers.right.at(x, y + 1);
      case left: return numbers.below.at(x, y);
    }
    return -1;
  };
  // Into the square whose upper left pixel is (x, y).
  const auto link = [&](int32_t from, int32_t x, int32_t y, Side entry) {
    if (x < 0 || y < 0 || x + 1 >= l.width || y + 1 >= l.height) return;
    const int32_t to = number_at(x, y, exit_of(l, x, y, entry));
    if (to < 0) return;
    made.links.next[size_t(from)] = to;
    made.links.previous[size_t(to)] = from;  // from here alone: a contour comes in by one side
  };
  parallel_rows(l.height, threads, [&](int32_t begin, int32_t end) {
    for (int32_t y = begin; y < end; ++y) {
      for (int32_t x = 0; x < l.width; ++x) {
        const bool is_bright = is_negative(l, x, y);
        // The brighter side, where the response is negative, stays at the right.
        if (const int32_t i = numbers.right.at(x, y); i >= 0) {
          made.points[size_t(i)] = {.px = x,
                                    .py = y,
                                    .x = x + zero_between(l, x, y, 1, 0, cubic),
                                    .y = double(y),
                                    .strength = double(difference(l, x, y, 1, 0)) / levels};
          if (is_bright)
            link(i, x, y, top);
          else
            link(i, x, y - 1, bottom);
        }
        if (const int32_t i = numbers.below.at(x, y); i >= 0) {
          made.points[size_t(i)] = {.px = x,
                                    .py = y,
                                    .x = double(x),
                                    .y = y + zero_between(l, x, y, 0, 1, cubic),
                                    .strength = double(difference(l, x, y, 0, 1)) / levels};
          if (is_bright)
            link(i, x - 1, y, right);
          else
            link(i, x, y, left);
        }
      }
    }
  });
  return made;
}

}  // namespace cuesta::lines
