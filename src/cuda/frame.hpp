// The frame of a picture: the pixels whose window leaves it. Plain arithmetic, tested without a
// GPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::cuda {

/// All of width × height but the pixels x0 <= x < x1, y0 <= y < y1.
struct Frame {
  struct Place {
    int32_t x, y;
  };
  int32_t width, height, x0, y0, x1, y1;

  CUESTA_HOST_DEVICE constexpr int64_t pixels() const {
    return int64_t(width) * height - int64_t(x1 - x0) * (y1 - y0);
  }
  /// Its n-th pixel: the rows above, the rows below, then what is left and right of the inside.
  CUESTA_HOST_DEVICE constexpr Place pixel(int64_t n) const {
    const int64_t above = int64_t(y0) * width, below = int64_t(height - y1) * width;
    if (n < above) return {int32_t(n % width), int32_t(n / width)};
    n -= above;
    if (n < below) return {int32_t(n % width), y1 + int32_t(n / width)};
    n -= below;
    const int32_t sides = x0 + width - x1, column = int32_t(n % sides);
    return {column < x0 ? column : column - x0 + x1, y0 + int32_t(n / sides)};
  }
};

/// The frame for a window of wide × high samples whose anchor is (x, y).
constexpr Frame frame_of(int32_t width, int32_t height, int32_t wide, int32_t high, int32_t x,
                         int32_t y) {
  const int32_t x0 = std::min(x, width), y0 = std::min(y, height);
  return {width,
          height,
          x0,
          y0,
          std::max(x0, width - (wide - 1 - x)),
          std::max(y0, height - (high - 1 - y))};
}

}  // namespace cuesta::cuda
