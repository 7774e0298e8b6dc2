// Strategy `plain` (device): the definition as it reads, a thread a pixel, its whole window from
// global memory. It takes every request, pictures of any height too.
#include "ops/sobel/cuda.hpp"

#include "ops/shared/window_gradient.cuh"
#include "ops/sobel/outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

template <class T, int K>
struct Pixel {
  SobelRequest<T> q;

  __device__ void operator()(int32_t x, int32_t y) const {
    constexpr int r = K / 2;
    gradient::Gradient<Sum<T>> g;
    if (!leaves(q, x, y, r)) {
      g = cuda::window_gradient<K, Sum<T>>(
          [&](int i, int j) { return sample<T>(q, x + i - r, y + j - r); });
    }
    store(q, x, y, g.x, g.y);
  }
};

}  // namespace

void sobel_cuda::plain(const SobelArgs& args, Call& call) {
  for_type_and_aperture(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    cuda::for_each_pixel("sobel", args.src.width, args.src.height,
                         Pixel<T, k()>{request_of<T>(args)}, call);
  });
}

}  // namespace cuesta
