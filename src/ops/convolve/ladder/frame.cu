// The pixels whose window leaves the picture, for every rung: a thin launch of its own, so that a
// rung's kernel knows no border. A thread a pixel, taps in the constant bank; where the samples are
// is worked out first, so that their loads do not wait for each other. `ignore` needs no launch:
// the rungs write its zeros.
#include "ops/convolve/cuda/kernels.cuh"
#include "ops/convolve/ladder/ladder.hpp"

namespace cuesta::convolve_ladder {
namespace {

using namespace convolve_cuda;

// Out of line: a pixel asks for every column and every row of its window.
__device__ __noinline__ int32_t mapped(BorderMode mode, int32_t i, int32_t n) {
  return map_index(mode, i, n);
}

// Where the columns, or the rows, of a window are. K of them are worked out once; of a window of
// any size each is when it is requested.
template <int K>
struct Line {
  int32_t at[K];
  __device__ Line(BorderMode mode, int32_t first, int32_t n) {
#pragma unroll
    for (int i = 0; i < K; ++i) at[i] = mapped(mode, first + i, n);
  }
  __device__ int32_t operator[](int i) const { return at[i]; }
};
template <>
struct Line<0> {
  BorderMode mode;
  int32_t first, n;
  __device__ Line(BorderMode m, int32_t f, int32_t count) : mode(m), first(f), n(count) {}
  __device__ int32_t operator[](int i) const { return mapped(mode, first + i, n); }
};

template <class T, int K, Order How>
struct Pixel {
  ConvolveRequest<T> q;
  ConstantTaps<T> taps;  // the window, or the column and then the row

  __device__ void operator()(int32_t x, int32_t y) const {
    const Line<K> columns(q.mode, x - q.anchor_x, q.src.width);
    const Line<K> rows(q.mode, y - q.anchor_y, q.src.height);
    const auto sample = [&](int i, int j) {
      const int32_t sx = columns[i], sy = rows[j];
      return sx < 0 || sy < 0 ? q.outside : q.src.at(sx, sy);
    };
    if constexpr (How == Order::window) {
      q.store(x, y, window_sum<K>(q, taps.values, sample));
    } else {
      const Tap<T>* row = taps.values + side<K>(q.height);
      q.store(x, y, line_sum<K, T>(q.width, row, [&](int i) {
                return line_sum<K, T>(q.height, taps.values, [&](int j) { return sample(i, j); });
              }));
    }
  }
};

template <class T>
ConstantTaps<T> taps_of(const ConvolveArgs& args, Order order) {
  if (order == Order::window) return constant_taps<T>(window_of<T>(args));
  auto taps = factor_of<T>(args, true);
  const auto row = factor_of<T>(args, false);
  taps.insert(taps.end(), row.begin(), row.end());
  return constant_taps<T>(taps);
}

template <Order How>
void run(const ConvolveArgs& args, Call& call) {
  for_window(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    cuda::for_each_frame_pixel("convolve",
                               cuda::frame_of(args.dst.width, args.dst.height, args.width,
                                              args.height, args.anchor_x, args.anchor_y),
                               Pixel<T, k(), How>{request_of<T>(args), taps_of<T>(args, How)},
                               call);
  });
}

}  // namespace

void frame(const ConvolveArgs& args, Order order, Call& call) {
  if (args.border.mode == BorderMode::ignore) return;
  order == Order::window ? run<Order::window>(args, call) : run<Order::factors>(args, call);
}

}  // namespace cuesta::convolve_ladder
