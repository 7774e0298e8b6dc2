// Rung `row-cyclic` (paper 001, convolution in shared memory): a block keeps K whole rows of the
// picture in shared memory and marches down M / grid rows; each step replaces the oldest row. grid
// is the paper's, at least the number of multiprocessors: with just that many a block makes several
// rows wherever there are more rows than multiprocessors, and loads each sample once; with more
// blocks than M / 2 it makes one row, nothing rolls, and every row is loaded K times. Theirs gives
// a block N − K + 1 threads, impossible past 1,024 columns, and shifts the rows: that is
// threads=columns (10_row_shift.cu). Here threads stride over the columns. Widest picture: K rows
// must fit one block's shared memory. Bound (001): time against global memory 30K² / (3K² + 20).
// Wastes: one block a multiprocessor where rows are long; two barriers a row; the
// first K − 1 rows of every block are loaded twice.
#include "cuda/instructions.cuh"
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T, int K>
__global__ void kernel(ConvolveRequest<T> q, int rows_per_block,
                       const __grid_constant__ ConstantTaps<T> taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  T* ring = reinterpret_cast<T*>(memory);
  const int wide = q.src.width, high = side<K>(q.height);
  const int first = blockIdx.x * rows_per_block, end = min(first + rows_per_block, q.src.height);
  const auto load = [&](int row) {  // `row` counts from the top of the first window
    T* to = ring + (row % high) * wide;
    const int sy = first + row - q.anchor_y;
    if (sy < 0 || sy >= q.src.height) return;
    for (int x = threadIdx.x; x < wide; x += blockDim.x) to[x] = q.src.at(x, sy);
  };
  for (int row = 0; row + 1 < high; ++row) load(row);
  for (int y = first; y < end; ++y) {
    const int top = y - first;
    load(top + high - 1);
    __syncthreads();
    for (int x = threadIdx.x; x < wide; x += blockDim.x) {
      if (!q.makes(x, y)) continue;
      q.store(x, y, window_sum<K>(q, taps.values, [&](int i, int j) {
                return ring[((top + j) % high) * wide + x - q.anchor_x + i];
              }));
    }
    __syncthreads();
  }
}

}  // namespace

void row_cyclic(const ConvolveArgs& args, Call& call) {
  constexpr int threads = 256;
  const int32_t rows = cuda::rows_a_block(args.src.height, call.parameters());
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    const size_t bytes = size_t(args.height) * size_t(args.src.width) * sizeof(T);
    cuda::allow_shared(kernel<T, k()>, bytes, "convolve");
    cuda::launch("convolve", kernel<T, k()>, dim3(cuda::blocks(args.src.height, rows)),
                 dim3(threads), bytes, cuda::stream_of(call), request_of<T>(args), rows,
                 constant_taps<T>(window_of<T>(args)));
  });
  frame(args, Order::window, call);
}

}  // namespace cuesta::convolve_ladder
