// Strategy `tiles`, the numbers: a scan in one pass over the first pixels of sets.
#pragma once

#include "cuda/sums.cuh"
#include "ops/label/cuda/tiles.cuh"

namespace cuesta::label_cuda {

inline constexpr int number_threads = 256, groups_a_thread = 4;
inline constexpr int groups_a_part = number_threads * groups_a_thread;

/// What is known of a part: nothing (0), its own sum, or the sum up to its end; the sum below,
/// which of them above.
inline constexpr uint64_t part_sum = uint64_t(1) << 32, sum_to_part = uint64_t(2) << 32;

using PartState = ::cuda::atomic_ref<uint64_t, ::cuda::thread_scope_device>;

/// The sum of all parts before `part`, for every lane of a warp, that publishes its own meanwhile.
__device__ inline int32_t sum_of_parts(uint64_t* parts, int32_t part, int32_t own) {
  const int lane = int(threadIdx.x) % 32;
  const auto publish = [&](uint64_t state) {
    if (lane == 0) PartState(parts[part]).store(state, ::cuda::memory_order_relaxed);
  };
  if (part > 0) publish(part_sum | uint32_t(own));
  int32_t before = 0;
  for (int32_t last = part - 1; last >= 0; last -= 32) {
    uint64_t state = sum_to_part;
    do {
      if (last - lane >= 0)
        state = PartState(parts[last - lane]).load(::cuda::memory_order_relaxed);
    } while (__any_sync(~0u, state == 0));
    const unsigned ends = __ballot_sync(~0u, state >= sum_to_part);
    const int nearest = ends ? lowest_bit(ends) : 32;
    before += cuda::warp_sum(lane <= nearest ? int32_t(uint32_t(state)) : 0);
    if (ends) break;
  }
  publish(sum_to_part | uint32_t(before + own));
  return before;
}

/// t.sums from t.roots. A block takes the next part, so that all parts before its own are in
/// flight: D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled look-back",
/// NVIDIA NVR-2016-002.
static __global__ void __launch_bounds__(number_threads) number_sets(Tiles t) {
  __shared__ uint32_t warps[number_threads / 32];
  __shared__ int32_t next_part, sum_before_part;
  cuda::let_next_begin();
  cuda::wait_for_before();
  if (threadIdx.x == 0) next_part = atomicAdd(&t.counts->parts, 1);
  __syncthreads();
  const int32_t part = next_part;
  const int64_t first = int64_t(part) * groups_a_part + int64_t(threadIdx.x) * groups_a_thread;
  const int64_t groups = t.word_groups();
  int32_t upto[groups_a_thread], sum = 0;
#pragma unroll
  for (int g = 0; g < groups_a_thread; ++g) {
    if (first + g < groups) {
      const uint4 words = reinterpret_cast<const uint4*>(t.roots)[first + g];
      sum += count_bits(words.x) + count_bits(words.y) + count_bits(words.z) + count_bits(words.w);
    }
    upto[g] = sum;
  }
  const uint2 in_block = cuda::sum_before<number_threads>(uint32_t(sum), warps);
  if (threadIdx.x < 32) {
    const int32_t before = sum_of_parts(t.parts, part, int32_t(in_block.y));
    if (threadIdx.x == 0) {
      sum_before_part = before;
      if (part + 1 == int32_t(gridDim.x)) t.counts->sets = before + int32_t(in_block.y);
    }
  }
  __syncthreads();
#pragma unroll
  for (int g = 0; g < groups_a_thread; ++g) {
    if (first + g < groups) t.sums[first + g] = sum_before_part + int32_t(in_block.x) + upto[g];
  }
}

}  // namespace cuesta::label_cuda
