// From a warp's Gaussian sums to results, for `mma-separable`: the Laplacian, row after row down
// four columns a lane, and what becomes of it. A warp's first and last four columns are there for
// their neighbours. Everything is symmetric in the sign of L, which is kept negated where that
// saves an operation.
#pragma once

#include <cstdint>

#include "cuda/instructions.cuh"
#include "cuesta/image.hpp"
#include "ops/log/gaussian_sums.cuh"

namespace cuesta::log_cuda {

/// A byte for each of four values: 255 where it is negative.
__device__ __forceinline__ uint32_t sign_bytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return __byte_perm(cuda::permute_bytes<0xFBFB>(a, b), cuda::permute_bytes<0xFBFB>(c, d), 0x5410);
}

/// The rules. `apron`: rows of sums that are wanted above and below the results. take(bend, below,
/// keep): of a row, what the Laplacian has without the row below, negated (4 centre − left − right
/// − above); the row below; bytes of 255 where the response counts, 0 where it is 0 by definition.
/// Returns the results of the row, or, where `apron` is 2, of the row above. Without `Far` no
/// response and no sum passes 2^28.

/// |L| > T.
template <bool Far>
struct EdgeRule {
  using Out = uint8_t;
  using Results = uint32_t;
  static constexpr int apron = 1;
  uint32_t past;  // −(T + 1)

  __device__ explicit EdgeRule(int32_t threshold) : past(~uint32_t(threshold)) {}
  __device__ __forceinline__ uint32_t take(const int32_t (&bend)[4], const int32_t (&below)[4],
                                           uint32_t keep) {
    uint32_t slack[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (Far)
        slack[i] = __sad(int32_t(uint32_t(bend[i]) - uint32_t(below[i])), 0, past);
      else
        slack[i] = __sad(bend[i], below[i], past);
    }
    return ~sign_bytes(slack[0], slack[1], slack[2], slack[3]) & keep;
  }
};

/// Zero crossings. Responses are cut to ±T, T >= 1: two of them differ by more than T exactly when
/// their signs are opposite and what they were differs by more than T. So a pixel is an edge when
/// its response (that of its left neighbour, if its own is 0) and the right neighbour's are further
/// apart than T, or the same upwards and downwards.
template <bool Far>
struct CrossingRule {
  using Out = uint8_t;
  using Results = uint32_t;
  static constexpr int apron = 2;
  int32_t threshold;
  uint32_t past;
  // Responses of the two rows above, and whether there are zeros among those of the first.
  int32_t above[4] = {}, second[4] = {};
  bool had_zeros = false;
  uint32_t calm = 0;  // bytes of 255 where nothing crosses to the right in the row above

  /// 0 finds what 1 finds: opposite signs are two apart.
  __device__ explicit CrossingRule(int32_t t) : threshold(max(t, 1)), past(~uint32_t(threshold)) {}
  __device__ __forceinline__ uint32_t take(const int32_t (&bend)[4], const int32_t (&below)[4],
                                           uint32_t keep) {
    int32_t at[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      at[i] = max(min(int32_t(uint32_t(bend[i]) - uint32_t(below[i])), threshold), -threshold);
#pragma unroll
    for (int i = 0; i < 4; ++i) at[i] = keep >> 8 * i & 1 ? at[i] : 0;
    const int32_t before = __shfl_up_sync(0xFFFFFFFF, at[3], 1),
                  after = __shfl_down_sync(0xFFFFFFFF, at[0], 1);
    // A product may be 0 without them, which does no harm.
    const uint32_t product = uint32_t(at[0]) * uint32_t(at[1]) * uint32_t(at[2]) * uint32_t(at[3]);
    const bool zeros = __any_sync(0xFFFFFFFF, product == 0);
    uint32_t across[4], down[4];
    const auto right = [&](int i) { return i < 3 ? at[i < 3 ? i + 1 : 3] : after; };
    if (zeros) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        across[i] = __sad(at[i] != 0 ? at[i]
                          : i > 0    ? at[i > 0 ? i - 1 : 0]
                                     : before,
                          right(i), past);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) across[i] = __sad(at[i], right(i), past);
    }
    if (had_zeros) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        down[i] = __sad(above[i] != 0 ? above[i] : second[i], at[i], past);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) down[i] = __sad(above[i], at[i], past);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) second[i] = above[i], above[i] = at[i];
    had_zeros = zeros;
    const uint32_t out = ~(calm & sign_bytes(down[0], down[1], down[2], down[3]));
    calm = sign_bytes(across[0], across[1], across[2], across[3]);
    return out;
  }
};

/// L itself, times what the taps' products share.
struct ResponseRule {
  using Out = int32_t;
  using Results = int4;
  static constexpr int apron = 1;
  int32_t factor;

  __device__ explicit ResponseRule(int32_t shared) : factor(shared) {}
  __device__ __forceinline__ int4 take(const int32_t (&bend)[4], const int32_t (&below)[4],
                                       uint32_t keep) {
    int32_t at[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      at[i] = (below[i] - bend[i]) * factor;
      if (!(keep >> 8 * i & 1)) at[i] = 0;
    }
    return make_int4(at[0], at[1], at[2], at[3]);
  }
};

/// Marches down four columns a lane, from sums in shared memory. A chunk's odd and even groups of
/// 16 columns change places in odd rows, so that two rows are in different banks.
template <class T, class Rule>
class LaplacianMarch {
  static constexpr int columns = GaussianSums<T>::columns;

 public:
  using Out = typename Rule::Out;
  using Results = typename Rule::Results;
  static constexpr int apron = Rule::apron, chunk_words = sum_rows * columns;
  static constexpr int side = lane_columns, own_columns = columns - 2 * side;

  __device__ LaplacianMarch(int32_t parameter, int32_t* chunk) : rule_(parameter), chunk_(chunk) {}
  __device__ void load(const log::Bands& bands) { sums_.load(bands); }
  template <bool First, bool Aligned>
  __device__ __forceinline__ void take(const RowSamples<T, Aligned>& first,
                                       const RowSamples<T, Aligned>& second) {
    const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4, swap = g % 2 * 16;
    sums_.template take<First>(first, second, [&](int i, const int4& upper, const int4& lower) {
      int32_t* to = chunk_ + g * columns + 4 * t + 16 * i + (i % 2 ? -swap : swap);
      *reinterpret_cast<int4*>(to) = upper;
      *reinterpret_cast<int4*>(to + 8 * columns) = lower;
    });
  }
  /// Takes row `even` + r of the last 16, where `even` is; returns what the rule makes of the row
  /// above, whose `keep` it is.
  __device__ __forceinline__ Results row(int even, int r, uint32_t keep) {
    const int at = 4 * int(threadIdx.x % 32);
    const int4 sums =
        *reinterpret_cast<const int4*>(chunk_ + (r % 2 ? at ^ 16 : at) + (even + r) * columns);
    const int32_t row[4] = {sums.x, sums.y, sums.z, sums.w};
    const auto results = rule_.take(bend_, row, keep);
    const int32_t before = __shfl_up_sync(0xFFFFFFFF, row[3], 1),
                  after = __shfl_down_sync(0xFFFFFFFF, row[0], 1);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int32_t left = i > 0 ? row[i > 0 ? i - 1 : 0] : before;
      const int32_t right = i < 3 ? row[i < 3 ? i + 1 : 3] : after;
      const auto around = uint32_t(left) + uint32_t(right) + uint32_t(above_[i]);
      bend_[i] = int32_t(uint32_t(row[i]) * 4u - around);
      above_[i] = row[i];
    }
    return results;
  }

 private:
  GaussianSums<T> sums_;
  Rule rule_;
  int32_t* chunk_;
  int32_t above_[4] = {}, bend_[4] = {};
};

/// |L| > T from responses as products: the mask alone goes through shared memory, to become rows.
template <class T>
class EdgeRows {
  static constexpr int columns = Responses<T>::columns, pitch = columns / 4 + 4;

 public:
  using Out = uint8_t;
  using Results = uint32_t;
  static constexpr int apron = 0, chunk_words = sum_rows * pitch;
  static constexpr int side = 0, own_columns = columns;

  __device__ EdgeRows(int32_t threshold, int32_t* chunk)
      : past_(~uint32_t(threshold)), chunk_(chunk) {}
  __device__ void load(const log::Bands& bands) { responses_.load(bands); }
  template <bool First, bool Aligned>
  __device__ __forceinline__ void take(const RowSamples<T, Aligned>& first,
                                       const RowSamples<T, Aligned>& second) {
    const int lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    const auto mask = [&](const int4& v) {
      return int32_t(~sign_bytes(__sad(v.x, 0, past_), __sad(v.y, 0, past_), __sad(v.z, 0, past_),
                                 __sad(v.w, 0, past_)));
    };
    responses_.template take<First>(first, second,
                                    [&](int i, const int4& upper, const int4& lower) {
                                      int32_t* to = chunk_ + g * pitch + 4 * i + t;
                                      to[0] = mask(upper), to[8 * pitch] = mask(lower);
                                    });
  }
  /// Of the lane's columns: half a warp has a row of the last 16.
  __device__ __forceinline__ uint32_t row(int even, int r, uint32_t keep) const {
    const int lane = int(threadIdx.x) % 32;
    return uint32_t(chunk_[(even + r + lane / 16) * pitch + lane % 16]) & keep;
  }

 private:
  Responses<T> responses_;
  uint32_t past_;
  int32_t* chunk_;
};

}  // namespace cuesta::log_cuda
