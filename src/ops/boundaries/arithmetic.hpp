// The sums, roundings and tables of boundaries, each in one place: integers throughout, for host
// and device. src/ops/boundaries/README.md has them as equations.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "cuesta/border.hpp"
#include "cuesta/boundaries.hpp"
#include "ops/shared/gradient.hpp"
#ifdef __CUDA_ARCH__
#include "cuda/instructions.cuh"
#endif

namespace cuesta::boundary {

/// Samples along a side of the next level.
CUESTA_HOST_DEVICE constexpr int32_t half(int32_t n) { return (n + 1) / 2; }

/// What an eye makes of a level 0..255: 255 ln(1 + c / 96) / ln(1 + 255 / 96), rounded.
const std::array<uint8_t, 256>& responses();

/// The level 0..255 nearest to a u16 sample.
CUESTA_HOST_DEVICE constexpr uint8_t level_of(uint16_t sample) {
  return uint8_t((uint32_t(sample) * 255 + 32895) >> 16);
}
CUESTA_HOST_DEVICE constexpr uint8_t level_of(uint8_t sample) { return sample; }

/// Brightness and the two opponent colors of responses at half size, each twice what it was:
/// 0..1530 and -3060..3060.
struct Opponents {
  int32_t of[3];
};
CUESTA_HOST_DEVICE constexpr Opponents opponents(int32_t red, int32_t green, int32_t blue) {
  return {{red + green + blue, 6 * (red - green), 3 * (red + green - 2 * blue)}};
}

/// Between two samples, a quarter of the way from `near` to `far`: (3 near + far) / 4, rounded.
CUESTA_HOST_DEVICE constexpr int32_t mix(int32_t near, int32_t far) {
  return near + ((far - near + 2) >> 2);
}

/// The structure tensor J of a pixel: Σ g gᵀ over the channels.
struct Tensor {
  int32_t xx = 0, yy = 0, xy = 0;
  CUESTA_HOST_DEVICE constexpr void add(int32_t gx, int32_t gy) {
    xx += gx * gx;
    yy += gy * gy;
    xy += gx * gy;
  }
};
/// floor(sqrt(v)) of 0 <= v < 2^36, or 2^30 in 32 bits. On a GPU from that of a float: it is less
/// than 2^18 and loses up to 2^-22 of itself, and so less than 0.07. The step down puts that right.
template <class T>
CUESTA_HOST_DEVICE inline int32_t root_of(T v) {
#ifdef __CUDA_ARCH__
  const auto near = T(cuda::approximate_root(float(v)) + 0.07f);
  return int32_t(near * near > v ? near - 1 : near);
#else
  return int32_t(gradient::floor_sqrt(v));
#endif
}
constexpr int32_t largest_strength = 16383;  // so that 16 bits hold the sums of mix()
constexpr int32_t largest_activity = 4095;   // so that 16 bits hold eight of them
constexpr int32_t largest_limit = 32767;
constexpr int32_t surround_offset = 48;  // 8 levels of a step a pixel

/// The root of the most that nᵀJn is for one of eight directions n, 22.5° apart; cos 45° is 23/32.
CUESTA_HOST_DEVICE inline int32_t strength(const Tensor& j) {
  const int32_t across = j.xx > j.yy ? j.xx - j.yy : j.yy - j.xx;
  const int32_t along = 2 * (j.xy < 0 ? -j.xy : j.xy);
  const int32_t sum = across + along, more = across > along ? across : along;
  const int32_t diagonal = sum - (sum >> 2) - (sum >> 5);
  const int32_t spread = more > diagonal ? more : diagonal;
  const int32_t root = root_of((j.xx + j.yy + spread) >> 1);
  return root < largest_strength ? root : largest_strength;
}
/// The octant of its direction, as gradient::octant() numbers them.
CUESTA_HOST_DEVICE constexpr uint8_t octant(const Tensor& j) {
  const int32_t across = j.xx - j.yy, along = 2 * j.xy, most = along < 0 ? -along : along;
  if (across > most) return 0;
  if (-across > most) return 2;
  return along < 0 ? 3 : 1;
}
/// √(Jxx + Jyy): how much continues at a pixel.
CUESTA_HOST_DEVICE inline int32_t activity(const Tensor& j) {
  const int32_t root = root_of(j.xx + j.yy);
  return root < largest_activity ? root : largest_activity;
}

/// The threshold in units of 2^-16.
inline int64_t fixed_threshold(const BoundaryOptions& options) {
  return std::llround(options.threshold * 65536);
}
/// The strength above which a pixel is an edge where the mean activity around is `surround`:
/// threshold · (surround + 48)^(3/4), the power floored to 2^-8.
CUESTA_HOST_DEVICE inline int32_t limit(int64_t fixed, int32_t surround) {
  const int32_t s = surround + surround_offset;
  static_assert((largest_activity + surround_offset) << 16 <
                1 << 29);  // so that the power's < 2^36
  const int64_t power = root_of(int64_t(s) * root_of(s << 16) << 8);
  const int64_t least = (fixed * power) >> 24;
  return int32_t(least < largest_limit ? least : largest_limit);
}

/// Where a pixel is among the limits, which are 16 apart, the first at 7.5: between `first` and
/// the next, `share` 32nds on.
struct Place {
  int32_t first, share;
};
CUESTA_HOST_DEVICE constexpr Place place_of(int32_t x) {
  const int32_t at = 2 * x - 15;
  return {at >> 5, at & 31};
}

}  // namespace cuesta::boundary
