// The histogram of magnitudes for automatic thresholds, of what march-fp16 does not count and
// march-int16 does not smooth: any type, channels and aperture, given gradients, masks. A warp
// marches down a strip; a lane has a few columns of it, and keeps their last K rows in its
// registers. It adds up its own columns and takes the sums of those beside from its neighbours.
// Every pixel's bin goes to the block's shared memory (cuda/near_bins.cuh).
//
// A block has a multiprocessor for itself, since nearly all of the shared memory holds bins: those
// of 16 bits are as many as the pixels of a noisy picture differ in. From device memory: the
// source's bytes, and what strips read twice.
#include "cuda/near_bins.cuh"
#include "ops/canny/cuda/magnitude_bins.cuh"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/task_rows.hpp"
#include "ops/canny/fractions.hpp"
#include "ops/shared/window_gradient.cuh"

namespace cuesta::canny_cuda {
namespace {

using gradient::Gradient, gradient::Sum;

constexpr int32_t lanes = 32, block_warps = 16, block_threads = lanes * block_warps;

template <class T>
struct CountJob {
  DeviceBatch<const T> src;         // or gx
  DeviceBatch<const T> gy;          // no data: of a picture
  ptrdiff_t plane;                  // bytes from a channel to the next; 0: side by side
  DeviceBatch<const uint8_t> mask;  // no data: everywhere
  Counted counted;
  cuda::NearRange near;
  uint32_t* bins;  // as many for each picture
  int32_t bins_per_picture;
  int32_t rows;   // of a strip that a task is
  bool in_words;  // rows, planes and pictures begin where Samples may be read
};

/// N samples that are read at once, by the largest words that they are multiples of.
template <class T, int N, size_t Bytes = N * sizeof(T)>
struct alignas(std::min<size_t>(Bytes & -Bytes, 16)) Samples {
  T v[N];
};

/// What a lane of an aperture K (0: of given gradients) has.
template <int K, int Channels>
struct Lane {
  static constexpr int32_t pixels = Channels == 1 ? 4 : 2, radius = K / 2;
  static constexpr int32_t apron = (radius + pixels - 1) / pixels;  // lanes to either side
  static constexpr int32_t warp_pixels = (lanes - 2 * apron) * pixels;
};

/// A lane's pixels of a row, in the picture or beside it, where the outermost are repeated.
template <class T, int Channels, int Pixels>
struct RowOf {
  T v[Channels][Pixels];

  /// `Whole`: all of the warp's are in the picture, and the job's in_words.
  template <bool Whole>
  __device__ __forceinline__ void read(const T* row, int32_t width, ptrdiff_t plane, int32_t x) {
    const bool apart = Channels == 1 || (std::is_same_v<T, float> && plane != 0);
    if constexpr (!Whole) {
#pragma unroll
      for (int i = 0; i < Pixels; ++i) {
        const ptrdiff_t column = min(max(x + i, 0), width - 1);
#pragma unroll
        for (int c = 0; c < Channels; ++c)
          v[c][i] = apart ? of_plane(row, plane, c)[column] : row[column * Channels + c];
      }
    } else if (!apart) {
      const auto all = read_at<Channels * Pixels>(row + ptrdiff_t(x) * Channels);
#pragma unroll
      for (int i = 0; i < Channels * Pixels; ++i) v[i % Channels][i / Channels] = all.v[i];
    } else {
#pragma unroll
      for (int c = 0; c < Channels; ++c) {
        const auto all = read_at<Pixels>(of_plane(row, plane, c) + x);
#pragma unroll
        for (int i = 0; i < Pixels; ++i) v[c][i] = all.v[i];
      }
    }
  }

 private:
  static __device__ const T* of_plane(const T* row, ptrdiff_t plane, int c) {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(row) + c * plane);
  }
  template <int N>
  static __device__ Samples<T, N> read_at(const T* from) {
    return *reinterpret_cast<const Samples<T, N>*>(from);
  }
};

/// Of aperture 7; floats are not divided.
template <int K>
__device__ inline Gradient<float> scaled(const Gradient<float>& g) {
  return g;
}
template <int K>
__device__ inline Gradient<int32_t> scaled(const Gradient<int32_t>& g) {
  return K == 7 ? Gradient<int32_t>{sixteenth(g.x), sixteenth(g.y)} : g;
}

/// Marches down rows of a strip.
template <class T, int K, int Channels>
struct CountThread {
  using Of = Lane<K, Channels>;
  using G = Sum<T>;
  using Row = RowOf<T, Channels, Of::pixels>;
  static constexpr int32_t pixels = Of::pixels, radius = Of::radius;
  /// Steps after which rows have their old names again; larger windows move theirs instead.
  static constexpr int turns = K == 3 ? 3 : 1;
  static constexpr int first_turn = K == 3 ? 0 : K - 1;

  const CountJob<T>& job;
  const cuda::NearBins& near;
  DeviceImage<const T> src, given_gy;
  DeviceImage<const uint8_t> mask;
  int32_t x;             // of the first pixel
  uint32_t makes;        // bit i: pixel i is the lane's to count
  const T *row, *row_y;  // that is fetched next, of given gradients both
  int32_t y_ahead;       // its number; before the picture and behind it its first and last row
  Row next, next_y;      // on their way; of given gradients both
  G window[K == 0 ? 1 : K][Channels][pixels];

  __device__ __forceinline__ void begin(int32_t y) {
    y_ahead = y;
    row = src.row(max(y, 0));
    if constexpr (K == 0) row_y = given_gy.row(y);
  }
  template <bool Whole>
  __device__ __forceinline__ void fetch() {
    next.template read<Whole>(row, src.width, job.plane, x);
    if constexpr (K == 0) next_y.template read<Whole>(row_y, src.width, 0, x);
    ++y_ahead;
    if (y_ahead <= 0 || y_ahead >= src.height) return;
    row = below(row, src);
    if constexpr (K == 0) row_y = below(row_y, given_gy);
  }
  static __device__ const T* below(const T* from, const DeviceImage<const T>& of) {
    return reinterpret_cast<const T*>(reinterpret_cast<const char*>(from) + of.stride_bytes);
  }
  /// The row that was fetched, as row `at` of the window.
  __device__ __forceinline__ void take(int at) {
#pragma unroll
    for (int c = 0; c < Channels; ++c)
#pragma unroll
      for (int i = 0; i < pixels; ++i) window[at][c][i] = G(next.v[c][i]);
  }
  /// Gradients of channel c by the window whose last row is `turn`.
  template <int turn>
  __device__ __forceinline__ void measure(int c, Gradient<G> (&g)[pixels][Channels]) const {
    cuda::ColumnSums<G> columns[pixels + 2 * radius];
#pragma unroll
    for (int i = 0; i < pixels; ++i)
      columns[radius + i] =
          cuda::column_sums<K, G>([&](int j) { return window[(turn + 1 + j) % K][c][i]; });
#pragma unroll
    for (int by = 1; by <= radius; ++by) {
      const int away = (by + pixels - 1) / pixels;  // lanes
      const auto& left = columns[radius + away * pixels - by];
      const auto& right = columns[radius + (by - 1) % pixels];
      columns[radius - by] = {__shfl_up_sync(~0u, left.smooth, away),
                              __shfl_up_sync(~0u, left.derive, away)};
      columns[radius + pixels - 1 + by] = {__shfl_down_sync(~0u, right.smooth, away),
                                           __shfl_down_sync(~0u, right.derive, away)};
    }
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      Gradient<G> sum;
#pragma unroll
      for (int k = 0; k < K; ++k) cuda::add_column<K>(sum, k, columns[i + k]);
      g[i][c] = scaled<K>(sum);
    }
  }
  template <Counted What>
  __device__ __forceinline__ void count(const Gradient<G> (&g)[pixels][Channels],
                                        uint32_t counts) const {
    uint32_t bins[pixels], unsure = 0;
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      const QuickBin quick = quick_bin<What>(g[i]);
      bins[i] = quick.bin;
      unsure |= uint32_t(!quick.sure) << i;
    }
    if constexpr (What != Counted::sum) {
      unsure &= counts;
      if (unsure != 0) {
#pragma unroll
        for (int i = 0; i < pixels; ++i)
          if (unsure >> i & 1) bins[i] = exact_bin<What>(g[i]);
      }
    }
    uint32_t far = 0;
#pragma unroll
    for (int i = 0; i < pixels; ++i) far |= uint32_t(near.add_near(bins[i], counts >> i & 1)) << i;
    if (far == 0) return;
#pragma unroll
    for (int i = 0; i < pixels; ++i)
      if (far >> i & 1) near.add_far(bins[i]);
  }
  __device__ __forceinline__ void count(const Gradient<G> (&g)[pixels][Channels], int32_t y) const {
    uint32_t counts = makes;
    if (mask.data) {
#pragma unroll
      for (int i = 0; i < pixels; ++i)
        if ((counts >> i & 1) && mask.at(x + i, y) == 0) counts &= ~(1u << i);
    }
    if (job.counted == Counted::sum) return count<Counted::sum>(g, counts);
    if constexpr (Channels == 3) {
      if (job.counted == Counted::structure) return count<Counted::structure>(g, counts);
      if constexpr (std::is_same_v<T, float> && K != 0)
        if (job.counted == Counted::sum_of_longest)
          return count<Counted::sum_of_longest>(g, counts);
    }
    count<Counted::length>(g, counts);
  }
  /// Row y of magnitudes, the window's last row being `turn`.
  template <bool Whole, int turn>
  __device__ __forceinline__ void step(int32_t y) {
    Gradient<G> g[pixels][Channels];
    if constexpr (K == 0) {
#pragma unroll
      for (int i = 0; i < pixels; ++i)
#pragma unroll
        for (int c = 0; c < Channels; ++c) g[i][c] = {G(next.v[c][i]), G(next_y.v[c][i])};
      fetch<Whole>();
    } else {
      take(turn);
      fetch<Whole>();
#pragma unroll
      for (int c = 0; c < Channels; ++c) measure<turn>(c, g);
    }
    count(g, y);
    if constexpr (K > 0 && turns == 1) {
#pragma unroll
      for (int j = 0; j + 1 < K; ++j)
#pragma unroll
        for (int c = 0; c < Channels; ++c)
#pragma unroll
          for (int i = 0; i < pixels; ++i) window[j][c][i] = window[j + 1][c][i];
    }
  }
  /// Rows [first, end); the whole warp calls it.
  template <bool Whole>
  __device__ __forceinline__ void run(int32_t first, int32_t end) {
    begin(first - radius);
    if constexpr (K > 0) {
#pragma unroll
      for (int j = 0; j + 1 < K; ++j) {
        fetch<Whole>();
        take((first_turn + 1 + j) % K);
      }
    }
    fetch<Whole>();
    if constexpr (turns == 1) {
#pragma unroll 1
      for (int32_t y = first; y < end; ++y) step<Whole, first_turn>(y);
    } else {
#pragma unroll 1
      for (int32_t y = first; y < end; y += turns) {
        step<Whole, 0>(y);
        if (y + 1 < end) step<Whole, 1>(y + 1);
        if (y + 2 < end) step<Whole, 2>(y + 2);
      }
    }
  }
};

template <class T, int K, int Channels>
__global__ void __launch_bounds__(block_threads, 1)
    count_columns(const __grid_constant__ CountJob<T> job) {
  using Of = Lane<K, Channels>;
  CUESTA_DYNAMIC_SHARED(uint32_t, memory);
  const cuda::NearBins near{job.near, memory,
                            job.bins + ptrdiff_t(blockIdx.z) * job.bins_per_picture};
  near.clear();
  __syncthreads();
  CountThread<T, K, Channels> own{job, near, job.src.here(), job.gy.here(), job.mask.here()};
  const int32_t lane = int32_t(threadIdx.x) % lanes, width = own.src.width;
  const int32_t across = parts_of(width, Of::warp_pixels);
  const int64_t tasks = int64_t(across) * parts_of(own.src.height, job.rows);
  for (int64_t task = int64_t(blockIdx.x) * block_warps + threadIdx.x / lanes; task < tasks;
       task += int64_t(gridDim.x) * block_warps) {
    const auto base = int32_t(task % across) * Of::warp_pixels - Of::apron * Of::pixels;
    const auto first = int32_t(task / across) * job.rows;
    own.x = base + lane * Of::pixels;
    const bool whole = job.in_words && base >= 0 && base <= width - lanes * Of::pixels;
    own.makes = 0;
    for (int i = 0; i < Of::pixels; ++i)
      own.makes |= uint32_t(lane >= Of::apron && lane < lanes - Of::apron && own.x < width - i)
                   << i;
    const int32_t end = first + min(job.rows, own.src.height - first);
    whole ? own.template run<true>(first, end) : own.template run<false>(first, end);
  }
  __syncthreads();
  near.flush();
}

// ---- launches

/// Fewest rows of a task, beside those that only its window reads.
constexpr int32_t min_rows = 4;
/// With 48 Ki bins all that is left of a multiprocessor's memory caches 60 KiB.
constexpr size_t most_near_bytes = 192 * 1024;

/// Bins of u8 all fit. Of u16 they begin at 0; the last one has all that is beyond. Those of floats
/// are around 1 (2^±96 of 48 Ki), and 0 is apart.
template <class T>
cuda::NearRange near_range(int32_t bins) {
  const auto room = uint32_t(std::min(most_near_bytes, cuda::shared_limit()) / 4 - 2);
  const uint32_t count = std::min(room, uint32_t(bins));
  if constexpr (!std::is_same_v<T, float>) return {0, count, uint32_t(bins) - 1, uint32_t(bins)};
  constexpr uint32_t one = 127 << 8;
  return {one - std::min(count / 2, one), count, 0, uint32_t(canny_float_bins)};
}

template <class T, int K, int Channels>
void launch(const CannyArgs& args, CountJob<T> job, Call& call) {
  using Of = Lane<K, Channels>;
  const size_t alignment =
      job.plane == 0 ? alignof(Samples<T, Channels * Of::pixels>) : alignof(Samples<T, Of::pixels>);
  const auto begins = [&](const DeviceBatch<const T>& of) {
    return reinterpret_cast<uintptr_t>(of.first.data) | uintptr_t(of.first.stride_bytes) |
           uintptr_t(of.step);
  };
  job.in_words = ((begins(job.src) | begins(job.gy) | uintptr_t(job.plane)) % alignment) == 0;
  const int32_t strips = parts_of(args.src.width, Of::warp_pixels);
  const int32_t most = std::max(1, cuda::multiprocessors() / args.count);  // blocks of a picture
  job.rows = task_rows(strips, args.src.height, most * block_warps, min_rows, K + 1);
  const int64_t tasks = int64_t(strips) * parts_of(args.src.height, job.rows);
  const auto blocks = std::min<int64_t>(most, (tasks + block_warps - 1) / block_warps);
  cuda::allow_shared(count_columns<T, K, Channels>, job.near.bytes(), "canny");
  cuda::launch("canny", count_columns<T, K, Channels>,
               dim3(unsigned(blocks), 1, unsigned(args.count)), dim3(block_threads),
               job.near.bytes(), cuda::stream_of(call), job);
}

template <class T, int Channels>
void launch_aperture(const CannyArgs& args, const CountJob<T>& job, Call& call) {
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

Counted counted_of(const CannyArgs& args) {
  const bool colored = args.src.channels == 3;
  if (colored && args.options.color == ColorGradient::structure) return Counted::structure;
  if (colored && canny_thins_by_length(args)) return Counted::sum_of_longest;
  return args.options.norm == Norm::l1 ? Counted::sum : Counted::length;
}

template <class T>
void count_of(const CannyArgs& args, const Source& src, uint32_t* bins, Call& call) {
  const int32_t n = bins_of(args);
  const DeviceImage<const T> first{static_cast<const T*>(src.data), args.src.width, args.src.height,
                                   src.plane == 0 ? args.src.channels : 1, src.stride};
  CountJob<T> job{.src = {first, src.step},
                  .gy = {},
                  .plane = src.plane,
                  .mask = {args.options.mask.as<uint8_t, Space::device>(), args.mask_step},
                  .counted = counted_of(args),
                  .near = near_range<T>(n),
                  .bins = bins,
                  .bins_per_picture = n,
                  .rows = 0,
                  .in_words = false};
  if (args.gy) job.gy = {args.gy.as<T, Space::device>(), args.gy_step};
  if (args.src.channels == 1) return launch_aperture<T, 1>(args, job, call);
  launch_aperture<T, 3>(args, job, call);
}

}  // namespace

void count_in_columns(const CannyArgs& args, const Source& src, uint32_t* bins, Call& call) {
  switch (args.src.type) {
    case PixelType::u8: return count_of<uint8_t>(args, src, bins, call);
    case PixelType::u16: return count_of<uint16_t>(args, src, bins, call);
    case PixelType::s16: return count_of<int16_t>(args, src, bins, call);
    default: return count_of<float>(args, src, bins, call);
  }
}

}  // namespace cuesta::canny_cuda
