// Strategy `fused`: one pass over memory, all outputs together. A thread makes a few neighbours, of
// one row or, where samples are floats, of one column, from a window in registers.
#include "ops/sobel/cuda.hpp"

#include "ops/shared/window_gradient.cuh"
#include "ops/sobel/outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

constexpr int pixels_per_thread = 4;
constexpr int block_x = 32, block_y = 8;

template <class T, int K>
__global__ void sobel_fused(SobelRequest<T> q) {
  constexpr int r = K / 2;
  constexpr auto taps = gradient::taps(K);
  const auto src = q.samples();
  const int x0 = (blockIdx.x * block_x + threadIdx.x) * pixels_per_thread;
  const int y = blockIdx.y * block_y + threadIdx.y;
  if (x0 >= src.width || y >= src.height) return;

  // Column sums of the window of all the thread's pixels: smoothed and derived down the rows.
  int32_t smooth[pixels_per_thread + 2 * r] = {}, derive[pixels_per_thread + 2 * r] = {};
  const bool inside = x0 >= r && x0 + pixels_per_thread + r <= src.width;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const int sy = map_index(q.mode, y + j - r, src.height);
    const T* row = sy < 0 ? nullptr : src.row(sy);
#pragma unroll
    for (int i = 0; i < pixels_per_thread + 2 * r; ++i) {
      const int sx = inside ? x0 + i - r : map_index(q.mode, x0 + i - r, src.width);
      const int32_t v = !row || sx < 0 ? q.outside : row[sx];
      smooth[i] += v * taps.smoothing[j];
      derive[i] += v * taps.derivative[j];
    }
  }
#pragma unroll
  for (int p = 0; p < pixels_per_thread; ++p) {
    const int x = x0 + p;
    if (x >= src.width) return;
    int32_t gx = 0, gy = 0;
#pragma unroll
    for (int i = 0; i < K; ++i) {
      gx += smooth[p + i] * taps.derivative[i];
      gy += derive[p + i] * taps.smoothing[i];
    }
    if (leaves(q, x, y, r)) gx = gy = 0;
    store(q, x, y, gx, gy);
  }
}

// Four pixels below each other: a warp reads and writes rows, whose floats are vectors already.
template <int K>
__global__ void __launch_bounds__(block_x* block_y) sobel_fused_floats(SobelRequest<float> q) {
  constexpr int r = K / 2, high = pixels_per_thread + 2 * r;
  const auto src = q.samples();
  const int x = blockIdx.x * block_x + threadIdx.x;
  const int y0 = (blockIdx.y * block_y + threadIdx.y) * pixels_per_thread;
  if (x >= src.width || y0 >= src.height) return;
  const bool inside = x >= r && x + r < src.width && y0 >= r && y0 + high - r <= src.height;
  int rows[high];
#pragma unroll
  for (int j = 0; j < high; ++j)
    rows[j] = inside ? y0 + j - r : map_index(q.mode, y0 + j - r, src.height);
  gradient::Gradient<float> g[pixels_per_thread];
#pragma unroll
  for (int i = 0; i < K; ++i) {
    const int sx = inside ? x + i - r : map_index(q.mode, x + i - r, src.width);
    float v[high];
#pragma unroll
    for (int j = 0; j < high; ++j) v[j] = (sx | rows[j]) < 0 ? q.outside : src.at(sx, rows[j]);
#pragma unroll
    for (int p = 0; p < pixels_per_thread; ++p)
      cuda::add_column<K>(g[p], i, [&](int j) { return v[p + j]; });
  }
#pragma unroll
  for (int p = 0; p < pixels_per_thread; ++p) {
    if (y0 + p >= src.height) return;
    const bool zero = leaves(q, x, y0 + p, r);
    store(q, x, y0 + p, zero ? 0.0f : g[p].x, zero ? 0.0f : g[p].y);
  }
}

}  // namespace

void sobel_cuda::fused(const SobelArgs& args, Call& call) {
  for_type_and_aperture(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    constexpr int aperture = k();
    const dim3 block(block_x, block_y);
    if constexpr (std::is_same_v<T, float>) {
      cuda::launch("sobel", sobel_fused_floats<aperture>,
                   cuda::tiles(args.src, block_x, block_y * pixels_per_thread), block, 0,
                   cuda::stream_of(call), request_of<T>(args));
    } else {
      cuda::launch("sobel", sobel_fused<T, aperture>,
                   cuda::tiles(args.src, block_x * pixels_per_thread, block_y), block, 0,
                   cuda::stream_of(call), request_of<T>(args));
    }
  });
}

}  // namespace cuesta
