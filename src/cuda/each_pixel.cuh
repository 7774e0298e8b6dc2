// A thread a pixel over pictures of any size, and pictures in scratch memory: what strategies that
// are written from the definition need.
#pragma once

#include <algorithm>

#include "cuda/launch.cuh"

namespace cuesta::cuda {

/// A block: a warp along each of 8 rows.
inline constexpr int each_pixel_x = 32, each_pixel_y = 8;

/// Calls each(x, y) for the pixels of a thread: one, and in pictures higher than a grid those that
/// lie whole grids below it.
template <class Each>
__device__ void for_each_pixel(int32_t width, int32_t height, Each&& each) {
  const uint32_t x = blockIdx.x * each_pixel_x + threadIdx.x;
  if (x >= uint32_t(width)) return;
  const int64_t rows = int64_t(gridDim.y) * each_pixel_y;
  for (int64_t y = int64_t(blockIdx.y) * each_pixel_y + threadIdx.y; y < height; y += rows)
    each(int32_t(x), int32_t(y));
}

/// The grid for it. The second dimension ends at 65,535 blocks.
inline dim3 each_pixel_grid(int32_t width, int32_t height) {
  const auto blocks_over = [](int64_t n, int size) { return unsigned((n + size - 1) / size); };
  return dim3(blocks_over(width, each_pixel_x),
              std::min(blocks_over(height, each_pixel_y), 65535u));
}

/// Launches a kernel that is for_each_pixel() of such a picture.
template <class... Parameters, class... Arguments>
void launch_each_pixel(std::string_view operation, void (*kernel)(Parameters...), int32_t width,
                       int32_t height, const Call& call, Arguments&&... arguments) {
  launch(operation, kernel, each_pixel_grid(width, height), dim3(each_pixel_x, each_pixel_y), 0,
         stream_of(call), std::forward<Arguments>(arguments)...);
}

/// A picture in the call's scratch memory, rows padded to 64 bytes.
template <class T>
ImageView<T, Space::device> device_image(Call& call, int32_t width, int32_t height) {
  const ImageView<T> image = call.scratch().image<T>(width, height);
  return {image.data, width, height, 1, image.stride_bytes};
}

/// A mask of bits there, not cleared.
inline BasicBitView<uint64_t, Space::device> device_bits(Call& call, int32_t width,
                                                         int32_t height) {
  const BitView bits = call.scratch().bits(width, height);
  return {bits.data, width, height, bits.stride_words};
}

}  // namespace cuesta::cuda
