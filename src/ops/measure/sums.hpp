// The exact sums that everything measured of a component follows from. Additions are of integers,
// so that order, threads and bands do not matter. Used on the host and in kernels.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "cuesta/border.hpp"

namespace cuesta::measuring {

__extension__ typedef unsigned __int128 Wide;

/// Powers of coordinates whose sums are kept: x^i y^j for i + j from 1 to 3.
struct Power {
  int x, y;
};
inline constexpr int power_count = 9;
CUESTA_HOST_DEVICE constexpr Power power_at(int place) {
  constexpr Power all[power_count] = {{1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2},
                                      {3, 0}, {2, 1}, {1, 2}, {0, 3}};
  return all[place];
}

/// A sum of 128 bits, in words that atomics can add to.
struct WideSum {
  uint64_t low, high;
  CUESTA_HOST_DEVICE Wide value() const { return Wide(high) << 64 | low; }
};

/// Kinds of pixels of an outline: a step of 1, of √2, and the mean of both.
/// Source: Benkrid and Crookes, "Design and FPGA implementation of a perimeter estimator" (2000),
/// as in skimage.measure.perimeter.
inline constexpr int step_count = 3;

/// Words of a sum of f32 samples in fixed point: 2^-149 is the unit, 32 bits a word.
inline constexpr int sample_words = 9;

/// All zero for a component without pixels. Least values are kept as the greatest of least(value).
struct Sums {
  uint64_t area;
  uint32_t left, top;      ///< least() of the first column and row
  uint32_t right, bottom;  ///< the last column and row, plus 1
  WideSum coordinates[power_count];
  uint64_t steps[step_count];
  /// The sum of samples: integers in word 0; f32 as words of 32 bits, each with its own carries.
  int64_t samples[sample_words];
  /// Samples that have no value, +∞ and −∞.
  uint64_t nan, positive, negative;
  uint32_t lowest, highest;  ///< least() of the least key, and the greatest key
};

/// The complement: its greatest is that of the least value. It is its own inverse.
CUESTA_HOST_DEVICE constexpr uint32_t least(uint32_t value) { return ~value; }

/// A key that orders like the sample.
template <class T>
CUESTA_HOST_DEVICE uint32_t key_of(T sample) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = std::bit_cast<uint32_t>(sample);
    return bits >> 31 ? ~bits : bits | uint32_t(1) << 31;
  } else {
    return sample;
  }
}

CUESTA_HOST_DEVICE inline uint32_t size_bits(float sample) {
  return std::bit_cast<uint32_t>(sample) & 0x7FFFFFFF;
}
CUESTA_HOST_DEVICE inline bool is_nan(float sample) { return size_bits(sample) > 0x7F800000; }
CUESTA_HOST_DEVICE inline bool is_infinite(float sample) { return size_bits(sample) == 0x7F800000; }

/// The first word that a finite f32 adds to, and what it adds there and to the next.
struct SampleWords {
  int first;
  int64_t low, high;
};
CUESTA_HOST_DEVICE inline SampleWords words_of(float sample) {
  const auto bits = std::bit_cast<uint32_t>(sample);
  const uint32_t exponent = bits >> 23 & 255, fraction = bits & 0x7FFFFF;
  const uint32_t mantissa = exponent == 0 ? fraction : fraction | 0x800000;
  const uint32_t shift = exponent == 0 ? 0 : exponent - 1;
  const uint64_t spread = uint64_t(mantissa) << (shift % 32);
  const int64_t sign = bits >> 31 ? -1 : 1;
  return {int(shift / 32), sign * int64_t(spread & 0xFFFFFFFF), sign * int64_t(spread >> 32)};
}

/// Sums of x^k over begin <= x < end, for k from 0 to 3.
struct PowerSums {
  Wide of[4];
};
CUESTA_HOST_DEVICE inline PowerSums power_sums(int32_t begin, int32_t end) {
  const auto below = [](int32_t past, int k) -> Wide {
    const Wide n = Wide(past);
    if (n == 0) return 0;
    if (k == 0) return n;
    if (k == 1) return n * (n - 1) / 2;
    if (k == 2) return n * (n - 1) * (2 * n - 1) / 6;
    return (n * (n - 1) / 2) * (n * (n - 1) / 2);
  };
  PowerSums sums{};
  for (int k = 0; k < 4; ++k) sums.of[k] = below(end, k) - below(begin, k);
  return sums;
}

/// y^j.
CUESTA_HOST_DEVICE inline Wide power_of(int64_t y, int j) {
  Wide power = 1;
  for (int i = 0; i < j; ++i) power *= Wide(y);
  return power;
}

/// The kind of step of a pixel of an outline from its neighbours on the same outline: `straight`
/// of the four beside it and `diagonal` of the four at its corners; -1 where it counts as none.
CUESTA_HOST_DEVICE inline int step_of(int straight, int diagonal) {
  switch (1 + 2 * straight + 10 * diagonal) {
    case 5:
    case 7:
    case 15:
    case 17:
    case 25:
    case 27: return 0;
    case 21:
    case 33: return 1;
    case 13:
    case 23: return 2;
    default: return -1;
  }
}

}  // namespace cuesta::measuring
