// What tiles hold, and how many fit: paper 000, eq. 6 to 8. Tested without a GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cuesta::convolve_ladder {

/// Samples of T tiles of block × block and their apron, for a window of width × height.
constexpr size_t tile_samples(int64_t tiles, int block, int width, int height) {
  return size_t(tiles * block + width - 1) * size_t(block + height - 1);
}

/// Of `separable-tiled`, whose sums have 4 bytes. A column of the transposed tile of `high` samples
/// begins an odd number of samples after the one before, for a bank each.
constexpr int column_pitch(int high) { return high | 1; }
constexpr size_t column_tile_bytes(int64_t tiles, int block, int height, size_t sample_bytes,
                                   bool transpose) {
  const int high = int(tiles * block + height - 1);
  const size_t samples = size_t(block) * size_t(transpose ? column_pitch(high) : high);
  return samples * sample_bytes + (transpose ? size_t(block) * size_t(block + 1) * 4 : 0);
}
constexpr size_t row_tile_bytes(int64_t tiles, int block, int width) {
  return size_t(block) * size_t(tiles * block + width - 1) * 4;
}

/// The largest T whose samples fit `shared_bytes`; at least 1, at most the tiles in a row of `row`
/// pixels. The paper takes the ceiling, which overflows its 48 KiB, and prints its two figures
/// swapped: for 2-byte samples and blocks of 32 they are 22 (Laplacian 3 × 3) and 21 (Gaussian 5 ×
/// 5).
constexpr int adaptive_tiles(size_t shared_bytes, size_t sample_bytes, int block, int width,
                             int height, int32_t row) {
  const auto samples = int64_t(shared_bytes / sample_bytes);  // eq. 6
  const int64_t columns = samples / (block + height - 1);  // whole columns of a tile and its apron
  const int64_t tiles = (columns - (width - 1)) / block;   // eq. 7 and 8
  return int(
      std::clamp<int64_t>(tiles, 1, std::max<int64_t>(1, (int64_t(row) + block - 1) / block)));
}

}  // namespace cuesta::convolve_ladder
