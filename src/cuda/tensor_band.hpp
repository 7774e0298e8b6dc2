// Stencils as matrices of bytes: how taps are in the registers of a product, and which part of a
// row is copied in whole pieces. Plain arithmetic, tested without a GPU.
#pragma once

#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::cuda::tensor {

/// A patch is 4 x 4 outputs; its samples are 4 · groups rows and columns, from `Reach` above and to
/// the left on. A row of the product is a patch, a column one of 8 outputs: half 0 makes columns 0
/// and 1 of the patch, half 1 columns 2 and 3.
template <int Reach>
struct Shape {
  static_assert(Reach == 2 || Reach == 4);
  static constexpr int groups = Reach == 2 ? 2 : 3;
  static constexpr int registers = groups * groups;  // of the taps, for a half
};

/// The taps of a window. Word (i, j) holds those over four samples in a row, the first of which
/// is i − Reach − 3 to the right of the output and j − Reach − 3 below it.
template <int Reach>
struct Band {
  static constexpr int down = 2 * Reach + 7, across = 4 * Shape<Reach>::groups;
  uint32_t words[down * across] = {};
};

/// tap(i, j) of a window of width × height whose anchor is (x, y), within Reach on all sides.
template <int Reach, class Tap>
Band<Reach> band_of(int32_t width, int32_t height, int32_t x, int32_t y, Tap&& tap) {
  Band<Reach> band;
  for (int j = 0; j < band.down; ++j) {
    for (int i = 0; i < band.across; ++i) {
      for (int e = 0; e < 4; ++e) {
        const int row = j - Reach - 3 + y, column = i + e - Reach - 3 + x;
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        band.words[j * band.across + i] |= uint32_t(uint8_t(tap(column, row))) << (8 * e);
      }
    }
  }
  return band;
}

/// The word of a Band that lane 4 g + t holds in register `r` of a half: the taps of the half's
/// output g over four samples of row t of row group r / groups, column group r % groups.
template <int Reach>
CUESTA_HOST_DEVICE constexpr int band_word(int half, int r, int g, int t) {
  constexpr int groups = Shape<Reach>::groups;
  const int y = g / 2, x = 2 * half + g % 2;  // the output
  return (4 * (r / groups) + t - y + 3) * Band<Reach>::across + 4 * (r % groups) - x + 3;
}

/// Wide windows, up to 15 rows of 17 samples: a patch is 2 rows of 4 outputs, the 8 columns of a
/// product; its samples are 16 rows, from the window's first, of 20 columns, from 8 to the left on.
/// Word (i, j) holds the taps over four samples in a row, the first of which is i − 11 to the
/// right of the output, in row j − 1 of the window.
struct WideBand {
  static constexpr int rows = 16, words_across = 5, reach = 8, max_rows = rows - 1;
  static constexpr int registers = rows / 4 * words_across;
  static constexpr int down = rows + 1, across = 20;
  uint32_t words[down * across] = {};
};

/// tap(i, j) of a window of width × height, at most `reach` columns on either side of column x and
/// `max_rows` high.
template <class Tap>
WideBand wide_band_of(int32_t width, int32_t height, int32_t x, Tap&& tap) {
  WideBand band;
  for (int j = 0; j < band.down; ++j) {
    for (int i = 0; i < band.across; ++i) {
      for (int e = 0; e < 4; ++e) {
        const int row = j - 1, column = i + e - 11 + x;
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        band.words[j * band.across + i] |= uint32_t(uint8_t(tap(column, row))) << (8 * e);
      }
    }
  }
  return band;
}

/// The word of a WideBand that lane 4 g + t holds in register `r`: the taps of output g (row g / 4,
/// column g % 4) over word r % words_across of row 4 (r / words_across) + t.
CUESTA_HOST_DEVICE constexpr int wide_band_word(int r, int g, int t) {
  return (4 * (r / WideBand::words_across) + t - g / 4 + 1) * WideBand::across +
         4 * (r % WideBand::words_across) - g % 4 + 3;
}

/// Rows of a tile, in bytes: their columns, the margin on either side, and from row to row.
struct TileShape {
  int32_t columns, margin, pitch;
};
/// `odd`: the pitch is an odd multiple of it.
CUESTA_HOST_DEVICE constexpr TileShape tile_shape(int32_t columns, int32_t margin, int32_t odd) {
  const int32_t bytes = (columns + 2 * margin + 15 + 15) / 16 * 16;
  return {columns, margin, odd * ((bytes + odd - 1) / odd | 1)};
}

/// Bytes [from, to) of a row are whole pieces of 16 that a tile wants and the row has; byte x
/// belongs `shift` + x − (left − margin) bytes into the tile's row.
struct Pieces {
  int32_t from, to;
  uint32_t shift;
};

/// Of a row of `width` bytes at `address` (its last four bits count) for a tile of `columns` bytes
/// from `left` on, and `margin` more on either side, at least 4. left is 0 or at least 64.
CUESTA_HOST_DEVICE constexpr Pieces pieces_of(uint32_t address, int32_t left, int32_t width,
                                              int32_t columns, int32_t margin) {
  Pieces p{};
  p.shift = (address + uint32_t(left - margin)) & 15;
  p.from = left - margin - int32_t(p.shift);
  if (p.from < 0) p.from = int32_t((0 - address) & 15);
  const int32_t rest = width - left, end = width - int32_t((address + uint32_t(width)) & 15);
  p.to = left + (rest < columns + margin ? rest : columns + margin);
  const auto pad = int32_t((0 - (address + uint32_t(p.to))) & 15);
  p.to = end - p.to >= pad ? p.to + pad : end;
  if (p.to < p.from) p.to = p.from;
  return p;
}

/// The samples of a tile's row that no piece brings, for lanes: lane i writes the sample of `size`
/// bytes at left − margin + i · size where that is below `before`, and the one at stop − (i + 1) ·
/// size where that is not below `after`; the row ends before `stop`.
struct Rest {
  int32_t before, after;
};
/// How often 32 lanes write one on either side.
CUESTA_HOST_DEVICE constexpr int32_t rest_passes(int32_t margin, int32_t size) {
  return (margin + 15 + 32 * size - 1) / (32 * size);
}
CUESTA_HOST_DEVICE constexpr int32_t stop_of(int32_t left, int32_t width, int32_t columns,
                                             int32_t margin) {
  return left + (width - left < columns ? width - left : columns) + margin;
}
CUESTA_HOST_DEVICE constexpr Rest rest_of(const Pieces& p, int32_t left, int32_t stop,
                                          int32_t margin, int32_t size) {
  if (p.from < p.to) return {p.from, p.to};
  return {stop, left - margin + 32 * size * rest_passes(margin, size)};
}

}  // namespace cuesta::cuda::tensor
