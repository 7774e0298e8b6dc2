// How many pictures of a batch the production strategy on CUDA takes at once. Host and device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/canny/cuda/nms_march.hpp"
#include "ops/canny/cuda/tiles.hpp"

namespace cuesta::canny_chunks {

/// What a piece's scratch memory may take where a picture alone does not take more: enough pixels
/// (119 million) that the launches of the next piece cost little beside them.
inline constexpr int64_t max_bytes = int64_t{256} << 20;
/// The grid's third dimension.
inline constexpr int32_t max_pictures = 65535;

/// Scratch memory of a picture: two masks, labels and their lists; the smoothed picture of a window
/// that is not fused, of pixels of `smoothed_bytes` bytes, else 0; `bins` counters.
constexpr int64_t scratch_bytes(int32_t width, int32_t height, int smoothed_bytes, int32_t bins) {
  const int64_t mask = int64_t(canny_nms::mask_bytes(width)) * height;
  const int32_t words = canny_nms::mask_bytes(width) / 4;
  // The smallest tile's, 128 × 16.
  const int64_t tiles =
      int64_t(canny_tiles::columns_of(words, 4)) * canny_tiles::rows_of(height, 16);
  const int64_t labels = canny_tiles::bytes_of(words, height, tiles);
  const int64_t smoothed = (int64_t(width) * smoothed_bytes + 63) * height * (smoothed_bytes > 0);
  return 2 * mask + labels + smoothed + int64_t(bins) * 4;
}
constexpr int32_t pictures_per_chunk(int64_t bytes_per_picture) {
  return int32_t(std::clamp<int64_t>(max_bytes / bytes_per_picture, 1, max_pictures));
}

}  // namespace cuesta::canny_chunks
