// The gradient of a window of K × K samples, in the definition's order: sums down its columns, and
// sums of those across.
#pragma once

#include "ops/shared/gradient.hpp"

namespace cuesta::cuda {

/// Adds column i of the window, whose sample in row j is at(j).
template <int K, class G, class At>
__device__ void add_column(gradient::Gradient<G>& sum, int i, At at) {
  constexpr auto taps = gradient::taps(K);
  G smooth = 0, derive = 0;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const G v = at(j);
    smooth = gradient::add_tap(smooth, taps.smoothing[j], v);
    derive = gradient::add_tap(derive, taps.derivative[j], v);
  }
  sum.x = gradient::add_tap(sum.x, taps.derivative[i], smooth);
  sum.y = gradient::add_tap(sum.y, taps.smoothing[i], derive);
}

/// Of samples at(i, j), in column i and row j.
template <int K, class G, class At>
__device__ gradient::Gradient<G> window_gradient(At at) {
  gradient::Gradient<G> sum;
#pragma unroll
  for (int i = 0; i < K; ++i) add_column<K>(sum, i, [&](int j) { return G(at(i, j)); });
  return sum;
}

}  // namespace cuesta::cuda
