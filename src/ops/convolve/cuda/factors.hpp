// What the rows that multiply factors as matrices of bytes take. No CUDA type.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>

#include "cuda/architectures.hpp"
#include "ops/convolve/args.hpp"

namespace cuesta::convolve_mma {

inline int64_t total(std::span<const int32_t> taps) {
  return std::accumulate(taps.begin(), taps.end(), int64_t(0));
}

/// Whether the result is the upper half of sum + 2^15.
inline bool is_q16(const ConvolveArgs& args) {
  return args.divisor == 65536 && args.rounding == Rounding::half_up && args.offset == 0 &&
         total(args.integers.row) * total(args.integers.column) <= 65536;
}

/// Why the factors are not taken, or nothing.
inline std::string_view bytes_take(const ConvolveArgs& args) {
  if (!args.integers.separable()) return "stencils that are not separable";
  const auto fits = [&](std::span<const int32_t> taps) {
    return std::all_of(taps.begin(), taps.end(), [](int32_t tap) { return uint32_t(tap) < 256; }) &&
           total(taps) <= 256;
  };
  if (!fits(args.integers.row) || !fits(args.integers.column))
    return "factors with signs, taps past 255 or past 256 together";
  const int capability = cuda::compute_capability();
  return capability != 0 && capability < 80 ? "GPUs below compute capability 8.0"
                                            : std::string_view();
}

/// Why the factors, types or divisor are not taken, or nothing.
inline std::string_view factors_take(const ConvolveArgs& args) {
  using enum PixelType;
  if (args.src.type != args.dst.type || (args.src.type != u8 && args.src.type != u16))
    return "types other than u8 to u8 and u16 to u16";
  const auto why = bytes_take(args);
  if (why.empty() && !is_q16(args) && (args.divisor < 2 || args.divisor > (1 << 24)))
    return "divisors of 1 or beyond 2^24";
  return why;
}

}  // namespace cuesta::convolve_mma
