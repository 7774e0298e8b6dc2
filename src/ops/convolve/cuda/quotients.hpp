// Quotients of integer sums in floats, exact. Host and device.
//
// A sum s (|s| < 2^22) starts at the bits of the float 1.5 * 2^23, so its register holds the
// float 1.5 * 2^23 + s: no conversion. Adding back 1.5 * 2^23 after the division rounds half to
// even, and the low bits are the whole number.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "cuesta/border.hpp"

namespace cuesta::convolve_cuda {

inline constexpr float magic = 12582912.0f;  // 1.5 * 2^23
inline constexpr int32_t magic_bits = 0x4B400000;

CUESTA_HOST_DEVICE inline uint32_t bits_of(float v) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(v);
#else
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  return bits;
#endif
}
CUESTA_HOST_DEVICE inline float float_of(uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  float v;
  std::memcpy(&v, &bits, 4);
  return v;
#endif
}
/// The float s of a register that holds 1.5 * 2^23 + s.
CUESTA_HOST_DEVICE inline float sum_of(int32_t register_bits) {
  return float_of(uint32_t(register_bits)) - magic;
}

/// s / divisor with one product, where ties cannot be missed: the divisor is odd or a power of two,
/// or halves go up and no sum is negative. s · (1 / divisor) errs by less than |s| · 2^-23 /
/// divisor, and is no nearer to a tie than 1 / (2 divisor).
struct Once {
  float inverse;
  CUESTA_HOST_DEVICE uint32_t operator()(float s) const { return bits_of(fmaf(s, inverse, magic)); }
};

/// Any divisor: 1 / divisor taken a little too small and a little too large gives neighbours where
/// the quotient is a tie, else the same number twice; half their sum rounds as it should.
struct Twice {
  float below, above;
  CUESTA_HOST_DEVICE uint32_t operator()(float s) const {
    const float low = fmaf(s, below, magic) - magic, both = low + fmaf(s, above, magic);
    return bits_of(fmaf(both, 0.5f, 0.5f * magic));
  }
};

/// s / divisor as a float, correctly rounded, for divisors up to 2^24: one step from the rounded
/// reciprocal (Markstein).
struct Exact {
  float inverse, divisor;
  CUESTA_HOST_DEVICE float operator()(float s) const {
    const float q = s * inverse;
    return fmaf(fmaf(-q, divisor, s), inverse, q);
  }
};

/// The reciprocals of a divisor: of any for whole quotients, up to 2^24 for exact().
class Divisors {
 public:
  explicit Divisors(int64_t divisor)
      : divisor_(float(divisor)),
        inverse_(float(1 / double(divisor))),
        below_(std::nextafter(inverse_, 0.0f)),
        above_(std::nextafter(inverse_, 2.0f)) {}
  Once once() const { return {inverse_}; }
  Twice twice() const { return {below_, above_}; }
  /// Halves go up; no sum is negative.
  Once once_up() const { return {above_}; }
  Twice twice_up() const { return {above_, above_}; }
  Exact exact() const { return {inverse_, divisor_}; }

 private:
  float divisor_, inverse_, below_, above_;
};

}  // namespace cuesta::convolve_cuda
