// What the strategies of log share: the taps, the threshold in undivided units, what a crossing is.
#pragma once

#include <cstdint>

#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/smoothing.hpp"

namespace cuesta::log {

/// The integer Gaussian g of a request. The stencil is (g gᵀ) ∗ l, `size` + 2 samples wide and
/// high; its weights are multiples of 1 / scale, scale = (Σ g)². Passed by value, also to GPU
/// kernels.
struct Window {
  static constexpr int32_t max_size = 255;
  int32_t size = 0;  // odd
  int32_t taps[max_size] = {};
  int32_t scale = 0;
  int64_t threshold = 0;  // floor(scale · t), exact; at most 2^40, beyond any response

  CUESTA_HOST_DEVICE constexpr int32_t radius() const { return size / 2 + 1; }
};

/// The window of checked options.
Window window(const LogOptions& options);

/// The stencil as a sum of two products, g sᵀ + s gᵀ with s = g ∗ (1 −2 1): `smooth` is g with a 0
/// on either side, `bend` is s.
struct Factors {
  static constexpr int32_t max_size = Window::max_size + 2;
  int32_t size = 0;
  int32_t smooth[max_size] = {}, bend[max_size] = {};
};
Factors factors(const Window& window);

/// The stencil where its weights, over what they share, are signed bytes and its window has 9 x 9
/// samples at most. |L| > threshold exactly when |Σ weights · samples| > `threshold` here.
struct ByteStencil {
  static constexpr int32_t max_size = 9;
  int32_t size = 0;                          // odd; 0: no such stencil
  int32_t factor = 1;                        // what the weights share
  int8_t weights[max_size * max_size] = {};  // row-major
  int32_t most = 0;                          // the largest |Σ| on u8
  int64_t threshold = 0;
};
ByteStencil byte_stencil(const Window& window);
/// Zero crossings that 16 bits tell: responses cut to ±T, and differences of two, plus T.
inline constexpr int64_t max_crossing_threshold = 16383;

/// The papers' own: g = 2 4 5 4 2, scale 289.
using cuesta::is_papers_window;

/// Two responses that are side by side: strictly opposite signs, and a step above the threshold.
template <class T>
CUESTA_HOST_DEVICE constexpr bool crosses(T a, T b, T threshold) {
  return (a < 0 ? b > 0 : a > 0 && b < 0) && (a < b ? b - a : a - b) > threshold;
}

/// Zero crossing at the response `centre`. A neighbour outside the picture is given as 0, which
/// crosses nothing.
template <class T>
CUESTA_HOST_DEVICE constexpr bool is_zero_crossing(T centre, T left, T right, T upper, T lower,
                                                   T threshold) {
  if (centre == 0) return crosses(left, right, threshold) || crosses(upper, lower, threshold);
  return crosses(centre, right, threshold) || crosses(centre, lower, threshold);
}

}  // namespace cuesta::log
