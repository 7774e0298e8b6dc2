#include "ops/convolve/tensor_taps.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "cuda/tile_rows.hpp"

namespace cuesta {
int32_t TensorTaps::radius() const {
  return std::max({anchor_x, width - 1 - anchor_x, anchor_y, height - 1 - anchor_y});
}

namespace {

std::string_view sources(const ConvolveArgs& args) {
  return args.src.type != PixelType::u8 && args.src.type != PixelType::u16
             ? "sources other than u8 and u16"
             : cuda::tiles_take(args.src);
}

// Without what they and the divisor share.
std::string_view set_taps(const ConvolveArgs& args, TensorTaps& out) {
  const auto tap = [&](int32_t i, int32_t j) {
    return args.integers.separable()
               ? int64_t(args.integers.column[size_t(j)]) * args.integers.row[size_t(i)]
               : int64_t(args.integers.window[size_t(j) * size_t(args.width) + size_t(i)]);
  };
  int64_t shared = args.divisor;
  for (int32_t j = 0; j < args.height; ++j)
    for (int32_t i = 0; i < args.width; ++i) shared = std::gcd(shared, tap(i, j));
  out.divisor = args.divisor / shared;
  const int64_t largest = args.src.type == PixelType::u8 ? 255 : 65535;
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      const int64_t t = tap(i, j) / shared;
      if (t < TensorTaps::min_tap || t > TensorTaps::max_tap)
        return "taps that exceed two signed bytes";
      if (t < -128 || t > 127) out.planes = 2;
      out.taps[j * args.width + i] = int32_t(t);
      (t < 0 ? out.least : out.most) += largest * t;
    }
  }
  return {};
}

// What sums and divisor must be.
std::string_view set_sums(const ConvolveArgs& args, TensorTaps& out) {
  if (args.dst.type == PixelType::f32) {
    // Floats hold both, and what taking out the shared factor changes in double(divisor) is
    // nothing.
    if (out.largest() >= TensorTaps::float_sums) return "f32 results of sums above 22 bits";
    return out.divisor > (1 << 24) || args.divisor > (int64_t(1) << 53)
               ? "f32 results with a divisor above 24 bits"
               : std::string_view();
  }
  if (args.rounding == Rounding::half_up && out.least < 0) return "negative sums rounded half up";
  // Every quotient by a larger divisor is 0.
  out.divisor = std::min(out.divisor, 2 * out.largest() + 1);
  const int64_t quotient = out.largest() / out.divisor + 1, end = int64_t(1) << 31;
  const int64_t saturating = quotient + 65536;
  out.offset = int32_t(std::clamp<int64_t>(args.offset, -saturating, saturating));
  // Sums with what makes them positive before they are divided; results before they are saturated.
  return out.most - out.least + 3 * out.divisor < end &&
                 quotient + std::abs(int64_t(out.offset)) < end
             ? std::string_view()
             : "sums above 31 bits";
}

}  // namespace

std::string_view tensor_taps(const ConvolveArgs& args, TensorTaps& out) {
  if (const auto why = sources(args); !why.empty()) return why;
  if (args.src.channels != 1) return "more than one channel";
  out = {args.width, args.height, args.anchor_x, args.anchor_y};
  const bool wide =
      args.width > TensorTaps::max_side || args.height > TensorTaps::max_side || out.is_wide();
  if (wide && args.src.type != PixelType::u8) return "u16 stencils of radius above 4";
  if (wide && (args.height > TensorTaps::wide_rows || args.anchor_x > TensorTaps::wide_reach ||
               args.width - 1 - args.anchor_x > TensorTaps::wide_reach))
    return "stencils of radius above 4 with more than 15 rows or a radius above 8";
  if (const auto why = set_taps(args, out); !why.empty()) return why;
  if (wide && out.planes > 1) return "stencils of radius above 4 with taps that exceed a byte";
  return set_sums(args, out);
}

std::string_view tensor_row_taps(const ConvolveArgs& args, TensorTaps& out) {
  if (const auto why = sources(args); !why.empty()) return why;
  if (args.height > TensorTaps::row_rows) return "stencils of more than 31 rows";
  const int64_t reach =
      int64_t(std::max(args.anchor_x, args.width - 1 - args.anchor_x)) * args.src.channels;
  if (reach > TensorTaps::few_reach) return "windows that reach more than 28 samples across";
  out = {args.width, args.height, args.anchor_x, args.anchor_y};
  if (const auto why = set_taps(args, out); !why.empty()) return why;
  const bool bytes = args.src.type == PixelType::u8 && out.planes == 1;
  if (reach > TensorTaps::row_reach && !(bytes && args.height <= TensorTaps::few_rows))
    return "windows that reach more than 20 samples across, but those of u8 of 15 rows";
  if (!bytes && args.height > TensorTaps::words_rows)
    return "stencils of more than 15 rows on u16 or with taps that exceed a byte";
  if (out.planes > 1 && args.height > TensorTaps::planes_rows)
    return "stencils of more than 9 rows with taps that exceed a byte";
  return set_sums(args, out);
}

}  // namespace cuesta
