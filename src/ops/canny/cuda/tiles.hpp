// The tiles of the production hysteresis on CUDA, and what it keeps of them in device memory. Host
// and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::canny_nms {

/// Bytes of a mask's row: 8 pixels each, in whole groups of 128 pixels.
constexpr int32_t mask_bytes(int32_t width) { return int32_t((int64_t(width) + 127) / 128 * 16); }

}  // namespace cuesta::canny_nms

namespace cuesta::canny_tiles {

/// Nodes are the runs of (upper | lower row) of a pair of words, one above the other: they do not
/// touch, so that pixel / 2 tells those of a pair apart.
inline constexpr int32_t nodes_of_pair = 16;
/// Labels of a picture: 0 stands for all edges, then come the nodes of all pairs.
CUESTA_HOST_DEVICE constexpr int64_t labels_of(int32_t words_per_row, int32_t height) {
  return 1 + int64_t(words_per_row) * ((int64_t(height) + 1) / 2) * nodes_of_pair;
}

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
