// Masks of squares that touch nowhere: paper 004's labelling experiment, of any density and
// granularity.
#pragma once

#include <cstdint>

#include "cuesta/image.hpp"

namespace cuesta::bench {

/// A square is anywhere in a cell of its own of this side, a column and a row clear of the next
/// cell; 60 × 60 cells of squares of 20 fit 2048 × 2048, as in the paper.
constexpr int32_t cell_of(int32_t square) {
  return square + (7 * square / 10 > 2 ? 7 * square / 10 : 2);
}

/// Squares of that side that fit a mask of side × side.
constexpr int32_t max_squares(int32_t side, int32_t square) {
  return (side / cell_of(square)) * (side / cell_of(square));
}

/// `count` squares, at most that many, in cells chosen at random; u8, 0 and 255. The same on every
/// machine.
Image<uint8_t> squares(int32_t side, int32_t count, int32_t square);

}  // namespace cuesta::bench
