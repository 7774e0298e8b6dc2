// Rung `vectors`: a thread makes as many pixels of a row as 16 bytes hold, 16 of u8 or 4 of f32,
// and loads its samples 16 bytes at a time. From `registers`: a row of a window of up to 17 columns
// is two loads, or three, instead of one for each sample; the sums are in registers as there. Not
// of the papers. Bound: issue, K² multiply-adds a pixel, and for bytes the instructions that take a
// sample out of a word. Wastes: neighbouring threads load the same vectors; rows of a picture have
// to begin at a multiple of 16 bytes.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T>
struct alignas(16) Vector {
  static constexpr int samples = 16 / int(sizeof(T));
  T at[samples];
};

// The samples of row y from column `first` on, a multiple of a vector's; those outside are 0, which
// only pixels that are not made would read.
template <class T>
__device__ Vector<T> load(const ConvolveRequest<T>& q, int first, int y) {
  Vector<T> samples{};
  if (first >= 0 && first + Vector<T>::samples <= q.src.width) {
    samples = *reinterpret_cast<const Vector<T>*>(&q.src.at(first, y));
  } else {
#pragma unroll
    for (int i = 0; i < Vector<T>::samples; ++i)
      if (uint32_t(first + i) < uint32_t(q.src.width)) samples.at[i] = q.src.at(first + i, y);
  }
  return samples;
}

// K is 0 where the anchor is not the window's middle, too: distances in a vector depend on it.
template <class T, int K>
__global__ void __launch_bounds__(vectors_threads)
    kernel(ConvolveRequest<T> q, const __grid_constant__ ConstantTaps<T> taps) {
  constexpr int n = Vector<T>::samples, rest = n - 1;
  const int left = (blockIdx.x * blockDim.x + threadIdx.x) * n;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  bool makes[n], any = false;
#pragma unroll
  for (int r = 0; r < n; ++r) any |= makes[r] = q.makes(left + r, y);
  if (!any) return;
  Tap<T> sums[n] = {};
  const int width = side<K>(q.width), height = side<K>(q.height);
  const int anchor = K ? K / 2 : q.anchor_x;
  const int before = (anchor + rest) & ~rest;  // from the first vector to the thread's first pixel
  const int count = (before - anchor + n + width - 1 + rest) / n;
#pragma unroll 1
  for (int j = 0; j < height; ++j) {
#pragma unroll(K ? 4 : 1)
    for (int c = 0; c < count; ++c) {
      const Vector<T> samples = load(q, left - before + c * n, y - q.anchor_y + j);
#pragma unroll
      for (int s = 0; s < n; ++s) {
        // Of pixel 0 for this sample; pixel r has the tap r before it.
        const int tap = c * n + s - before + anchor;
#pragma unroll
        for (int r = 0; r < n; ++r) {
          if (tap >= r && tap - r < width)
            sums[r] = multiply_add(taps.values[j * width + tap - r], samples.at[s], sums[r]);
        }
      }
    }
  }
#pragma unroll
  for (int r = 0; r < n; ++r)
    if (makes[r]) q.store(left + r, y, sums[r]);
}

}  // namespace

void vectors(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    const bool central = args.anchor_x == k() / 2;
    cuda::launch("convolve", central ? kernel<T, k()> : kernel<T, 0>,
                 cuda::tiles(args.dst, b * Vector<T>::samples, b), dim3(b, b), 0,
                 cuda::stream_of(call), request_of<T>(args), constant_taps<T>(window_of<T>(args)));
  });
  frame(args, Order::window, call);
}

}  // namespace cuesta::convolve_ladder
