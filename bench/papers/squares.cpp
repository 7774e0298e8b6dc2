#include "bench/papers/squares.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "verify/patterns.hpp"

namespace cuesta::bench {

Image<uint8_t> squares(int32_t side, int32_t count, int32_t square) {
  const int32_t cell = cell_of(square);
  verify::Random random(4);
  std::vector<int32_t> cells(size_t(max_squares(side, square)));
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = int32_t(i);
    std::swap(cells[i], cells[random.below(uint32_t(i) + 1)]);
  }
  Image<uint8_t> mask(side, side);
  for (int32_t y = 0; y < side; ++y) std::fill_n(mask.row(y), side, uint8_t(0));
  for (int32_t i = 0; i < count; ++i) {
    const int32_t across = side / cell, at = cells[size_t(i)];
    const auto room = uint32_t(cell - square);
    const int32_t left = at % across * cell + int32_t(random.below(room));
    const int32_t top = at / across * cell + int32_t(random.below(room));
    for (int32_t y = top; y < top + square; ++y)
      std::fill_n(mask.row(y) + left, square, uint8_t(255));
  }
  return mask;
}

}  // namespace cuesta::bench
