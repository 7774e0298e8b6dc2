// From a sum to a sample: division, rounding, |.|, offset, saturation. Host and device.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ops/convolve/args.hpp"

namespace cuesta::convolution {

/// The part of a request that follows the sum; passed by value, also to GPU kernels.
struct Finish {
  int64_t divisor;
  Rounding rounding;
  bool absolute;
  int32_t offset;

  explicit Finish(const ConvolveArgs& args)
      : divisor(args.divisor),
        rounding(args.rounding),
        absolute(args.absolute),
        offset(args.offset) {}

  /// The sum of type int64_t (integer source) or float as a sample of type Out.
  template <class Out, class Sum>
  CUESTA_HOST_DEVICE Out sample(Sum sum) const {
    if constexpr (std::is_same_v<Sum, int64_t>) {
      if constexpr (std::is_same_v<Out, float>)
        return shifted(float(double(sum) / double(divisor)));
      else
        return saturated<Out>(quotient(sum));
    } else if constexpr (std::is_same_v<Out, float>) {
      return shifted(sum);
    } else {
      const double value = sum != sum ? 0 : nearbyint(double(sum));
      return saturated<Out>(value < -double(far_out)  ? -far_out
                            : value > double(far_out) ? far_out
                                                      : int64_t(value));
    }
  }

 private:
  // A value this far out saturates every integer type, whatever the offset.
  static constexpr int64_t far_out = int64_t(1) << 40;

  CUESTA_HOST_DEVICE constexpr int64_t quotient(int64_t sum) const {
    if (divisor == 1) return sum;
    int64_t whole = sum / divisor, rest = sum % divisor;
    if (rest < 0) --whole, rest += divisor;
    const int64_t to_next = divisor - rest;  // up to the next whole number
    const bool tie_up = rounding == Rounding::half_up || whole % 2 != 0;
    return whole + (rest > to_next || (rest == to_next && tie_up) ? 1 : 0);
  }
  template <class Out>
  CUESTA_HOST_DEVICE constexpr Out saturated(int64_t value) const {
    value = value < -far_out ? -far_out : value > far_out ? far_out : value;
    if (absolute && value < 0) value = -value;
    value += offset;
    constexpr int64_t least = std::numeric_limits<Out>::min(),
                      most = std::numeric_limits<Out>::max();
    return Out(value < least ? least : value > most ? most : value);
  }
  CUESTA_HOST_DEVICE float shifted(float value) const {
    if (absolute) value = fabsf(value);
    return offset ? value + float(offset) : value;
  }
};

}  // namespace cuesta::convolution
