// What the strategies of sobel sum in, and what they make of f32's sums. Host and device.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/one_nan.hpp"
#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"
#include "ops/shared/gradient.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta::sobel_sums {

using gradient::add_tap;
using gradient::Sum;
using pixel::product;

/// Of gradients in f32; the root is rounded once.
CUESTA_HOST_DEVICE inline float magnitude(Norm norm, float gx, float gy) {
  return with_one_nan(norm == Norm::l1 ? fabsf(gx) + fabsf(gy) : sqrtf(fmaf(gx, gx, gy * gy)));
}
struct Divide {
  CUESTA_HOST_DEVICE float operator()(float a, float b) const { return a / b; }
};
/// The angle of a gradient in radians, −π to π, within 3e-7 of atan2(gy, gx); signed zeros and
/// infinities are those of C. Libraries differ in the last bits of theirs, so this one has a fixed
/// order of additions, products and one division, each rounded. Coefficients: S. L. Moshier,
/// Cephes, atanf. `divide(a, b)`: a / b, with 0 <= a <= b.
template <class By = Divide>
CUESTA_HOST_DEVICE float angle(float gx, float gy, By divide = {}) {
  constexpr float tan_eighth = 0.41421356f, pi = 3.14159265f;
  const float ax = fabsf(gx), ay = fabsf(gy);
  const float big = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  // Above π / 8 the quotient of difference and sum, halved since the sum may exceed all floats.
  const bool is_equal = small == big && big > 0, is_steep = is_equal || small > tan_eighth * big;
  const float half_small = product(0.5f, small), half_big = product(0.5f, big);
  const float above = is_steep ? (is_equal ? 0 : half_small - half_big) : small;
  const float below = is_equal || big == 0 ? 1 : is_steep ? half_small + half_big : big;
  const float q = divide(above, below), square = product(q, q);
  float sum = product(8.05374449538e-2f, square) - 1.38776856032e-1f;
  sum = product(sum, square) + 1.99777106478e-1f;
  sum = product(sum, square) - 3.33329491539e-1f;
  float angle = q + product(product(sum, square), q);
  if (is_steep) angle += pi / 4;
  if (ay > ax) angle = pi / 2 - angle;
  if (std::bit_cast<uint32_t>(gx) >> 31) angle = pi - angle;
  // NaN of a NaN: comparisons with one are false, so it may have been passed over.
  return with_one_nan(copysignf(gx == gx && gy == gy ? angle : gx + gy, gy));
}

}  // namespace cuesta::sobel_sums
