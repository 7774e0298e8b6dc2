// Strategy `vectors`: point operations in 16-byte vectors, up to 16 pixels a thread.
//
// A warp takes pixels side by side of one row, counted so that what it writes begins at a multiple
// of 16 bytes; what is before the first and after the last vector of a row goes pixel by pixel.
// Sources that are not aligned alike are read in words and shifted. Pictures whose rows follow each
// other without padding are one long row. Samples stay packed: four bytes a comparison, bits by one
// multiplication of four signs. The time goes with the bytes moved, but the histogram's.
#include "cuda/instructions.cuh"
#include "cuda/lane_rows.cuh"
#include "cuda/limits.hpp"
#include "ops/pixel/cuda.hpp"
#include "ops/pixel/device.cuh"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {
namespace {

constexpr int block_threads = 256;

/// Samples as the kernels see them: rows of `samples`, counted with their channels.
struct Plane {
  char* data;
  ptrdiff_t stride;
  const char* limit;  // nothing of the picture is from here on

  __device__ char* row(int64_t y) const { return data + y * stride; }
  template <class T>
  __device__ T* samples(int64_t y) const {
    return reinterpret_cast<T*>(row(y));
  }
};
struct Shape {
  int64_t width, height;
};

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

/// What is written: 16 bytes a thread.
template <class T>
struct ToSamples {
  static constexpr int pixels = 16 / sizeof(T);
  Plane dst;

  __device__ int before(int64_t y) const {
    return int(reinterpret_cast<uintptr_t>(dst.row(y)) % 16 / sizeof(T));
  }
  __device__ void store(int64_t x, int64_t y, uint4 v) const {
    *reinterpret_cast<uint4*>(dst.samples<T>(y) + x) = v;
  }
};

template <class T>
__device__ T difference(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return fabsf(a - b);
  else
    return T(a > b ? a - b : b - a);
}
/// Of every sample of a word.
template <class T>
__device__ uint32_t differences(uint32_t a, uint32_t b) {
  if constexpr (std::is_floating_point_v<T>)
    return __float_as_uint(fabsf(__uint_as_float(a) - __uint_as_float(b)));
  else if constexpr (sizeof(T) == 1)
    return __vabsdiffu4(a, b);
  else
    return __vmaxu2(a, b) - __vminu2(a, b);
}

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

// -- Masks: what is set, then how it is written ---------------------------------------------------

/// Samples above a limit: of integers those whose sum with `complement` carries.
template <class T>
struct Above {
  uint32_t complement, all;  // in every sample; all: whatever the sample

  static Above of(double limit) {
    const int32_t most = pixel::limit_of<T>(limit);  // −1 .. 65,536
    constexpr uint32_t one = sizeof(T) == 1 ? 0x01010101u : 0x00010001u;
    constexpr int32_t largest = std::numeric_limits<T>::max();
    if (most < 0) return {0, ~0u};
    return {most >= largest ? 0 : uint32_t(largest - most) * one, 0};
  }
  /// Every sample's highest bit.
  __device__ uint32_t signs(uint32_t v) const {
    constexpr uint32_t rest = sizeof(T) == 1 ? 0x7F7F7F7Fu : 0x7FFF7FFFu;
    const uint32_t sum = (v & rest) + (complement & rest);
    return (v & complement) | ((v | complement) & sum);
  }
  __device__ bool one(T v) const {
    return all || v + (complement & std::numeric_limits<T>::max()) > std::numeric_limits<T>::max();
  }
};
template <>
struct Above<float> {
  float limit;
  static Above of(double limit) { return {pixel::limit_of<float>(limit)}; }
  __device__ bool one(float v) const { return v > limit; }
};

template <class T>
struct Samples {
  using Sample = T;
  Plane a;
  Above<T> above;

  template <int Words>
  __device__ void load(int64_t x, int64_t y, uint32_t (&v)[Words]) const {
    cuda::load_bytes(a.row(y) + x * int64_t(sizeof(T)), a.limit, v);
  }
  __device__ bool one(int64_t x, int64_t y) const { return above.one(a.samples<const T>(y)[x]); }
};
template <class T>
struct Differences {
  using Sample = T;
  Plane a, b;
  Above<T> above;

  template <int Words>
  __device__ void load(int64_t x, int64_t y, uint32_t (&v)[Words]) const {
    uint32_t w[Words];
    cuda::load_bytes(a.row(y) + x * int64_t(sizeof(T)), a.limit, v);
    cuda::load_bytes(b.row(y) + x * int64_t(sizeof(T)), b.limit, w);
#pragma unroll
    for (int i = 0; i < Words; ++i) v[i] = differences<T>(v[i], w[i]);
  }
  __device__ bool one(int64_t x, int64_t y) const {
    return above.one(difference(a.samples<const T>(y)[x], b.samples<const T>(y)[x]));
  }
};

template <class Set>
struct MaskBytes : ToSamples<uint8_t> {
  Set set;

  __device__ void many(int64_t x, int64_t y) const {
    using T = typename Set::Sample;
    constexpr int size = sizeof(T);
    uint32_t v[4 * size], out[4];
    set.load(x, y, v);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (size == 1) {
        out[i] = cuda::permute_bytes<0xBA98>(set.above.signs(v[i]), 0) | set.above.all;
      } else if constexpr (size == 2) {
        out[i] =
            cuda::permute_bytes<0xFDB9>(set.above.signs(v[2 * i]), set.above.signs(v[2 * i + 1])) |
            set.above.all;
      } else {
        out[i] = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k)
          if (set.above.one(__uint_as_float(v[4 * i + k]))) out[i] |= 0xFFu << 8 * k;
      }
    }
    store(x, y, {out[0], out[1], out[2], out[3]});
  }
  __device__ void one(int64_t x, int64_t y) const {
    dst.samples<uint8_t>(y)[x] = set.one(x, y) ? 255 : 0;
  }
};

/// 16 bits a thread, to the end of the row's last word; those past the width are 0.
template <class Set>
struct MaskBits {
  using T = typename Set::Sample;
  static constexpr int size = sizeof(T), pixels = 16;
  Set set;
  Plane dst;
  int64_t width;

  __device__ int before(int64_t) const { return 0; }
  __device__ void many(int64_t x, int64_t y) const {
    uint32_t bits = 0;
    if (x + pixels <= width) {
      constexpr int words = pixels * size / 4;
      uint32_t v[words];
      set.load(x, y, v);
#pragma unroll
      for (int i = words - 1; i >= 0; --i) {
        if constexpr (size == 4) {
          bits |= uint32_t(set.above.one(__uint_as_float(v[i]))) << i;
        } else {
          // The product brings the signs, in order, to its top.
          constexpr uint32_t all = size == 1 ? 0x80808080u : 0x80008000u;
          constexpr uint32_t gather = size == 1 ? 0x00204081u : 0x00008001u;
          const uint32_t signs = (set.above.signs(v[i]) | set.above.all) & all;
          bits = __funnelshift_l(signs * gather, bits, 4 / size);
        }
      }
    } else {
      for (int i = 0; i < pixels; ++i)
        if (x + i < width) bits |= uint32_t(set.one(x + i, y)) << i;
    }
    dst.samples<uint16_t>(y)[x / pixels] = uint16_t(bits);
  }
  __device__ void one(int64_t, int64_t) const {}  // rows end with a word
};

struct Unpack : ToSamples<uint8_t> {
  Plane a;

  __device__ void many(int64_t x, int64_t y) const {
    const auto* words = a.samples<const uint32_t>(y) + x / 32;
    const int begin = int(x % 32);
    const uint32_t bits = __funnelshift_r(__ldg(words), begin > 16 ? __ldg(words + 1) : 0, begin);
    uint32_t out[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)  // bit k of four to byte k
      out[i] = ((bits >> 4 * i & 15) * 0x00204081u & 0x01010101u) * 255;
    store(x, y, {out[0], out[1], out[2], out[3]});
  }
  __device__ void one(int64_t x, int64_t y) const {
    dst.samples<uint8_t>(y)[x] = a.samples<const uint32_t>(y)[x / 32] >> x % 32 & 1 ? 255 : 0;
  }
};

// -- The histogram --------------------------------------------------------------------------------
//
// A counter for each lane, side by side, so that lanes of a warp never meet in a bank whatever the
// picture; warps of the block share them.
using Count = unsigned long long;
constexpr int count_threads = 1024, count_pixels = 16;

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
  Weights weights{2 * pixel::red, 2 * pixel::blue};
  if (args.order == ColorOrder::bgr) std::swap(weights.first, weights.third);
  const ToSamples<T> to{plane_of(args.dst)};
  if (args.a.channels == 3)
    launch(Gray<T, 3>{to, plane_of(args.a), weights}, shape, call);
  else
    launch(Gray<T, 4>{to, plane_of(args.a), weights}, shape, call);
}

void copy_samples(const PixelArgs& args, Call& call) {
  cuda::check(
      cudaMemcpy2DAsync(args.dst.data, size_t(args.dst.stride_bytes), args.a.data,
                        size_t(args.a.stride_bytes), size_t(row_bytes(args.a)),
                        size_t(args.a.height), cudaMemcpyDeviceToDevice, cuda::stream_of(call)),
      "pixel: copying a picture of one channel");
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

void histogram(const PixelArgs& args, Call& call) {
  const Shape shape = shape_of(args.a.width, args.a.height, {args.a});
  const uint32_t warps = warps_a_row(shape.width, count_pixels);
  const int64_t blocks =
      std::min<int64_t>(2 * cuda::multiprocessors(),
                        covering(shape.height * warps, count_threads / cuda::warp_lanes));
  pixel_cuda::fill_bins<Count>(args, call, [&](Count* bins) {
    cuda::launch("pixel", count_bytes, dim3(unsigned(blocks)), dim3(count_threads), 0,
                 cuda::stream_of(call), plane_of(args.a), shape, warps, bins);
  });
}

}  // namespace

void pixel_cuda::vectors(const PixelArgs& args, Call& call) {
  switch (args.op) {
    case PixelOp::gray:
      if (args.a.channels == 1) return copy_samples(args, call);
      return pixel_cuda::for_integers(args,
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
