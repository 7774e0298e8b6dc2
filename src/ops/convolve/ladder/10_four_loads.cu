// `loads=four` of the rung `shared-1d` (paper 003, sharpening): every thread loads and stores four
// samples, its own position shifted by ±1, as the paper's do. Several threads write one cell, all
// of them the same sample. A warp diverges only at the picture's edge, where a cell becomes 0,
// which no result reads. Wastes: most samples are loaded four times.
#include "cuda/instructions.cuh"
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T>
__global__ void __launch_bounds__(cuda::any_block)
    kernel(ConvolveRequest<T> q, const __grid_constant__ ConstantTaps<T> taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  T* tile = reinterpret_cast<T*>(memory);
  const int b = blockDim.x, side = b + 2;
  const int x = blockIdx.x * b + threadIdx.x, y = blockIdx.y * b + threadIdx.y;
#pragma unroll
  for (int corner = 0; corner < 4; ++corner) {
    const int dx = corner & 1 ? 2 : 0, dy = corner & 2 ? 2 : 0;
    const int sx = x + dx - q.anchor_x, sy = y + dy - q.anchor_y;
    tile[(threadIdx.y + dy) * side + threadIdx.x + dx] = q.inside(sx, sy) ? q.src.at(sx, sy) : T(0);
  }
  __syncthreads();
  if (!q.makes(x, y)) return;
  q.store(x, y, window_sum<3>(q, taps.values, [&](int i, int j) {
            return tile[(threadIdx.y + j) * side + threadIdx.x + i];
          }));
}

}  // namespace

void shared_1d_of_loads(const ConvolveArgs& args, Call& call) {
  if (call.parameters().text("loads") == "once") return shared_1d(args, call);
  const int b = call.parameters().integer("block");
  for_type(args, [&](auto sample) {
    using T = decltype(sample);
    cuda::launch("convolve", kernel<T>, cuda::tiles(args.dst, b, b), dim3(b, b),
                 size_t(b + 2) * size_t(b + 2) * sizeof(T), cuda::stream_of(call),
                 request_of<T>(args), constant_taps<T>(window_of<T>(args)));
  });
  frame(args, Order::window, call);
}

}  // namespace cuesta::convolve_ladder
