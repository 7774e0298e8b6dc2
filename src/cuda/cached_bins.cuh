// A histogram of many bins, counted by a block: the bins that it meets often stay in its shared
// memory, the others go to device memory at once.
#pragma once

#include <cstdint>

namespace cuesta::cuda {

/// `Entries` (a power of two) places, each for the first bin that asks for it. Bin numbers are
/// below 2^32 − 1. The members are called by all threads of a block, add() by any of them.
template <int Entries>
struct CachedBins {
  static_assert((Entries & (Entries - 1)) == 0);
  static constexpr size_t bytes = 2 * Entries * sizeof(uint32_t);
  uint32_t* memory;  ///< shared, `bytes` of it: a bin's number + 1, then what was counted

  /// A barrier has to follow.
  __device__ void clear() const {
    for (unsigned i = threadIdx.x; i < 2 * Entries; i += blockDim.x) memory[i] = 0;
  }
  template <class Count>
  __device__ __forceinline__ void add(uint32_t bin, uint32_t count, Count* bins) const {
    const uint32_t at = bin % Entries;
    uint32_t owner = memory[at];
    if (owner == 0) {
      owner = atomicCAS(memory + at, 0u, bin + 1);
      if (owner == 0) owner = bin + 1;
    }
    if (owner == bin + 1)
      atomicAdd(memory + Entries + at, count);
    else
      atomicAdd(bins + bin, Count(count));
  }
  /// Adds what stayed here to device memory; a barrier has to come before.
  template <class Count>
  __device__ void flush(Count* bins) const {
    for (unsigned i = threadIdx.x; i < Entries; i += blockDim.x)
      if (memory[Entries + i] > 0) atomicAdd(bins + memory[i] - 1, Count(memory[Entries + i]));
  }
};

}  // namespace cuesta::cuda
