// Rung `shared-apron` (paper 003, "multiple pixels per thread"): the tile grows by the radius on
// every side, and each thread loads up to four samples, its own position shifted by ±r; one
// barrier follows. loads=four is the paper's: every thread loads all four, and the squares overlap
// where B > 2r. With loads=once what the first square has is not loaded again, so that no two
// threads write one cell. From `shared-no-apron`: no divergence and no bounds test while computing.
// Wastes: once: warps whose 2r first threads load; four: most samples are loaded four times.
// Times: docs/results/h200-ladder.md.
#include "ops/sobel/ladder/block.cuh"

namespace cuesta::sobel_ladder {
namespace {

template <class T, int K, int B, bool Four>
__global__ void __launch_bounds__(B* B) kernel(SobelRequest<T> q) {
  constexpr int r = K / 2, side = B + 2 * r;
  __shared__ T tile[side][side];
  const auto at = [&](int i, int j) -> T& { return tile[j][i]; };
  const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  load_with_apron<K, B, Four>(q, x, y, at);
  __syncthreads();
  if (!makes<K>(q, x, y)) return;
  Sum<T> gx, gy;
  window<K>([&](int i, int j) -> Sum<T> { return at(threadIdx.x + i, threadIdx.y + j); }, gx, gy);
  store(q, x, y, gx, gy);
}

}  // namespace

void shared_apron(const SobelArgs& args, Call& call) {
  const bool four = call.parameters().text("loads") == "four";
  for_blocks(args, call, [&](auto s, auto k, auto b, dim3 grid) {
    using T = decltype(s);
    cuda::launch("sobel", four ? kernel<T, k(), b(), true> : kernel<T, k(), b(), false>, grid,
                 dim3(b(), b()), 0, cuda::stream_of(call), request_of<T>(args));
  });
  frame(args, call);
}

}  // namespace cuesta::sobel_ladder
