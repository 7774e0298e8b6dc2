// Strategy `plain` (device): the definitions as they read, a thread a pixel, or a word where the
// result is bits. The histogram counts on the device and waits, because its counts are the host's.
#include "ops/pixel/cuda.hpp"
#include "ops/pixel/device.cuh"

#include "core/bits.hpp"
#include "cuda/launch.cuh"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

template <class T>
using Source = ImageView<const T, Space::device>;
template <class T>
using Result = ImageView<T, Space::device>;
using SourceBits = BasicBitView<const uint64_t, Space::device>;
using ResultBits = BasicBitView<uint64_t, Space::device>;

template <class T>
__device__ T difference(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return fabsf(a - b);
  else
    return T(a > b ? a - b : b - a);
}

// -- Samples --------------------------------------------------------------------------------------

template <class T>
struct Gray {
  Source<T> src;
  Result<T> dst;
  ColorOrder order;

  __device__ void operator()(int32_t x, int32_t y) const {
    if (src.channels <= 2) {
      dst.at(x, y) = pixel::gray(src.at(x, y));
      return;
    }
    const T first = src.at(x, y, 0), second = src.at(x, y, 1), third = src.at(x, y, 2);
    dst.at(x, y) = order == ColorOrder::rgb ? T(pixel::gray(first, second, third))
                                            : T(pixel::gray(third, second, first));
  }
};

template <class From, class To>
struct Scale {
  Source<From> src;
  Result<To> dst;
  double factor;

  __device__ void operator()(int32_t x, int32_t y) const {
    for (int32_t c = 0; c < src.channels; ++c)
      dst.at(x, y, c) = pixel::scaled<To>(src.at(x, y, c), factor);
  }
};

template <class T>
struct KeepChannels {
  Source<T> src;
  Result<T> dst;

  __device__ void operator()(int32_t x, int32_t y) const {
    for (int32_t c = 0; c < dst.channels; ++c) dst.at(x, y, c) = src.at(x, y, c);
  }
};

template <class T>
struct AbsDiff {
  Source<T> a, b;
  Result<T> dst;

  __device__ void operator()(int32_t x, int32_t y) const {
    for (int32_t c = 0; c < a.channels; ++c)
      dst.at(x, y, c) = difference(a.at(x, y, c), b.at(x, y, c));
  }
};

// -- Masks: what is set, then how it is written ---------------------------------------------------

template <class T>
struct Exceeds {
  Source<T> a;
  double limit;

  __device__ bool operator()(int32_t x, int32_t y) const { return double(a.at(x, y)) > limit; }
};

template <class T>
struct DifferenceExceeds {
  Source<T> a, b;
  double limit;

  __device__ bool operator()(int32_t x, int32_t y) const {
    return double(difference(a.at(x, y), b.at(x, y))) > limit;
  }
};

struct IsSet {
  SourceBits a;

  __device__ bool operator()(int32_t x, int32_t y) const { return a.at(x, y); }
};

struct IsNotZero {
  Source<uint8_t> a;

  __device__ bool operator()(int32_t x, int32_t y) const { return a.at(x, y) != 0; }
};

template <class Set>
struct MaskSamples {
  Set set;
  Result<uint8_t> dst;

  __device__ void operator()(int32_t x, int32_t y) const { dst.at(x, y) = set(x, y) ? 255 : 0; }
};

template <class Set>
struct MaskWords {
  Set set;
  ResultBits dst;

  /// Word `w` of row y; bits past the width stay 0.
  __device__ void operator()(int32_t w, int32_t y) const {
    const int32_t first = w * 64, count = min(64, dst.width - first);
    uint64_t word = 0;
    for (int32_t i = 0; i < count; ++i) word |= uint64_t(set(first + i, y)) << i;
    dst.row(y)[w] = word;
  }
};

template <class Set>
void write_mask(const PixelArgs& args, const Set& set, Call& call) {
  if (args.dst.type == PixelType::u8) {
    const auto dst = args.dst.as<uint8_t, Space::device>();
    cuda::for_each_pixel("pixel", dst.width, dst.height, MaskSamples<Set>{set, dst}, call);
  } else {
    const ResultBits dst = bits_of<Space::device>(args.dst);
    cuda::for_each_pixel("pixel", dst.words(), dst.height, MaskWords<Set>{set, dst}, call);
  }
}

// -- The histogram --------------------------------------------------------------------------------

using Count = unsigned long long;
static_assert(sizeof(Count) == sizeof(uint64_t));

constexpr int count_threads = 256;
constexpr int32_t count_blocks = 1024;

// Blocks take rows in turns. u8 is counted in shared memory first: 32 bits suffice, for a block
// sees less than 2^32 samples of any picture that memory holds.
template <class T>
__global__ void __launch_bounds__(count_threads) count(Source<T> src, Count* bins) {
  __shared__ uint32_t block_bins[sizeof(T) == 1 ? count_threads : 1];
  if constexpr (sizeof(T) == 1) {
    block_bins[threadIdx.x] = 0;
    __syncthreads();
  }
  for (int64_t y = blockIdx.x; y < src.height; y += gridDim.x) {
    const T* row = src.row(int32_t(y));
    for (int64_t x = threadIdx.x; x < src.width; x += count_threads) {
      if constexpr (sizeof(T) == 1)
        atomicAdd(&block_bins[row[x]], 1u);
      else
        atomicAdd(&bins[row[x]], Count(1));
    }
  }
  if constexpr (sizeof(T) == 1) {
    __syncthreads();
    if (const uint32_t counted = block_bins[threadIdx.x])
      atomicAdd(&bins[threadIdx.x], Count(counted));
  }
}

template <class T>
void histogram(const PixelArgs& args, Call& call) {
  const auto src = args.a.as<T, Space::device>();
  pixel_cuda::fill_bins<Count>(args, call, [&](Count* bins) {
    cuda::launch("pixel", count<T>, dim3(unsigned(std::min(src.height, count_blocks))),
                 dim3(count_threads), 0, cuda::stream_of(call), src, bins);
  });
}

// -- Which of them --------------------------------------------------------------------------------

template <class T>
Source<T> source(ConstAnyView view) {
  return view.as<T, Space::device>();
}

template <class Body>
void to_samples(const PixelArgs& args, const Body& body, Call& call) {
  cuda::for_each_pixel("pixel", args.dst.width, args.dst.height, body, call);
}

}  // namespace

void pixel_cuda::plain(const PixelArgs& args, Call& call) {
  switch (args.op) {
    case PixelOp::gray:
      return pixel_cuda::for_samples(args, [&](auto sample) {
        using T = decltype(sample);
        to_samples(args, Gray<T>{source<T>(args.a), args.dst.as<T, Space::device>(), args.order},
                   call);
      });
    case PixelOp::absdiff:
      return pixel_cuda::for_samples(args, [&](auto sample) {
        using T = decltype(sample);
        to_samples(
            args, AbsDiff<T>{source<T>(args.a), source<T>(args.b), args.dst.as<T, Space::device>()},
            call);
      });
    case PixelOp::threshold:
      return pixel_cuda::for_samples(args, [&](auto sample) {
        using T = decltype(sample);
        write_mask(args, Exceeds<T>{source<T>(args.a), args.limit}, call);
      });
    case PixelOp::absdiff_threshold:
      return pixel_cuda::for_integers(args, [&](auto sample) {
        using T = decltype(sample);
        write_mask(args, DifferenceExceeds<T>{source<T>(args.a), source<T>(args.b), args.limit},
                   call);
      });
    case PixelOp::histogram:
      return pixel_cuda::for_integers(
          args, [&](auto sample) { histogram<decltype(sample)>(args, call); });
    case PixelOp::pack: return write_mask(args, IsNotZero{source<uint8_t>(args.a)}, call);
    case PixelOp::unpack: return write_mask(args, IsSet{bits_of<Space::device>(args.a)}, call);
    case PixelOp::scale:
      return pixel_cuda::for_both_samples(args, [&](auto from, auto to) {
        using From = decltype(from);
        using To = decltype(to);
        to_samples(
            args,
            Scale<From, To>{source<From>(args.a), args.dst.as<To, Space::device>(), args.factor},
            call);
      });
    case PixelOp::keep_channels:
      return pixel_cuda::for_samples(args, [&](auto sample) {
        using T = decltype(sample);
        to_samples(args, KeepChannels<T>{source<T>(args.a), args.dst.as<T, Space::device>()}, call);
      });
  }
}

}  // namespace cuesta
