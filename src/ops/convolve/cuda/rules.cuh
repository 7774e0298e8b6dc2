// What the int8 tensor cores' sums become in convolve: quotients, rounded, shifted, saturated. Host
// and device make them.
#pragma once

#include <type_traits>

#include "cuda/instructions.cuh"
#include "ops/convolve/cuda/quotients.hpp"

namespace cuesta::convolve_cuda {

/// Four whole numbers to u8, u16 or s16, saturated.
template <class T>
__device__ __forceinline__ void saturate(int32_t a, int32_t b, int32_t c, int32_t d,
                                         uint32_t* words) {
  if constexpr (sizeof(T) == 1) {
    words[0] = cuda::saturate_u8(a, b, cuda::saturate_u8(c, d, 0));
  } else if constexpr (std::is_signed_v<T>) {
    words[0] = cuda::saturate_s16(a, b), words[1] = cuda::saturate_s16(c, d);
  } else {
    words[0] = cuda::saturate_u16(a, b), words[1] = cuda::saturate_u16(c, d);
  }
}

/// To u8 by 16-bit lanes: |quotient| and |quotient + offset| below 2^15.
struct Bytes {
  using Out = uint8_t;
  static constexpr bool few_registers = false;
  Once divide;
  uint32_t offset;  // twice
  __device__ static int32_t start() { return magic_bits; }
  __device__ void results(int32_t a, int32_t b, int32_t c, int32_t d, uint32_t* words) const {
    const auto pair = [&](int32_t x, int32_t y) {
      const uint32_t p = __byte_perm(divide(sum_of(x)), divide(sum_of(y)), 0x5410);
      return __viaddmin_s16x2_relu(p, offset, 0x00FF00FF);
    };
    words[0] = __byte_perm(pair(a, b), pair(c, d), 0x6420);
  }
};

/// The sum itself, to u8, u16 or s16: no divisor. Sums with the offset stay below 2^31.
template <class T>
struct Direct {
  using Out = T;
  static constexpr bool few_registers = true;
  bool absolute;
  int32_t offset;
  __device__ static int32_t start() { return 0; }
  __device__ void results(int32_t a, int32_t b, int32_t c, int32_t d, uint32_t* words) const {
    if (absolute) a = abs(a), b = abs(b), c = abs(c), d = abs(d);
    if (offset != 0) a += offset, b += offset, c += offset, d += offset;
    saturate<T>(a, b, c, d, words);
  }
};

/// To u8 or s16 by floats, sums below 2^22, any quotient.
template <class T>
struct Whole {
  using Out = T;
  static constexpr bool few_registers = false;
  Twice divide;
  uint32_t sign;   // clears the sum's where |.| is requested
  int32_t offset;  // less the bits of 1.5 * 2^23
  __device__ static int32_t start() { return magic_bits; }
  __device__ int32_t whole(int32_t x) const {
    return int32_t(divide(float_of(bits_of(sum_of(x)) & sign))) + offset;
  }
  __device__ void results(int32_t a, int32_t b, int32_t c, int32_t d, uint32_t* words) const {
    saturate<T>(whole(a), whole(b), whole(c), whole(d), words);
  }
};

/// To u8, u16 or s16 by whole numbers.
template <class T>
struct Integers {
  using Out = T;
  static constexpr bool few_registers = false;
  Division divide;
  bool absolute;
  int32_t offset;
  __device__ int32_t start() const { return divide.start; }
  __device__ int32_t whole(int32_t x) const {
    const int32_t v = divide(uint32_t(x));
    return (absolute ? abs(v) : v) + offset;
  }
  __device__ void results(int32_t a, int32_t b, int32_t c, int32_t d, uint32_t* words) const {
    saturate<T>(whole(a), whole(b), whole(c), whole(d), words);
  }
};

/// To f32.
struct Quotient {
  using Out = float;
  static constexpr bool few_registers = false;
  Exact divide;
  uint32_t sign;
  float offset;
  __device__ static int32_t start() { return magic_bits; }
  __device__ uint32_t result(int32_t x) const {
    return bits_of(divide(float_of(bits_of(sum_of(x)) & sign)) + offset);
  }
  __device__ void results(int32_t a, int32_t b, int32_t c, int32_t d, uint32_t* words) const {
    words[0] = result(a), words[1] = result(b), words[2] = result(c), words[3] = result(d);
  }
};

}  // namespace cuesta::convolve_cuda
