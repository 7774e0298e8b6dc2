// Rungs `tiled` and `adaptive-tiled` (paper 000, 3.5): a block makes T tiles side by side from
// one load, so that the aprons between them are not loaded twice. `tiled` takes T as a
// parameter, T = 1 being `shared-constant`; `adaptive-tiled` the largest T that shared memory
// holds (eq. 6 to 8), with limit=48k as theirs or limit=device, what this GPU grants a block
// that asks. Bound (000, eq. 13): 2MxMyT / (4(8 + 2(T − 2))). Wastes: one large tile keeps a
// whole multiprocessor to itself, so load and sum of different blocks no longer overlap.
#include "cuda/instructions.cuh"
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"
#include "ops/convolve/ladder/tile_arithmetic.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

// Tiles is T where it is 1, so that the kernel is then as small as `shared-constant`; 0: the
// argument.
template <class T, int K, int Tiles>
__global__ void __launch_bounds__(cuda::any_block)
    kernel(ConvolveRequest<T> q, int asked, const __grid_constant__ ConstantTaps<T> taps) {
  constexpr int unrolled = Tiles == 1 ? 1 : 4;
  CUESTA_DYNAMIC_SHARED(float, memory);
  T* tile = reinterpret_cast<T*>(memory);
  const int tiles = Tiles ? Tiles : asked;
  const int b = blockDim.x, wide = tiles * b + q.width - 1, high = b + q.height - 1;
  const int left = blockIdx.x * tiles * b, top = blockIdx.y * b;
#pragma unroll 1
  for (int ty = threadIdx.y; ty < high; ty += b) {
    const int sy = top + ty - q.anchor_y;
#pragma unroll(unrolled)
    for (int tx = threadIdx.x; tx < wide; tx += b) {
      const int sx = left + tx - q.anchor_x;
      if (q.inside(sx, sy)) tile[ty * wide + tx] = q.src.at(sx, sy);
    }
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    const int tx = t * b + threadIdx.x, x = left + tx, y = top + threadIdx.y;
    if (!q.makes(x, y)) continue;
    q.store(x, y, window_sum<K>(q, taps.values, [&](int i, int j) {
              return tile[(threadIdx.y + j) * wide + tx + i];
            }));
  }
}

template <class T, int K>
void run(const ConvolveArgs& args, Call& call, int b, int tiles) {
  const size_t bytes = tile_samples(tiles, b, args.width, args.height) * sizeof(T);
  const auto chosen = tiles == 1 ? kernel<T, K, 1> : kernel<T, K, 0>;
  cuda::allow_shared(chosen, bytes, "convolve");
  cuda::launch("convolve", chosen, cuda::tiles(args.dst, tiles * b, b), dim3(b, b), bytes,
               cuda::stream_of(call), request_of<T>(args), tiles,
               constant_taps<T>(window_of<T>(args)));
  frame(args, Order::window, call);
}

}  // namespace

void tiled(const ConvolveArgs& args, Call& call) {
  for_window(args, call, [&](auto sample, auto k) {
    run<decltype(sample), k()>(args, call, call.parameters().integer("block"),
                               call.parameters().integer("T"));
  });
}

void adaptive_tiled(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  const size_t limit = call.parameters().text("limit") == "48k" ? 48 * 1024 : cuda::shared_limit();
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    run<T, k()>(args, call, b,
                adaptive_tiles(limit, sizeof(T), b, args.width, args.height, args.dst.width));
  });
}

}  // namespace cuesta::convolve_ladder
