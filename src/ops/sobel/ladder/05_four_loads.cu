// `loads=four` of the rungs `shared-apron` and `shared-1d` (paper 003): every thread loads and
// stores four samples, its own position shifted by ±r, as the paper's do. The four squares overlap
// where B > 2r: several threads write one cell, all of them the same sample. A warp diverges only
// at the picture's edge, where a cell becomes 0, which no result reads. From `loads=once`: no test
// of a thread's position while loading. Wastes: most samples are loaded up to four times.
#include "ops/sobel/ladder/block.cuh"

namespace cuesta::sobel_ladder {
namespace {

template <class T, int Side>
struct Square {
  T samples[Side][Side];
  __device__ T& at(int x, int y) { return samples[y][x]; }
};
template <class T, int Side>
struct Line {
  T samples[Side * Side];
  __device__ T& at(int x, int y) { return samples[y * Side + x]; }
};

template <template <class, int> class Tile, class T, int K, int B>
__global__ void __launch_bounds__(B* B) kernel(SobelRequest<T> q) {
  constexpr int r = K / 2;
  static_assert(B >= 2 * r);
  __shared__ Tile<T, B + 2 * r> tile;
  const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
  const auto src = q.samples();
#pragma unroll
  for (int corner = 0; corner < 4; ++corner) {
    const int dx = corner & 1 ? 2 * r : 0, dy = corner & 2 ? 2 * r : 0;
    const int sx = x - r + dx, sy = y - r + dy;
    tile.at(threadIdx.x + dx, threadIdx.y + dy) = inside(q, sx, sy) ? src.at(sx, sy) : T(0);
  }
  __syncthreads();
  if (!makes<K>(q, x, y)) return;
  Sum<T> gx, gy;
  window<K>([&](int i, int j) -> Sum<T> { return tile.at(threadIdx.x + i, threadIdx.y + j); }, gx,
            gy);
  store(q, x, y, gx, gy);
}

template <template <class, int> class Tile>
void four_loads(const SobelArgs& args, Call& call) {
  for_blocks(args, call, [&](auto s, auto k, auto b, dim3 grid) {
    using T = decltype(s);
    cuda::launch("sobel", kernel<Tile, T, k(), b()>, grid, dim3(b(), b()), 0, cuda::stream_of(call),
                 request_of<T>(args));
  });
  frame(args, call);
}

bool is_four(const Call& call) { return call.parameters().text("loads") == "four"; }

}  // namespace

void shared_apron_of_loads(const SobelArgs& args, Call& call) {
  is_four(call) ? four_loads<Square>(args, call) : shared_apron(args, call);
}
void shared_1d_of_loads(const SobelArgs& args, Call& call) {
  is_four(call) ? four_loads<Line>(args, call) : shared_1d(args, call);
}

}  // namespace cuesta::sobel_ladder
