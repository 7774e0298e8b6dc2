// Sums in device memory by any number of threads; sums, least and greatest values over a whole
// warp, on every lane; sums over the threads of a block before each.
#pragma once

#include <cstdint>

namespace cuesta::cuda {

__device__ inline void add(int64_t& sum, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(value));
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ inline int32_t warp_sum(int32_t v) { return __reduce_add_sync(~0u, v); }
__device__ inline uint32_t warp_sum(uint32_t v) { return __reduce_add_sync(~0u, v); }
__device__ inline int32_t warp_min(int32_t v) { return __reduce_min_sync(~0u, v); }
__device__ inline int32_t warp_max(int32_t v) { return __reduce_max_sync(~0u, v); }
#else
template <class Join>
__device__ int32_t warp_all(int32_t v, Join join) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) v = join(v, __shfl_xor_sync(~0u, v, step));
  return v;
}
__device__ inline int32_t warp_sum(int32_t v) {
  return warp_all(v, [](int32_t a, int32_t b) { return a + b; });
}
__device__ inline uint32_t warp_sum(uint32_t v) { return uint32_t(warp_sum(int32_t(v))); }
__device__ inline int32_t warp_min(int32_t v) {
  return warp_all(v, [](int32_t a, int32_t b) { return min(a, b); });
}
__device__ inline int32_t warp_max(int32_t v) {
  return warp_all(v, [](int32_t a, int32_t b) { return max(a, b); });
}
#endif

/// The sum of `value` over the threads of a block before this one, and over all of them.
template <int Threads>
__device__ uint2 sum_before(uint32_t value, uint32_t (&warps)[Threads / 32]) {
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  uint32_t upto = value;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const uint32_t other = __shfl_up_sync(~0u, upto, step);
    if (lane >= step) upto += other;
  }
  if (lane == 31) warps[warp] = upto;
  __syncthreads();
  uint32_t before = 0, all = 0;
#pragma unroll
  for (int i = 0; i < Threads / 32; ++i) {
    const uint32_t sum = warps[i];
    if (i < warp) before += sum;
    all += sum;
  }
  return make_uint2(before + upto - value, all);
}

}  // namespace cuesta::cuda
