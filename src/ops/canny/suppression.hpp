// Non-maximum suppression of one pixel, on whole numbers of any width. Host and device.
#pragma once

#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta {

/// Whether a pixel is a maximum along its gradient (README, step 4). `octant` is
/// gradient::octant(gx, gy); at(dx, dy) is the magnitude so far from the pixel, 0 outside the
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
