// The elements that strategy `fused` closes and opens masks with.
#pragma once

#include <cstdint>
#include <optional>

#include "cuesta/objects.hpp"

namespace cuesta::motion_cuda {

inline constexpr int max_half = 7;  ///< half the side of the largest

/// An element by rows: half the width of those at distance |dy| of the middle, -1 where none.
struct HalfWidths {
  int8_t of[max_half + 1];
};

/// Of an element of at most 15 x 15 whose rows are one run of cells each, or none, in mirror
/// symmetry about the anchor both ways, which the reflected one then equals; else nothing.
std::optional<HalfWidths> half_widths_of(const StructuringElement& element);
/// How many different ones there are.
int32_t slots_of(const HalfWidths& element);

}  // namespace cuesta::motion_cuda
