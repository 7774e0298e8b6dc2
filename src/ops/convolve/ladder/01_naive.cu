// Rung `naive` (papers 000, 001, 002; `global` of 001 and 003): a thread a pixel; image and taps
// from global memory. Bound (paper 000, AI 0.25): every multiply-add waits for two loads of 4
// bytes. Counted accesses a pixel: 2 K² reads, 1 write. Wastes: neighbours read K(K − 1) common
// samples each, and all threads read the same taps.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

template <class T, int K>
__global__ void __launch_bounds__(cuda::any_block)
    kernel(ConvolveRequest<T> q, const Tap<T>* taps) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!q.makes(x, y)) return;
  q.store(x, y, global_sum<K>(q, taps, x, y));
}

}  // namespace

void naive(const ConvolveArgs& args, Call& call) {
  const int b = call.parameters().integer("block");
  for_window(args, call, [&](auto sample, auto k) {
    using T = decltype(sample);
    cuda::launch("convolve", kernel<T, k()>, cuda::tiles(args.dst, b, b), dim3(b, b), 0,
                 cuda::stream_of(call), request_of<T>(args),
                 global_taps<T>(window_of<T>(args), call));
  });
  frame(args, Order::window, call);
}

}  // namespace cuesta::convolve_ladder
