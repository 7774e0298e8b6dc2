#include "ops/motion/move_mask.hpp"

#include <algorithm>
#include <cstdlib>

namespace cuesta::motion {

void move_mask(BitView mask, int32_t dx, int32_t dy) {
  const int32_t words = mask.words();
  const auto move_row = [&](uint64_t* row) {
    const int32_t whole = std::abs(dx) / 64, bits = std::abs(dx) % 64;
    const auto at = [&](int32_t i) { return i >= 0 && i < words ? row[i] : 0; };
    if (dx > 0) {
      for (int32_t i = words - 1; i >= 0; --i)
        row[i] = at(i - whole) << bits | (bits ? at(i - whole - 1) >> (64 - bits) : 0);
    } else if (dx < 0) {
      for (int32_t i = 0; i < words; ++i)
        row[i] = at(i + whole) >> bits | (bits ? at(i + whole + 1) << (64 - bits) : 0);
    }
    if (mask.width % 64) row[words - 1] &= (uint64_t(1) << (mask.width % 64)) - 1;
  };
  const auto clear = [&](int32_t y) { std::fill_n(mask.row(y), words, uint64_t(0)); };
  for (int32_t i = 0; i < mask.height; ++i) {
    const int32_t y = dy > 0 ? mask.height - 1 - i : i, from = y - dy;
    if (from < 0 || from >= mask.height)
      clear(y);
    else if (from != y)
      std::copy_n(mask.row(from), words, mask.row(y));
    move_row(mask.row(y));
  }
}

}  // namespace cuesta::motion
