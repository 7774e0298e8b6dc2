// The pixels whose window leaves the picture, for every rung: a thin launch of its own, so that a
// rung's kernel knows no border. A thread a pixel; where the samples are is worked out first, so
// that their loads do not wait for each other. `ignore` needs no launch: the rungs write its zeros.
#include "ops/sobel/ladder/block.cuh"

namespace cuesta::sobel_ladder {
namespace {

// Out of line: a pixel asks for every column and every row of its window.
__device__ __noinline__ int32_t mapped(BorderMode mode, int32_t i, int32_t n) {
  return map_index(mode, i, n);
}

template <class T, int K>
struct Pixel {
  SobelRequest<T> q;

  __device__ void operator()(int32_t x, int32_t y) const {
    const auto src = q.samples();
    int32_t columns[K], rows[K];
#pragma unroll
    for (int i = 0; i < K; ++i) {
      columns[i] = mapped(q.mode, x + i - K / 2, src.width);
      rows[i] = mapped(q.mode, y + i - K / 2, src.height);
    }
    Sum<T> gx, gy;
    window<K>(
        [&](int i, int j) -> Sum<T> {
          return columns[i] < 0 || rows[j] < 0 ? q.outside : src.at(columns[i], rows[j]);
        },
        gx, gy);
    store(q, x, y, gx, gy);
  }
};

}  // namespace

void frame(const SobelArgs& args, Call& call) {
  if (args.options.border.mode == BorderMode::ignore) return;
  for_type_and_aperture(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    constexpr int aperture = k();
    cuda::for_each_frame_pixel("sobel",
                               cuda::frame_of(args.src.width, args.src.height, aperture, aperture,
                                              aperture / 2, aperture / 2),
                               Pixel<T, aperture>{request_of<T>(args)}, call);
  });
}

}  // namespace cuesta::sobel_ladder
