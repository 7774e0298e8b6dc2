// Which windows strategy `running` takes: one value everywhere, but perhaps at the anchor. No CUDA
// type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ops/convolve/args.hpp"

namespace cuesta::convolve_cuda {

struct RunningTaps {
  /// Rows of sums of u8 that stay below 2^16, samples of a row that a window spans, and rows from
  /// which on other strategies are slower.
  static constexpr int32_t max_rows = 257, max_span = 1032, min_rows = 11;

  int32_t every = 1, extra = 0;  ///< the window's value, and what the tap at the anchor has more

  /// Bound of a sum, without its sign, over every picture of the source's type.
  int64_t largest(const ConvolveArgs& args) const {
    const int64_t sample = args.src.type == PixelType::u8 ? 255 : 65535;
    return sample * (int64_t(args.width) * args.height * std::abs(int64_t(every)) +
                     std::abs(int64_t(extra)));
  }
  bool is_box() const { return every == 1 && extra == 0; }
};

/// Finds the window's value and what the tap at the anchor has more; or says why it has none.
inline std::string_view running_taps(const ConvolveArgs& args, RunningTaps& taps) {
  constexpr std::string_view others = "windows of more than one value, the anchor's aside";
  if (args.height < RunningTaps::min_rows || args.height > RunningTaps::max_rows ||
      args.width * args.src.channels > RunningTaps::max_span)
    return "windows of fewer than 11 or more than 257 rows, or of rows past 1,032 samples";
  const auto& [window, column, row] = args.integers;
  int64_t every = 0, extra = 0;
  if (args.integers.separable()) {
    const auto down = one_value(column), across = one_value(row);
    if (!down || !across) return others;
    every = int64_t(*down) * *across;
  } else {
    const auto value = one_value_but_at(window, args.anchor_index());
    if (!value) return others;
    every = *value, extra = int64_t(window[args.anchor_index()]) - every;
  }
  constexpr int64_t most = INT32_MAX;
  if (every == 0 || std::abs(every) > most || std::abs(extra) > most)
    return "taps of 0 or past 31 bits";
  taps = {int32_t(every), int32_t(extra)};
  return {};
}

}  // namespace cuesta::convolve_cuda
