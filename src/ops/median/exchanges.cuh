// Minima and maxima of two samples of 16 bits in a register, on the pipe of integers, of
// multiplications or of halves: kernels that are bound by one of them share the work out.
#pragma once

#include <cuda_fp16.h>

#include "cuda/instructions.cuh"

namespace cuesta::median_cuda {

/// Two samples of 16 bits in a register.
struct InPairs {
  __device__ uint32_t low(uint32_t a, uint32_t b) const { return __vminu2(a, b); }
  __device__ uint32_t high(uint32_t a, uint32_t b) const { return __vmaxu2(a, b); }
};

/// Exchanges whose greater sample is both less the lesser one, on the multiplier's pipe, which
/// works beside the one that has minima. Halves do not disturb each other: both sums are the same.
struct InSums : InPairs {
  uint32_t one;  // what the compiler does not know, or it makes additions of them
};

/// One integer of 32 bits in a register.
struct Singles {
  __device__ uint32_t low(uint32_t a, uint32_t b) const { return uint32_t(min(int(a), int(b))); }
  __device__ uint32_t high(uint32_t a, uint32_t b) const { return uint32_t(max(int(a), int(b))); }
};

/// Exchanges on the pipe of fp16 pairs alone. A sample of 8 bits is a subnormal of fp16: sums below
/// 2,048 are exact, and their bits are the whole number's.
struct InHalves : InPairs {};

#define MEDIAN_INLINE __device__ __forceinline__
MEDIAN_INLINE __half2 half_of(uint32_t v) { return *reinterpret_cast<__half2*>(&v); }
MEDIAN_INLINE uint32_t bits_of(__half2 v) { return *reinterpret_cast<uint32_t*>(&v); }
MEDIAN_INLINE void exchange(InHalves, uint32_t& a, uint32_t& b) {
  const __half2 x = half_of(a), y = half_of(b), more = __hsub2_sat(x, y);  // 0 where a is less
  a = bits_of(__hsub2(x, more)), b = bits_of(__hadd2(y, more));
}
/// a + factor · b.
MEDIAN_INLINE uint32_t sum(uint32_t a, uint32_t b, uint32_t factor) {
  return cuda::multiply_add_words(b, factor, a);
}
MEDIAN_INLINE void exchange(InSums o, uint32_t& a, uint32_t& b) {
  const uint32_t least = o.low(a, b);
  b = sum(sum(a, b, o.one), least, -o.one);
  a = least;
}
#include "ops/median/network.inc"
#undef MEDIAN_INLINE

}  // namespace cuesta::median_cuda
