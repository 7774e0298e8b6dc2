// Rung `shared-no-apron` (paper 003, "naive shared memory"): the block's own B × B pixels go to
// shared memory; threads at its edge read what is outside it from global memory. Theirs counts
// outside the picture as 0; ours follows the border (frame.cu). From `global`: K² global loads a
// pixel become one, plus (K − 1)-wide frames around every block. Wastes: warps diverge at block
// edges, and every sample passes a bounds test.
// Times: docs/results/h200-ladder.md.
#include "ops/sobel/ladder/block.cuh"

namespace cuesta::sobel_ladder {
namespace {

template <class T, int K, int B>
__global__ void __launch_bounds__(B* B) kernel(SobelRequest<T> q) {
  __shared__ T tile[B][B];
  const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  const auto src = q.samples();
  if (inside(q, x, y)) tile[threadIdx.y][threadIdx.x] = src.at(x, y);
  __syncthreads();
  if (!makes<K>(q, x, y)) return;
  Sum<T> gx, gy;
  window<K>(
      [&](int i, int j) -> Sum<T> {
        const int tx = int(threadIdx.x) + i - K / 2, ty = int(threadIdx.y) + j - K / 2;
        const bool in_tile = tx >= 0 && tx < B && ty >= 0 && ty < B;
        return in_tile ? tile[ty][tx] : src.at(x + i - K / 2, y + j - K / 2);
      },
      gx, gy);
  store(q, x, y, gx, gy);
}

}  // namespace

void shared_no_apron(const SobelArgs& args, Call& call) {
  for_blocks(args, call, [&](auto s, auto k, auto b, dim3 grid) {
    using T = decltype(s);
    cuda::launch("sobel", kernel<T, k(), b()>, grid, dim3(b(), b()), 0, cuda::stream_of(call),
                 request_of<T>(args));
  });
  frame(args, call);
}

}  // namespace cuesta::sobel_ladder
