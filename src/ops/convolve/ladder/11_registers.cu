// Rung `registers`: a thread makes four pixels, one below the other, and keeps their sums in
// registers. From `constant`: a sample is loaded once for all of the four windows that hold it, so
// that loads a pixel fall from K² to K (K + 3) / 4, and four independent sums hide each other's
// latency. Not of the papers: the step that texts on tiling call thread coarsening. Bound: issue,
// K² multiply-adds a pixel. Wastes: neighbouring threads load the same samples, one by one, from
// the cache; at the lower edge some of the four are no pixels.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

constexpr int results = 4;  // of a thread

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel(ConvolveRequest<T> q, const __grid_constant__ ConstantTaps<T> taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = (blockIdx.y * blockDim.y + threadIdx.y) * results;
  bool makes[results], any = false;
#pragma unroll
  for (int r = 0; r < results; ++r) any |= makes[r] = q.makes(x, first + r);
  if (!any) return;
  Tap<T> sums[results] = {};
  const int width = side<K>(q.width), height = side<K>(q.height);
#pragma unroll(K ? K + results - 1 : 1)
  for (int j = 0; j < height + results - 1; ++j) {
    const int y = first - q.anchor_y + j;
    if (uint32_t(y) >= uint32_t(q.src.height)) continue;  // of pixels that are not made
#pragma unroll(K ? K : 1)
    for (int i = 0; i < width; ++i) {
      const T sample = q.src.at(x - q.anchor_x + i, y);
#pragma unroll
      for (int r = 0; r < results; ++r) {
        if (j >= r && j - r < height)
          sums[r] = multiply_add(taps.values[(j - r) * width + i], sample, sums[r]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < results; ++r)
    if (makes[r]) q.store(x, first + r, sums[r]);
}

}  // namespace

void registers(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    cuda::launch("convolve", kernel<T, k()>, cuda::tiles(args.dst, b, b * results), dim3(b, b), 0,
                 cuda::stream_of(call), request_of<T>(args), constant_taps<T>(window_of<T>(args)));
  });
  frame(args, Order::window, call);
}

}  // namespace cuesta::convolve_ladder
