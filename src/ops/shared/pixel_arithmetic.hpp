// The arithmetic every strategy of the point operations shares. Host and device.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/one_nan.hpp"
#include "cuesta/border.hpp"

namespace cuesta::pixel {

/// The weights of red, green and blue in units of 2^-15 (cv::cvtColor); they sum to 2^15.
inline constexpr int32_t red = 9798, green = 19235, blue = 3735;

/// Of u8 or u16 samples. The largest sum, 65535 · 2^15 + 2^14, fits 31 bits.
CUESTA_HOST_DEVICE constexpr int32_t gray(int32_t r, int32_t g, int32_t b) {
  return (red * r + green * g + blue * b + (1 << 14)) >> 15;
}
/// Of a sample that is gray.
template <class T>
CUESTA_HOST_DEVICE T gray(T sample) {
  if constexpr (std::is_floating_point_v<T>)
    return with_one_nan(sample);
  else
    return sample;
}

/// a * b, rounded before anything is added to it. nvcc fuses a plain product with an addition; the
/// compilers of the host and of the emulated device do not (-ffp-contract=off).
CUESTA_HOST_DEVICE inline float product(float a, float b) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}
CUESTA_HOST_DEVICE inline double product(double a, double b) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// Of f32 samples, summed from the left.
CUESTA_HOST_DEVICE inline float gray(float r, float g, float b) {
  const float sum = product(float(red), r) + product(float(green), g) + product(float(blue), b);
  return with_one_nan(sum / 32768);
}

/// sample * factor. Integers are rounded half up and clipped to the range of To; NaN gives 0.
template <class To>
CUESTA_HOST_DEVICE To scaled(double sample, double factor) {
  const double value = product(sample, factor);
  if constexpr (std::is_floating_point_v<To>) {
    return with_one_nan(To(value));
  } else {
    constexpr double max = std::numeric_limits<To>::max();
    const double rounded = value + 0.5;
    return rounded > 0 ? To(rounded < max ? rounded : max) : To(0);
  }
}

/// `v > limit(…)` decides as `double(v) > limit` does, for every v of T: the largest T (for
/// integers: the largest int32_t) that does not exceed the limit. The limit is not NaN.
template <class T>
auto limit_of(double limit) {
  if constexpr (std::is_floating_point_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (limit > double(Limits::max()))
      return std::isinf(limit) ? Limits::infinity() : Limits::max();
    if (limit < double(Limits::lowest())) return -Limits::infinity();
    const auto nearest = T(limit);
    return double(nearest) > limit ? std::nextafter(nearest, -Limits::infinity()) : nearest;
  } else {
    // All of T is in (-1, 65536]: what is further out decides alike.
    return int32_t(std::floor(limit < -1 ? -1 : limit > 65536 ? 65536 : limit));
  }
}

}  // namespace cuesta::pixel
