// How `simd` computes a request: in which lanes, in one pass or two, and what those lanes need.
#pragma once

#include <algorithm>

#include "ops/convolve/args.hpp"

namespace cuesta {

enum class Lanes : uint8_t {
  dense,  ///< u8 → u8, rank 1, no negative tap: bytes to s16 across, s16 to s32 down
  pairs,  ///< u8, sums that 16 bits tell apart: pairs of rows in bytes to s16
  box,    ///< equal taps on u8 and u16, but perhaps at the anchor, of more than a few: running sums
  halves,    ///< u16 → u16, rank 1, no negative tap: f32 down, its upper and lower bits across
  pairwise,  ///< f32 windows of many equal taps: sums of two sums half as long, down and across
  f32,       ///< an f32 source; integer sums below 2^24, which floats hold exactly
  f64,       ///< integer sums below 2^53
};

struct Plan {
  Lanes lanes = Lanes::f32;
  bool two_pass = false;
  /// What the request's taps are divided by, and the divisor that is left.
  int64_t window_scale = 1, column_scale = 1, row_scale = 1;
  int64_t divisor = 1;
  int64_t least = 0, most = 0;  ///< bounds of the sum over every picture
  bool in_doubles = false;      ///< the sums of `box` are divided so
  /// Of `box`: the tap, and what the one at the anchor has more.
  int64_t every = 1, extra = 0;
  bool is_mean() const { return every == 1 && extra == 0; }
};

/// "" and the plan, or why `simd` refuses the request.
std::string_view make_plan(const ConvolveArgs& args, Plan& plan);

/// log2 of a power of two; -1 for other numbers.
constexpr int exact_log2(int64_t n) {
  if (n < 1 || (n & (n - 1))) return -1;
  int bits = 0;
  for (; n > 1; n >>= 1) ++bits;
  return bits;
}

/// Columns are worked in tiles whose rows stay in L1: pixels of a tile, when a pixel's column of
/// the window takes `bytes`.
constexpr int32_t tile_pixels(int32_t width, size_t bytes) {
  constexpr size_t budget = 32 << 10;
  const auto most = int32_t(std::clamp<size_t>(budget / bytes, 256, 1 << 16));
  const int32_t count = (width + most - 1) / most;
  const int32_t even = (width + count - 1) / count;
  return std::min(width, (even + 63) / 64 * 64);
}

}  // namespace cuesta
