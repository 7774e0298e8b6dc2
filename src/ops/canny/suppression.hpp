// Non-maximum suppression of one pixel, on whole numbers of any width and on floats. Host and
// device.
#pragma once

#include <cstdint>

#include "cuesta/border.hpp"
#include "ops/shared/gradient.hpp"

namespace cuesta {

/// gradient::octant() of any gradient.
CUESTA_HOST_DEVICE constexpr uint8_t canny_octant(int32_t gx, int32_t gy) {
  return gradient::octant<int64_t>(gx, gy);
}
/// The same of floats, whose products with these factors are exact in doubles.
CUESTA_HOST_DEVICE constexpr uint8_t canny_octant(float gx, float gy) {
  const double ax = gx < 0 ? -gx : gx, ay = gy < 0 ? -gy : gy;
  const double y = ay * 32768;
  if (y < ax * gradient::tan_22_5) return 0;
  if (y > ax * (gradient::tan_22_5 + 65536)) return 2;
  return (gx < 0) != (gy < 0) ? 3 : 1;
}

/// Whether a pixel is a maximum along its gradient (README, step 4). `octant` is
/// canny_octant(gx, gy); at(dx, dy) is the magnitude so far from the pixel, 0 outside the
/// picture.
template <class At>
CUESTA_HOST_DEVICE bool canny_is_maximum(uint8_t octant, At&& at) {
  const auto m = at(0, 0);
  switch (octant) {
    case 0: return m > at(-1, 0) && m >= at(1, 0);
    case 1: return m > at(-1, -1) && m > at(1, 1);
    case 2: return m > at(0, -1) && m >= at(0, 1);
    default: return m > at(1, -1) && m > at(-1, 1);
  }
}

}  // namespace cuesta
