// Rung `two-pass` (paper 002's future work, "separability"): `constant` for a stencil of rank 1 in
// two passes, width + height multiply-adds a pixel instead of width · height, both from global
// memory. Columns are summed first, then rows: the order that the contract gives floats. Bound:
// load instructions, height + width of them a pixel. Wastes: the column sums go to device memory
// and back, 4 bytes a pixel each way; neighbours read common samples, from the caches.
#include "ops/convolve/ladder/ladder.hpp"
#include "ops/convolve/ladder/middle.cuh"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    columns(ConvolveRequest<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= q.src.width || !q.rows_inside(y)) return;
  middle.at(x, y) =
      line_sum<K, T>(q.height, taps.values, [&](int j) { return q.src.at(x, y - q.anchor_y + j); });
}

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    rows(ConvolveRequest<T> q, Middle<T> middle, const __grid_constant__ ConstantTaps<T> taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!q.makes(x, y)) return;
  q.store(x, y, line_sum<K, T>(q.width, taps.values, [&](int i) {
            return middle.at(x - q.anchor_x + i, y);
          }));
}

}  // namespace

void two_pass(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    const auto q = request_of<T>(args);
    const auto middle = middle_of<T>(args, call);
    const dim3 grid = cuda::tiles(args.dst, b, b);
    cuda::launch("convolve", columns<T, k()>, grid, dim3(b, b), 0, cuda::stream_of(call), q, middle,
                 constant_taps<T>(factor_of<T>(args, true)));
    cuda::launch("convolve", rows<T, k()>, grid, dim3(b, b), 0, cuda::stream_of(call), q, middle,
                 constant_taps<T>(factor_of<T>(args, false)));
  });
  frame(args, Order::factors, call);
}

}  // namespace cuesta::convolve_ladder
