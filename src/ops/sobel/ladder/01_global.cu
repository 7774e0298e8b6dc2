// Rung `global` (paper 003, "global memory"): a thread a pixel, each reading its whole window from
// global memory. Theirs leaves the outermost pixels unwritten; ours makes them in a launch of
// their own (frame.cu), as every rung does. Bound: load instructions, not bytes: K² loads a pixel.
// The caches serve all but about one of them. Wastes: neighbours read K(K − 1) common samples
// each.
// Times: docs/results/h200-ladder.md.
#include "ops/sobel/ladder/block.cuh"

namespace cuesta::sobel_ladder {
namespace {

template <class T, int K, int B>
__global__ void __launch_bounds__(B* B) kernel(SobelRequest<T> q) {
  const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  if (!makes<K>(q, x, y)) return;
  constexpr int r = K / 2;
  const auto src = q.samples();
  Sum<T> gx, gy;
  window<K>([&](int i, int j) -> Sum<T> { return src.at(x + i - r, y + j - r); }, gx, gy);
  store(q, x, y, gx, gy);
}

}  // namespace

void global(const SobelArgs& args, Call& call) {
  for_blocks(args, call, [&](auto s, auto k, auto b, dim3 grid) {
    using T = decltype(s);
    cuda::launch("sobel", kernel<T, k(), b()>, grid, dim3(b(), b()), 0, cuda::stream_of(call),
                 request_of<T>(args));
  });
  frame(args, call);
}

}  // namespace cuesta::sobel_ladder
