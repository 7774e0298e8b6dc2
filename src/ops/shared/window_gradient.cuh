// The gradient of a window of K × K samples, in the definition's order: sums down its columns, and
// sums of those across.
#pragma once

#include "ops/shared/gradient.hpp"

namespace cuesta::cuda {

/// The sums down a column of the window.
template <class G>
struct ColumnSums {
  G smooth, derive;
};

/// Of samples at(j) in row j.
template <int K, class G, class At>
__device__ ColumnSums<G> column_sums(At at) {
  constexpr auto taps = gradient::taps(K);
  ColumnSums<G> sums{0, 0};
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const G v = at(j);
    sums.smooth = gradient::add_tap(sums.smooth, taps.smoothing[j], v);
    sums.derive = gradient::add_tap(sums.derive, taps.derivative[j], v);
  }
  return sums;
}
/// Adds column i of the window, one after the other.
template <int K, class G>
__device__ void add_column(gradient::Gradient<G>& sum, int i, const ColumnSums<G>& column) {
  constexpr auto taps = gradient::taps(K);
  sum.x = gradient::add_tap(sum.x, taps.derivative[i], column.smooth);
  sum.y = gradient::add_tap(sum.y, taps.smoothing[i], column.derive);
}

/// Of samples at(i, j), in column i and row j.
template <int K, class G, class At>
__device__ gradient::Gradient<G> window_gradient(At at) {
  gradient::Gradient<G> sum;
#pragma unroll
  for (int i = 0; i < K; ++i)
    add_column<K>(sum, i, column_sums<K, G>([&](int j) { return G(at(i, j)); }));
  return sum;
}

}  // namespace cuesta::cuda
