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

/// A sliding histogram of u16 samples: counts of the values, and of blocks of 16 and of 256 of
/// them.
class SlidingHistogram {
 public:
  static constexpr size_t counts = 65536 + 4096 + 256;

  /// `memory` holds `counts`. `rank`: how many samples of a window are below its median.
  SlidingHistogram(uint16_t* memory, int32_t rank)
      : fine_(memory), blocks_(memory + 65536), coarse_(blocks_ + 4096), rank_(rank) {
    std::memset(memory, 0, counts * sizeof(uint16_t));
  }
  void add(uint16_t v) {
    ++fine_[v];
    ++blocks_[v >> 4];
    ++coarse_[v >> 8];
    below_ += (v >> 8) < bin_;
  }
  void remove(uint16_t v) {
    --fine_[v];
    --blocks_[v >> 4];
    --coarse_[v >> 8];
    below_ -= (v >> 8) < bin_;
  }
  /// Of a whole window.
  uint16_t median() {
    while (below_ > rank_) below_ -= coarse_[--bin_];
    while (below_ + coarse_[bin_] <= rank_) below_ += coarse_[bin_++];
    int32_t below = below_, block = bin_ * 16;
    while (below + blocks_[block] <= rank_) below += blocks_[block++];
    int32_t value = block * 16;
    while (below + fine_[value] <= rank_) below += fine_[value++];
    return uint16_t(value);
  }

 private:
  uint16_t *fine_, *blocks_, *coarse_;
  int32_t rank_, bin_ = 0, below_ = 0;  // samples in the coarse bins before bin_
};

}  // namespace cuesta::medians
