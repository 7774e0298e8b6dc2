// Rung `row-cyclic` (paper 001, convolution in shared memory): a block keeps K whole rows of the
// picture in shared memory and walks down M / grid rows; each step replaces the oldest row. Every
// sample is loaded once a block. Theirs gives a block N − K + 1 threads, impossible past 1,024
// columns; ours stride over the columns. Widest picture: K rows with their borders must fit one
// block's shared memory. Bound (001): time against global memory 30K² / (3K² + 20). Wastes: one
// block a multiprocessor where rows are long; a barrier a row; the first K − 1 rows of every block
// are loaded twice.
// Measured (H200, 2026-11-21), 4096 x 4096 f32: 0.105 ms at 3 x 3 and 0.232 ms at 5 x 5, beside
// 0.103 and 0.188 of `naive`.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T, int K>
__global__ void kernel(Request<T> q, int rows_per_block,
                       const __grid_constant__ ConstantTaps<T> taps) {
  extern __shared__ float memory[];
  T* ring = reinterpret_cast<T*>(memory);
  const int wide = q.src.width + q.width - 1;
  const int first = blockIdx.x * rows_per_block, end = min(first + rows_per_block, q.src.height);
  const auto load = [&](int row) {  // `row` counts from the top of the first window
    T* to = ring + (row % q.height) * wide;
    for (int x = threadIdx.x; x < wide; x += blockDim.x)
      to[x] = q.sample(x - q.anchor_x, first + row - q.anchor_y);
  };
  for (int row = 0; row + 1 < q.height; ++row) load(row);
  for (int y = first; y < end; ++y) {
    const int top = y - first;
    load(top + q.height - 1);
    __syncthreads();
    for (int x = threadIdx.x; x < q.src.width; x += blockDim.x) {
      q.store(x, y, window_sum<K>(q, taps.values, [&](int i, int j) {
                return ring[((top + j) % q.height) * wide + x + i];
              }));
    }
    __syncthreads();
  }
}

}  // namespace

void row_cyclic(const ConvolveArgs& args, Call& call) {
  constexpr int threads = 256;
  const int blocks = std::min(args.src.height, 4 * cuda::multiprocessors());
  const int rows_per_block = (args.src.height + blocks - 1) / blocks;
  for_window(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    const size_t bytes = size_t(args.height) * size_t(args.src.width + args.width - 1) * sizeof(T);
    cuda::allow_shared(kernel<T, k()>, bytes, "convolve");
    cuda::launch("convolve", kernel<T, k()>, dim3(cuda::blocks(args.src.height, rows_per_block)),
                 dim3(threads), bytes, cuda::stream_of(call), request_of<T>(args), rows_per_block,
                 constant_taps<T>(window_of<T>(args)));
  });
}

}  // namespace cuesta::convolve_ladder
