// What each stage of boundaries makes of a pixel, from planes of int32_t: ImageViews of host or
// device. The reference calls it, and `plain` on the device.
#pragma once

#include <algorithm>

#include "cuesta/image.hpp"
#include "ops/boundaries/arithmetic.hpp"

namespace cuesta::boundary {

/// The sample at (x, y), or that of the border nearest to it.
template <class View>
CUESTA_HOST_DEVICE int32_t nearest(const View& plane, int32_t x, int32_t y) {
  return plane.at(std::clamp(x, 0, plane.width - 1), std::clamp(y, 0, plane.height - 1));
}

/// A level whose samples are computed where they are read.
template <class Value>
struct Computed {
  int32_t width, height;
  Value value;
  CUESTA_HOST_DEVICE int32_t at(int32_t x, int32_t y) const { return value(x, y); }
};

/// Σ of the 4 × 4 samples around sample (x, y) of the next level, weighed by 1 3 3 1 both ways;
/// at() gives those of the lower level.
template <class At>
CUESTA_HOST_DEVICE int32_t reduced_sum(int32_t x, int32_t y, const At& at) {
  constexpr int32_t taps[] = {1, 3, 3, 1};
  int32_t sum = 0;
  for (int32_t j = 0; j < 4; ++j)
    for (int32_t i = 0; i < 4; ++i) sum += taps[i] * taps[j] * at(2 * x - 1 + i, 2 * y - 1 + j);
  return sum;
}
template <class View>
CUESTA_HOST_DEVICE int32_t reduced(const View& from, int32_t x, int32_t y) {
  const auto at = [&](int32_t i, int32_t j) { return nearest(from, i, j); };
  return (reduced_sum(x, y, at) + 32) >> 6;
}

/// Sample (x, y) of the level below: columns first, then the row.
template <class View>
CUESTA_HOST_DEVICE int32_t expanded(const View& from, int32_t x, int32_t y) {
  const int32_t i = x / 2, j = y / 2, beside = x % 2 ? i + 1 : i - 1, above = y % 2 ? j + 1 : j - 1;
  const auto column = [&](int32_t at) {
    return mix(nearest(from, at, j), nearest(from, at, above));
  };
  return mix(column(i), column(beside));
}

/// Sobel's gradients over 8, rounded.
struct Gradient {
  int32_t x, y;
};
template <class View>
CUESTA_HOST_DEVICE Gradient gradient_at(const View& from, int32_t x, int32_t y) {
  const auto at = [&](int32_t i, int32_t j) { return nearest(from, x + i, y + j); };
  const int32_t gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
  const int32_t gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
  return {(gx + 4) >> 3, (gy + 4) >> 3};
}

template <class View>
CUESTA_HOST_DEVICE int32_t smoothed(const View& from, int32_t x, int32_t y) {
  constexpr int32_t taps[] = {1, 2, 1};
  int32_t sum = 8;
  for (int32_t j = 0; j < 3; ++j)
    for (int32_t i = 0; i < 3; ++i) sum += taps[i] * taps[j] * nearest(from, x - 1 + i, y - 1 + j);
  return sum >> 4;
}

/// The limits between their samples.
template <class View>
CUESTA_HOST_DEVICE int32_t limit_at(const View& limits, int32_t x, int32_t y) {
  const Place across = place_of(x), down = place_of(y);
  const auto column = [&](int32_t at) {
    return (32 - down.share) * nearest(limits, at, down.first) +
           down.share * nearest(limits, at, down.first + 1);
  };
  const int32_t sum =
      (32 - across.share) * column(across.first) + across.share * column(across.first + 1);
  return (sum + 512) >> 10;
}

template <class View>
CUESTA_HOST_DEVICE bool is_maximum(uint8_t octant, const View& strength, int32_t x, int32_t y) {
  constexpr int32_t right[] = {1, 1, 0, -1}, down[] = {0, 1, 1, 1};
  const int32_t i = right[octant], j = down[octant], m = strength.at(x, y);
  const auto at = [&](int32_t u, int32_t v) {
    const bool inside = u >= 0 && v >= 0 && u < strength.width && v < strength.height;
    return inside ? strength.at(u, v) : 0;
  };
  return m > at(x - i, y - j) && m >= at(x + i, y + j);
}

/// Responses to the 4 × 4 samples around sample (x, y) of level 1, as opponents. `table` has the
/// response to each of 256 levels.
template <class View>
CUESTA_HOST_DEVICE Opponents opponents_at(const View& src, const uint8_t* table, int32_t x,
                                          int32_t y) {
  int32_t of[3] = {};
  for (int32_t c = 0; c < 3; ++c) {
    const auto at = [&](int32_t i, int32_t j) {
      const auto* row = src.row(std::clamp(j, 0, src.height - 1));
      return int32_t(
          table[level_of(row[std::clamp(i, 0, src.width - 1) * src.channels + c % src.channels])]);
    };
    of[c] = (reduced_sum(x, y, at) + 16) >> 5;
  }
  return opponents(of[0], of[1], of[2]);
}

/// The tensor of `count` channels.
template <class View>
CUESTA_HOST_DEVICE Tensor tensor_at(const View* channels, int32_t count, int32_t x, int32_t y) {
  Tensor sum;
  for (int32_t c = 0; c < count; ++c) {
    const Gradient g = gradient_at(channels[c], x, y);
    sum.add(g.x, g.y);
  }
  return sum;
}

/// What step 8 leaves of a pixel.
enum Mark : uint8_t { none, candidate, strong };
template <class View>
CUESTA_HOST_DEVICE Mark mark_at(const View& strengths, const View& octants, const View& limits,
                                int32_t x, int32_t y) {
  if (!is_maximum(uint8_t(octants.at(x / 2, y / 2)), strengths, x, y)) return none;
  const int32_t limit = limit_at(limits, x, y), m = strengths.at(x, y);
  return m > limit ? strong : m > limit >> 1 ? candidate : none;
}

}  // namespace cuesta::boundary
