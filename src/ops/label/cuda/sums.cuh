// Sums in device memory by any number of threads; sums, least and greatest values over a whole
// warp, on every lane.
#pragma once

#include <cstdint>

namespace cuesta::label_cuda {

__device__ inline void add(int64_t& sum, int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&sum), static_cast<unsigned long long>(value));
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__device__ inline int32_t warp_sum(int32_t v) { return __reduce_add_sync(~0u, v); }
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
__device__ inline int32_t warp_min(int32_t v) {
  return warp_all(v, [](int32_t a, int32_t b) { return min(a, b); });
}
__device__ inline int32_t warp_max(int32_t v) {
  return warp_all(v, [](int32_t a, int32_t b) { return max(a, b); });
}
#endif

}  // namespace cuesta::label_cuda
