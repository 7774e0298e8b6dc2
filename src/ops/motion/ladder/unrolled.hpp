// The elements whose loops v1.4 and v1.5 unroll: cells known to the compiler. For host and device.
#pragma once

#include <array>
#include <cstdint>

#include "cuesta/objects.hpp"

namespace cuesta::motion_ladder {

/// An element of at most 15 x 15; bit x of rows[y] is cell (x, y). All are the same when turned by
/// 180 degrees, but for the place of the anchor.
struct UnrolledElement {
  int wide = 0, high = 0;
  std::array<uint16_t, 15> rows{};

  constexpr bool contains(int x, int y) const { return rows[size_t(y)] >> x & 1; }
  constexpr int count() const {
    int cells = 0;
    for (int n = 0; n < wide * high; ++n) cells += contains(n % wide, n / wide);
    return cells;
  }
};

namespace unrolled {

template <class Contains>
constexpr UnrolledElement make(int wide, int high, Contains contains) {
  UnrolledElement e{wide, high};
  for (int y = 0; y < high; ++y)
    for (int x = 0; x < wide; ++x)
      if (contains(x, y)) e.rows[size_t(y)] = uint16_t(e.rows[size_t(y)] | 1 << x);
  return e;
}

/// StructuringElement::disk.
constexpr UnrolledElement disk(int diameter) {
  const int r = diameter / 2;
  return make(diameter, diameter,
              [=](int x, int y) { return (x - r) * (x - r) + (y - r) * (y - r) <= r * r; });
}

/// StructuringElement::ellipse of an odd side: rows reach as far as sqrt(r² − dy²), rounded, so
/// dx² − dx < r² − dy².
constexpr UnrolledElement ellipse(int side) {
  const int r = side / 2;
  return make(side, side, [=](int x, int y) {
    const int dx = x < r ? r - x : x - r, dy = y - r;
    return dx == 0 || dx * dx - dx < r * r - dy * dy;
  });
}

constexpr UnrolledElement rectangle(int wide, int high) {
  return make(wide, high, [](int, int) { return true; });
}

}  // namespace unrolled

/// What README.md lists: the paper's disk of 15, OpenCV's ellipse of 15, the odd sides below, and
/// small rectangles.
inline constexpr UnrolledElement unrolled_elements[] = {
    unrolled::disk(1),         unrolled::disk(3),         unrolled::disk(5),
    unrolled::disk(7),         unrolled::disk(9),         unrolled::disk(11),
    unrolled::disk(13),        unrolled::disk(15),        unrolled::ellipse(5),
    unrolled::ellipse(7),      unrolled::ellipse(9),      unrolled::ellipse(11),
    unrolled::ellipse(13),     unrolled::ellipse(15),     unrolled::rectangle(2, 2),
    unrolled::rectangle(3, 3), unrolled::rectangle(5, 5), unrolled::rectangle(2, 3),
};
inline constexpr int unrolled_count = int(std::size(unrolled_elements));

/// The place in the list of an element with these cells; -1 for none.
inline int unrolled_index(const StructuringElement& element) {
  for (int i = 0; i < unrolled_count; ++i) {
    const UnrolledElement& e = unrolled_elements[i];
    if (e.wide != element.width() || e.high != element.height()) continue;
    bool same = true;
    for (int y = 0; y < e.high; ++y)
      for (int x = 0; x < e.wide; ++x) same = same && e.contains(x, y) == element.contains(x, y);
    if (same) return i;
  }
  return -1;
}

}  // namespace cuesta::motion_ladder
