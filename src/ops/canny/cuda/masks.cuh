// What lies between the production gradient and suppression and hysteresis, and these two for other
// rows.
#pragma once

#include "cuesta/batch.hpp"
#include "ops/canny/cuda/device.cuh"

namespace cuesta::canny_cuda {

/// Candidates and, a subset, strong pixels, one bit a pixel. Rows of 32-bit words, words_per_row (a
/// multiple of 4) of them, lie without a gap, and so do the pictures of a batch; bits past the
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

/// The production gradient and suppression: smoothing, gradient, suppression, thresholds. The masks
/// live in the call's scratch memory. Sets args.result, of every picture.
Masks find_masks(const CannyArgs& args, Call& call);
/// The production hysteresis (hysteresis.cuh): masks to edges of 0 and 255, as many pictures as
/// `edges` has. Overwrites the masks.
void connect(const Masks& masks, const Batch& edges, Call& call);

}  // namespace cuesta::canny_cuda
