// The production gradient and suppression of what the marches do not take: floats, given gradients,
// of u16 and three channels other apertures and masks, and all strengths. Source, smoothed
// where that is requested, to two masks of a bit a pixel in one kernel, a tile a block; or to
// strengths.
//
// From device memory: the source's bytes and the apron that tiles read twice, mostly from the
// caches, and 1/4 byte written a pixel, or a strength.
#include "ops/canny/channels.hpp"
#include "ops/canny/cuda/chunks.hpp"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/fractions.hpp"
#include "ops/canny/strength.hpp"
#include "ops/canny/suppression.hpp"
#include "ops/shared/window_gradient.cuh"

namespace cuesta::canny_cuda {
namespace {

constexpr int32_t tile_columns = 32;  // a word of a mask
constexpr int32_t tile_rows = 16;
constexpr int32_t tile_threads = 128;

using gradient::Sum;
/// Of u8 32 bits hold a magnitude: below 2^29, the structure tensor's below 2^31.
template <class T>
using MagnitudeOf =
    std::conditional_t<std::is_same_v<T, uint8_t>, int32_t, canny_channels::Magnitude<Sum<T>>>;

template <class T, int K>
using StrengthOf = std::conditional_t<std::is_same_v<T, uint8_t> && K != 7, uint16_t, float>;

template <class T>
struct TileJob {
  DeviceBatch<const T> src;         // or gx
  DeviceBatch<const T> gy;          // no data: of a picture
  ptrdiff_t plane;                  // bytes from a channel to the next; 0: side by side
  DeviceBatch<const uint8_t> mask;  // no data: everywhere
  Norm norm;
  ColorGradient color;
  BasicCannyLimits<MagnitudeOf<T>> limits;
  const FoundLimits* found;  // instead: on the device, of each picture
  Masks masks;
  DeviceBatch<float> strengths;  // instead of masks; in rows of StrengthOf
  bool by_length;                // canny_thins_by_length(): of f32 pictures alone

  __device__ BasicCannyLimits<MagnitudeOf<T>> limits_here() const {
    return found ? found[blockIdx.z].template in<MagnitudeOf<T>>() : limits;
  }
};

// ---- a pixel

/// Of aperture 7; floats are not divided.
__device__ inline float scaled(float g) { return g; }
__device__ inline int32_t scaled(int32_t g) { return sixteenth(g); }

/// sobel()'s sums around a sample of a tile's rows, whose window begins at `first`; `next` samples
/// further is the one below.
template <int K, class T>
__device__ gradient::Gradient<Sum<T>> gradient_at(const T* first, int32_t next) {
  const auto g =
      cuda::window_gradient<K, Sum<T>>([&](int i, int j) { return first[j * next + i]; });
  if constexpr (K == 7) return {scaled(g.x), scaled(g.y)};
  return g;
}

/// The direction of a gradient; of u8 its products with the factors fit 32 bits.
template <class T>
__device__ uint8_t octant_of(const gradient::Gradient<Sum<T>>& g) {
  if constexpr (std::is_same_v<T, uint8_t>)
    return gradient::octant<int32_t>(g.x, g.y);
  else
    return canny_octant(g.x, g.y);
}

// ---- the kernel

/// A thread of a block that makes a tile. K is the aperture, or 0 of given
/// gradients. Every phase is called by the whole block, barriers between them.
template <class T, int K, int Channels>
struct FrontThread {
  using M = MagnitudeOf<T>;
  static constexpr int32_t apron = K / 2 + 1, columns = tile_columns + 2 * apron,
                           rows = tile_rows + 2 * apron;
  static constexpr int32_t wide = tile_columns + 2, high = tile_rows + 2;  // with neighbours
  using Samples = T[Channels][K == 0 ? 1 : rows * columns];
  using Magnitudes = M[high][wide];
  using Octants = uint8_t[tile_rows][tile_columns];

  const TileJob<T>& job;
  const DeviceImage<const T>& src;
  const DeviceImage<const T>& given_gy;
  const DeviceImage<const uint8_t>& mask;
  Samples& samples;
  Magnitudes& magnitudes;
  Octants& octants;
  int32_t thread;
  BasicCannyLimits<M> limits;

  /// The tile's samples and their apron, the picture's outermost ones repeated.
  __device__ __forceinline__ void load(int32_t left, int32_t top) const {
    for (int32_t i = thread; K != 0 && i < rows * columns; i += tile_threads) {
      const int32_t x = min(max(left - apron + i % columns, 0), src.width - 1);
      const int32_t y = min(max(top - apron + i / columns, 0), src.height - 1);
      const T* const row = src.row(y);
#pragma unroll
      for (int c = 0; c < Channels; ++c) {
        samples[c][i] = job.plane == 0
                            ? row[ptrdiff_t(x) * Channels + c]
                            : *reinterpret_cast<const T*>(reinterpret_cast<const char*>(row + x) +
                                                          c * job.plane);
      }
    }
  }
  /// Magnitudes of the tile and its neighbours, and directions where a pixel of the tile may be a
  /// candidate.
  __device__ __forceinline__ void measure(int32_t left, int32_t top) const {
    for (int32_t i = thread; i < high * wide; i += tile_threads) {
      const int32_t column = i % wide, row = i / wide;
      const int32_t x = left - 1 + column, y = top - 1 + row;
      M magnitude = 0;
      if (x >= 0 && y >= 0 && x < src.width && y < src.height &&
          (!mask.data || mask.at(x, y) != 0)) {
        gradient::Gradient<Sum<T>> of[Channels];
#pragma unroll
        for (int c = 0; c < Channels; ++c) {
          if constexpr (K == 0)
            of[c] = {src.at(x, y, c), given_gy.at(x, y, c)};
          else
            of[c] = gradient_at<K>(samples[c] + row * columns + column, columns);
        }
        const Norm norm = by_length() ? Norm::l2 : job.norm;
        const auto found = canny_channels::measure<Sum<T>, M>(of, Channels, norm, job.color);
        magnitude = found.magnitude;
        if (magnitude > limits.low && row > 0 && row <= tile_rows && column > 0 &&
            column <= tile_columns)
          octants[row - 1][column - 1] = octant_of<T>(found.gradient);
      }
      magnitudes[row][column] = magnitude;
    }
  }
  /// What limits are compared with at a pixel of the tile, and its direction.
  struct Size {
    M size;
    uint8_t octant;
  };
  /// Thinned by length, a pixel is measured again.
  __device__ __forceinline__ Size size_of(int32_t row, int32_t column) const {
    const M m = magnitudes[row + 1][column + 1];
    if constexpr (has_lengths) {
      if (job.by_length && m > 0) {
        gradient::Gradient<Sum<T>> of[Channels];
#pragma unroll
        for (int c = 0; c < Channels; ++c)
          of[c] = gradient_at<K>(samples[c] + (row + 1) * columns + column + 1, columns);
        const auto g = canny_channels::measure<Sum<T>, M>(of, Channels, Norm::l2, job.color);
        return {canny_sum_of(m, g.gradient.x, g.gradient.y), octant_of<T>(g.gradient)};
      }
    }
    return {m, octants[row][column]};
  }
  /// Whether a pixel of the tile is a maximum above the low limit. 0 is no maximum, and where the
  /// picture or the mask ends nothing else was set.
  __device__ __forceinline__ bool is_candidate(const Size& own, int32_t row, int32_t column) const {
    return own.size > 0 && own.size > limits.low &&
           canny_is_maximum(own.octant, [&](int32_t dx, int32_t dy) {
             return magnitudes[row + 1 + dy][column + 1 + dx];
           });
  }

 private:
  /// Whether pictures may be thinned by length.
  static constexpr bool has_lengths = std::is_same_v<T, float> && K != 0;
  __device__ __forceinline__ bool by_length() const { return has_lengths && job.by_length; }
};

/// The strength of a maximum of this magnitude, or 0.
template <class T, int K>
__device__ void put_strength(const TileJob<T>& job, const DeviceImage<float>& to, int32_t x,
                             int32_t y, MagnitudeOf<T> magnitude) {
  using Strength = StrengthOf<T, K>;
  reinterpret_cast<Strength*>(to.row(y))[x] =
      Strength(canny_strength(canny_channels::Magnitude<Sum<T>>(magnitude), job.norm, K == 7));
}

template <class T, int K, int Channels>
__global__ void __launch_bounds__(tile_threads) tile_front(const __grid_constant__ TileJob<T> job) {
  using Thread = FrontThread<T, K, Channels>;
  __shared__ typename Thread::Samples samples;
  __shared__ typename Thread::Magnitudes magnitudes;
  __shared__ typename Thread::Octants octants;
  const auto src = job.src.here(), given_gy = job.gy.here();
  const auto mask = job.mask.here();
  const auto strengths = job.strengths.here();
  const Masks masks = job.masks.picture(blockIdx.z);
  const int32_t thread = int32_t(threadIdx.x), lane = thread % 32, warp = thread / 32;

  const Thread own{job,     src,    given_gy,         mask, samples, magnitudes,
                   octants, thread, job.limits_here()};
  const int32_t across = masks.words_per_row;
  const auto left = int32_t(blockIdx.x % unsigned(across)) * tile_columns;
  const auto top = int32_t(blockIdx.x / unsigned(across)) * tile_rows;
  own.load(left, top);
  __syncthreads();
  own.measure(left, top);
  __syncthreads();
  const int32_t x = left + lane;
  for (int32_t row = warp; row < tile_rows; row += tile_threads / 32) {
    const int32_t y = top + row;
    if (y >= src.height) break;
    const auto pixel = own.size_of(row, lane);
    const bool candidate = own.is_candidate(pixel, row, lane);
    if (strengths.data) {
      if (x < src.width) put_strength<T, K>(job, strengths, x, y, candidate ? pixel.size : 0);
      continue;
    }
    const uint32_t candidates = __ballot_sync(~0u, candidate);
    const uint32_t strong = __ballot_sync(~0u, candidate && pixel.size > own.limits.high);
    if (lane == 0) {
      const ptrdiff_t word = ptrdiff_t(y) * across + left / tile_columns;
      masks.candidates[word] = candidates;
      masks.strong[word] = strong;
    }
  }
}

// ---- launches

template <class T, int K, int Channels>
void launch(const CannyArgs& args, TileJob<T> job, Call& call) {
  using M = MagnitudeOf<T>;
  const int64_t tiles =
      int64_t(job.masks.words_per_row) * ((args.src.height + tile_rows - 1) / tile_rows);
  const auto run = [&](int32_t pictures) {
    cuda::launch("canny", tile_front<T, K, Channels>, dim3(unsigned(tiles), 1, unsigned(pictures)),
                 dim3(tile_threads), 0, cuda::stream_of(call), job);
  };
  if (job.strengths.first.data || job.found) return run(args.count);
  if (share_thresholds(args)) {
    job.limits = canny_limits_in<M>(args, *args.result);
    return run(args.count);
  }
  const TileJob<T> first = job;
  for (int32_t i = 0; i < args.count; ++i) {
    job = first;
    job.src.first = first.src.picture(unsigned(i));
    job.gy.first = first.gy.picture(unsigned(i));
    job.mask.first = first.mask.picture(unsigned(i));
    job.masks = first.masks.picture(unsigned(i));
    job.limits = canny_limits_in<M>(args, args.result[i]);
    run(1);
  }
}

template <class T, int Channels>
void launch_aperture(const CannyArgs& args, const TileJob<T>& job, Call& call) {
  if constexpr (std::is_same_v<T, int16_t> || std::is_same_v<T, float>)
    if (args.gy) return launch<T, 0, Channels>(args, job, call);
  if constexpr (!std::is_same_v<T, int16_t>) {
    switch (args.options.aperture) {
      case 3: return launch<T, 3, Channels>(args, job, call);
      case 5: return launch<T, 5, Channels>(args, job, call);
      default: return launch<T, 7, Channels>(args, job, call);
    }
  }
}

// Fills the masks or the strengths of args.dst.
template <class T>
void launch_tiles(const CannyArgs& args, const Source& src, const Masks& masks,
                  const FoundLimits* found, Call& call) {
  const DeviceImage<const T> first{static_cast<const T*>(src.data), args.src.width, args.src.height,
                                   src.plane == 0 ? args.src.channels : 1, src.stride};
  TileJob<T> job{.src = {first, src.step},
                 .gy = {},
                 .plane = src.plane,
                 .mask = {args.options.mask.as<uint8_t, Space::device>(), args.mask_step},
                 .norm = args.options.norm,
                 .color = args.options.color,
                 .limits = {},
                 .found = found,
                 .masks = masks,
                 .strengths = {},
                 .by_length = canny_thins_by_length(args)};
  if (args.gy) job.gy = {args.gy.as<T, Space::device>(), args.gy_step};
  if (!args.band && args.makes_strengths())
    job.strengths = {DeviceImage<float>{static_cast<float*>(args.dst.data), args.dst.width,
                                        args.dst.height, 1, args.dst.stride_bytes},
                     args.dst_step};
  if (args.src.channels == 1) return launch_aperture<T, 1>(args, job, call);
  launch_aperture<T, 3>(args, job, call);
}

void launch_tiles(const CannyArgs& args, const Source& src, const Masks& masks,
                  const FoundLimits* found, Call& call) {
  switch (args.src.type) {
    case PixelType::u8: return launch_tiles<uint8_t>(args, src, masks, found, call);
    case PixelType::u16: return launch_tiles<uint16_t>(args, src, masks, found, call);
    case PixelType::s16: return launch_tiles<int16_t>(args, src, masks, found, call);
    default: return launch_tiles<float>(args, src, masks, found, call);
  }
}

}  // namespace

void find_masks_in_tiles(const CannyArgs& args, const Source& src, const Masks& masks,
                         const FoundLimits* found, Call& call) {
  launch_tiles(args, src, masks, found, call);
}
void find_strengths_in_tiles(const CannyArgs& args, const Source& src, Call& call) {
  const int32_t words = canny_nms::mask_bytes(args.src.width) / 4;
  launch_tiles(args, src, {nullptr, nullptr, args.src.width, args.src.height, words}, nullptr,
               call);
}

}  // namespace cuesta::canny_cuda
