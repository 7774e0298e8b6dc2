// One lane of the gradient and suppression of canny for u16 and aperture 3: 8 pixels of every row
// in floats, one a register. half_nms.cuh has the march; what it keeps on the way down is as in
// half_lane.cuh.
//
// Gradients are integers of at most 262,140 in size and magnitudes of l1 of 524,280: exact in a
// float. Magnitudes of l2 reach 2^37 and are doubles. Direction: tan 22.5° = 13573/2^15 and tan
// 67.5° = 2 + that are floats, and a fused product and difference, rounded once, has the exact
// sign.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuesta/edges.hpp"
#include "ops/canny/cuda/half_lane.cuh"
#include "ops/canny/thresholds.hpp"

namespace cuesta::canny_wide {

/// The limits of all pictures of a launch, or what the device found for each.
struct Table {
  int64_t low = 0, high = 0;
  const FoundLimits* found = nullptr;
};

inline __device__ float larger(float a, float b) { return fmaxf(a, b); }
inline __device__ double larger(double a, double b) { return fmax(a, b); }
/// The sign bit, in the upper word.
inline __device__ uint32_t sign_word(float v) { return __float_as_uint(v); }
inline __device__ uint32_t sign_word(double v) { return uint32_t(__double2hiint(v)); }

/// The first and the last of a row's 10 numbers, which begin at pixel −1, from the lanes beside.
template <class Number>
inline __device__ void take_ends(Number* v) {
  v[0] = __shfl_up_sync(~0u, v[8], 1);
  v[9] = __shfl_down_sync(~0u, v[1], 1);
}

struct Gradients {
  float last[10];   // the last row, from pixel −1
  float falls[10];  // what it was more than the one before
  float rises[8];   // right − left in the last row
  float sums[8];    // the same, of the last two

  /// A row comes; gx, gy are those of the row before.
  __device__ void push(const float (&row)[10], float (&gx)[8], float (&gy)[8]) {
    float fall[10];
#pragma unroll
    for (int i = 0; i < 10; ++i) {
      const float more = row[i] - last[i];
      fall[i] = more + falls[i];
      falls[i] = more;
      last[i] = row[i];
    }
#pragma unroll
    for (int i = 0; i < 9; ++i) fall[i] += fall[i + 1];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      gy[j] = fall[j] + fall[j + 1];
      const float rise = row[j + 2] - row[j], two = rise + rises[j];
      gx[j] = two + sums[j];
      rises[j] = rise;
      sums[j] = two;
    }
  }
};

/// Bit i: the gradient of pixel i is horizontal, is vertical; else it is along / where `rising`.
struct Directions {
  uint32_t horizontal, vertical, rising;

  __device__ void find(const float (&gx)[8], const float (&gy)[8]) {
    constexpr float tan = 13573.0f / 32768;
    horizontal = vertical = rising = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float x = fabsf(gx[i]), y = fabsf(gy[i]);
      horizontal |= uint32_t(fmaf(x, tan, -y) > 0) << i;
      vertical |= uint32_t(fmaf(x, 2 + tan, -y) < 0) << i;
      rising |= uint32_t(gx[i] * gy[i] < 0) << i;
    }
  }
};

template <Norm N>
struct Lane {
  static constexpr int min_major = 0;
  static constexpr Norm norm = N;
  static constexpr int pixels = 8, gradients_of = pixels;
  static constexpr bool skips = true;
  static constexpr int warps = N == Norm::l1 ? 12 : 8;
  using Group = uint8_t;
  using Sample = uint16_t;
  using Gradient = float;
  using Number = std::conditional_t<N == Norm::l1, float, double>;
  using Table = canny_wide::Table;
  using Limit = int64_t;
  // Maxima are at least 1.
  static __device__ int64_t low_of(const Table& table, uint32_t picture) {
    return max(table.found ? table.found[picture].whole.low : table.low, int64_t{0});
  }
  static __device__ int64_t high_of(const Table& table, uint32_t picture) {
    return max(table.found ? table.found[picture].whole.high : table.high, int64_t{0});
  }

  /// As canny_half::Limits.
  struct Limits {
    Number low, above_high;
    uint32_t inside;  // bit i: pixel i is in the picture
  };

  Gradients gradients;
  Directions directions;
  Number m[3][pixels + 2];  // from pixel −1

  template <class Inside>
  __device__ static Limits limits(int64_t low, int64_t high, Inside&& inside) {
    constexpr int64_t most = N == Norm::l1 ? int64_t{1} << 20 : int64_t{1} << 38;
    low = min(low, most);
    Limits limits{Number(low), Number(min(high, most) - low), 0};
#pragma unroll
    for (int i = 0; i < pixels; ++i) limits.inside |= uint32_t(inside(i)) << i;
    return limits;
  }
  /// As of canny_half::Lane; words are of 2 pixels.
  template <int turn>
  __device__ void measure(const uint32_t (&words)[4], const Limits& limits, bool in_rows,
                          float (&gx)[8], float (&gy)[8]) {
    float row[10];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      row[2 * i + 1] = float(words[i] & 0xffff);
      row[2 * i + 2] = float(words[i] >> 16);
    }
    take_ends(row);
    gradients.push(row, gx, gy);
    Number* down = m[turn];
    const uint32_t inside = in_rows ? limits.inside : 0;
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      Number v;
      if constexpr (N == Norm::l1)
        v = fabsf(gx[i]) + fabsf(gy[i]);
      else
        v = double(gx[i]) * double(gx[i]) + double(gy[i]) * double(gy[i]);
      down[i + 1] = inside >> i & 1 ? larger(v - limits.low, Number(0)) : Number(0);
    }
    take_ends(down);
  }
  template <int turn>
  __device__ bool any() const {
    uint32_t all = 0;
#pragma unroll
    for (int i = 0; i < pixels; ++i) all |= sign_word(m[turn][i + 1]);
    return all != 0;
  }
  /// As of canny_half::Lane.
  template <int turn>
  __device__ void find_maxima(const Limits& limits, uint32_t& candidates, uint32_t& strong) const {
    const Number *down = m[turn], *up = m[(turn + 1) % 3], *row = m[(turn + 2) % 3];
    candidates = strong = 0;
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      const auto is = [&](uint32_t mask) { return (mask >> i & 1) != 0; };
      const bool horizontal = is(directions.horizontal), vertical = is(directions.vertical);
      const bool rising = is(directions.rising);
      // "Not below the next" is above the next less 1.
      Number a = rising ? up[i + 2] : up[i], b = rising ? down[i] : down[i + 2];
      if (vertical) a = up[i + 1], b = down[i + 1] - 1;
      if (horizontal) a = row[i], b = row[i + 2] - 1;
      const Number here = row[i + 1];
      candidates |= (sign_word(larger(a, b) - here) >> 31) << i;
      strong |= (sign_word(limits.above_high - here) >> 31) << i;
    }
    strong &= candidates;
  }
};

}  // namespace cuesta::canny_wide
