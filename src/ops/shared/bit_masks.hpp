// The masks between suppression and the production hysteresis on CUDA, which is canny's
// (src/ops/canny/cuda/hysteresis.cu), and its entry. Host and device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/strategy.hpp"
#include "cuesta/batch.hpp"
#include "cuesta/border.hpp"

namespace cuesta::hysteresis {

/// Bytes of a mask's row: 8 pixels each, in whole groups of 128 pixels.
constexpr int32_t mask_bytes(int32_t width) { return int32_t((int64_t(width) + 127) / 128 * 16); }

/// Candidates and, a subset, strong pixels, one bit a pixel. Rows of 32-bit words, words_per_row (a
/// multiple of 4) of them, are without a gap, and so do the pictures of a batch; bits past the
/// width are 0.
struct Masks {
  uint32_t *candidates, *strong;
  int32_t width, height, words_per_row;

  /// Of a picture.
  CUESTA_HOST_DEVICE ptrdiff_t words() const { return ptrdiff_t(words_per_row) * height; }
  CUESTA_HOST_DEVICE Masks picture(uint32_t i) const {
    const ptrdiff_t at = ptrdiff_t(i) * words();
    return {candidates + at, strong + at, width, height, words_per_row};
  }
};

/// Nodes are the runs of (upper | lower row) of a pair of words, one above the other: they do not
/// touch, so that pixel / 2 tells those of a pair apart.
inline constexpr int32_t nodes_of_pair = 16;
/// Labels of a picture: 0 stands for all edges, then come the nodes of all pairs.
CUESTA_HOST_DEVICE constexpr int64_t labels_of(int32_t words_per_row, int32_t height) {
  return 1 + int64_t(words_per_row) * ((int64_t(height) + 1) / 2) * nodes_of_pair;
}
/// Why connect() does not take a picture, or nothing: labels of open runs have 32 bits.
constexpr std::string_view too_many_pixels(int32_t width, int32_t height) {
  if (labels_of(mask_bytes(width) / 4, height) > INT32_MAX)
    return "pictures of 2³³ pixels or more, counting rows padded to 128";
  return {};
}

/// Masks of as many pictures as `edges` has, in device memory, to edges of 0 and 255: candidates
/// that 8-way neighbours connect to a strong pixel. Overwrites the masks.
void connect(std::string_view operation, const Masks& masks, const Batch& edges, Call& call);

}  // namespace cuesta::hysteresis
