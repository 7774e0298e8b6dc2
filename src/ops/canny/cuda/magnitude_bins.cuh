// The histogram's bin of a pixel's magnitude, from the gradients of its channels: canny_bin() of
// canny_channels::measure(), mostly in floats. An approximate root decides where it is further from
// the next bin than it can be wrong. Where it is not, whole numbers or fused products decide, and
// at last the definition.
#pragma once

#include <cstdint>

#include "cuda/instructions.cuh"
#include "ops/canny/channels.hpp"
#include "ops/canny/cuda/device.cuh"
#include "ops/canny/thresholds.hpp"

namespace cuesta::canny_cuda {

/// What is counted of a pixel: the strongest channel's |gx| + |gy|, or its root of gx² + gy²; the
/// root of the structure tensor's eigenvalue; or |gx| + |gy| of the channel whose root is largest.
enum class Counted { sum, length, structure, sum_of_longest };

/// A bin, or where it is not `sure` anything.
struct QuickBin {
  uint32_t bin;
  bool sure;
};

// ---- whole numbers, below 2^23

template <int Channels>
using WholeGradients = const gradient::Gradient<int32_t> (&)[Channels];

template <int Channels>
__device__ __forceinline__ QuickBin quick_sum(WholeGradients<Channels> g) {
  int32_t most = 0;
#pragma unroll
  for (int c = 0; c < Channels; ++c) most = max(most, abs(g[c].x) + abs(g[c].y));
  return {uint32_t(min(most, canny_bins - 1)), true};
}
template <int Channels>
__device__ __forceinline__ QuickBin quick_length(WholeGradients<Channels> g) {
  uint64_t most = 0;
  float near = 0;
#pragma unroll
  for (int c = 0; c < Channels; ++c) {
    const auto square = uint64_t(int64_t{g[c].x} * g[c].x) + uint64_t(int64_t{g[c].y} * g[c].y);
    most = c == 0 ? square : max(most, square);
    const auto x = float(g[c].x), y = float(g[c].y);
    near = fmaxf(near, fmaf(x, x, y * y));
  }
  // Where this cuts, the root is 65,535 or more whatever the integers make of it.
  near = fminf(near, 65537.0f * 65537.0f);
  return {uint32_t(min(floored_root(uint32_t(most), near), canny_bins - 1)), true};
}

/// The root of the structure tensor's eigenvalue in floats: 9 · 2^-24 of it wrong at most, where
/// squares are between 2^-40 and 2^60. `squares` is the sum of all.
template <int Channels, class G>
__device__ __forceinline__ float structure_root(const gradient::Gradient<G> (&g)[Channels],
                                                float& squares) {
  float xx = 0, yy = 0, xy = 0;
#pragma unroll
  for (int c = 0; c < Channels; ++c) {
    const auto x = float(g[c].x), y = float(g[c].y);
    xx = fmaf(x, x, xx);
    yy = fmaf(y, y, yy);
    xy = fmaf(x, y, xy);
  }
  const float across = xx - yy, along = 2 * xy;
  squares = xx + yy;
  const float apart = cuda::approximate_root(fmaf(across, across, along * along));
  return cuda::approximate_root(0.5f * (squares + apart));
}
/// Floors do not matter but for the last: ⌊√⌊(S + ⌊h⌋) / 2⌋⌋ = ⌊√((S + h) / 2)⌋ of whole S.
template <int Channels>
__device__ __forceinline__ QuickBin quick_structure(WholeGradients<Channels> g) {
  float squares;
  const float root = structure_root(g, squares), floored = floorf(root);
  const float wrong = 0x1p-20f * root, over = root - floored;
  const bool far = over > wrong && 1 - over > wrong;
  return {uint32_t(min(int32_t(floored), canny_bins - 1)),
          far || squares == 0 || floored > canny_bins};
}

// ---- floats, whose bin is the upper half of a float; what is not finite is behind all bins

template <int Channels>
using FloatGradients = const gradient::Gradient<float> (&)[Channels];

__device__ __forceinline__ uint32_t bin_of_float(float size) { return __float_as_uint(size) >> 15; }
template <int Channels>
__device__ __forceinline__ bool are_zero(FloatGradients<Channels> g) {
  uint32_t bits = 0;
#pragma unroll
  for (int c = 0; c < Channels; ++c) bits |= __float_as_uint(g[c].x) | __float_as_uint(g[c].y);
  return bits << 1 == 0;
}

/// A double holds enough of a sum of floats that rounding it once more changes nothing.
template <int Channels>
__device__ __forceinline__ QuickBin quick_sum(FloatGradients<Channels> g) {
  float most = fabsf(g[0].x) + fabsf(g[0].y);
#pragma unroll
  for (int c = 1; c < Channels; ++c) {
    const float sum = fabsf(g[c].x) + fabsf(g[c].y);
    if (sum > most) most = sum;
  }
  return {bin_of_float(most), true};
}
/// A bin begins at a float of 9 bits, whose square is one, too. gx² + gy² less the square of the
/// one next to the root has the right sign, and a size that is 2^-24 of the square wrong at most.
/// The root is rounded up to the bin where it is less than 2^-25 of it below.
template <int Channels>
__device__ __forceinline__ QuickBin quick_length(FloatGradients<Channels> g) {
  float most = 0, all = 0;
#pragma unroll
  for (int c = 0; c < Channels; ++c) {
    const float square = fmaf(g[c].x, g[c].x, g[c].y * g[c].y);
    most = fmaxf(most, square);
    all += square;
  }
  const uint32_t near = (__float_as_uint(cuda::approximate_root(most)) + 0x4000) & ~0x7fffu;
  const float start = __uint_as_float(near), square = start * start;
  float over = -square;
#pragma unroll
  for (int c = 0; c < Channels; ++c) {
    const float x = fabsf(g[c].x), y = fabsf(g[c].y), more = fmaxf(x, y), less = fminf(x, y);
    over = fmaxf(over, fmaf(less, less, fmaf(more, more, -square)));
  }
  const bool zero = are_zero<Channels>(g), decided = over >= 0 || over < -0x1p-20f * square;
  return {zero ? 0 : (near >> 15) - (over < 0),
          zero || (most > 0x1p-100f && all < 0x1p126f && decided)};
}
template <int Channels>
__device__ __forceinline__ QuickBin quick_structure(FloatGradients<Channels> g) {
  float squares;
  const uint32_t root = __float_as_uint(structure_root(g, squares));
  constexpr uint32_t wrong = 16;  // the last bit of a float is at least 2^-24 of it
  const bool zero = are_zero<Channels>(g), far = ((root + wrong) & 0x7fff) >= 2 * wrong;
  return {zero ? 0 : root >> 15, zero || (squares > 0x1p-40f && squares < 0x1p60f && far)};
}

// ---- any

/// The bin of `What` of 1 or 3 channels, mostly.
template <Counted What, int Channels, class G>
__device__ __forceinline__ QuickBin quick_bin(const gradient::Gradient<G> (&g)[Channels]) {
  if constexpr (What == Counted::sum)
    return quick_sum<Channels>(g);
  else if constexpr (What == Counted::length)
    return quick_length<Channels>(g);
  else if constexpr (What == Counted::structure)
    return quick_structure<Channels>(g);
  else
    return {0, false};
}
/// The same always, by the definition. That of a float's bin is behind all bins where it is −1.
template <Counted What, int Channels, class G>
__device__ __forceinline__ uint32_t exact_bin(const gradient::Gradient<G> (&g)[Channels]) {
  using M = canny_channels::Magnitude<G>;
  if constexpr (What == Counted::structure) {
    return uint32_t(canny_bin(canny_channels::of_structure(g, Channels).magnitude, Norm::l2));
  } else {
    const auto found = canny_channels::strongest<M>(g, Channels, Norm::l2);
    if constexpr (What == Counted::length)
      return uint32_t(canny_bin(found.magnitude, Norm::l2));
    else
      return bin_of_float(fabsf(found.gradient.x) + fabsf(found.gradient.y));
  }
}

}  // namespace cuesta::canny_cuda
