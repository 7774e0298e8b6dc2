// What the kernels of `pairwise` share: sums along a line of positions that a warp has in
// registers, and what follows a sum.
#pragma once

#include "ops/convolve/cuda/flat_rows.cuh"

namespace cuesta::convolve_cuda {

/// A request whose sums of columns are known.
template <class Out>
struct PairwiseRequest : FlatRequest<float, Out> {
  EqualTaps taps;
  convolution::Finish finish;
  float outside_sum;  // of a column outside the picture
  bool changes;       // whether anything follows the division

  explicit PairwiseRequest(const ConvolveArgs& args)
      : FlatRequest<float, Out>(args),
        taps(args.equal),
        finish(args),
        outside_sum(pairwise_sum(args.height, [&](int32_t) { return this->outside; })),
        changes(args.absolute || args.offset != 0 || args.border.mode == BorderMode::ignore) {}

  /// The sample at x of row y, from the window's sum and the sample at its anchor.
  __device__ __forceinline__ Out result(float sum, float centre, int32_t x, int32_t y) const {
    const float value = taps.value(sum, centre);
    if constexpr (std::is_same_v<Out, float>)
      if (!changes) return value;
    return this->is_void_row(y) || this->is_void_sample(x) ? Out(0)
                                                           : finish.template sample<Out>(value);
  }
};

/// combine(i, v at `By` positions after i), of a warp whose lanes have `Items` positions each.
template <int By, int Items, class Combine>
__device__ __forceinline__ void each_shifted(const float (&v)[Items], Combine&& combine) {
  // What a lane's own positions become is asked after it: combine() may change v[i].
  constexpr int borrowed = By < Items ? By : 1;
  float next[borrowed];
  if constexpr (By < Items) {
#pragma unroll
    for (int i = 0; i < borrowed; ++i) next[i] = __shfl_down_sync(~0u, v[i], 1);
  }
  if constexpr (By % Items != 0 && By > Items) {
    float shifted[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i)
      shifted[i] = __shfl_down_sync(~0u, v[(i + By) % Items], (i + By) / Items);
#pragma unroll
    for (int i = 0; i < Items; ++i) combine(i, shifted[i]);
  } else {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if constexpr (By < Items)
        combine(i, i + By < Items ? v[(i + By) % Items] : next[(i + By) % Items % borrowed]);
      else
        combine(i, __shfl_down_sync(~0u, v[i], By / Items));
    }
  }
}

/// The sums of n samples `Step` positions apart, from each position on, for n < 2^(Levels + 1):
/// `all`. `sum` has the samples. Positions whose window leaves the line mean nothing then.
template <int Step, int Levels, int Level = 0, int Items>
__device__ __forceinline__ void sum_along(int32_t n, float (&sum)[Items], float (&all)[Items]) {
  constexpr int k = 1 << Level;
  if (n & k) {
    if (n & (k - 1)) {
      each_shifted<k * Step>(all, [&](int i, float next) { all[i] = sum[i] + next; });
    } else {
#pragma unroll
      for (int i = 0; i < Items; ++i) all[i] = sum[i];
    }
  }
  if constexpr (Level < Levels) {
    if (2 * k > n) return;
    each_shifted<k * Step>(sum, [&](int i, float next) { sum[i] += next; });
    sum_along<Step, Levels, Level + 1>(n, sum, all);
  }
}

/// Windows of any size, in two kernels (pairwise_lines.cu).
void pairwise_lines(const ConvolveArgs& args, Call& call);

}  // namespace cuesta::convolve_cuda
