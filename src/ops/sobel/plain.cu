// Strategy `plain` (device): the definition as it reads, a thread a pixel, its whole window from
// global memory. It takes every request, pictures of any height too.
#include "ops/sobel/cuda.hpp"

#include "ops/sobel/outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

template <class T, int K>
struct Pixel {
  Request<T> q;

  __device__ void operator()(int32_t x, int32_t y) const {
    constexpr int r = K / 2;
    constexpr auto taps = gradient::taps(K);
    Sum<T> gx = 0, gy = 0;
    if (!leaves(q, x, y, r)) {
#pragma unroll
      for (int i = 0; i < K; ++i) {
        Sum<T> smooth = 0, derive = 0;
#pragma unroll
        for (int j = 0; j < K; ++j) {
          const Sum<T> v = sample<T>(q, x + i - r, y + j - r);
          smooth = add_tap(smooth, taps.smoothing[j], v);
          derive = add_tap(derive, taps.derivative[j], v);
        }
        gx = add_tap(gx, taps.derivative[i], smooth);
        gy = add_tap(gy, taps.smoothing[i], derive);
      }
    }
    store(q, x, y, gx, gy);
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
