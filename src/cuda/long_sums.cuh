// What kernels of long sums down columns and across rows share: a lane's part, and where a row of
// sums is in shared memory.
#pragma once

#include <algorithm>
#include <span>

#include "cuda/launch.cuh"

namespace cuesta::cuda::long_sums {

inline constexpr int warps = 8, columns = 4;  ///< of a block; columns of a lane, 32 apart
inline constexpr int lane_results = 8, warp_results = 32 * lane_results;  ///< across
inline constexpr int max_side = 257, max_taps = 288;

/// Taps, followed by zeros to a multiple of what is taken at a time.
template <class Tap>
struct Taps {
  Tap tap[max_taps];
  int32_t steps;

  template <class From>
  static Taps padded(std::span<const From> taps, int past, int multiple) {
    Taps out{};
    for (size_t i = 0; i < taps.size(); ++i) out.tap[i] = Tap(taps[i]);
    out.steps = (int(taps.size()) + past + multiple - 1) / multiple * multiple;
    return out;
  }
};

/// Where item i of a row is: neighbouring lanes, 8 items apart, read 16 bytes without meeting in a
/// bank.
__host__ __device__ constexpr int spread(int i) { return i + i / 32 * 4; }

/// Items of a row that a warp's results need.
__host__ __device__ constexpr int row_items(int steps) {
  return spread((warp_results + steps + 31) / 32 * 32);
}

/// Four items from `i` on of a spread row.
template <class Item>
__device__ __forceinline__ void load_four(const Item* row, int i, Item* to) {
  static_assert(sizeof(Item) == 4);
  const int4 four = *reinterpret_cast<const int4*>(row + spread(i));
  reinterpret_cast<int32_t&>(to[0]) = four.x, reinterpret_cast<int32_t&>(to[1]) = four.y;
  reinterpret_cast<int32_t&>(to[2]) = four.z, reinterpret_cast<int32_t&>(to[3]) = four.w;
}

}  // namespace cuesta::cuda::long_sums
