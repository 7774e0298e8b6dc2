// Integer stencils whose taps are one or two signed bytes, once what taps and divisor share is
// taken out: what products of matrices of bytes make.
#pragma once

#include <algorithm>

#include "ops/convolve/args.hpp"

namespace cuesta {

struct TensorTaps {
  static constexpr int32_t reach = 4;  ///< samples on any side of the output
  /// Of u8 by one plane of taps: samples to the left and right, and rows.
  static constexpr int32_t wide_reach = 8, wide_rows = 15;
  static constexpr int32_t max_side = 2 * wide_reach + 1;
  /// By rows of samples, of u8 by one plane of taps: rows of taps, and how far they reach to the
  /// left and right, counted with all channels; windows of few rows reach further.
  static constexpr int32_t row_rows = 31, row_reach = 20, few_rows = 15, few_reach = 28;
  /// Rows of u16 by one plane of taps, and of other requests.
  static constexpr int32_t words_rows = 15, planes_rows = 9;
  /// Taps of two signed bytes, low + 256 · high.
  static constexpr int32_t min_tap = -128 * 257, max_tap = 127 * 257;
  /// Below this either way floats divide sums without an error.
  static constexpr int64_t float_sums = 1 << 22;

  int32_t width = 0, height = 0, anchor_x = 0, anchor_y = 0;
  int32_t taps[(2 * few_reach + 1) * row_rows] = {};  ///< row-major
  int planes = 1;                                     ///< signed bytes of a tap
  int64_t divisor = 1;
  int64_t least = 0, most = 0;  ///< bounds of the sum over every picture of the source's type
  int32_t offset = 0;           ///< cut where any sum saturates

  int32_t at(int32_t i, int32_t j) const { return taps[j * width + i]; }
  /// How far the window reaches at most.
  int32_t radius() const;
  /// Whether it takes more than `reach`.
  bool is_wide() const { return radius() > reach; }
  /// Of a sum, without its sign.
  int64_t largest() const { return std::max(-least, most); }
};

/// "" and the taps for strategy `tensor`, or why it does not take the request.
std::string_view tensor_taps(const ConvolveArgs& args, TensorTaps& out);
/// The same for `tensor-rows`.
std::string_view tensor_row_taps(const ConvolveArgs& args, TensorTaps& out);

}  // namespace cuesta
