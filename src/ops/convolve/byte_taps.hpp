// Integer stencils whose taps are signed bytes, once what taps and divisor share is taken out.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta {

struct ByteTaps {
  static constexpr int32_t reach = 4;  ///< samples on any side of the output
  static constexpr int32_t max_side = 2 * reach + 1;

  int32_t width = 0, height = 0, anchor_x = 0, anchor_y = 0;
  int8_t taps[max_side * max_side] = {};  ///< row-major
  int64_t divisor = 1;
  int32_t least = 0, most = 0;  ///< bounds of the sum over every u8 picture; below 2^22 either way

  int8_t at(int32_t i, int32_t j) const { return taps[j * width + i]; }
  /// How far the window reaches at most.
  int32_t radius() const;
};

/// "" and the taps, or why the request has none.
std::string_view byte_taps(const ConvolveArgs& args, ByteTaps& out);

}  // namespace cuesta
