// One row of a bit mask with its border written out in whole words on both sides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/bits.hpp"
#include "cuesta/border.hpp"

namespace cuesta::cpu {

/// Words before a row that hold `left` pixels of border.
constexpr int32_t guard_words(int32_t left) { return (left + 63) / 64; }

/// Writes row `y` (any distance outside) to `count` words: pixel x to bit x + 64 *
/// guard_words(left). `outside` (0 or all ones) stands where the mode has no pixel, and beyond
/// `right` pixels of border.
inline void extend_bits(ConstBitView src, int32_t y, BorderMode mode, uint64_t outside,
                        int32_t left, int32_t right, uint64_t* out, ptrdiff_t count) {
  const int32_t sy = map_index(mode, y, src.height);
  if (sy < 0) {
    std::fill_n(out, count, outside);
    return;
  }
  const int32_t guard = guard_words(left), words = src.words();
  const uint64_t* row = src.row(sy);
  std::fill_n(out, guard, outside);
  std::memcpy(out + guard, row, size_t(words) * sizeof(uint64_t));
  const uint64_t mask = last_word_mask(src.width);
  uint64_t& last = out[guard + words - 1];
  last = (last & mask) | (outside & ~mask);
  std::fill(out + guard + words, out + count, outside);
  if (mode == BorderMode::constant || mode == BorderMode::ignore) return;
  const auto put = [&](int32_t x) {
    const int32_t sx = map_index(mode, x, src.width), bit = x + 64 * guard;
    const uint64_t set = uint64_t(1) << (bit % 64);
    uint64_t& word = out[bit / 64];
    word = (row[sx / 64] >> (sx % 64)) & 1 ? word | set : word & ~set;
  };
  for (int32_t x = -left; x < 0; ++x) put(x);
  for (int32_t x = src.width; x < src.width + right; ++x) put(x);
}

/// Clears the pixels [begin, end) of a row.
inline void clear_bits(uint64_t* row, int32_t begin, int32_t end) {
  for (int32_t x = begin; x < end;) {
    const int32_t stop = std::min(end, (x / 64 + 1) * 64);
    row[x / 64] &= ~(last_word_mask(stop) & (~uint64_t(0) << (x % 64)));
    x = stop;
  }
}

}  // namespace cuesta::cpu
