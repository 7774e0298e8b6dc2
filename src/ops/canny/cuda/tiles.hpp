// The tiles of the production hysteresis on CUDA, and what it keeps of them in device memory. Host
// and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::canny_tiles {

/// Words of a tile's row.
inline constexpr int32_t across = 32;

/// Nodes are the runs of (upper | lower row) of a pair of words, one above the other: they do not
/// touch, so that pixel / 2 tells those of a pair apart.
inline constexpr int32_t nodes_of_pair = 16;
/// Labels of a picture: 0 stands for all edges, then come the nodes of all pairs.
CUESTA_HOST_DEVICE constexpr int64_t labels_of(int32_t words_per_row, int32_t height) {
  return 1 + int64_t(words_per_row) * ((int64_t(height) + 1) / 2) * nodes_of_pair;
}
/// Tiles of a picture.
CUESTA_HOST_DEVICE constexpr int32_t columns_of(int32_t words_per_row) {
  return (words_per_row + across - 1) / across;
}
CUESTA_HOST_DEVICE constexpr int32_t rows_of(int32_t height, int32_t tile_rows) {
  return int32_t((int64_t(height) + tile_rows - 1) / tile_rows);
}
/// Bytes of a tile's two lists of nodes, and its count.
constexpr int64_t list_bytes(int32_t tile_rows) {
  return int64_t(tile_rows / 2) * across * nodes_of_pair * 2 * 2 + 4;
}

}  // namespace cuesta::canny_tiles
