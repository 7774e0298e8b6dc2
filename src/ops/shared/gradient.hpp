// What the strategies of sobel (and canny) share: taps, octants, saturation. Host and device.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::gradient {

/// What samples T are summed in: exact integers (those of u16 are at most 65,535 · 640 < 2^31), or
/// f32 whose every operation is the definition's.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, float>, float, int32_t>;

template <class G>
struct Gradient {
  G x = 0, y = 0;
};

/// cv::getDerivKernels, unscaled: the derivative and the smoothing taps of an aperture of 3, 5
/// or 7.
struct Taps {
  int32_t derivative[7], smoothing[7];
};
CUESTA_HOST_DEVICE constexpr Taps taps(int aperture) {
  if (aperture == 3) return {{-1, 0, 1}, {1, 2, 1}};
  if (aperture == 5) return {{-1, -2, 0, 2, 1}, {1, 4, 6, 4, 1}};
  return {{-1, -4, -5, 0, 5, 4, 1}, {1, 6, 15, 20, 15, 6, 1}};
}

/// sum + tap · value; taps of 0 are left out, which shows where the value is infinite. Never
/// contracted further, always fused.
CUESTA_HOST_DEVICE inline float add_tap(float sum, int32_t tap, float value) {
  return tap ? fmaf(float(tap), value, sum) : sum;
}
CUESTA_HOST_DEVICE constexpr int32_t add_tap(int32_t sum, int32_t tap, int32_t value) {
  return sum + tap * value;
}

/// tan 22.5° in units of 2^-15, as cv::Canny has it.
inline constexpr int32_t tan_22_5 = 13573;

/// 0: the gradient is horizontal; 2: vertical; 1: along \ (gx and gy of one sign); 3: along /.
/// `T` holds |g| · 2^17: int32_t for |g| below 2^14, else int64_t.
template <class T>
CUESTA_HOST_DEVICE constexpr uint8_t octant(T gx, T gy) {
  const T ax = gx < 0 ? -gx : gx;
  const T ay = (gy < 0 ? -gy : gy) << 15;
  const T low = ax * tan_22_5;
  if (ay < low) return 0;
  if (ay > low + (ax << 16)) return 2;
  return (gx ^ gy) < 0 ? 3 : 1;
}

/// floor(sqrt(v)) of v < 2^62, exact.
CUESTA_HOST_DEVICE constexpr int64_t floor_sqrt(int64_t v) {
#ifdef __CUDA_ARCH__
  auto near = int64_t(sqrt(double(v)));  // off by one at most
  if (near * near > v) --near;
  return (near + 1) * (near + 1) <= v ? near + 1 : near;
#else
  int64_t root = 0;
  for (int64_t bit = int64_t(1) << 30; bit; bit >>= 1) {
    if ((root + bit) * (root + bit) <= v) root += bit;
  }
  return root;
#endif
}

}  // namespace cuesta::gradient
