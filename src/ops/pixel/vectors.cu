// Strategy `vectors`: point operations in 16-byte vectors, up to 16 pixels a thread.
//
// A warp takes pixels side by side of one row, counted so that what it writes begins at a multiple
// of 16 bytes; what is before the first and after the last vector of a row goes pixel by pixel.
// Sources that are not aligned alike are read in words and shifted. Pictures whose rows follow each
// other without padding are one long row. Samples stay packed: four bytes a comparison, bits by one
// multiplication of four signs. The time goes with the bytes moved, but the histogram's.
#include "cuda/cached_bins.cuh"
#include "cuda/copy_rows.cuh"
#include "cuda/instructions.cuh"
#include "cuda/lane_rows.cuh"
#include "cuda/limits.hpp"
#include "ops/pixel/cuda.hpp"
#include "ops/pixel/device.cuh"
#include "ops/pixel/vector_masks.cuh"
#include "ops/pixel/vector_samples.cuh"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

using namespace pixel_cuda;

constexpr int block_threads = 256;

/// A thread takes Op::pixels of them at once. Op: before(y), how many pixels the first thread of
/// row y begins before it; many(x, y) for those from x on, one(x, y) for one.
template <class Op>
__global__ void __launch_bounds__(block_threads)
    pixel_vectors(const __grid_constant__ Op op, Shape shape, uint32_t warps_a_row) {
  const int64_t warp = (int64_t(blockIdx.x) * block_threads + threadIdx.x) / cuda::warp_lanes;
  const int64_t y = warp / warps_a_row;
  if (y >= shape.height) return;
  const int64_t number =
      (warp - y * warps_a_row) * cuda::warp_lanes + threadIdx.x % cuda::warp_lanes;
  const int64_t x = number * Op::pixels - op.before(y);
  if (x >= 0 && x + Op::pixels <= shape.width) return op.many(x, y);
  for (int i = 0; i < Op::pixels; ++i)
    if (x + i >= 0 && x + i < shape.width) op.one(x + i, y);
}

// -- Samples --------------------------------------------------------------------------------------

template <class T>
struct AbsDiff : ToSamples<T> {
  Plane a, b;

  __device__ void many(int64_t x, int64_t y) const {
    uint32_t v[4], w[4];
    cuda::load_bytes(a.row(y) + x * int64_t(sizeof(T)), a.limit, v);
    cuda::load_bytes(b.row(y) + x * int64_t(sizeof(T)), b.limit, w);
    this->store(x, y,
                {differences<T>(v[0], w[0]), differences<T>(v[1], w[1]), differences<T>(v[2], w[2]),
                 differences<T>(v[3], w[3])});
  }
  __device__ void one(int64_t x, int64_t y) const {
    this->dst.template samples<T>(y)[x] =
        difference(a.samples<const T>(y)[x], b.samples<const T>(y)[x]);
  }
};

/// The weights of a pixel's first and third sample, of the second, doubled: results are then whole
/// bytes or half words of the sum.
struct Weights {
  uint32_t first, third;
  static constexpr uint32_t second = 2 * pixel::green, half = 1u << 15;
};

template <class T, int Channels>
struct Gray : ToSamples<T> {
  Plane a;
  Weights weights;

  static constexpr int words = Channels * 4;  // of 16 bytes of results
  __device__ void many(int64_t x, int64_t y) const {
    uint32_t v[words], out[4];
    cuda::load_bytes(a.row(y) + x * int64_t(Channels * sizeof(T)), a.limit, v);
#pragma unroll
    for (int i = 0; i < 4; ++i) out[i] = word(&v[Channels * i]);
    this->store(x, y, {out[0], out[1], out[2], out[3]});
  }
  __device__ void one(int64_t x, int64_t y) const {
    const T* from = a.samples<const T>(y) + x * Channels;
    const uint32_t sum = weights.first * from[0] + Weights::second * from[1] +
                         weights.third * from[2] + Weights::half;
    this->dst.template samples<T>(y)[x] = T(sum >> 16);
  }

 private:
  /// A word of results from the `Channels` words of its pixels.
  __device__ uint32_t word(const uint32_t* v) const {
    const uint32_t f = weights.first, t = weights.third, s = Weights::second;
    uint32_t sums[4 / sizeof(T)];
    if constexpr (sizeof(T) == 2) {
      const auto sample = [&](int i) { return i % 2 ? v[i / 2] >> 16 : v[i / 2] & 0xFFFF; };
#pragma unroll
      for (int i = 0; i < 2; ++i)
        sums[i] = f * sample(Channels * i) + s * sample(Channels * i + 1) +
                  t * sample(Channels * i + 2) + Weights::half;
      return __byte_perm(sums[0], sums[1], 0x7632);
    } else {
      // Two bytes of a word, whichever half, times two weights an instruction.
      if constexpr (Channels == 4) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
          sums[i] = __dp2a_hi(t, v[i], __dp2a_lo(f | s << 16, v[i], Weights::half));
      } else {
        sums[0] = __dp2a_hi(t, v[0], __dp2a_lo(f | s << 16, v[0], Weights::half));
        sums[1] = __dp2a_lo(s | t << 16, v[1], __dp2a_hi(f << 16, v[0], Weights::half));
        sums[2] = __dp2a_lo(t, v[2], __dp2a_hi(f | s << 16, v[1], Weights::half));
        sums[3] = __dp2a_hi(s | t << 16, v[2], __dp2a_lo(f << 16, v[2], Weights::half));
      }
      return __byte_perm(__byte_perm(sums[0], sums[1], 0x0062),
                         __byte_perm(sums[2], sums[3], 0x0062), 0x5410);
    }
  }
};

/// f32 pixels of three channels, or of a fourth that does not count.
template <int Channels>
struct FloatGray : ToSamples<float> {
  Plane a;
  bool bgr;

  __device__ void many(int64_t x, int64_t y) const {
    uint32_t v[4 * Channels], out[4];
    cuda::load_bytes(a.row(y) + x * int64_t(Channels * sizeof(float)), a.limit, v);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const uint32_t* from = &v[Channels * i];
      out[i] = __float_as_uint(
          of(__uint_as_float(from[0]), __uint_as_float(from[1]), __uint_as_float(from[2])));
    }
    store(x, y, {out[0], out[1], out[2], out[3]});
  }
  __device__ void one(int64_t x, int64_t y) const {
    const float* from = a.samples<const float>(y) + x * Channels;
    dst.samples<float>(y)[x] = of(from[0], from[1], from[2]);
  }

 private:
  __device__ float of(float first, float second, float third) const {
    return bgr ? pixel::gray(third, second, first) : pixel::gray(first, second, third);
  }
};

/// The first of two channels, which is the pixel's gray, or an f32 sample that is gray.
template <class T, int Channels>
struct FirstChannel : ToSamples<T> {
  Plane a;

  __device__ void many(int64_t x, int64_t y) const {
    uint32_t v[4 * Channels], out[4];
    cuda::load_bytes(a.row(y) + x * int64_t(Channels * sizeof(T)), a.limit, v);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (sizeof(T) == 4)
        out[i] = __float_as_uint(pixel::gray(__uint_as_float(v[Channels * i])));
      else
        out[i] = __byte_perm(v[2 * i], v[2 * i + 1], sizeof(T) == 2 ? 0x5410 : 0x6420);
    }
    this->store(x, y, {out[0], out[1], out[2], out[3]});
  }
  __device__ void one(int64_t x, int64_t y) const {
    this->dst.template samples<T>(y)[x] = pixel::gray(a.samples<const T>(y)[x * Channels]);
  }
};

/// value = sample * factor: to integers rounded half up and clipped, to floats as it is.
template <class From, class To>
struct Scaled : ToSamples<To> {
  Plane a;
  double factor;

  __device__ void many(int64_t x, int64_t y) const {
    constexpr int results = 16 / int(sizeof(To)), words = results * int(sizeof(From)) / 4;
    uint32_t v[words], out[4] = {};
    if constexpr (words % 4 == 0) {
      cuda::load_bytes(a.row(y) + x * int64_t(sizeof(From)), a.limit, v);
    } else {  // to wider samples: few are read
#pragma unroll
      for (int i = 0; i < words; ++i) v[i] = 0;
#pragma unroll
      for (int i = 0; i < results; ++i) put(v, i, a.samples<const From>(y)[x + i]);
    }
#pragma unroll
    for (int i = 0; i < results; ++i) {
      if constexpr (sizeof(To) == 4) {
        out[i] = __float_as_uint(pixel::scaled<float>(sample(v, i), factor));
      } else {
        constexpr int in_word = 4 / int(sizeof(To));
        out[i / in_word] |= uint32_t(pixel::scaled<To>(sample(v, i), factor))
                            << 8 * int(sizeof(To)) * (i % in_word);
      }
    }
    this->store(x, y, {out[0], out[1], out[2], out[3]});
  }
  __device__ void one(int64_t x, int64_t y) const {
    this->dst.template samples<To>(y)[x] = pixel::scaled<To>(a.samples<const From>(y)[x], factor);
  }

 private:
  template <int Words>
  __device__ static void put(uint32_t (&v)[Words], int i, From value) {
    constexpr int in_word = 4 / int(sizeof(From));
    v[i / in_word] |= uint32_t(value) << 8 * int(sizeof(From)) * (i % in_word);
  }
  template <int Words>
  __device__ static From sample(const uint32_t (&v)[Words], int i) {
    if constexpr (sizeof(From) == 4)
      return __uint_as_float(v[i]);
    else if constexpr (sizeof(From) == 2)
      return From(v[i / 2] >> 16 * (i % 2));
    else
      return From(v[i / 4] >> 8 * (i % 4));
  }
};

// -- The histogram --------------------------------------------------------------------------------
//
// A counter for each lane, side by side, so that lanes of a warp never meet in a bank whatever the
// picture; warps of the block share them.
constexpr int count_threads = 1024, count_pixels = 16;

template <class Count>
__global__ void __launch_bounds__(count_threads, 2)
    count_bytes(Plane a, Shape shape, uint32_t warps_a_row, Count* bins) {
  __shared__ uint32_t counters[256 * cuda::warp_lanes];
  const uint32_t lane = threadIdx.x % cuda::warp_lanes;
  for (int i = threadIdx.x; i < 256 * cuda::warp_lanes; i += count_threads) counters[i] = 0;
  __syncthreads();
  const auto count = [&](uint32_t value) {
    atomicAdd(&counters[value * cuda::warp_lanes + lane], 1u);
  };
  const int64_t warps = int64_t(gridDim.x) * count_threads / cuda::warp_lanes;
  for (int64_t warp = (int64_t(blockIdx.x) * count_threads + threadIdx.x) / cuda::warp_lanes;
       warp < shape.height * warps_a_row; warp += warps) {
    const int64_t y = warp / warps_a_row;
    const int64_t x = ((warp - y * warps_a_row) * cuda::warp_lanes + lane) * count_pixels;
    if (x + count_pixels <= shape.width) {
      uint32_t v[4];
      cuda::load_bytes(a.row(y) + x, a.limit, v);
#pragma unroll
      for (int i = 0; i < 16; ++i) count(v[i / 4] >> 8 * (i % 4) & 255);
    } else {
      for (int64_t i = x; i < shape.width; ++i) count(uint8_t(a.row(y)[i]));
    }
  }
  __syncthreads();
  if (threadIdx.x >= 256) return;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < cuda::warp_lanes; ++i)
    sum += counters[threadIdx.x * cuda::warp_lanes + (i + threadIdx.x) % cuda::warp_lanes];
  if (sum != 0) atomicAdd(&bins[threadIdx.x], Count(sum));
}

// Of u16; samples that are equal in a whole warp count once.
constexpr int word_pixels = 8;
using WordBins = cuda::CachedBins<16384>;

template <class Count>
__global__ void __launch_bounds__(count_threads)
    count_words(Plane a, Shape shape, uint32_t warps_a_row, Count* bins) {
  CUESTA_DYNAMIC_SHARED(uint32_t, memory);
  const WordBins near{memory};
  near.clear();
  __syncthreads();
  const uint32_t lane = threadIdx.x % cuda::warp_lanes;
  const int64_t warps = int64_t(gridDim.x) * count_threads / cuda::warp_lanes;
  for (int64_t warp = (int64_t(blockIdx.x) * count_threads + threadIdx.x) / cuda::warp_lanes;
       warp < shape.height * warps_a_row; warp += warps) {
    const int64_t y = warp / warps_a_row;
    const int64_t first = (warp - y * warps_a_row) * cuda::warp_lanes * word_pixels;
    const int64_t x = first + lane * word_pixels;
    if (first + cuda::warp_lanes * word_pixels <= shape.width) {
      uint32_t v[4];
      cuda::load_bytes(a.row(y) + 2 * x, a.limit, v);
#pragma unroll
      for (int i = 0; i < word_pixels; ++i) {
        const uint32_t value = v[i / 2] >> 16 * (i % 2) & 65535;
        if (!__all_sync(~0u, value == __shfl_sync(~0u, value, 0)))
          near.add(value, 1, bins);
        else if (lane == 0)
          near.add(value, cuda::warp_lanes, bins);
      }
    } else {
      const auto* row = reinterpret_cast<const uint16_t*>(a.row(y));
      for (int64_t i = x; i < shape.width && i < x + word_pixels; ++i) near.add(row[i], 1, bins);
    }
  }
  __syncthreads();
  near.flush(bins);
}

// -- Which of them --------------------------------------------------------------------------------

int64_t row_bytes(ConstAnyView view) {
  return view.type == PixelType::bit
             ? int64_t((view.width + 63) / 64) * 8
             : int64_t(view.width) * view.channels * bytes_per_sample(view.type);
}
Plane plane_of(ConstAnyView view) {
  auto* data = static_cast<char*>(const_cast<void*>(view.data));
  return {data, view.stride_bytes, data + (view.height - 1) * view.stride_bytes + row_bytes(view)};
}

/// The rows to go over; one where no picture pads its own.
Shape shape_of(int64_t width, int64_t height, std::initializer_list<ConstAnyView> pictures) {
  for (const ConstAnyView& p : pictures) {
    const bool padded = p.type == PixelType::bit && p.width % 64 != 0;
    if (padded || p.stride_bytes != row_bytes(p)) return {width, height};
  }
  return {width * height, 1};
}

constexpr int64_t covering(int64_t n, int64_t size) { return (n + size - 1) / size; }

/// Warps that cover a row whose first begins before it.
constexpr uint32_t warps_a_row(int64_t width, int pixels) {
  return uint32_t(covering(width + pixels - 1, int64_t(pixels) * cuda::warp_lanes));
}

template <class Op>
void launch(const Op& op, const Shape& shape, Call& call) {
  const uint32_t warps = warps_a_row(shape.width, Op::pixels);
  const int64_t blocks = covering(shape.height * warps, block_threads / cuda::warp_lanes);
  cuda::launch("pixel", pixel_vectors<Op>, dim3(unsigned(blocks)), dim3(block_threads), 0,
               cuda::stream_of(call), op, shape, warps);
}

template <class T>
void gray(const PixelArgs& args, Call& call) {
  const Shape shape = shape_of(args.dst.width, args.dst.height, {args.a, args.dst});
  const ToSamples<T> to{plane_of(args.dst)};
  const Plane from = plane_of(args.a);
  const bool bgr = args.order == ColorOrder::bgr;
  if (args.a.channels == 2) return launch(FirstChannel<T, 2>{to, from}, shape, call);
  if constexpr (std::is_floating_point_v<T>) {
    switch (args.a.channels) {
      case 1: return launch(FirstChannel<T, 1>{to, from}, shape, call);
      case 3: return launch(FloatGray<3>{to, from, bgr}, shape, call);
      default: return launch(FloatGray<4>{to, from, bgr}, shape, call);
    }
  } else {
    if (args.a.channels == 1) return cuda::copy_rows("pixel", args.a, args.dst, call);
    Weights weights{2 * pixel::red, 2 * pixel::blue};
    if (bgr) std::swap(weights.first, weights.third);
    if (args.a.channels == 3)
      launch(Gray<T, 3>{to, from, weights}, shape, call);
    else
      launch(Gray<T, 4>{to, from, weights}, shape, call);
  }
}

template <class T>
void absdiff(const PixelArgs& args, Call& call) {
  const Shape shape =
      shape_of(int64_t(args.a.width) * args.a.channels, args.a.height, {args.a, args.b, args.dst});
  launch(AbsDiff<T>{{plane_of(args.dst)}, plane_of(args.a), plane_of(args.b)}, shape, call);
}

template <class From, class To>
void scale(const PixelArgs& args, Call& call) {
  const Shape shape =
      shape_of(int64_t(args.a.width) * args.a.channels, args.a.height, {args.a, args.dst});
  launch(Scaled<From, To>{{plane_of(args.dst)}, plane_of(args.a), args.factor}, shape, call);
}

template <class Set>
void write_mask(const PixelArgs& args, const Set& set, Call& call) {
  const ConstAnyView b = args.b ? args.b : args.a;
  Shape shape = shape_of(args.dst.width, args.dst.height, {args.a, b, args.dst});
  if (args.dst.type == PixelType::u8)
    return launch(MaskBytes<Set>{{plane_of(args.dst)}, set}, shape, call);
  const int64_t width = shape.width;
  shape.width = covering(width, 64) * 64;
  launch(MaskBits<Set>{set, plane_of(args.dst), width}, shape, call);
}

template <class Count>
void histogram_in(const PixelArgs& args, Call& call) {
  const bool bytes = args.a.type == PixelType::u8;
  const Shape shape = shape_of(args.a.width, args.a.height, {args.a});
  const uint32_t warps = warps_a_row(shape.width, bytes ? count_pixels : word_pixels);
  const int64_t blocks =
      std::min<int64_t>((bytes ? 2 : 1) * cuda::multiprocessors(),
                        covering(shape.height * warps, count_threads / cuda::warp_lanes));
  const size_t shared = bytes ? 0 : WordBins::bytes;
  const auto kernel = bytes ? count_bytes<Count> : count_words<Count>;
  cuda::allow_shared(kernel, shared, "pixel");
  pixel_cuda::fill_bins<Count>(args, call, [&](Count* bins) {
    cuda::launch("pixel", kernel, dim3(unsigned(blocks)), dim3(count_threads), shared,
                 cuda::stream_of(call), plane_of(args.a), shape, warps, bins);
  });
}
// 65,536 counters of 32 bits are half as long on their way.
void histogram(const PixelArgs& args, Call& call) {
  const uint64_t pixels = uint64_t(args.a.width) * uint64_t(args.a.height);
  pixels <= UINT32_MAX ? histogram_in<uint32_t>(args, call)
                       : histogram_in<unsigned long long>(args, call);
}

}  // namespace

void pixel_cuda::vectors(const PixelArgs& args, Call& call) {
  switch (args.op) {
    case PixelOp::gray:
      return pixel_cuda::for_samples(args,
                                     [&](auto sample) { gray<decltype(sample)>(args, call); });
    case PixelOp::absdiff:
      return pixel_cuda::for_samples(args,
                                     [&](auto sample) { absdiff<decltype(sample)>(args, call); });
    case PixelOp::threshold:
      return pixel_cuda::for_samples(args, [&](auto sample) {
        using T = decltype(sample);
        write_mask(args, Samples<T>{plane_of(args.a), Above<T>::of(args.limit)}, call);
      });
    case PixelOp::absdiff_threshold:
      return pixel_cuda::for_integers(args, [&](auto sample) {
        using T = decltype(sample);
        write_mask(args,
                   Differences<T>{plane_of(args.a), plane_of(args.b), Above<T>::of(args.limit)},
                   call);
      });
    case PixelOp::histogram: return histogram(args, call);
    case PixelOp::pack:
      return write_mask(args, Samples<uint8_t>{plane_of(args.a), Above<uint8_t>::of(0)}, call);
    case PixelOp::unpack:
      return launch(Unpack{{plane_of(args.dst)}, plane_of(args.a)},
                    shape_of(args.dst.width, args.dst.height, {args.a, args.dst}), call);
    case PixelOp::scale:
      return pixel_cuda::for_both_samples(
          args, [&](auto from, auto to) { scale<decltype(from), decltype(to)>(args, call); });
    case PixelOp::keep_channels: break;  // refused
  }
}

}  // namespace cuesta
