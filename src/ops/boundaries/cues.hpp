// The cues of BoundaryQuality::high and the score that weighs them: integers throughout, for host
// and device. src/ops/boundaries/README.md has them as equations.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "ops/boundaries/pixels.hpp"

namespace cuesta::boundary {

/// 32nds of log2(v / 2^floor), linear between powers of two: 0 for v = 2^floor. v >= 2^floor.
CUESTA_HOST_DEVICE inline int32_t log_from(uint32_t v, int32_t floor) {
#ifdef __CUDA_ARCH__
  const int32_t power = 31 - __clz(int(v));
#else
  const int32_t power = 31 - std::countl_zero(v);
#endif
  const uint32_t fraction = power >= 5 ? v >> (power - 5) : v << (5 - power);
  return (power - floor) * 32 + int32_t(fraction & 31);
}
/// The logarithm of a cue v >= 0 that 8 levels of noise blur.
CUESTA_HOST_DEVICE inline int32_t log_of(int32_t v) { return log_from(uint32_t(v) + 8, 3); }

/// 64ths of (cos, sin) of o · 11.25°, for o of 0..15.
struct Direction {
  int32_t x, y;
};
constexpr int32_t directions = 16;
CUESTA_HOST_DEVICE constexpr Direction direction_of(int32_t o) {
  constexpr int8_t quarter[] = {64, 63, 59, 53, 45, 36, 24, 12, 0};  // cos of 0° .. 90°
  return {o <= 8 ? quarter[o] : -quarter[directions - o], quarter[o <= 8 ? 8 - o : o - 8]};
}
/// `distance` in halves of a sample along a direction, rounded to samples, halves away from 0.
CUESTA_HOST_DEVICE constexpr int32_t rounded_step(int32_t distance, int32_t component) {
  const int32_t twice = distance * component;  // in 128ths of a sample
  return twice < 0 ? -((64 - twice) >> 7) : (64 + twice) >> 7;
}

/// nᵀJn in 2¹²ths.
CUESTA_HOST_DEVICE constexpr int64_t along(const Tensor& j, Direction n) {
  return int64_t(j.xx) * (n.x * n.x) + int64_t(j.yy) * (n.y * n.y) +
         int64_t(j.xy) * (2 * n.x * n.y);
}
/// The direction along which J is largest, the first of equals.
CUESTA_HOST_DEVICE constexpr int32_t direction(const Tensor& j) {
  int32_t found = 0;
  int64_t most = along(j, direction_of(0));
  for (int32_t o = 1; o < directions; ++o) {
    const int64_t here = along(j, direction_of(o));
    if (here > most) most = here, found = o;
  }
  return found;
}

/// What the cues are read from. Level k has half the samples of level k - 1 both ways; level 0 is
/// at half the picture's size, as the strengths are. View and Wide are ImageViews of integers;
/// those of Wide need 32 bits.
template <class View, class Wide>
struct CueMaps {
  View strengths{};                   ///< m, level 0
  Wide tensor[3] = {};                ///< xx, yy, xy of the sums of scales, level 0
  Wide spread[3][3] = {};             ///< the same in 64ths, at levels 1, 2, 3
  View brightness[2] = {};            ///< the pyramid at levels 1, 2
  View red_green{}, red_green_far{};  ///< of a colored picture: levels 0, 3
  View yellow_blue_far{};             ///< of a colored picture: level 2
  View activity{};                    ///< mean, level 2
  View surround{};                    ///< mean activity, smoothed, level 3
  View detail{};                      ///< mean of |P₁ - E(P₂)| of brightness, smoothed, level 1
  View texture{};                     ///< mean activity, smoothed, level 2
  View grain{};                       ///< mean of |gx| - |gy| of brightness, smoothed, level 1
  bool has_colors = false;
  int32_t mean_strength = 0, mean_activity = 0, max_surround = 0;  ///< of the picture
};

/// Sample (x, y) of level 0, or that of the border nearest to it, in a plane of `level`.
template <class View, class Wide, class Plane>
CUESTA_HOST_DEVICE int32_t at_level(const CueMaps<View, Wide>& maps, const Plane& plane,
                                    int32_t level, int32_t x, int32_t y) {
  return plane.at(std::clamp(x, 0, maps.strengths.width - 1) >> level,
                  std::clamp(y, 0, maps.strengths.height - 1) >> level);
}

/// The cues of one sample: logarithms, 32 a doubling.
enum Cue : int32_t {
  fine_gradient,          // of brightness along n, level 1
  coarse_gradient,        // level 2
  color_gradient,         // of red against green, level 3
  near_activity,          // level 2
  far_activity,           // of the surround
  anisotropy_near,        // λ₁ - λ₂, level 1
  energy_near,            // λ₁ + λ₂, level 1
  energy_middle,          // level 2
  anisotropy_far,         // level 3
  energy_far,             // level 3
  picture_strength,       // mean of the picture
  picture_activity,       // mean of the picture
  picture_surround,       // largest of the picture
  contour_larger,         // nᵀJn 2, 4, 7, 11 samples along the contour, the larger of both ways
  contour_smaller = 17,   // and 16: the smaller
  detail_sides = 22,      // 1.5, 5, 8 samples to either side of it: larger, smaller
  texture_sides = 28,     // 1.5, 5, 13 samples
  grain_sides = 34,       // 3 samples, the difference of both sides
  parallel_larger = 35,   // strength 3, 5 samples to either side, the larger
  parallel_smaller = 37,  // 1.5 samples
  color_difference = 38,  // red against green, 3 samples to either side
  color_difference_far = 39,  // yellow against blue, 13 samples, level 2
  cue_count = 40
};

struct Cues {
  int32_t of[cue_count] = {};
};

/// Two samples on opposite sides.
struct Sides {
  int32_t larger, smaller;
};
CUESTA_HOST_DEVICE constexpr Sides sides_of(int32_t a, int32_t b) {
  return a > b ? Sides{a, b} : Sides{b, a};
}

/// What is sampled around one sample of level 0.
template <class View, class Wide>
class CueReader {
 public:
  CUESTA_HOST_DEVICE CueReader(const CueMaps<View, Wide>& maps, int32_t x, int32_t y)
      : maps_(maps),
        x_(x),
        y_(y),
        n_(direction_of(direction(
            {maps.tensor[0].at(x, y), maps.tensor[1].at(x, y), maps.tensor[2].at(x, y)}))) {}

  CUESTA_HOST_DEVICE Cues read() const {
    Cues cues;
    read_here(cues.of);
    read_contour(cues.of);
    read_sides(cues.of);
    return cues;
  }

 private:
  template <class Plane>
  CUESTA_HOST_DEVICE int32_t here(const Plane& plane, int32_t level) const {
    return at_level(maps_, plane, level, x_, y_);
  }
  CUESTA_HOST_DEVICE int32_t gradient(const View& plane, int32_t level) const {
    const Gradient g = gradient_at(plane, x_ >> level, y_ >> level);
    const int32_t size = g.x * n_.x + g.y * n_.y;
    return (size < 0 ? -size : size) >> 6;
  }
  CUESTA_HOST_DEVICE void read_here(int32_t* of) const {
    of[fine_gradient] = log_of(gradient(maps_.brightness[0], 1));
    of[coarse_gradient] = log_of(gradient(maps_.brightness[1], 2));
    of[color_gradient] = maps_.has_colors ? log_of(gradient(maps_.red_green_far, 3)) : 0;
    of[near_activity] = log_of(here(maps_.activity, 2));
    of[far_activity] = log_of(here(maps_.surround, 3));
    constexpr int32_t anisotropies[] = {anisotropy_near, cue_count, anisotropy_far};
    constexpr int32_t energies[] = {energy_near, energy_middle, energy_far};
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t xx = here(maps_.spread[k][0], k + 1), yy = here(maps_.spread[k][1], k + 1);
      of[energies[k]] = log_of(xx + yy);
      if (k == 1) continue;
      const int32_t xy = here(maps_.spread[k][2], k + 1);
      const int32_t across = xx > yy ? xx - yy : yy - xx, twice = 2 * (xy < 0 ? -xy : xy);
      const Sides parts = sides_of(across, twice);
      of[anisotropies[k]] = log_of(parts.larger + (3 * parts.smaller >> 3));
    }
    of[picture_strength] = log_of(maps_.mean_strength);
    of[picture_activity] = log_of(maps_.mean_activity);
    of[picture_surround] = log_of(maps_.max_surround);
  }

  // nᵀJn, in 64ths, at one side along the contour.
  CUESTA_HOST_DEVICE int32_t energy_at(int32_t x, int32_t y) const {
    const Tensor j{at_level(maps_, maps_.tensor[0], 0, x, y) >> 6,
                   at_level(maps_, maps_.tensor[1], 0, x, y) >> 6,
                   at_level(maps_, maps_.tensor[2], 0, x, y) >> 6};
    const int64_t energy = along(j, n_) >> 6;
    return int32_t(energy > 0 ? energy : 0);
  }
  CUESTA_HOST_DEVICE void read_contour(int32_t* of) const {
    constexpr int32_t distances[] = {4, 8, 14, 22, 32};  // in halves of a sample
    for (int32_t i = 0; i < 5; ++i) {
      const int32_t dx = rounded_step(distances[i], -n_.y), dy = rounded_step(distances[i], n_.x);
      const Sides ends = sides_of(energy_at(x_ + dx, y_ + dy), energy_at(x_ - dx, y_ - dy));
      if (i < 4) of[contour_larger + i] = log_from(uint32_t(ends.larger) + 64, 6);
      of[contour_smaller + i] = log_from(uint32_t(ends.smaller) + 64, 6);
    }
  }

  // Samples `distance` halves of a sample to either side of the contour.
  CUESTA_HOST_DEVICE Sides sides(const View& plane, int32_t level, int32_t distance) const {
    const int32_t dx = rounded_step(distance, n_.x), dy = rounded_step(distance, n_.y);
    return sides_of(at_level(maps_, plane, level, x_ + dx, y_ + dy),
                    at_level(maps_, plane, level, x_ - dx, y_ - dy));
  }
  CUESTA_HOST_DEVICE int32_t difference(const View& plane, int32_t level, int32_t distance) const {
    const Sides both = sides(plane, level, distance);
    return log_of(both.larger - both.smaller);
  }
  CUESTA_HOST_DEVICE void read_sides(int32_t* of) const {
    constexpr int32_t of_detail[] = {3, 10, 16}, of_texture[] = {3, 10, 26};
    for (int32_t i = 0; i < 3; ++i) {
      const Sides detail = sides(maps_.detail, 1, of_detail[i]);
      of[detail_sides + 2 * i] = log_of(detail.larger);
      of[detail_sides + 2 * i + 1] = log_of(detail.smaller);
      const Sides texture = sides(maps_.texture, 2, of_texture[i]);
      of[texture_sides + 2 * i] = log_of(texture.larger);
      of[texture_sides + 2 * i + 1] = log_of(texture.smaller);
    }
    of[grain_sides] = difference(maps_.grain, 1, 6);
    of[parallel_larger] = log_of(sides(maps_.strengths, 0, 6).larger);
    of[parallel_larger + 1] = log_of(sides(maps_.strengths, 0, 10).larger);
    of[parallel_smaller] = log_of(sides(maps_.strengths, 0, 3).smaller);
    if (!maps_.has_colors) return;
    of[color_difference] = difference(maps_.red_green, 0, 6);
    of[color_difference_far] = difference(maps_.yellow_blue_far, 2, 26);
  }

  const CueMaps<View, Wide>& maps_;
  int32_t x_, y_;
  Direction n_;
};

/// The weights, in 2⁻¹⁴: of each cue, and of products of two cues. Fitted to BSDS500's training and
/// validation pictures (Arbeláez, Maire, Fowlkes, Malik 2011); docs/dev/accuracy.md says how.
CUESTA_HOST_DEVICE constexpr int32_t score_of(const Cues& cues) {
  constexpr int16_t weights[cue_count] = {
      -61,  -33,  31,                     // gradients
      -143, -250,                         // activity
      -75,  241,  125,  -181, 284,        // spread
      -643, -61,  -117,                   // the picture
      54,   28,   23,   20,               // contour, larger
      162,  14,   8,    -3,   -10,        // contour, smaller
      914,  145,  -112, -186, 76,  18,    // detail
      -149, -595, 56,   -143, -33, -119,  // texture
      31,                                 // grain
      -43,  -27,  50,                     // parallels
      9,    27,                           // colors
  };
  struct Pair {
    int16_t a, b, weight;
  };
  constexpr Pair pairs[] = {
      {far_activity, anisotropy_far, 367},  {far_activity, texture_sides + 1, -548},
      {energy_far, energy_far, -160},       {energy_far, detail_sides, 245},
      {energy_far, texture_sides + 1, 380}, {anisotropy_far, anisotropy_far, -59},
      {anisotropy_far, detail_sides, -148}, {detail_sides, detail_sides, -204},
      {detail_sides, contour_smaller, -85}, {picture_strength, picture_activity, 116},
  };
  int32_t sum = -18186;
  for (int32_t i = 0; i < cue_count; ++i) sum += weights[i] * cues.of[i];
  for (const Pair& p : pairs) sum += p.weight * (cues.of[p.a] * cues.of[p.b] >> 6);
  return sum;
}

/// Scores above `strong` are edges, those above `weak` continue one.
struct ScoreLimits {
  int32_t weak, strong;
};
/// A threshold counts in doublings, as one of BoundaryQuality::fast does: 9 is a score of -1, and
/// half of it 0.6 less.
inline ScoreLimits score_limits(const BoundaryOptions& options) {
  const auto limit = [](double threshold) {
    constexpr int32_t lowest = -(1 << 30);
    return threshold > 0 ? int32_t(std::lround((0.6 * std::log2(threshold / 9) - 1) * (1 << 14)))
                         : lowest;
  };
  return {limit(options.threshold / 2), limit(options.threshold)};
}
/// Only maxima above the limit of this threshold have a score: a small part, which saves time.
inline constexpr BoundaryOptions scored{.threshold = 3};

/// What suppression leaves of a pixel; `least` are the limits of `scored`.
template <class View>
CUESTA_HOST_DEVICE Mark scored_mark_at(const View& strengths, const View& octants,
                                       const View& least, const View& scores, ScoreLimits limits,
                                       int32_t x, int32_t y) {
  if (!is_maximum(uint8_t(octants.at(x / 2, y / 2)), strengths, x, y)) return none;
  if (strengths.at(x, y) <= limit_at(least, x, y)) return none;
  const int32_t score = scores.at(x / 2, y / 2);
  return score > limits.strong ? strong : score > limits.weak ? candidate : none;
}

}  // namespace cuesta::boundary
