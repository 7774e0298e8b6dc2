// Rungs `separable` (papers 000 and 002's future work) and `separable-tiled` (000, 3.5.2): a
// stencil of rank 1 in two passes, width + height multiply-adds a pixel instead of width · height.
// Columns are summed first, over the source with its border written out, then rows: the order the
// contract gives floats. (The paper's eq. 5 adds the two passes; they compose.) `separable-tiled`
// stages both passes through shared memory, T tiles a block: 1 × T along rows, T × 1 down columns.
// transpose=on stores the column tile transposed, which the paper does against bank conflicts; a
// column tile read along its rows has none to begin with, and transposed the intermediate is
// written across rows. Wastes: the intermediate goes to device memory and back, 4 bytes a pixel
// each way.
// Measured (H200, 2026-11-21), 4096 x 4096 f32, Gaussian 5 x 5, block 32: `separable` 0.215 ms,
// `separable-tiled` 0.353 ms: at 5 x 5 two trips through device memory cost more than the 15
// products saved.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

constexpr int tiles = 4;  // a block of `separable-tiled`

// Column sums over the picture extended to the left by anchor_x and to width + K − 1 columns in
// all.
template <class T>
struct Middle {
  Tap<T>* data;
  int32_t width, height;
  ptrdiff_t stride;  // in elements
  __device__ Tap<T>& at(int32_t x, int32_t y) const { return data[ptrdiff_t(y) * stride + x]; }
};

template <class T>
Middle<T> middle_of(const ConvolveArgs& args, Call& call) {
  const int32_t width = args.src.width + args.width - 1;
  const ptrdiff_t stride = (ptrdiff_t(width) + 31) / 32 * 32;
  return {call.scratch().take<Tap<T>>(size_t(stride) * size_t(args.src.height)), width,
          args.src.height, stride};
}

template <class T>
std::vector<Tap<T>> factor(const ConvolveArgs& args, bool column) {
  if constexpr (std::is_same_v<T, float>) {
    const auto taps = column ? args.floats.column : args.floats.row;
    return {taps.begin(), taps.end()};
  } else {
    const auto taps = column ? args.integers.column : args.integers.row;
    return {taps.begin(), taps.end()};
  }
}

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    columns(Request<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= middle.width || y >= middle.height) return;
  Tap<T> sum = 0;
  for (int j = 0; j < side<K>(q.height); ++j)
    sum = multiply_add(taps.values[j], q.sample(x - q.anchor_x, y + j - q.anchor_y), sum);
  middle.at(x, y) = sum;
}

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    rows(Request<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!q.inside(x, y)) return;
  Tap<T> sum = 0;
  for (int i = 0; i < side<K>(q.width); ++i)
    sum = multiply_add(taps.values[i], middle.at(x + i, y), sum);
  q.store(x, y, sum);
}

// T × 1 tiles: a strip of B columns, tiles · B + height − 1 samples high.
template <class T, bool Transpose, int K>
__global__ void __launch_bounds__(cuda::any_block)
    tiled_columns(Request<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  extern __shared__ float memory[];
  T* tile = reinterpret_cast<T*>(memory);
  const int b = blockDim.x, high = tiles * b + q.height - 1;
  const int left = blockIdx.x * b, top = blockIdx.y * tiles * b;
  const auto place = [&](int tx, int ty) { return Transpose ? tx * high + ty : ty * b + tx; };
  for (int ty = threadIdx.y; ty < high; ty += b) {
    tile[place(threadIdx.x, ty)] =
        q.sample(left + int(threadIdx.x) - q.anchor_x, top + ty - q.anchor_y);
  }
  __syncthreads();
  // Lanes run along what lies together in shared memory.
  const int tx = Transpose ? threadIdx.y : threadIdx.x,
            lane_y = Transpose ? threadIdx.x : threadIdx.y;
  for (int t = 0; t < tiles; ++t) {
    const int ty = t * b + lane_y;
    if (left + tx >= middle.width || top + ty >= middle.height) return;
    Tap<T> sum = 0;
    for (int j = 0; j < side<K>(q.height); ++j)
      sum = multiply_add(taps.values[j], tile[place(tx, ty + j)], sum);
    middle.at(left + tx, top + ty) = sum;
  }
}

// 1 × T tiles of column sums.
template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    tiled_rows(Request<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  extern __shared__ float memory[];
  auto* tile = reinterpret_cast<Tap<T>*>(memory);
  const int b = blockDim.x, wide = tiles * b + q.width - 1;
  const int left = blockIdx.x * tiles * b, y = blockIdx.y * b + threadIdx.y;
  for (int tx = threadIdx.x; tx < wide; tx += b) {
    if (left + tx < middle.width && y < middle.height)
      tile[threadIdx.y * wide + tx] = middle.at(left + tx, y);
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    const int tx = t * b + threadIdx.x;
    if (!q.inside(left + tx, y)) return;
    Tap<T> sum = 0;
    for (int i = 0; i < side<K>(q.width); ++i)
      sum = multiply_add(taps.values[i], tile[threadIdx.y * wide + tx + i], sum);
    q.store(left + tx, y, sum);
  }
}

}  // namespace

void separable(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    const auto q = request_of<T>(args);
    const auto middle = middle_of<T>(args, call);
    const dim3 wide(cuda::blocks(middle.width, b), cuda::blocks(middle.height, b));
    cuda::launch("convolve", columns<T, k()>, wide, dim3(b, b), 0, cuda::stream_of(call), q, middle,
                 constant_taps<T>(factor<T>(args, true)));
    cuda::launch("convolve", rows<T, k()>, cuda::tiles(args.dst, b, b), dim3(b, b), 0,
                 cuda::stream_of(call), q, middle, constant_taps<T>(factor<T>(args, false)));
  });
}

void separable_tiled(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    const auto q = request_of<T>(args);
    const auto middle = middle_of<T>(args, call);
    const dim3 grid(cuda::blocks(middle.width, b), cuda::blocks(middle.height, b * tiles));
    const size_t column_bytes = size_t(b) * size_t(tiles * b + args.height - 1) * sizeof(T);
    const auto column_kernel = call.parameters().text("transpose") == "on"
                                   ? tiled_columns<T, true, k()>
                                   : tiled_columns<T, false, k()>;
    cuda::allow_shared(column_kernel, column_bytes, "convolve");
    cuda::launch("convolve", column_kernel, grid, dim3(b, b), column_bytes, cuda::stream_of(call),
                 q, middle, constant_taps<T>(factor<T>(args, true)));
    const size_t row_bytes = size_t(b) * size_t(tiles * b + args.width - 1) * sizeof(Tap<T>);
    cuda::allow_shared(tiled_rows<T, k()>, row_bytes, "convolve");
    cuda::launch("convolve", tiled_rows<T, k()>, cuda::tiles(args.dst, tiles * b, b), dim3(b, b),
                 row_bytes, cuda::stream_of(call), q, middle,
                 constant_taps<T>(factor<T>(args, false)));
  });
}

}  // namespace cuesta::convolve_ladder
