// Rung `shared-apron` (paper 003, "multiple pixels per thread"): the tile grows by the radius on
// every side, and each thread loads four samples, its own position shifted by ±r. B >= 2r makes the
// four squares cover the tile. From `shared-no-apron`: no divergence and no bounds test while
// computing. Wastes: the four squares overlap, so (B + 2r)² samples cost 4B² loads.
// Times: docs/benchmarks/h200-ladder.md.
#include "ops/sobel/ladder/block.cuh"

namespace cuesta::sobel_ladder {
namespace {

template <class T, int K, int B>
__global__ void __launch_bounds__(B* B) kernel(Request q) {
  constexpr int r = K / 2, side = B + 2 * r;
  static_assert(B >= 2 * r);
  __shared__ T tile[side][side];
  const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
#pragma unroll
  for (int corner = 0; corner < 4; ++corner) {
    const int dx = corner & 1 ? 2 * r : 0, dy = corner & 2 ? 2 * r : 0;
    tile[threadIdx.y + dy][threadIdx.x + dx] = T(sample<T>(q, x - r + dx, y - r + dy));
    // The squares overlap; a barrier keeps two threads from writing one sample at once.
    __syncthreads();
  }
  if (x >= q.src.width || y >= q.src.height) return;
  int32_t gx, gy;
  window<K>([&](int i, int j) -> int32_t { return tile[threadIdx.y + j][threadIdx.x + i]; }, gx,
            gy);
  if (leaves(q, x, y, r)) gx = gy = 0;
  store(q, x, y, gx, gy);
}

}  // namespace

void shared_apron(const SobelArgs& args, Call& call) {
  for_blocks(args, call, [&](auto s, auto k, auto b, dim3 grid) {
    using T = decltype(s);
    cuda::launch("sobel", kernel<T, k(), b()>, grid, dim3(b(), b()), 0, cuda::stream_of(call),
                 request_of<T>(args));
  });
}

}  // namespace cuesta::sobel_ladder
