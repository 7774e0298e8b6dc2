// Rung `shared-1d` (paper 003, sharpening): 3 × 3 windows over a one-dimensional shared tile with
// its apron; a thread loads up to four samples, its position shifted by ±1, as sobel's rung of that
// name does, and one barrier follows. With loads=once those beyond the block's first square are the
// last threads' alone, so that no two threads write one cell. loads=four is the paper's: every
// thread loads and stores all four. Several threads write one cell, all of them the same sample; a
// sample outside the picture becomes 0, which no result reads. Wastes: once: warps whose two first
// threads load; four: most samples are loaded four times.
#include "cuda/instructions.cuh"
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T, bool Four>
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
    const bool mine = (!dx || int(threadIdx.x) >= b - 2) && (!dy || int(threadIdx.y) >= b - 2);
    if constexpr (Four) {
      tile[(threadIdx.y + dy) * side + threadIdx.x + dx] =
          q.inside(sx, sy) ? q.src.at(sx, sy) : T(0);
    } else if (mine && q.inside(sx, sy)) {
      tile[(threadIdx.y + dy) * side + threadIdx.x + dx] = q.src.at(sx, sy);
    }
  }
  __syncthreads();
  if (!q.makes(x, y)) return;
  q.store(x, y, window_sum<3>(q, taps.values, [&](int i, int j) {
            return tile[(threadIdx.y + j) * side + threadIdx.x + i];
          }));
}

}  // namespace

void shared_1d(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  const bool four = call.parameters().text("loads") == "four";
  for_type(args, [&](auto sample) {
    using T = decltype(sample);
    cuda::launch("convolve", four ? kernel<T, true> : kernel<T, false>, cuda::tiles(args.dst, b, b),
                 dim3(b, b), size_t(b + 2) * size_t(b + 2) * sizeof(T), cuda::stream_of(call),
                 request_of<T>(args), constant_taps<T>(window_of<T>(args)));
  });
  frame(args, Order::window, call);
}

}  // namespace cuesta::convolve_ladder
