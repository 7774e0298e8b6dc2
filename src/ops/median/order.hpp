// f32 samples as integers of the same order, defined once for host and device.
#pragma once

#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::medians {

/// The bits of a float as an integer that orders as IEEE 754's totalOrder: −NaN, −∞, …, −0, +0, …,
/// +∞, +NaN. Its own inverse.
CUESTA_HOST_DEVICE constexpr int32_t turned(int32_t bits) {
  return bits ^ ((bits >> 31) & 0x7FFFFFFF);
}

/// True where `ignore` gives 0: the window leaves the picture.
CUESTA_HOST_DEVICE constexpr bool leaves(int32_t x, int32_t y, int32_t width, int32_t height,
                                         int32_t radius) {
  return x < radius || y < radius || x >= width - radius || y >= height - radius;
}

}  // namespace cuesta::medians
