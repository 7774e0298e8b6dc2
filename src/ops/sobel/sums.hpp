// What the strategies of sobel sum in, and what they make of f32's sums. Host and device.
#pragma once

#include <cmath>

#include "core/one_nan.hpp"
#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"
#include "ops/shared/gradient.hpp"

namespace cuesta::sobel_sums {

using gradient::add_tap;
using gradient::Sum;

/// Of gradients in f32; the root is rounded once.
CUESTA_HOST_DEVICE inline float magnitude(Norm norm, float gx, float gy) {
  return with_one_nan(norm == Norm::l1 ? fabsf(gx) + fabsf(gy) : sqrtf(fmaf(gx, gx, gy * gy)));
}
/// The angle of a gradient; libraries differ in its last bits.
CUESTA_HOST_DEVICE inline float angle(float gx, float gy) { return with_one_nan(atan2f(gy, gx)); }

}  // namespace cuesta::sobel_sums
