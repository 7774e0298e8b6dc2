// What the strategies of sobel sum in: exact integers, or f32 whose every operation is the
// definition's. Host and device.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/one_nan.hpp"
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

/// Of gradients in f32; the root is rounded once.
CUESTA_HOST_DEVICE inline float magnitude(Norm norm, float gx, float gy) {
  return with_one_nan(norm == Norm::l1 ? fabsf(gx) + fabsf(gy) : sqrtf(fmaf(gx, gx, gy * gy)));
}
/// The angle of a gradient; libraries differ in its last bits.
CUESTA_HOST_DEVICE inline float angle(float gx, float gy) { return with_one_nan(atan2f(gy, gx)); }

}  // namespace cuesta::sobel_sums
