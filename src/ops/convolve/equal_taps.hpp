// Windows of equal taps, the anchor's aside: boxes, sharpening, unsharp masks. How f32 sums of
// large ones are defined. Host and device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "cuesta/border.hpp"

namespace cuesta {

/// The value of every tap, if all are equal. `taps` is not empty.
template <class T>
std::optional<T> one_value(std::span<const T> taps) {
  const auto differs = [&](T tap) { return tap != taps[0]; };
  return std::any_of(taps.begin(), taps.end(), differs) ? std::nullopt : std::optional(taps[0]);
}

/// The value of every tap but that at the index `anchor`, if all those are equal.
template <class T>
std::optional<T> one_value_but_at(std::span<const T> taps, size_t anchor) {
  if (taps.size() == 1) return taps[0];
  const auto before = taps.first(anchor), after = taps.subspan(anchor + 1);
  if (before.empty() || after.empty()) return one_value(before.empty() ? after : before);
  const auto value = one_value(before);
  return value && one_value(after) == value ? value : std::nullopt;
}

/// f32 windows of many equal taps, perhaps but at the anchor: more than `max_box` where all are
/// equal, which two passes of factors serve up to there, more than `max_raised` elsewhere. With T,
/// the pairwise sum of the pairwise sums down the window's columns, and c, the sample at the
/// anchor, the result is (every · T + extra · c) / divisor; the second product and the sum are one
/// fma.
struct EqualTaps {
  static constexpr int32_t max_box = 15 * 15, max_raised = 9 * 9;

  /// 0: the window is no such window. `extra` is what the anchor's tap has more.
  float every = 0, extra = 0, divisor = 1;

  explicit operator bool() const { return every != 0; }

  CUESTA_HOST_DEVICE float value(float total, float centre) const {
    float sum = every * total;
    if (extra != 0) sum = fmaf(extra, centre, sum);
    return sum / divisor;
  }
};

/// sample(0) + … + sample(count − 1), pairwise: the sum of the first k plus the sum of the others,
/// k the largest power of two below `count`. 1 ≤ count < 512.
template <class Sample>
CUESTA_HOST_DEVICE float pairwise_sum(int32_t count, Sample&& sample) {
  float part[9] = {};  // part[b]: the sum of 2^b samples, where bit b of those added is set
  for (int32_t i = 0; i < count; ++i) {
    float sum = sample(i);
    int bit = 0;
    for (; i >> bit & 1; ++bit) sum = part[bit] + sum;
    part[bit] = sum;
  }
  int bit = 0;
  while (!(count >> bit & 1)) ++bit;
  float sum = part[bit];
  for (++bit; count >> bit; ++bit)
    if (count >> bit & 1) sum = part[bit] + sum;
  return sum;
}

}  // namespace cuesta
