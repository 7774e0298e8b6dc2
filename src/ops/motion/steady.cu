// Windows and medians of frames on the GPU: what steady.cpp does of frames on the host.
#include <algorithm>

#include "cuda/launch.cuh"
#include "ops/motion/steady_cuda.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

using motion::Windows;

/// A block a window of one frame.
template <class T>
__global__ void windows_of_frames(ConstAnyView first, ptrdiff_t step, Windows windows,
                                  uint8_t* luma) {
  const int32_t n = blockIdx.x, frame = blockIdx.y;
  const int32_t left = windows.x[n % Windows::across], top = windows.y[n / Windows::across];
  const auto* data = static_cast<const uint8_t*>(first.data) + step * frame;
  uint8_t* to = luma + ptrdiff_t(frame) * Windows::bytes + n * Windows::pitch;
  for (int32_t i = threadIdx.x; i < windows.width * windows.height; i += blockDim.x) {
    const int32_t x = i % windows.width, y = i / windows.width;
    const T* v = reinterpret_cast<const T*>(data + ptrdiff_t(top + y) * first.stride_bytes) +
                 ptrdiff_t(left + x) * first.channels;
    to[y * Windows::most + x] =
        motion::byte_of(first.channels == 1 ? v[0] : T(pixel::gray(v[0], v[1], v[2])));
  }
}

struct Pictures {
  ConstAnyView of[motion::max_kept];
  int32_t count;
};

template <class T>
__global__ void median_of_pictures(Pictures pictures, AnyView median, int64_t samples) {
  const int64_t x = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (x >= samples) return;
  for (int32_t y = blockIdx.y; y < median.height; y += gridDim.y) {
    const auto at = [&](int32_t i) {
      const ConstAnyView& p = pictures.of[i];
      const auto* row = static_cast<const uint8_t*>(p.data) + ptrdiff_t(y) * p.stride_bytes;
      return int32_t(reinterpret_cast<const T*>(row)[x]);
    };
    const int32_t a = at(0), b = at(1), c = at(2);
    const int32_t v =
        pictures.count == 5 ? motion::median(a, b, c, at(3), at(4)) : motion::median(a, b, c);
    auto* row = static_cast<uint8_t*>(median.data) + ptrdiff_t(y) * median.stride_bytes;
    reinterpret_cast<T*>(row)[x] = T(v);
  }
}

}  // namespace

void motion_cuda::read_windows(const ConstBatch& frames, const Windows& windows, AnyView luma,
                               void* stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  constexpr int32_t most = 65535;
  const auto kernel = frames.first.type == PixelType::u16 ? windows_of_frames<uint16_t>
                                                          : windows_of_frames<uint8_t>;
  for (int32_t begin = 0; begin < frames.count; begin += most) {
    const int32_t n = std::min(frames.count - begin, most);
    cuda::launch("motion", kernel, dim3(Windows::count, unsigned(n)), dim3(256), 0, on,
                 frames[begin], frames.step_bytes, windows,
                 static_cast<uint8_t*>(luma.data) + ptrdiff_t(begin) * Windows::bytes);
  }
  cuda::check(cudaStreamSynchronize(on), "motion: waiting for a frame's windows");
}

void motion_cuda::median_of(std::span<const AnyImage> pictures, AnyView median, void* stream) {
  Pictures all{};
  for (const AnyImage& picture : pictures) all.of[all.count++] = picture.view();
  const int64_t samples = int64_t(median.width) * median.channels;
  const auto kernel =
      median.type == PixelType::u16 ? median_of_pictures<uint16_t> : median_of_pictures<uint8_t>;
  cuda::launch(
      "motion", kernel,
      dim3(unsigned((samples + 255) / 256), std::min(unsigned(median.height), cuda::max_grid_y)),
      dim3(256), 0, static_cast<cudaStream_t>(stream), all, median, samples);
}

void motion_cuda::copy(ConstAnyView from, AnyView to, void* stream) {
  cuda::check(cudaMemcpy2DAsync(
                  to.data, size_t(to.stride_bytes), from.data, size_t(from.stride_bytes),
                  size_t(from.width) * size_t(from.channels) * size_t(bytes_per_sample(from.type)),
                  size_t(from.height), cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)),
              "motion: keeping a frame");
}

}  // namespace cuesta
