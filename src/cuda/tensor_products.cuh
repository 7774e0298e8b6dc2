// Products of matrices of bytes on the int8 tensor cores, summed in s32: a warp's, 16 rows of `a`
// times 8 columns of `b`. From compute capability 8.0.
#pragma once

#include <cstdint>

#include "cuda/instructions.cuh"

namespace cuesta::cuda::tensor {

/// Registers of `a` that must stand in a row.
struct Quad {
  uint32_t word[4];
};

/// sum = a b + start.
template <class A, class B, class... Words>
__device__ __forceinline__ void multiply(int32_t (&sum)[4], const uint32_t* a, int32_t start,
                                         Words... b) {
#pragma unroll
  for (int i = 0; i < 4; ++i) sum[i] = start;
  multiply_add<A, B>(sum, a, b...);
}

/// The bytes of four sums, apart: low ones of a, b, c, d to out[0], and so on. Sums of two bytes
/// may be negative where Signed.
template <bool Signed = false>
__device__ __forceinline__ void split(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                      uint32_t (&out)[2]) {
  const uint32_t ab = Signed ? __byte_perm(a, b, 0x5410) : b * 65536u + a;
  const uint32_t cd = Signed ? __byte_perm(c, d, 0x5410) : d * 65536u + c;
  out[0] = __byte_perm(ab, cd, 0x6420), out[1] = __byte_perm(ab, cd, 0x7531);
}
template <bool Signed = false>
__device__ __forceinline__ void split(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                      uint32_t (&out)[3]) {
  const uint32_t ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
  out[0] = __byte_perm(ab, cd, 0x5410), out[1] = __byte_perm(ab, cd, 0x7632);
  out[2] = __byte_perm(__byte_perm(a, b, 0x0062), __byte_perm(c, d, 0x0062), 0x5410);
}

/// Of a pair of columns what 16 rows' sums across leave, h[half of the rows][plane of the samples],
/// as bytes.
template <bool Signed, int Planes>
__device__ __forceinline__ void split_sums(const int32_t (&h)[2][Planes][4], int pair,
                                           uint32_t (&out)[Planes + 1]) {
  const auto sum = [&](int k, int n) {
    return uint32_t(h[k][0][2 * pair + n]) +
           (Planes == 2 ? uint32_t(h[k][Planes - 1][2 * pair + n]) * 256u : 0u);
  };
  split<Signed>(sum(0, 0), sum(0, 1), sum(1, 0), sum(1, 1), out);
}

/// The number whose bytes have been summed apart, modulo 2^32.
template <int Parts>
__device__ __forceinline__ uint32_t joined(const int32_t (&part)[Parts][4], int n) {
  auto sum = uint32_t(part[Parts - 1][n]);
#pragma unroll
  for (int k = Parts - 2; k >= 0; --k) sum = sum * 256u + uint32_t(part[k][n]);
  return sum;
}

}  // namespace cuesta::cuda::tensor
