// Sums by one factor down and across, undivided, on the GPU: what operations compute from a picture
// that is smoothed without rounding. No CUDA type.
#pragma once

#include <span>
#include <string_view>

#include "core/strategy.hpp"
#include "cuesta/border.hpp"

namespace cuesta::factor_sums {

/// sums(x + left, y + above) = Σ taps[j] · taps[i] · src(x + i − n/2, y + j − n/2), of n taps and
/// of src as the border extends it. `src`: u8 or u16, one channel. `sums`: 32 bits without a sign;
/// it has 2 · left more columns and 2 · above more rows than src, rows at multiples of 16 bytes,
/// and room for a multiple of 256 columns. Taps: at most 255 each, 256 together, so that no sum
/// passes 32 bits. A constant border's `ignore` counts as 0.
struct Request {
  ConstAnyView src;
  ImageView<int32_t, Space::device> sums;
  std::span<const int32_t> taps;
  int32_t left, above;
  Border border;
};
/// Room for the columns of a row of sums.
constexpr int32_t room_for(int32_t columns) { return (columns + 255) / 256 * 256; }

/// Why such a request is not taken, or nothing; `sums` is not looked at.
std::string_view takes(const Request& request);
void run(const Request& request, Call& call);

}  // namespace cuesta::factor_sums
