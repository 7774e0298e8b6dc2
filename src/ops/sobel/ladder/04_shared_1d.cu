// Rung `shared-1d` (paper 003, "reorganised shared memory"): `shared-apron` with the tile as a
// one-dimensional array. A two-dimensional array is in memory the same way and the addresses are
// the same, so no difference is expected; the paper's gain must have had another cause. Today's
// machine code of the two has as many instructions, in another order.
// Times: docs/results/h200-ladder.md.
#include "ops/sobel/ladder/block.cuh"

namespace cuesta::sobel_ladder {
namespace {

template <class T, int K, int B, bool Four>
__global__ void __launch_bounds__(B* B) kernel(SobelRequest<T> q) {
  constexpr int r = K / 2, side = B + 2 * r;
  __shared__ T tile[side * side];
  const auto at = [&](int i, int j) -> T& { return tile[j * side + i]; };
  const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  load_with_apron<K, B, Four>(q, x, y, at);
  __syncthreads();
  if (!makes<K>(q, x, y)) return;
  Sum<T> gx, gy;
  window<K>([&](int i, int j) -> Sum<T> { return at(threadIdx.x + i, threadIdx.y + j); }, gx, gy);
  store(q, x, y, gx, gy);
}

}  // namespace

void shared_1d(const SobelArgs& args, Call& call) {
  const bool four = call.parameters().text("loads") == "four";
  for_blocks(args, call, [&](auto s, auto k, auto b, dim3 grid) {
    using T = decltype(s);
    cuda::launch("sobel", four ? kernel<T, k(), b(), true> : kernel<T, k(), b(), false>, grid,
                 dim3(b(), b()), 0, cuda::stream_of(call), request_of<T>(args));
  });
  frame(args, call);
}

}  // namespace cuesta::sobel_ladder
