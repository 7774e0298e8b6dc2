// The gradient of a window as the papers compute it: K × K products, sample by sample.
#pragma once

#include "ops/shared/gradient.hpp"

namespace cuesta::cuda {

/// Sums the K × K window; at(i, j) is the sample in its column i and row j.
template <int K, class At>
__device__ void window_sums(At at, int32_t& gx, int32_t& gy) {
  constexpr auto taps = gradient::taps(K);
  gx = gy = 0;
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int i = 0; i < K; ++i) {
      const int32_t v = at(i, j);
      gx += v * taps.derivative[i] * taps.smoothing[j];
      gy += v * taps.smoothing[i] * taps.derivative[j];
    }
  }
}

}  // namespace cuesta::cuda
