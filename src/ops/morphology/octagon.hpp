// Euclidean disks as octagons: a square of side 2a + 1 dilated by a rhombus of radius b, and where
// the disk has them the four single cells beyond its sides. disk:15 is the octagon of 3 and 3 with
// tips: 149 cells, 145 of them the octagon's.
#pragma once

#include <cstdlib>
#include <optional>

#include "ops/morphology/args.hpp"

namespace cuesta::morph {

struct Octagon {
  int square = 0, rhombus = 0;  // a and b
  bool tips = true;

  constexpr int reach() const { return square + rhombus + (tips ? 1 : 0); }
  constexpr bool contains(int dx, int dy) const {
    const int x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
    if (tips && (x == 0 || y == 0) && x + y == reach()) return true;
    return (x > square ? x - square : 0) + (y > square ? y - square : 0) <= rhombus;
  }
  friend constexpr bool operator==(const Octagon&, const Octagon&) = default;
};

/// disk:7, 9, 11, 13 and 15.
inline constexpr Octagon octagons[] = {{2, 0}, {2, 1}, {3, 1}, {3, 2}, {3, 3}};

/// The octagon with the element's cells, about its anchor.
inline std::optional<Octagon> octagon_of(const ElementView& element) {
  for (const Octagon& octagon : octagons) {
    const int reach = octagon.reach(), side = 2 * reach + 1;
    if (element.width() != side || element.height() != side) continue;
    bool equal = true;
    for (int y = 0; y < side && equal; ++y)
      for (int x = 0; x < side && equal; ++x)
        equal = element.contains(x, y) == octagon.contains(x - reach, y - reach);
    if (equal) return octagon;
  }
  return {};
}

}  // namespace cuesta::morph
