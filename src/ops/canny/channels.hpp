// What becomes of the gradients of a pixel's channels: one gradient and its magnitude. Host and
// device.
#pragma once

#include <cstdint>

#include "core/gradient.hpp"
#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"

namespace cuesta::canny_channels {

struct Gradient {
  int32_t x = 0, y = 0;
};
struct Measured {
  Gradient gradient;
  int64_t magnitude = 0;
};

CUESTA_HOST_DEVICE constexpr int64_t absolute(int64_t v) { return v < 0 ? -v : v; }

/// The gradient of the largest magnitude, the first of equal ones; 1 to 3 channels.
CUESTA_HOST_DEVICE constexpr Measured strongest(const Gradient* channels, int32_t count,
                                                Norm norm) {
  Measured most;
  for (int32_t c = 0; c < count; ++c) {
    const int64_t x = channels[c].x, y = channels[c].y;
    const int64_t magnitude = norm == Norm::l1 ? absolute(x) + absolute(y) : x * x + y * y;
    if (c == 0 || magnitude > most.magnitude) most = {channels[c], magnitude};
  }
  return most;
}

/// Of J = Σ (gx, gy)ᵀ (gx, gy) the largest eigenvalue, floored, and a vector in the octant of its
/// direction θ: tan 2θ = 2 Jxy / (Jxx − Jyy), so that octants end where the two are equal.
/// Gradients of u8 pictures: J < 2^29.
CUESTA_HOST_DEVICE constexpr Measured of_structure(const Gradient* channels, int32_t count) {
  int64_t xx = 0, yy = 0, xy = 0;
  for (int32_t c = 0; c < count; ++c) {
    const int64_t x = channels[c].x, y = channels[c].y;
    xx += x * x;
    yy += y * y;
    xy += x * y;
  }
  const int64_t across = xx - yy, along = 2 * xy;
  const int64_t largest = (xx + yy + gradient::floor_sqrt(across * across + along * along)) / 2;
  if (across > absolute(along)) return {{1, 0}, largest};
  if (-across > absolute(along)) return {{0, 1}, largest};
  return {{1, along < 0 ? -1 : 1}, largest};
}

/// The one that the options ask for.
CUESTA_HOST_DEVICE constexpr Measured measure(const Gradient* channels, int32_t count, Norm norm,
                                              ColorGradient color) {
  return count == 3 && color == ColorGradient::structure ? of_structure(channels, count)
                                                         : strongest(channels, count, norm);
}

}  // namespace cuesta::canny_channels
