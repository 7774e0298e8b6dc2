// Rungs `shared` and `shared-constant` (papers 000 and 002): a block's samples and their apron go
// to shared memory once. load=by-position (000, option ii): a block of B × B threads loads (B + K −
// 1)² samples, a thread 1, 2 or 4 by its position: its own (the pixel's, shifted by the anchor),
// and those B further right and down where its index is below K − 1 (theirs left and right of it,
// and their "<=" loads one column too many). load=one-each (000, option i): B × B threads load one
// sample each and only (B − K + 1)² compute; the rest idle. Bound (000): 2MxMy / (16 + 4MxMy) with
// the taps in global memory, 2MxMy / 16 with them in the constant bank. Wastes: barriers between
// load and sum; `one-each` most of its threads at large K.
// Times: docs/results/h200-ladder.md.
#include "cuda/instructions.cuh"
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

// tile: (B + width − 1) × (B + height − 1) samples, row-major.
template <int K, class T, class Taps>
__device__ void by_position(const ConvolveRequest<T>& q, const Taps& taps, T* tile, int b) {
  const int side = b + q.width - 1;
  const int x = blockIdx.x * b + threadIdx.x, y = blockIdx.y * b + threadIdx.y;
  for (int dy = 0; dy <= b; dy += b) {
    for (int dx = 0; dx <= b; dx += b) {
      const bool mine = (dx == 0 || int(threadIdx.x) < q.width - 1) &&
                        (dy == 0 || int(threadIdx.y) < q.height - 1);
      const int sx = x + dx - q.anchor_x, sy = y + dy - q.anchor_y;
      if (mine && q.inside(sx, sy))
        tile[(threadIdx.y + dy) * side + threadIdx.x + dx] = q.src.at(sx, sy);
    }
  }
  __syncthreads();
  if (!q.makes(x, y)) return;
  q.store(x, y, window_sum<K>(q, taps, [&](int i, int j) {
            return tile[(threadIdx.y + j) * side + threadIdx.x + i];
          }));
}

// tile: B × B samples; the block makes (B − width + 1) × (B − height + 1) pixels.
template <int K, class T, class Taps>
__device__ void one_each(const ConvolveRequest<T>& q, const Taps& taps, T* tile, int b) {
  const int wide = b - q.width + 1, high = b - q.height + 1;
  const int x = blockIdx.x * wide + threadIdx.x, y = blockIdx.y * high + threadIdx.y;
  const int sx = x - q.anchor_x, sy = y - q.anchor_y;
  if (q.inside(sx, sy)) tile[threadIdx.y * b + threadIdx.x] = q.src.at(sx, sy);
  __syncthreads();
  if (int(threadIdx.x) >= wide || int(threadIdx.y) >= high || !q.makes(x, y)) return;
  q.store(x, y, window_sum<K>(q, taps, [&](int i, int j) {
            return tile[(threadIdx.y + j) * b + threadIdx.x + i];
          }));
}

template <class T, bool OneEach, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel_global_taps(ConvolveRequest<T> q, const Tap<T>* taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  T* tile = reinterpret_cast<T*>(memory);
  OneEach ? one_each<K>(q, taps, tile, blockDim.x) : by_position<K>(q, taps, tile, blockDim.x);
}

template <class T, bool OneEach, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel_constant_taps(ConvolveRequest<T> q, const __grid_constant__ ConstantTaps<T> taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  T* tile = reinterpret_cast<T*>(memory);
  OneEach ? one_each<K>(q, taps.values, tile, blockDim.x)
          : by_position<K>(q, taps.values, tile, blockDim.x);
}

template <bool Constant, bool OneEach>
void run(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    const size_t wide = OneEach ? b : b + args.width - 1, high = OneEach ? b : b + args.height - 1;
    const dim3 grid = OneEach ? cuda::tiles(args.dst, b - args.width + 1, b - args.height + 1)
                              : cuda::tiles(args.dst, b, b);
    const auto window = window_of<T>(args);
    if constexpr (Constant) {
      cuda::launch("convolve", kernel_constant_taps<T, OneEach, k()>, grid, dim3(b, b),
                   wide * high * sizeof(T), cuda::stream_of(call), request_of<T>(args),
                   constant_taps<T>(window));
    } else {
      cuda::launch("convolve", kernel_global_taps<T, OneEach, k()>, grid, dim3(b, b),
                   wide * high * sizeof(T), cuda::stream_of(call), request_of<T>(args),
                   global_taps<T>(window, call));
    }
  });
  frame(args, Order::window, call);
}

}  // namespace

void shared(const ConvolveArgs& args, Call& call) {
  call.parameters().text("load") == "one-each" ? run<false, true>(args, call)
                                               : run<false, false>(args, call);
}
void shared_constant(const ConvolveArgs& args, Call& call) { run<true, false>(args, call); }

}  // namespace cuesta::convolve_ladder
