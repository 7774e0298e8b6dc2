// What the strategies of sobel sum in: exact integers, or f32 whose every operation is the
// definition's. Host and device.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::sobel_sums {

/// The gradients of a sample type. Those of u16 are at most 65,535 · 640 < 2^31.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, float>, float, int32_t>;

/// sum + tap · value; taps of 0 are left out, which shows where the value is infinite. Never
/// contracted further, always fused.
CUESTA_HOST_DEVICE inline float add_tap(float sum, int32_t tap, float value) {
  return tap ? fmaf(float(tap), value, sum) : sum;
}
CUESTA_HOST_DEVICE constexpr int32_t add_tap(int32_t sum, int32_t tap, int32_t value) {
  return sum + tap * value;
}

inline constexpr uint32_t nan_bits = 0x7FC00000;
/// Every NaN as the same one: hosts and devices make and hand on others.
CUESTA_HOST_DEVICE inline float with_one_nan(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7FFFFFFF) > 0x7F800000 ? std::bit_cast<float>(nan_bits) : value;
}

/// Of gradients in f32; the root is rounded once.
CUESTA_HOST_DEVICE inline float magnitude(Norm norm, float gx, float gy) {
  return with_one_nan(norm == Norm::l1 ? fabsf(gx) + fabsf(gy) : sqrtf(fmaf(gx, gx, gy * gy)));
}
/// The angle of a gradient; libraries differ in its last bits.
CUESTA_HOST_DEVICE inline float angle(float gx, float gy) { return with_one_nan(atan2f(gy, gx)); }

}  // namespace cuesta::sobel_sums
