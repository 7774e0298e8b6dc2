// What the histograms of windows beyond 5 × 5 are kept in.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace cuesta::medians {

/// steps[b][i] is 1 from bin b on: what one sample adds to sums of bins.
inline constexpr auto steps = [] {
  std::array<std::array<uint8_t, 16>, 16> all{};
  for (size_t b = 0; b < 16; ++b)
    for (size_t i = b; i < 16; ++i) all[b][i] = 1;
  return all;
}();

/// Columns of u8 histograms: 16 bins of 16 values each, in which the sums restart.
struct ColumnMemory {
  uint8_t* coarse;  // [columns][16]
  uint8_t* fine;    // [16 bins][columns][16]
  ptrdiff_t columns;

  static constexpr size_t bytes(int32_t columns) { return size_t(columns) * 17 * 16; }
  ColumnMemory(uint8_t* memory, int32_t count)
      : coarse(memory), fine(memory + ptrdiff_t(count) * 16), columns(count) {}
};

}  // namespace cuesta::medians
