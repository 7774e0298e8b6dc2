// Rungs `separable` (paper 000, 3.4) and `separable-tiled` (000, 3.5.2): `shared-constant` and
// `tiled` for a stencil of rank 1 in two passes, width + height multiply-adds a pixel instead of
// width · height. A pass's tile has an apron in one direction only, so a thread of `separable`
// loads one sample or two. Columns are summed first, then rows: the order that the contract gives
// floats; theirs rows first. (The paper's eq. 5 adds the two passes; they compose.)
// `separable-tiled`: T tiles a block from one load, T × 1 down columns, 1 × T along rows.
// transpose=on stores the column tile transposed, so that a warp reads what is together down a
// column; its sums are turned back through shared memory, for stores along rows. The paper
// transposes against bank conflicts; a column tile read along its rows (transpose=off) has
// none to begin with. Bound (000): mean of 2Mx / 8 and 2My / 8 (eq. 12); 2(Mx + My)T / (4(4 + T −
// 2)) tiled (eq. 14). Wastes: the column sums go to device memory and back, 4 bytes a pixel each
// way; with transpose=on two barriers a tile.
#include "cuda/instructions.cuh"
#include "ops/convolve/ladder/ladder.hpp"
#include "ops/convolve/ladder/middle.cuh"
#include "ops/convolve/ladder/tile_arithmetic.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

// tile: B × (B + height − 1) samples, row-major.
template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    columns(ConvolveRequest<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  T* tile = reinterpret_cast<T*>(memory);
  const int b = blockDim.x, x = blockIdx.x * b + threadIdx.x, y = blockIdx.y * b + threadIdx.y;
  for (int dy = 0; dy <= b; dy += b) {
    const int sy = y + dy - q.anchor_y;
    const bool mine = dy == 0 || int(threadIdx.y) < q.height - 1;
    if (mine && q.inside(x, sy)) tile[(threadIdx.y + dy) * b + threadIdx.x] = q.src.at(x, sy);
  }
  __syncthreads();
  if (x >= q.src.width || !q.rows_inside(y)) return;
  middle.at(x, y) = line_sum<K, T>(
      q.height, taps.values, [&](int j) { return tile[(threadIdx.y + j) * b + threadIdx.x]; });
}

// tile: (B + width − 1) × B column sums, row-major.
template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    rows(ConvolveRequest<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  auto* tile = reinterpret_cast<Tap<T>*>(memory);
  const int b = blockDim.x, wide = b + q.width - 1;
  const int x = blockIdx.x * b + threadIdx.x, y = blockIdx.y * b + threadIdx.y;
  for (int dx = 0; dx <= b; dx += b) {
    const int sx = x + dx - q.anchor_x;
    const bool mine = dx == 0 || int(threadIdx.x) < q.width - 1;
    if (mine && q.rows_inside(y) && q.inside(sx, y))
      tile[threadIdx.y * wide + threadIdx.x + dx] = middle.at(sx, y);
  }
  __syncthreads();
  if (!q.makes(x, y)) return;
  q.store(x, y, line_sum<K, T>(q.width, taps.values, [&](int i) {
            return tile[threadIdx.y * wide + threadIdx.x + i];
          }));
}

// T × 1 tiles: a strip of B columns, T · B + height − 1 samples high. With Transpose column after
// column, each an odd number of samples after the one before, behind the sums of one tile.
template <class T, bool Transpose, int K>
__global__ void __launch_bounds__(cuda::any_block)
    tiled_columns(ConvolveRequest<T> q, Middle<T> middle, int tiles,
                  const __grid_constant__ ConstantTaps<T> taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  const int b = blockDim.x, high = tiles * b + q.height - 1, pitch = column_pitch(high);
  auto* sums = reinterpret_cast<Tap<T>*>(memory);
  T* tile = reinterpret_cast<T*>(Transpose ? sums + b * (b + 1) : sums);
  const int x = blockIdx.x * b + threadIdx.x, top = blockIdx.y * tiles * b;
  const auto place = [&](int tx, int ty) { return Transpose ? tx * pitch + ty : ty * b + tx; };
  for (int ty = threadIdx.y; ty < high; ty += b) {
    const int sy = top + ty - q.anchor_y;
    if (q.inside(x, sy)) tile[place(threadIdx.x, ty)] = q.src.at(x, sy);
  }
  __syncthreads();
  // Lanes run along what is together in shared memory.
  const int tx = Transpose ? threadIdx.y : threadIdx.x,
            down = Transpose ? threadIdx.x : threadIdx.y;
  for (int t = 0; t < tiles; ++t) {
    const int ty = t * b + down, y = top + t * b + threadIdx.y;
    Tap<T> sum =
        line_sum<K, T>(q.height, taps.values, [&](int j) { return tile[place(tx, ty + j)]; });
    if constexpr (Transpose) {
      sums[down * (b + 1) + tx] = sum;
      __syncthreads();
      sum = sums[threadIdx.y * (b + 1) + threadIdx.x];
      __syncthreads();
    }
    if (x < q.src.width && q.rows_inside(y)) middle.at(x, y) = sum;
  }
}

// 1 × T tiles of column sums.
template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    tiled_rows(ConvolveRequest<T> q, Middle<T> middle, int tiles,
               const __grid_constant__ ConstantTaps<T> taps) {
  CUESTA_DYNAMIC_SHARED(float, memory);
  auto* tile = reinterpret_cast<Tap<T>*>(memory);
  const int b = blockDim.x, wide = tiles * b + q.width - 1;
  const int left = blockIdx.x * tiles * b, y = blockIdx.y * b + threadIdx.y;
  for (int tx = threadIdx.x; tx < wide; tx += b) {
    const int sx = left + tx - q.anchor_x;
    if (q.rows_inside(y) && q.inside(sx, y)) tile[threadIdx.y * wide + tx] = middle.at(sx, y);
  }
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    const int tx = t * b + threadIdx.x;
    if (!q.makes(left + tx, y)) continue;
    q.store(left + tx, y, line_sum<K, T>(q.width, taps.values, [&](int i) {
              return tile[threadIdx.y * wide + tx + i];
            }));
  }
}

}  // namespace

void separable(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    const auto q = request_of<T>(args);
    const auto middle = middle_of<T>(args, call);
    const dim3 grid = cuda::tiles(args.dst, b, b);
    cuda::launch("convolve", columns<T, k()>, grid, dim3(b, b),
                 size_t(b) * size_t(b + args.height - 1) * sizeof(T), cuda::stream_of(call), q,
                 middle, constant_taps<T>(factor_of<T>(args, true)));
    cuda::launch("convolve", rows<T, k()>, grid, dim3(b, b), row_tile_bytes(1, b, args.width),
                 cuda::stream_of(call), q, middle, constant_taps<T>(factor_of<T>(args, false)));
  });
  frame(args, Order::factors, call);
}

void separable_tiled(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block"), tiles = call.parameters().integer("T");
  const bool transpose = call.parameters().text("transpose") == "on";
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    const auto q = request_of<T>(args);
    const auto middle = middle_of<T>(args, call);
    const auto column_kernel =
        transpose ? tiled_columns<T, true, k()> : tiled_columns<T, false, k()>;
    const size_t column_bytes = column_tile_bytes(tiles, b, args.height, sizeof(T), transpose);
    cuda::allow_shared(column_kernel, column_bytes, "convolve");
    cuda::launch("convolve", column_kernel, cuda::tiles(args.dst, b, tiles * b), dim3(b, b),
                 column_bytes, cuda::stream_of(call), q, middle, tiles,
                 constant_taps<T>(factor_of<T>(args, true)));
    const size_t row_bytes = row_tile_bytes(tiles, b, args.width);
    cuda::allow_shared(tiled_rows<T, k()>, row_bytes, "convolve");
    cuda::launch("convolve", tiled_rows<T, k()>, cuda::tiles(args.dst, tiles * b, b), dim3(b, b),
                 row_bytes, cuda::stream_of(call), q, middle, tiles,
                 constant_taps<T>(factor_of<T>(args, false)));
  });
  frame(args, Order::factors, call);
}

}  // namespace cuesta::convolve_ladder
