// A Gaussian's taps as matrices of bytes, for `mma-separable`: plain arithmetic, tested without a
// GPU.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "ops/log/window.hpp"

namespace cuesta::log {

/// Rows and columns that a product sums from twice as many, and how far from the first of them the
/// first sum's own sample is.
inline constexpr int band_side = 16, band_reach = 8;

/// Taps as the first operand of m16n8k32, word [register][lane]. `across`: a row is a column of
/// sums, column_of_row() says which; K runs over 32 samples of a row. `down`: a row is a row of
/// sums; K runs over 32 rows of what `across` made, a lane's words those of row_of_byte(). Both for
/// the Gaussian and for what (1 −2 1) makes of it.
struct Bands {
  uint32_t across[4][32] = {}, down[4][32] = {}, bend_across[4][32] = {}, bend_down[4][32] = {};

  /// Of 16 columns the one that row `row` of the product makes: a lane of the second product, whose
  /// results are neighbours two by two, then has four.
  static constexpr int column_of_row(int row) { return row % 8 / 2 * 4 + row % 2 + row / 8 * 2; }
  /// Of 16 rows the one whose sum is byte `byte` of lane 4 g + t: as the first product leaves them.
  static constexpr int row_of_byte(int t, int byte) { return 2 * t + byte % 2 + byte / 2 * 8; }
};

/// Taps over what they share.
struct ByteTaps {
  static constexpr int max_size = 2 * band_reach - 1;
  int32_t size = 0;    // odd; 0: they are too many
  int32_t factor = 1;  // what the taps share
  uint8_t taps[max_size] = {};
  // Whether what (1 −2 1) makes of them is signed bytes, and what those make of bytes two of them.
  bool bends = false;
  int64_t most = 0;  // the largest |L| / factor² there is where samples are 0 or 1
};

inline ByteTaps byte_taps(const Window& window) {
  ByteTaps out;
  if (window.size > ByteTaps::max_size) return out;
  out.size = window.size, out.factor = 0;
  for (int32_t i = 0; i < out.size; ++i) out.factor = std::gcd(out.factor, window.taps[i]);
  for (int32_t i = 0; i < out.size; ++i) out.taps[i] = uint8_t(window.taps[i] / out.factor);
  const Factors f = factors(window);
  int32_t rising = 0;
  for (int32_t i = 0; i < f.size; ++i) rising += std::max(0, f.bend[i] / out.factor);
  out.bends = rising <= 128 && std::all_of(f.bend, f.bend + f.size, [&](int32_t bend) {
                return bend / out.factor >= -128 && bend / out.factor <= 127;
              });
  for (int32_t j = 0; j < f.size; ++j) {
    for (int32_t i = 0; i < f.size; ++i)
      out.most += std::max(0, f.smooth[j] * f.bend[i] + f.bend[j] * f.smooth[i]);
  }
  out.most /= int64_t(out.factor) * out.factor;
  return out;
}

inline Bands bands_of(const ByteTaps& taps) {
  const auto tap = [&](int i) {  // i samples from the sum's own
    const int at = i + taps.size / 2;
    return at < 0 || at >= taps.size ? 0 : int(taps.taps[at]);
  };
  const auto bend = [&](int i) { return tap(i - 1) - 2 * tap(i) + tap(i + 1); };
  Bands out;
  for (int r = 0; r < 4; ++r) {
    for (int lane = 0; lane < 32; ++lane) {
      const int g = lane / 4, t = lane % 4, upper = r % 2, half = r / 2 * band_side;
      for (int e = 0; e < 4; ++e) {
        const auto place = [&](uint32_t& word, int value) {
          word |= uint32_t(uint8_t(value)) << (8 * e);
        };
        const int i = half + 4 * t + e - band_reach - Bands::column_of_row(g + 8 * upper);
        const int j = half + Bands::row_of_byte(t, e) - band_reach - (g + 8 * upper);
        place(out.across[r][lane], tap(i)), place(out.bend_across[r][lane], bend(i));
        place(out.down[r][lane], tap(j)), place(out.bend_down[r][lane], bend(j));
      }
    }
  }
  return out;
}

}  // namespace cuesta::log
