// Gaussians, and responses, as products of matrices of bytes, for `mma-separable`. A warp makes 16
// rows of 128 columns at a time, from a tile in shared memory and from the 16 rows it summed
// before:
//
//   H (16 columns x 8 rows)    = band of taps (16 x 32) . samples (32 of a row x 8 rows)
//   sums (16 rows x 8 columns) = band of taps (16 x 32) . H, its bytes apart
//
// Both bands are full: 32 samples are what 16 columns of a window of 15 to 17 take. H comes out
// with rows in a lane's registers, as the second product wants them once its rows are dealt so that
// a lane's word is rows 2t, 2t + 1, 2t + 8, 2t + 9; the columns of H are dealt so that a lane of
// the result has four neighbours.
//
// Exact: H of u8 has two bytes, of u16 three (the taps sum to 256 at most); sums of u16 wrap modulo
// 2^32.
#pragma once

#include <cstdint>

#include "cuda/instructions.cuh"
#include "cuda/tensor_products.cuh"
#include "ops/log/gaussian_bands.hpp"

namespace cuesta::log_cuda {

/// Rows that a warp sums at a time, and columns of a lane of the results.
inline constexpr int sum_rows = log::band_side, lane_columns = 4;

using cuda::tensor::joined;
using cuda::tensor::multiply_add;
using cuda::tensor::split_sums;

/// A lane's samples of a row of the tile, four at a time.
template <class T, bool Aligned>
class RowSamples {
 public:
  static constexpr int planes = sizeof(T);

  /// `at`: the lane's first sample; where Aligned, at a multiple of four of them.
  __device__ explicit RowSamples(const uint8_t* at) {
    const auto odd = Aligned ? 0u : uint32_t(reinterpret_cast<uintptr_t>(at)) & 3;
    at_ = at - odd;
    shift_ = 8 * odd;
  }
  /// The four of group i of 16 columns, as planes of bytes.
  __device__ __forceinline__ void load(int i, uint32_t (&to)[planes]) const {
    const uint8_t* from = at_ + 16 * planes * i;
    uint32_t word[planes];
    if constexpr (Aligned && planes == 2) {
      const uint2 v = *reinterpret_cast<const uint2*>(from);
      word[0] = v.x, word[1] = v.y;
    } else {
      uint32_t low = *reinterpret_cast<const uint32_t*>(from);
#pragma unroll
      for (int p = 0; p < planes; ++p) {
        if constexpr (Aligned) {
          word[p] = low;
        } else {
          const uint32_t high = *reinterpret_cast<const uint32_t*>(from + 4 * p + 4);
          word[p] = __funnelshift_r(low, high, shift_);
          low = high;
        }
      }
    }
    if constexpr (planes == 2) {
      to[0] = __byte_perm(word[0], word[1], 0x6420);
      to[1] = __byte_perm(word[0], word[1], 0x7531);
    } else {
      to[0] = word[0];
    }
  }

 private:
  const uint8_t* at_;
  uint32_t shift_;
};

/// A lane's words of a band.
__device__ __forceinline__ void load_band(const uint32_t (&band)[4][32], uint32_t (&to)[4]) {
  const uint32_t* words = cuda::opaque(band[0]);
#pragma unroll
  for (int r = 0; r < 4; ++r) to[r] = words[32 * r + threadIdx.x % 32];
}

/// A warp's Gaussian, 16 rows of 128 columns after the other.
template <class T>
class GaussianSums {
 public:
  static constexpr int columns = 128, groups = columns / 16;
  static constexpr int planes = sizeof(T), parts = planes + 1;

  __device__ void load(const log::Bands& bands) {
    load_band(bands.across, across_), load_band(bands.down, down_);
  }
  /// Takes 16 rows of samples; the lane has rows g and g + 8. Unless they are the First,
  /// put(i, upper, lower) gets of the 16 rows of sums whose windows end with them columns 16 i + 4
  /// t
  /// .. of rows g and g + 8.
  template <bool First, bool Aligned, class Put>
  __device__ __forceinline__ void take(const RowSamples<T, Aligned>& first,
                                       const RowSamples<T, Aligned>& second, Put&& put) {
    uint32_t word[2][2][planes];
    first.load(0, word[0][0]), second.load(0, word[0][1]);
#pragma unroll
    for (int i = 0; i < groups; ++i) {
      auto& left = word[i % 2];
      auto& right = word[(i + 1) % 2];
      first.load(i + 1, right[0]), second.load(i + 1, right[1]);
      int32_t h[2][planes][4] = {};
#pragma unroll
      for (int k = 0; k < 2; ++k)
#pragma unroll
        for (int p = 0; p < planes; ++p)
          multiply_add<uint8_t, uint8_t>(h[k][p], across_, left[k][p], right[k][p]);
      int32_t v[2][4];
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        uint32_t fresh[parts];
        split_sums<false>(h, pair, fresh);
        int32_t part[parts][4] = {};
#pragma unroll
        for (int k = 0; k < parts; ++k) {
          if (!First) multiply_add<uint8_t, uint8_t>(part[k], down_, kept_[i][pair][k], fresh[k]);
          kept_[i][pair][k] = fresh[k];
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) v[pair][n] = int32_t(joined(part, n));
      }
      if (!First)
        put(i, make_int4(v[0][0], v[0][1], v[1][0], v[1][1]),
            make_int4(v[0][2], v[0][3], v[1][2], v[1][3]));
    }
  }

 private:
  uint32_t across_[4], down_[4];
  uint32_t kept_[groups][2][parts];  // H of the 16 rows before
};

/// A warp's responses g sᵀ + s gᵀ, 16 rows of 64 columns after the other: two sums across, and both
/// down into the same registers. Needs ByteTaps::bends.
template <class T>
class Responses {
 public:
  static constexpr int columns = 64, groups = columns / 16;
  static constexpr int planes = sizeof(T), parts = planes + 1;

  __device__ void load(const log::Bands& bands) {
    load_band(bands.across, across_), load_band(bands.down, down_);
    load_band(bands.bend_across, bend_across_), load_band(bands.bend_down, bend_down_);
  }
  /// As GaussianSums::take().
  template <bool First, bool Aligned, class Put>
  __device__ __forceinline__ void take(const RowSamples<T, Aligned>& first,
                                       const RowSamples<T, Aligned>& second, Put&& put) {
    uint32_t word[2][2][planes];
    first.load(0, word[0][0]), second.load(0, word[0][1]);
#pragma unroll
    for (int i = 0; i < groups; ++i) {
      auto& left = word[i % 2];
      auto& right = word[(i + 1) % 2];
      first.load(i + 1, right[0]), second.load(i + 1, right[1]);
      int32_t smooth[2][planes][4] = {}, bent[2][planes][4] = {};
#pragma unroll
      for (int k = 0; k < 2; ++k) {
#pragma unroll
        for (int p = 0; p < planes; ++p) {
          multiply_add<uint8_t, uint8_t>(smooth[k][p], across_, left[k][p], right[k][p]);
          multiply_add<int8_t, uint8_t>(bent[k][p], bend_across_, left[k][p], right[k][p]);
        }
      }
      int32_t v[2][4];
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        uint32_t fresh[2][parts];
        split_sums<false>(smooth, pair, fresh[0]);
        split_sums<true>(bent, pair, fresh[1]);
        auto& kept = kept_[i][pair];
        int32_t part[parts][4] = {};
#pragma unroll
        for (int k = 0; k < parts; ++k) {
          if (!First) {
            multiply_add<int8_t, uint8_t>(part[k], bend_down_, kept[0][k], fresh[0][k]);
            if (k < planes)
              multiply_add<uint8_t, uint8_t>(part[k], down_, kept[1][k], fresh[1][k]);
            else
              multiply_add<uint8_t, int8_t>(part[k], down_, kept[1][k], fresh[1][k]);
          }
          kept[0][k] = fresh[0][k], kept[1][k] = fresh[1][k];
        }
#pragma unroll
        for (int n = 0; n < 4; ++n) v[pair][n] = int32_t(joined(part, n));
      }
      if (!First)
        put(i, make_int4(v[0][0], v[0][1], v[1][0], v[1][1]),
            make_int4(v[0][2], v[0][3], v[1][2], v[1][3]));
    }
  }

 private:
  uint32_t across_[4], down_[4], bend_across_[4], bend_down_[4];
  uint32_t kept_[groups][2][2][parts];  // of the 16 rows before: both sums across
};

}  // namespace cuesta::log_cuda
