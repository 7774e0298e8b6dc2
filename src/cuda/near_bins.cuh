// A histogram of many bins, counted by a block: a range of them in its shared memory, in which
// nearly all values are, and the others in device memory at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuesta::cuda {

/// Which bins a block has in its shared memory.
struct NearRange {
  uint32_t first, count;
  uint32_t apart;  ///< one more, outside the range or in it: where many equal values are expected
  uint32_t end;    ///< values from here on are counted nowhere

  constexpr size_t bytes() const { return (size_t(count) + 2) * sizeof(uint32_t); }
};

/// clear() and flush() are called by all threads of a block, the others by any of them.
struct NearBins {
  NearRange range;
  uint32_t* counted;  ///< shared, range.bytes(): behind the range `apart`'s, and one for nothing
  uint32_t* bins;     ///< all of them, in device memory

  /// A barrier has to follow.
  __device__ void clear() const {
    for (uint32_t i = threadIdx.x; i < range.count + 2; i += blockDim.x) counted[i] = 0;
  }
  /// Where `on`, adds 1 to the bin, or says that add_far() has to. Without a branch, so that
  /// several values go side by side, and one branch leads to those that are far.
  __device__ __forceinline__ bool add_near(uint32_t bin, bool on) const {
    const uint32_t at = bin - range.first;
    const bool near = at < range.count;
    atomicAdd(counted + (on && near ? at : range.count + 1), 1u);
    return on && !near;
  }
  __device__ __forceinline__ void add_far(uint32_t bin) const {
    if (bin == range.apart)
      atomicAdd(counted + range.count, 1u);
    else if (bin < range.end)
      atomicAdd(bins + bin, 1u);
  }
  /// Adds what was counted here to device memory; a barrier has to come before. Blocks begin at
  /// different bins: they would queue for one after the other.
  __device__ void flush() const {
    const uint32_t shift = range.count / gridDim.x * blockIdx.x / 32 * 32;
    for (uint32_t i = threadIdx.x; i <= range.count; i += blockDim.x) {
      const uint32_t shifted = i + shift;
      const uint32_t at = shifted <= range.count ? shifted : shifted - range.count - 1;
      const uint32_t count = counted[at];
      if (count > 0) atomicAdd(bins + (at < range.count ? range.first + at : range.apart), count);
    }
  }
};

}  // namespace cuesta::cuda
