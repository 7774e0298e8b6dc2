// What is outside a picture, for kernels that mostly stay inside.
#pragma once

#include "cuesta/border.hpp"
#include "cuesta/image.hpp"

namespace cuesta::cuda {

/// The sample for (x, y) at any distance outside the picture. Out of line: kernels unroll what
/// happens inside, and this would be copied into every step of it.
template <class T>
__device__ __noinline__ T outside_sample(const T* data, ptrdiff_t stride_bytes, int32_t width,
                                         int32_t height, BorderMode mode, T outside, int32_t x,
                                         int32_t y) {
  const int32_t sx = map_index(mode, x, width), sy = map_index(mode, y, height);
  return sx < 0 || sy < 0
             ? outside
             : ImageView<const T, Space::device>(data, width, height, 1, stride_bytes).at(sx, sy);
}

}  // namespace cuesta::cuda
