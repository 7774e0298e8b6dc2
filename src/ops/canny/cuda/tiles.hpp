// The tiles of the production hysteresis on CUDA, and what it keeps of them in device memory. Host
// and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ops/shared/bit_masks.hpp"

namespace cuesta::canny_nms {

using hysteresis::mask_bytes;

}  // namespace cuesta::canny_nms

namespace cuesta::canny_tiles {

using hysteresis::labels_of, hysteresis::nodes_of_pair;

/// Tiles across and down a picture.
constexpr int32_t columns_of(int32_t words_per_row, int32_t tile_words) {
  return (words_per_row + tile_words - 1) / tile_words;
}
constexpr int32_t rows_of(int32_t height, int32_t tile_rows) {
  return int32_t((int64_t(height) + tile_rows - 1) / tile_rows);
}
/// Bytes of what a tile leaves of its outermost columns.
inline constexpr int64_t rim_bytes = 16;
/// Bytes of a picture's labels, of two lists of its nodes, and of a count and a rim for each tile.
constexpr int64_t bytes_of(int32_t words_per_row, int32_t height, int64_t tiles) {
  return labels_of(words_per_row, height) * (4 + 2 + 2) + tiles * (4 + rim_bytes);
}

}  // namespace cuesta::canny_tiles
