// `threads=columns` of the rung `row-cyclic` (paper 001): the paper's block, grid and shift. A
// block has a thread for each of the N − K + 1 columns whose window is inside the picture, so that
// N is at most 1,023 + K. After each row the block moves the K − 1 lower rows up by one and loads
// the next into the last. Rows a block are rounded down: there are at least as many blocks as
// `grid` says. From `threads=256`: no loop over columns, and no division for a row's place. Wastes:
// K − 1 rows copied in shared memory for every row of results; the first K − 1 rows of every block.
#include "cuda/instructions.cuh"
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

// A thread loads and moves the same columns, so that these two need no barrier between them.
template <class T, int K>
__global__ void __launch_bounds__(ladder_parameters::max_columns)
    kernel(ConvolveRequest<T> q, int rows_per_block, const __grid_constant__ ConstantTaps<T> taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  T* rows = reinterpret_cast<T*>(memory);
  const int wide = q.src.width, high = side<K>(q.height), threads = blockDim.x;
  const int first = blockIdx.x * rows_per_block, end = min(first + rows_per_block, q.src.height);
  const auto load = [&](int place, int sy) {
    if (sy < 0 || sy >= q.src.height) return;
    for (int x = threadIdx.x; x < wide; x += threads) rows[place * wide + x] = q.src.at(x, sy);
  };
  for (int place = 0; place + 1 < high; ++place) load(place, first - q.anchor_y + place);
  for (int y = first; y < end; ++y) {
    load(high - 1, y - q.anchor_y + high - 1);
    __syncthreads();
    // Of `ignore` the columns beside the windows are these threads' too.
    for (int x = threadIdx.x; x < wide; x += threads) {
      if (!q.makes(x, y)) continue;
      q.store(x, y, window_sum<K>(q, taps.values, [&](int i, int j) {
                return rows[j * wide + x - q.anchor_x + i];
              }));
    }
    __syncthreads();
    for (int place = 0; place + 1 < high; ++place)
      for (int x = threadIdx.x; x < wide; x += threads)
        rows[place * wide + x] = rows[(place + 1) * wide + x];
  }
}

}  // namespace

void row_cyclic_of_threads(const ConvolveArgs& args, Call& call) {
  if (call.parameters().text("threads") != "columns") return row_cyclic(args, call);
  const int32_t rows = cuda::fewest_rows_a_block(args.src.height, call.parameters());
  const int32_t threads = std::max(1, args.src.width - args.width + 1);
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    const size_t bytes = size_t(args.height) * size_t(args.src.width) * sizeof(T);
    cuda::allow_shared(kernel<T, k()>, bytes, "convolve");
    cuda::launch("convolve", kernel<T, k()>, dim3(cuda::blocks(args.src.height, rows)),
                 dim3(unsigned(threads)), bytes, cuda::stream_of(call), request_of<T>(args), rows,
                 constant_taps<T>(window_of<T>(args)));
  });
  frame(args, Order::window, call);
}

}  // namespace cuesta::convolve_ladder
