// Taps of 0, which the definition leaves out. Leaving them out costs a test a tap; multiplying them
// gives the same sum but where
// - the sample is infinite or no number: the sum is then no number, and so is the result;
// - the sum is −0, which 0 · sample may make +0. Sums begin at +0, so only a product lost below the
//   smallest denormal leaves −0 behind. A product is a multiple of the lowest bit of its tap times
//   the lowest bit of its sample, and what is a multiple of 2^-149 is not lost.
// So kernels multiply them, look at their results and at the least magnitude of their samples, and
// only where these tell leave taps out.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace cuesta::convolve_cuda {

enum class Zeros {
  none,       ///< there are none
  left_out,   ///< each tap is tested
  multiplied  ///< and whether that may show is returned
};

/// The sum down a column of nothing but `outside`, without taps of 0.
inline float outside_column(std::span<const float> column, float outside) {
  float sum = 0;
  for (const float tap : column)
    if (tap != 0) sum = std::fma(tap, outside, sum);
  return sum;
}

/// The exponent of the lowest bit set in any of the taps that are not 0; 0 where none is.
inline int lowest_bit(std::span<const float> taps) {
  int lowest = INT32_MAX;
  for (const float tap : taps) {
    if (tap == 0) continue;
    int exponent = 0;
    const auto digits = uint32_t(std::ldexp(std::fabs(std::frexp(tap, &exponent)), 24));
    lowest = std::min(lowest, exponent - 24 + std::countr_zero(digits));
  }
  return lowest == INT32_MAX ? 0 : lowest;
}

/// Twice the bits, less 1, of the least magnitude of samples but 0 whose products with factors of
/// that lowest bit are not lost: `2 * bits(sample) - 1` of others is below. 0: any sample.
inline uint32_t min_sample(int lowest_bit) {
  return lowest_bit >= 0 ? 0 : 2 * std::bit_cast<uint32_t>(std::ldexp(1.0f, -126 - lowest_bit)) - 1;
}

}  // namespace cuesta::convolve_cuda
