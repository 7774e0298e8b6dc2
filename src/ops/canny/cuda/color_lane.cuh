// One lane of the gradient and suppression of canny for u8 of three channels, side by side, and
// aperture 3: 8 pixels of every row. Each channel has gradients as in half_lane.cuh. The strongest
// one's magnitude and gradient are those of the pixel; from there on it is a lane of one channel.
#pragma once

#include "ops/canny/cuda/half_lane.cuh"

namespace cuesta::canny_half {

/// Three channels of a pixel in memory.
struct Rgb {
  uint8_t channel[3];
};

/// Channel C of four pixels, of their three words.
template <int C>
__device__ inline uint32_t channel_of(const uint32_t* words) {
  // Bytes C, C + 3, C + 6 and C + 9 of twelve: those of the first two words, then the third's.
  if constexpr (C == 0)
    return packed::permute_bytes<0x5210>(packed::permute_bytes<0x0630>(words[0], words[1]),
                                         words[2]);
  else if constexpr (C == 1)
    return packed::permute_bytes<0x6210>(packed::permute_bytes<0x0741>(words[0], words[1]),
                                         words[2]);
  else
    return packed::permute_bytes<0x7410>(packed::permute_bytes<0x0052>(words[0], words[1]),
                                         words[2]);
}
/// All bits of a pair's halves that are negative.
__device__ inline uint32_t negative_halves(uint32_t pair) {
  return packed::permute_bytes<0xbb99>(pair, 0);
}
/// The same of two floats: the first one's the low half.
__device__ inline uint32_t negative_halves(float first, float second) {
  return packed::permute_bytes<0xffbb>(__float_as_uint(first), __float_as_uint(second));
}

template <Norm N>
struct ColorLane : Lane<N, 4> {
  using Base = Lane<N, 4>;
  using Limits = typename Base::Limits;
  using Sample = Rgb;
  static constexpr int P = 4, channels = 3;
  static constexpr int warps = N == Norm::l1 ? 12 : 8;

  Gradients<P> others[channels - 1];  // Base::gradients are the first channel's

  /// Gradients of a channel in the row before the one that comes.
  template <int C>
  __device__ void push(const uint32_t* words, uint32_t (&gx)[P], uint32_t (&gy)[P]) {
    uint32_t row[P + 2];
    unpack(channel_of<C>(words), channel_of<C>(words + 3), row + 1);
    take_ends<P>(row);
    if constexpr (C == 0)
      this->gradients.push(row, gx, gy);
    else
      others[C - 1].push(row, gx, gy);
  }
  /// As of Lane: words are of 8 pixels.
  template <int turn>
  __device__ void measure(const uint32_t* words, const Limits& limits, bool in_rows,
                          uint32_t (&gx)[P], uint32_t (&gy)[P]) {
    push<0>(words, gx, gy);
    if constexpr (N == Norm::l1)
      measure_sums<turn>(words, limits, in_rows, gx, gy);
    else
      measure_squares<turn>(words, limits, in_rows, gx, gy);
  }

 private:
  __device__ static uint32_t sum_of(uint32_t gx, uint32_t gy) {
    return bits(__hadd2(__habs2(halves(gx)), __habs2(halves(gy))));
  }
  /// Takes over a channel whose magnitudes are larger: of equal ones the first stays.
  template <int C>
  __device__ void take_larger(const uint32_t* words, uint32_t (&most)[P], uint32_t (&gx)[P],
                              uint32_t (&gy)[P]) {
    uint32_t x[P], y[P];
    push<C>(words, x, y);
#pragma unroll
    for (int j = 0; j < P; ++j) {
      const uint32_t sum = sum_of(x[j], y[j]);
      const uint32_t larger = negative_halves(sub(most[j], sum));
      gx[j] = choose(larger, x[j], gx[j]);
      gy[j] = choose(larger, y[j], gy[j]);
      most[j] = choose(larger, sum, most[j]);
    }
  }
  template <int turn>
  __device__ void measure_sums(const uint32_t* words, const Limits& limits, bool in_rows,
                               uint32_t (&gx)[P], uint32_t (&gy)[P]) {
    uint32_t most[P];
#pragma unroll
    for (int j = 0; j < P; ++j) most[j] = sum_of(gx[j], gy[j]);
    take_larger<1>(words, most, gx, gy);
    take_larger<2>(words, most, gx, gy);
    uint32_t* down = this->m[turn];
#pragma unroll
    for (int j = 0; j < P; ++j)
      down[j + 1] = in_rows ? bits(__hfma2_relu(halves(most[j]), halves(0x3c003c00u),
                                                halves(limits.minus_low[j])))
                            : 0;
    take_ends<P>(down);
  }

  __device__ static float square_of(uint32_t gx, uint32_t gy, int half) {
    const float x = half ? __high2float(halves(gx)) : __low2float(halves(gx));
    const float y = half ? __high2float(halves(gy)) : __low2float(halves(gy));
    return fmaf(x, x, y * y);
  }
  template <int C>
  __device__ void take_larger(const uint32_t* words, float (&most)[2 * P], uint32_t (&gx)[P],
                              uint32_t (&gy)[P]) {
    uint32_t x[P], y[P];
    push<C>(words, x, y);
#pragma unroll
    for (int j = 0; j < P; ++j) {
      const float low = square_of(x[j], y[j], 0), high = square_of(x[j], y[j], 1);
      const uint32_t larger = negative_halves(most[j] - low, most[j + P] - high);
      gx[j] = choose(larger, x[j], gx[j]);
      gy[j] = choose(larger, y[j], gy[j]);
      most[j] = fmaxf(most[j], low), most[j + P] = fmaxf(most[j + P], high);
    }
  }
  template <int turn>
  __device__ void measure_squares(const uint32_t* words, const Limits& limits, bool in_rows,
                                  uint32_t (&gx)[P], uint32_t (&gy)[P]) {
    float most[2 * P];
#pragma unroll
    for (int i = 0; i < 2 * P; ++i) most[i] = square_of(gx[i % P], gy[i % P], i / P);
    take_larger<1>(words, most, gx, gy);
    take_larger<2>(words, most, gx, gy);
    float* down = this->m[turn];
#pragma unroll
    for (int i = 0; i < 2 * P; ++i)
      down[i + 1] = in_rows ? fmaxf(most[i] + __uint_as_float(limits.minus_low[i]), 0.0f) : 0.0f;
    down[0] = __shfl_up_sync(~0u, down[2 * P], 1);
    down[2 * P + 1] = __shfl_down_sync(~0u, down[1], 1);
  }
};

}  // namespace cuesta::canny_half
