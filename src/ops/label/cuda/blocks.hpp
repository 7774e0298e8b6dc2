// Blocks of 2 x 2 pixels: what of one is a set from the start, and where it touches the blocks
// before it. Host and device.
#pragma once

#include "cuda/word_runs.hpp"

namespace cuesta::label_blocks {

/// Of the four pixels of a block: upper left, upper right, lower left, lower right.
inline constexpr int pixels = 4;

/// The set pixels of a block. set(dx, dy) says whether a pixel, counted from the upper left one, is
/// set; outside the picture none is.
template <class Set>
CUESTA_HOST_DEVICE uint32_t block_at(Set&& set) {
  return uint32_t(set(0, 0)) | uint32_t(set(1, 0)) << 1 | uint32_t(set(0, 1)) << 2 |
         uint32_t(set(1, 1)) << 3;
}

/// The first pixel, in raster order, of those that set pixel `i` is joined to inside its block:
/// 8-way of all that are set; 4-way the two of a diagonal stay apart.
template <bool Eight>
CUESTA_HOST_DEVICE int leader(uint32_t block, int i) {
  if (Eight || i == 0) return mask_runs::lowest_bit(block);
  const bool first = block & 1;
  switch (i) {
    case 1: return first ? 0 : 1;
    case 2: return first ? 0 : (block & 0b1010) == 0b1010 ? 1 : 2;
    default: return block & 2 ? (first ? 0 : 1) : block & 4 ? (first ? 0 : 2) : 3;
  }
}

/// Calls join(i, dx, dy) so that set pixel i of the block is in one set with all that it touches in
/// the blocks to the left and above: (dx, dy) is a set pixel there. Leaves out what comes by
/// others: a corner where the block between touches both, and the second of two pairs side by side.
template <bool Eight, class Set, class Join>
CUESTA_HOST_DEVICE void join_before(uint32_t block, Set&& set, Join&& join) {
  if (block == 0) return;
  const bool first = block & 1, second = block & 2, third = block & 4;
  const bool left_upper = set(-1, 0), left_lower = set(-1, 1);
  const bool above_left = set(0, -1), above_right = set(1, -1);
  if constexpr (Eight) {
    const int any = mask_runs::lowest_bit(block);
    if ((first || second) && (above_left || above_right)) join(any, above_left ? 0 : 1, -1);
    if ((first || third) && (left_upper || left_lower)) join(any, -1, left_upper ? 0 : 1);
    if (first && !above_left && !left_upper && set(-1, -1)) join(any, -1, -1);
    if (second && !above_right && set(2, -1)) join(any, 2, -1);
  } else {
    const bool upper = first && above_left, side = first && left_upper;
    if (upper) join(0, 0, -1);
    if (second && above_right && !upper) join(1, 1, -1);
    if (side) join(0, -1, 0);
    if (third && left_lower && !side) join(2, -1, 1);
  }
}

}  // namespace cuesta::label_blocks
