// Strategy `fused`: one pass over memory, all outputs together. A thread makes a few neighbours of
// one column from a window in registers.
#include "ops/sobel/cuda.hpp"

#include "ops/shared/window_gradient.cuh"
#include "ops/sobel/outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

constexpr int pixels_per_thread = 4;
constexpr int block_x = 32, block_y = 8;

// Four pixels below each other: a warp reads and writes rows.
template <class T, int K>
__global__ void __launch_bounds__(block_x* block_y) sobel_fused(SobelRequest<T> q) {
  constexpr int r = K / 2, high = pixels_per_thread + 2 * r;
  using G = Sum<T>;
  const auto src = q.samples();
  const int x = blockIdx.x * block_x + threadIdx.x;
  const int y0 = (blockIdx.y * block_y + threadIdx.y) * pixels_per_thread;
  if (x >= src.width || y0 >= src.height) return;
  const bool inside = x >= r && x + r < src.width && y0 >= r && y0 + high - r <= src.height;
  int rows[high];
#pragma unroll
  for (int j = 0; j < high; ++j)
    rows[j] = inside ? y0 + j - r : map_index(q.mode, y0 + j - r, src.height);
  gradient::Gradient<G> g[pixels_per_thread];
#pragma unroll
  for (int i = 0; i < K; ++i) {
    const int sx = inside ? x + i - r : map_index(q.mode, x + i - r, src.width);
    G v[high];
#pragma unroll
    for (int j = 0; j < high; ++j) v[j] = (sx | rows[j]) < 0 ? q.outside : src.at(sx, rows[j]);
#pragma unroll
    for (int p = 0; p < pixels_per_thread; ++p)
      cuda::add_column<K>(g[p], i, cuda::column_sums<K, G>([&](int j) { return v[p + j]; }));
  }
#pragma unroll
  for (int p = 0; p < pixels_per_thread; ++p) {
    if (y0 + p >= src.height) return;
    const bool zero = leaves(q, x, y0 + p, r);
    store(q, x, y0 + p, zero ? G(0) : g[p].x, zero ? G(0) : g[p].y);
  }
}

}  // namespace

void sobel_cuda::fused(const SobelArgs& args, Call& call) {
  for_type_and_aperture(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    constexpr int aperture = k();
    cuda::launch("sobel", sobel_fused<T, aperture>,
                 cuda::tiles(args.src, block_x, block_y * pixels_per_thread),
                 dim3(block_x, block_y), 0, cuda::stream_of(call), request_of<T>(args));
  });
}

}  // namespace cuesta
