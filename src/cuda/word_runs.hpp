// Runs of ones in the 32-bit words of a mask, and which of them touch. Host and device.
#pragma once

#include <bit>
#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::mask_runs {

/// Pixels of a word; pixel i is bit i.
inline constexpr int word_pixels = 32;

CUESTA_HOST_DEVICE inline int lowest_bit(uint32_t v) {  // v != 0
#ifdef __CUDA_ARCH__
  return __ffs(int(v)) - 1;
#else
  return std::countr_zero(v);
#endif
}
CUESTA_HOST_DEVICE inline int count_bits(uint32_t v) {
#ifdef __CUDA_ARCH__
  return __popc(v);
#else
  return std::popcount(v);
#endif
}
/// The first pixel of the run that holds pixel `bit`.
CUESTA_HOST_DEVICE inline int run_start(uint32_t word, int bit) {
  const uint32_t gaps = ~word & ((1u << bit) - 1);  // below
#ifdef __CUDA_ARCH__
  return 32 - __clz(int(gaps));
#else
  return 32 - std::countl_zero(gaps);
#endif
}
/// The run that begins at `start`.
CUESTA_HOST_DEVICE inline uint32_t run_from(uint32_t word, int start) {
  return word & ~(word + (1u << start));
}

/// Pixels and their neighbours in the row.
CUESTA_HOST_DEVICE inline uint32_t widen(uint32_t v) { return v | v << 1 | v >> 1; }

/// Calls each(start, run) for the runs of a word.
template <class Each>
CUESTA_HOST_DEVICE void for_runs(uint32_t word, Each&& each) {
  while (word != 0) {
    const int start = lowest_bit(word);
    const uint32_t run = run_from(word, start);
    each(start, run);
    word &= ~run;
  }
}

/// A word of a mask and its eight neighbours; 0 outside the picture.
struct Around {
  uint32_t up_left, up, up_right, left, here, right, down_left, down, down_right;
};

/// Calls each(dx, dy, start) for the runs of the word to the left and of the row above that `run`,
/// one of mask.here, touches: that of the word dx to the right and dy down which begins at its
/// pixel `start`. Leaves out those that come by others: a run at the upper corner is joined to one
/// beside or above by the word that holds both or the one between.
template <bool Eight, class Each>
CUESTA_HOST_DEVICE void runs_before(const Around& mask, uint32_t run, Each&& each) {
  uint32_t above = mask.up & (Eight ? widen(run) : run);
  while (above != 0) {
    const int other = run_start(mask.up, lowest_bit(above));
    each(0, -1, other);
    above &= ~run_from(mask.up, other);
  }
  const bool left = run & 1 && mask.left >> 31;
  if (left) each(-1, 0, run_start(mask.left, 31));
  if constexpr (Eight) {
    if (run & 1 && mask.up_left >> 31 && !left && !(mask.up & 1))
      each(-1, -1, run_start(mask.up_left, 31));
    if (run >> 31 && mask.up_right & 1 && !(mask.up >> 31)) each(1, -1, 0);
  }
}

}  // namespace cuesta::mask_runs
