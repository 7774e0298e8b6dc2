// The stages that the rungs share, a whole picture in device memory between any two.
#pragma once

#include "ops/canny/cuda/device.cuh"
#include "ops/canny/ladder/ladder.hpp"
#include "ops/shared/window_sums.cuh"

namespace cuesta::canny_ladder {

using namespace canny_cuda;

/// The pictures that the two convolutions write.
struct Gradients {
  DeviceImage<int16_t> gx, gy;  // divided by 16 for aperture 7
};
inline Gradients gradients(const CannyArgs& args, Call& call) {
  const int32_t width = args.src.width, height = args.src.height;
  return {device_image<int16_t>(call, width, height), device_image<int16_t>(call, width, height)};
}

/// What `make` returns for the aperture of a request, given as a constant of its type.
template <class Make>
auto for_aperture(int aperture, Make&& make) {
  if (aperture == 3) return make(std::integral_constant<int, 3>());
  if (aperture == 5) return make(std::integral_constant<int, 5>());
  return make(std::integral_constant<int, 7>());
}

/// The byte a pixel that thresholds leave and hysteresis reads.
enum Mark : uint8_t { none, candidate, strong };
using Marks = DeviceImage<uint8_t>;

/// Magnitude and direction, suppression, thresholds, each a kernel with a thread a pixel in blocks
/// of shape `block`; suppression and hysteresis as the parameters of these names say.
void finish(const CannyArgs& args, const Gradients& gradients, dim3 block, Call& call);

/// The pixel of a thread in a grid of blocks.
struct Pixel {
  int32_t x, y;
};
__device__ inline Pixel this_pixel() {
  return {int32_t(blockIdx.x * blockDim.x + threadIdx.x),
          int32_t(blockIdx.y * blockDim.y + threadIdx.y)};
}
template <class Image>
CUESTA_HOST_DEVICE bool inside(const Image& image, Pixel p) {
  return p.x >= 0 && p.y >= 0 && p.x < image.width && p.y < image.height;
}
/// A picture's pixel, 0 outside.
template <class T>
__device__ T at_or_zero(const DeviceImage<T>& image, int32_t x, int32_t y) {
  return inside(image, Pixel{x, y}) ? image.at(x, y) : T(0);
}

/// The Gaussian of a window; at(i, j) is the sample in its column i and row j. Both passes are
/// exact and rounded once, so that the window of products is the same sum: at most 255 · 2^16.
template <class At>
__device__ uint8_t smoothed(const Taps& taps, At at) {
  int32_t sum = 1 << 15;
  for (int j = 0; j < taps.size; ++j) {
    int32_t across = 0;
    for (int i = 0; i < taps.size; ++i) across += taps.values[i] * at(i, j);
    sum += taps.values[j] * across;
  }
  return uint8_t(sum >> 16);
}
/// Writes the gradient of a K × K window to (x, y).
template <int K, class At>
__device__ void write_gradient(const Gradients& g, int32_t x, int32_t y, At at) {
  int32_t gx, gy;
  cuda::window_sums<K>(at, gx, gy);
  g.gx.at(x, y) = int16_t(K == 7 ? sixteenth(gx) : gx);
  g.gy.at(x, y) = int16_t(K == 7 ? sixteenth(gy) : gy);
}

/// Launches a kernel with a thread for each pixel of `image`; block.x is a multiple of 4.
template <class Image, class... Parameters, class... Arguments>
void for_pixels(const Image& image, dim3 block, Call& call, void (*kernel)(Parameters...),
                Arguments&&... arguments) {
  const dim3 grid(cuda::blocks(image.width, int32_t(block.x)),
                  cuda::blocks(image.height, int32_t(block.y)));
  cuda::launch("canny", kernel, grid, block, 0, cuda::stream_of(call),
               std::forward<Arguments>(arguments)...);
}

}  // namespace cuesta::canny_ladder
