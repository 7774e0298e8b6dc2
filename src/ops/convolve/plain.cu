// Strategy `plain` (device): a thread a pixel. Stencils with factors take two kernels, sums down
// the columns and sums of those across, through a picture of exact sums; others take one. Integer
// sums have 64 bits; those of floats run in the order that the README tells, so their bytes are the
// reference's. Taps are in global memory.
#include "ops/convolve/cuda.hpp"

#include <cmath>

#include "core/border_sample.hpp"
#include "core/recording.hpp"
#include "cuda/launch.cuh"
#include "ops/convolve/cuda/zero_taps.hpp"
#include "ops/convolve/rounding.hpp"

namespace cuesta {
namespace {

using convolution::Finish;
using convolve_cuda::outside_column;

/// Sums of a sample type, and the taps that make them.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, float>, float, int64_t>;
template <class T>
using Tap = std::conditional_t<std::is_same_v<T, float>, float, int32_t>;

__device__ int64_t multiply_add(int32_t tap, int64_t sample, int64_t sum) {
  return sum + tap * sample;
}
// Not contracted by the compiler but always fused; a tap of 0 is left out, which shows where the
// sample is infinite or the sum −0.
__device__ float multiply_add(float tap, float sample, float sum) {
  return tap != 0 ? __fmaf_rn(tap, sample, sum) : sum;
}

/// Where the window of a pixel is.
struct Place {
  int32_t width, height, anchor_x, anchor_y;  // of the window
  BorderMode mode;

  __device__ bool is_ignored(int32_t x, int32_t y, int32_t columns, int32_t rows) const {
    const int32_t left = x - anchor_x, top = y - anchor_y;
    return mode == BorderMode::ignore &&
           (left < 0 || top < 0 || left + width > columns || top + height > rows);
  }
};

template <class T>
struct Columns {
  ImageView<const T, Space::device> src;
  ImageView<Sum<T>, Space::device> sums;
  const Tap<T>* column;
  Place place;
  T outside;

  __device__ void operator()(int32_t x, int32_t y) const {
    for (int32_t c = 0; c < src.channels; ++c) {
      Sum<T> sum = 0;
      for (int32_t j = 0; j < place.height; ++j) {
        const int32_t sy = map_index(place.mode, y + j - place.anchor_y, src.height);
        sum = multiply_add(column[j], sy < 0 ? outside : src.at(x, sy, c), sum);
      }
      sums.at(x, y, c) = sum;
    }
  }
};

template <class T, class Out>
struct Rows {
  ImageView<const Sum<T>, Space::device> sums;
  ImageView<Out, Space::device> dst;
  const Tap<T>* row;
  Place place;
  Sum<T> outside;  // of a column that no column stands for
  Finish finish;

  __device__ void operator()(int32_t x, int32_t y) const {
    const bool ignored = place.is_ignored(x, y, dst.width, dst.height);
    for (int32_t c = 0; c < dst.channels; ++c) {
      Sum<T> sum = 0;
      for (int32_t i = 0; i < place.width; ++i) {
        const int32_t sx = map_index(place.mode, x + i - place.anchor_x, dst.width);
        sum = multiply_add(row[i], sx < 0 ? outside : sums.at(sx, y, c), sum);
      }
      dst.at(x, y, c) = ignored ? Out(0) : finish.template sample<Out>(sum);
    }
  }
};

template <class T, class Out>
struct Whole {
  ImageView<const T, Space::device> src;
  ImageView<Out, Space::device> dst;
  const Tap<T>* window;
  Place place;
  T outside;
  Finish finish;

  __device__ void operator()(int32_t x, int32_t y) const {
    const bool ignored = place.is_ignored(x, y, dst.width, dst.height);
    for (int32_t c = 0; c < dst.channels; ++c) {
      Sum<T> sum = 0;
      for (int32_t j = 0; j < place.height; ++j) {
        const int32_t sy = map_index(place.mode, y + j - place.anchor_y, src.height);
        for (int32_t i = 0; i < place.width; ++i) {
          const int32_t sx = map_index(place.mode, x + i - place.anchor_x, src.width);
          sum = multiply_add(window[j * place.width + i],
                             sx < 0 || sy < 0 ? outside : src.at(sx, sy, c), sum);
        }
      }
      dst.at(x, y, c) = ignored ? Out(0) : finish.template sample<Out>(sum);
    }
  }
};

template <class Out>
struct Equal {
  ImageView<const float, Space::device> src;
  ImageView<Out, Space::device> dst;
  EqualTaps taps;
  Place place;
  float outside;
  Finish finish;

  __device__ void operator()(int32_t x, int32_t y) const {
    const bool ignored = place.is_ignored(x, y, dst.width, dst.height);
    for (int32_t c = 0; c < dst.channels; ++c) {
      const auto down = [&](int32_t i) {
        const int32_t sx = map_index(place.mode, x + i - place.anchor_x, src.width);
        return pairwise_sum(place.height, [&](int32_t j) {
          const int32_t sy = map_index(place.mode, y + j - place.anchor_y, src.height);
          return sx < 0 || sy < 0 ? outside : src.at(sx, sy, c);
        });
      };
      const float sum = ignored ? 0 : taps.value(pairwise_sum(place.width, down), src.at(x, y, c));
      dst.at(x, y, c) = ignored ? Out(0) : finish.template sample<Out>(sum);
    }
  }
};

/// The sum down a column of nothing but `outside`; of floats zero_taps.hpp has it.
int64_t outside_column(std::span<const int32_t> column, int64_t outside) {
  int64_t sum = 0;
  for (const int32_t tap : column) sum += tap * outside;
  return sum;
}

// A recorded copy would read the caller's taps when the graph runs, and they are gone by then.
void refuse_to_be_recorded(const Call& call) {
  if (!detail::is_recorded(call.stream())) return;
  throw Error(ErrorCode::unsupported,
              "convolve: strategy 'plain' copies taps from the host, which a CUDA graph cannot "
              "record; use a production strategy");
}

template <class Out>
void run_equal(const ConvolveArgs& args, Call& call) {
  const auto src = args.src.as<float, Space::device>();
  const Place place{args.width, args.height, args.anchor_x, args.anchor_y, args.border.mode};
  cuda::for_each_pixel("convolve", src.width, src.height,
                       Equal<Out>{src, args.dst.as<Out, Space::device>(), args.equal, place,
                                  border_sample<float>(args.border), Finish(args)},
                       call);
}

template <class T, class Out>
void run(const ConvolveArgs& args, const Taps<Tap<T>>& taps, Call& call) {
  refuse_to_be_recorded(call);
  constexpr std::string_view uploading = "convolve: uploading taps";
  const auto src = args.src.as<T, Space::device>();
  const auto dst = args.dst.as<Out, Space::device>();
  const Place place{args.width, args.height, args.anchor_x, args.anchor_y, args.border.mode};
  const T outside = border_sample<T>(args.border);
  const Finish finish(args);
  if (!taps.separable()) {
    const auto* window = cuda::upload(taps.window, call, uploading);
    cuda::for_each_pixel("convolve", src.width, src.height,
                         Whole<T, Out>{src, dst, window, place, outside, finish}, call);
    return;
  }
  const auto* column = cuda::upload(taps.column, call, uploading);
  const auto* row = cuda::upload(taps.row, call, uploading);
  const auto sums =
      call.scratch().image<Sum<T>, Space::device>(src.width, src.height, src.channels);
  cuda::for_each_pixel("convolve", src.width, src.height,
                       Columns<T>{src, sums, column, place, outside}, call);
  cuda::for_each_pixel(
      "convolve", src.width, src.height,
      Rows<T, Out>{sums, dst, row, place, outside_column(taps.column, outside), finish}, call);
}

template <class T>
void run_for_output(const ConvolveArgs& args, const Taps<Tap<T>>& taps, Call& call) {
  switch (args.dst.type) {
    case PixelType::s16: return run<T, int16_t>(args, taps, call);
    case PixelType::f32: return run<T, float>(args, taps, call);
    default: return run<T, T>(args, taps, call);
  }
}

}  // namespace

void convolve_cuda::plain(const ConvolveArgs& args, Call& call) {
  if (args.equal)
    return args.dst.type == PixelType::s16 ? run_equal<int16_t>(args, call)
                                           : run_equal<float>(args, call);
  switch (args.src.type) {
    case PixelType::u8: return run_for_output<uint8_t>(args, args.integers, call);
    case PixelType::u16: return run_for_output<uint16_t>(args, args.integers, call);
    default: return run_for_output<float>(args, args.floats, call);
  }
}

}  // namespace cuesta
