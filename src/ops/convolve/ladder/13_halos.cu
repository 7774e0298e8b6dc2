// Rung `halos`: `separable` with eight results a thread and aligned halos, after NVIDIA's sample
// convolutionSeparable, which paper 000 cites. A block of 16 × 4 threads makes 128 × 4 pixels of
// the row pass; its tile begins 16 samples before them, whatever the window is, so that every load
// of a row begins at a multiple of 16 samples. The column pass does the same downwards, 16 × 64
// pixels by 16 × 8 threads. From `separable`: an apron is loaded once for eight results, and a
// thread's index arithmetic serves all of them. Bound: loads from shared memory, one for each tap.
// Wastes: halos of 16 samples where a window of 5 needs 2; the column sums go to device memory and
// back.
#include "ops/convolve/ladder/ladder.hpp"
#include "ops/convolve/ladder/middle.cuh"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

constexpr int wide = 16, results = 8, halo = 16;  // of threads, a thread, samples
constexpr int column_threads = 8;                 // below each other
static_assert(halo >= max_side - 1 && halo % wide == 0 && halo % column_threads == 0);

template <class T, int K>
__global__ void __launch_bounds__(wide* column_threads)
    columns(ConvolveRequest<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  constexpr int high = results * column_threads;
  __shared__ T tile[halo + high + halo][wide];
  const int x = blockIdx.x * wide + threadIdx.x, top = blockIdx.y * high - halo;
#pragma unroll
  for (int ty = 0; ty < halo + high + halo; ty += column_threads) {
    const int row = ty + threadIdx.y;
    if (q.inside(x, top + row)) tile[row][threadIdx.x] = q.src.at(x, top + row);
  }
  __syncthreads();
  if (x >= q.src.width) return;
#pragma unroll
  for (int ty = halo; ty < halo + high; ty += column_threads) {
    const int row = ty + threadIdx.y;
    if (!q.rows_inside(top + row)) continue;
    middle.at(x, top + row) = line_sum<K, T>(
        q.height, taps.values, [&](int j) { return tile[row - q.anchor_y + j][threadIdx.x]; });
  }
}

template <class T, int K>
__global__ void __launch_bounds__(wide* halo_rows)
    rows(ConvolveRequest<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  constexpr int across = results * wide;
  __shared__ Tap<T> tile[halo_rows][halo + across + halo];
  const int left = blockIdx.x * across - halo, y = blockIdx.y * halo_rows + threadIdx.y;
#pragma unroll
  for (int tx = 0; tx < halo + across + halo; tx += wide) {
    const int column = tx + threadIdx.x;
    if (q.rows_inside(y) && q.inside(left + column, y))
      tile[threadIdx.y][column] = middle.at(left + column, y);
  }
  __syncthreads();
#pragma unroll
  for (int tx = halo; tx < halo + across; tx += wide) {
    const int column = tx + threadIdx.x;
    if (!q.makes(left + column, y)) continue;
    q.store(left + column, y, line_sum<K, T>(q.width, taps.values, [&](int i) {
              return tile[threadIdx.y][column - q.anchor_x + i];
            }));
  }
}

}  // namespace

void halos(const ConvolveArgs& args, Call& call) {
  for_window(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    const auto q = request_of<T>(args);
    const auto middle = middle_of<T>(args, call);
    cuda::launch("convolve", columns<T, k()>, cuda::tiles(args.dst, wide, results * column_threads),
                 dim3(wide, column_threads), 0, cuda::stream_of(call), q, middle,
                 constant_taps<T>(factor_of<T>(args, true)));
    cuda::launch("convolve", rows<T, k()>, cuda::tiles(args.dst, results * wide, halo_rows),
                 dim3(wide, halo_rows), 0, cuda::stream_of(call), q, middle,
                 constant_taps<T>(factor_of<T>(args, false)));
  });
  frame(args, Order::factors, call);
}

}  // namespace cuesta::convolve_ladder
