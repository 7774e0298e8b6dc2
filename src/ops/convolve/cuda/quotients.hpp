// Quotients of integer sums in floats, exact. Host and device.
//
// A sum s (|s| < 2^22) starts at the bits of the float 1.5 * 2^23, so its register holds the
// float 1.5 * 2^23 + s: no conversion. Adding back 1.5 * 2^23 after the division rounds half to
// even, and the low bits are the whole number.
#pragma once

#include <bit>
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

/// Any divisor, |s| < 2.7 million: 1 / divisor a little too small and a little too large gives
/// neighbours where the quotient is a tie, else one number twice; half their sum rounds rightly.
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
        above_(std::nextafter(inverse_, 2.0f)),
        up_(divisor % 2 == 0 ? above_ : inverse_) {}
  Once once() const { return {inverse_}; }
  Twice twice() const { return {below_, above_}; }
  /// Halves, which odd divisors do not make, go up; no sum is negative.
  Once once_up() const { return {up_}; }
  Twice twice_up() const { return {up_, up_}; }
  Exact exact() const { return {inverse_, divisor_}; }

 private:
  float divisor_, inverse_, below_, above_, up_;
};

/// Rounded quotients of whole numbers: by the upper half of a product with a multiplier a little
/// too large, exact for dividends below 2^31 (Granlund, Montgomery: Division by invariant integers
/// using multiplication, 1994). Sums start at `start`: half a divisor, and as many divisors as make
/// every sum positive, an even number of them, so that a quotient keeps its parity.
struct Division {
  uint32_t divisor, multiplier, ties;
  int32_t shift, start, more;  // more: what quotients are too large by

  Division() = default;
  /// Of sums from `least`, not above 0, to 2^31 − 3 by + least; `by` is at least 2 and below 2^31.
  /// Halves go up or to the even neighbour.
  Division(int64_t by, int64_t least, bool up)
      : divisor(uint32_t(by)),
        ties(up || by % 2 != 0 ? 0 : divisor),
        shift(int32_t(std::bit_width(divisor - 1)) - 1) {
    const int64_t twice = (2 * by - 1 - least) / (2 * by);
    // ceil(2^(32 + shift) / by), too large by less than 1.
    multiplier = uint32_t((uint64_t(1) << (32 + shift)) / divisor + 1);
    start = int32_t(twice * 2 * by + by / 2), more = int32_t(2 * twice);
  }
  /// Of a sum and `start` together.
  CUESTA_HOST_DEVICE int32_t operator()(uint32_t dividend) const {
#ifdef __CUDA_ARCH__
    uint32_t q = __umulhi(dividend, multiplier) >> shift;
#else
    uint32_t q = uint32_t(uint64_t(dividend) * multiplier >> 32) >> shift;
#endif
    if (q * ties == dividend) q &= ~1u;  // a dividend is never 0
    return int32_t(q) - more;
  }
};

/// The same of any sum of 32 bits without a sign, by divisors from 2 to 2^24: a quotient too small
/// by 1 at most, then the rest.
struct WideDivision {
  static constexpr int32_t start = 0;
  uint32_t divisor, multiplier;
  bool up;

  WideDivision() = default;
  WideDivision(int64_t by, int64_t, bool halves_up)
      : divisor(uint32_t(by)),
        multiplier(uint32_t((uint64_t(1) << 32) / uint64_t(by))),
        up(halves_up) {}
  CUESTA_HOST_DEVICE int32_t operator()(uint32_t dividend) const {
#ifdef __CUDA_ARCH__
    uint32_t q = __umulhi(dividend, multiplier);
#else
    auto q = uint32_t(uint64_t(dividend) * multiplier >> 32);
#endif
    uint32_t rest = dividend - q * divisor;
    if (rest >= divisor) ++q, rest -= divisor;
    return int32_t(q + (2 * rest > divisor || (2 * rest == divisor && (up || q % 2 != 0)) ? 1 : 0));
  }
};

}  // namespace cuesta::convolve_cuda
