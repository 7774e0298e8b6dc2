#include "ops/convolve/byte_taps.hpp"

#include <algorithm>
#include <numeric>

namespace cuesta {

int32_t ByteTaps::radius() const {
  return std::max({anchor_x, width - 1 - anchor_x, anchor_y, height - 1 - anchor_y});
}

std::string_view byte_taps(const ConvolveArgs& args, ByteTaps& out) {
  if (args.src.type != PixelType::u8) return "sources other than u8";
  if (args.src.channels != 1) return "more than one channel";
  out = {args.width, args.height, args.anchor_x, args.anchor_y};
  if (args.width > ByteTaps::max_side || args.height > ByteTaps::max_side ||
      out.radius() > ByteTaps::reach)
    return "windows past four samples to a side";
  const auto tap = [&](int32_t i, int32_t j) {
    return args.integers.separable()
               ? int64_t(args.integers.column[size_t(j)]) * args.integers.row[size_t(i)]
               : int64_t(args.integers.window[size_t(j) * size_t(args.width) + size_t(i)]);
  };
  int64_t shared = args.divisor;
  for (int32_t j = 0; j < args.height; ++j)
    for (int32_t i = 0; i < args.width; ++i) shared = std::gcd(shared, tap(i, j));
  out.divisor = args.divisor / shared;
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      const int64_t t = tap(i, j) / shared;
      if (t < -128 || t > 127) return "taps past a signed byte";
      out.taps[j * args.width + i] = int8_t(t);
      (t < 0 ? out.least : out.most) += int32_t(255 * t);
    }
  }
  if (args.rounding == Rounding::half_up && out.least < 0)
    return "halves of negative sums going up";
  // Floats hold both, and what taking out the shared factor changes in double(divisor) is nothing.
  if (args.dst.type == PixelType::f32 &&
      (out.divisor > (1 << 24) || args.divisor > (int64_t(1) << 53)))
    return "f32 results with a divisor past 24 bits";
  return {};
}

}  // namespace cuesta
