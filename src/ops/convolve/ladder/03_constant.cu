// Rung `constant` (paper 002): `naive` with the taps in the constant bank, where a warp's common
// read costs one cycle. From `naive`: counted reads a pixel fall from 2 K² to K². Wastes: the image
// is still read K² times a pixel, from the caches.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel(ConvolveRequest<T> q, const __grid_constant__ ConstantTaps<T> taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!q.makes(x, y)) return;
  q.store(x, y, global_sum<K>(q, taps.values, x, y));
}

}  // namespace

void constant(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    cuda::launch("convolve", kernel<T, k()>, cuda::tiles(args.dst, b, b), dim3(b, b), 0,
                 cuda::stream_of(call), request_of<T>(args), constant_taps<T>(window_of<T>(args)));
  });
  frame(args, Order::window, call);
}

}  // namespace cuesta::convolve_ladder
