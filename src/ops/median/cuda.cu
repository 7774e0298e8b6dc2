// Strategy `fused`. Windows of 3 and 5: columns sorted and merged in registers, u8 and u16 of one
// channel two a register in marches down strips (strips.cuh). Larger, of u16: a warp marches down a
// column with the window's histogram in shared memory, a row of samples out and a row in. Bits:
// every lane of a warp marches down with the count of its window.
#include "cuda/copy_rows.cuh"
#include "cuda/limits.hpp"
#include "cuda/row_words.cuh"
#include "ops/median/cuda.hpp"
#include "ops/median/device.cuh"
#include "ops/median/strips.cuh"

namespace cuesta {
namespace {

using namespace median_cuda;

// A grid's second dimension ends at 65,535 blocks; kernels march whole grids further.
dim3 marching_grid(int64_t columns, int columns_per_block, int32_t height, int32_t rows_per_block,
                   int32_t channels) {
  const int64_t rows = (int64_t(height) + rows_per_block - 1) / rows_per_block;
  return dim3(unsigned((columns + columns_per_block - 1) / columns_per_block),
              unsigned(std::min<int64_t>(rows, 65535)), unsigned(channels));
}

// -- 3 and 5 of any type and number of channels ---------------------------------------------------

constexpr int column_threads = 128, own_columns = 4;

template <int K>
using SinglyStep = std::conditional_t<K == 3, Median3<Singly<own_columns, 1>, Singles>,
                                      Median5<Singly<own_columns, 2>, Singles, Singles, Singles>>;

/// Where a thread reads: one channel of its pixels and of those beside them.
template <class T, int K, int Channels>
struct ChannelColumns {
  static constexpr int r = K / 2, count = own_columns + 2 * r;
  ImageView<const T, Space::device> src;
  BorderMode mode;
  int32_t outside, x, c;
  bool inner;    // all of them are in the picture
  bool vectors;  // and the thread's own begin at a multiple of 16 bytes

  __device__ ChannelColumns(const MedianRequest& q, int64_t thread)
      : src(q.src.as<T, Space::device>()), mode(q.mode), outside(q.outside) {
    x = int32_t(min(thread / Channels * own_columns, int64_t(q.src.width)));
    c = int32_t(thread % Channels);
    inner = x >= r && x + own_columns + r <= q.src.width;
    const auto bits = reinterpret_cast<uintptr_t>(q.src.data) | uintptr_t(q.src.stride_bytes);
    vectors = Channels == 1 && sizeof(T) == 4 && inner && bits % 16 == 0;
  }

  __device__ void load(int32_t y, uint32_t (&to)[count]) const {
    const int32_t sy =
        uint32_t(y) < uint32_t(src.height) ? y : cuda::outside_index(mode, y, src.height);
    if (sy < 0) {
#pragma unroll
      for (uint32_t& v : to) v = uint32_t(outside);
      return;
    }
    const T* row = src.row(sy);
    if (!inner) {
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const int32_t at = min(x + i - r, src.width - 1 + r);
        const int32_t sx =
            uint32_t(at) < uint32_t(src.width) ? at : cuda::outside_index(mode, at, src.width);
        to[i] = uint32_t(sx < 0 ? outside : key_of(row[int64_t(sx) * Channels + c]));
      }
      return;
    }
    const T* own = row + int64_t(x) * Channels + c;
    if constexpr (Channels == 1 && sizeof(T) == 4) {
      if (vectors) {
        const int4 four = __ldg(reinterpret_cast<const int4*>(own));
        to[r] = uint32_t(medians::turned(four.x)), to[r + 1] = uint32_t(medians::turned(four.y));
        to[r + 2] = uint32_t(medians::turned(four.z)),
               to[r + 3] = uint32_t(medians::turned(four.w));
#pragma unroll
        for (int i = 0; i < r; ++i) {
          to[i] = uint32_t(key_of(own[i - r]));
          to[own_columns + r + i] = uint32_t(key_of(own[own_columns + i]));
        }
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = uint32_t(key_of(own[(i - r) * Channels]));
  }
};

/// A thread marches down `rows` rows of one channel of four neighbouring pixels.
template <class T, int K, int Channels>
__global__ void __launch_bounds__(column_threads)
    median_columns(const __grid_constant__ MedianRequest q, int32_t rows) {
  using Step = SinglyStep<K>;
  constexpr int r = K / 2, n = Step::together, count = Step::P::count;
  const ChannelColumns<T, K, Channels> columns(q,
                                               int64_t(blockIdx.x) * column_threads + threadIdx.x);
  const int32_t x = columns.x, c = columns.c;
  if (x >= q.src.width) return;
  const bool vectors =
      columns.vectors &&
      (reinterpret_cast<uintptr_t>(q.dst.data) | uintptr_t(q.dst.stride_bytes)) % 16 == 0;
  const bool zero_frame = q.mode == BorderMode::ignore;
  const auto store = [&](int32_t y, const uint32_t(&keys)[own_columns]) {
    T* row = q.dst.as<T, Space::device>().row(y);
    if constexpr (Channels == 1 && sizeof(T) == 4) {
      if (vectors && !zero_frame) {
        *reinterpret_cast<int4*>(row + x) = {
            medians::turned(int32_t(keys[0])), medians::turned(int32_t(keys[1])),
            medians::turned(int32_t(keys[2])), medians::turned(int32_t(keys[3]))};
        return;
      }
    }
#pragma unroll
    for (int j = 0; j < own_columns; ++j) {
      if (x + j >= q.src.width) break;
      const bool is_zero = zero_frame && leaves(q, x + j, y);
      row[int64_t(x + j) * Channels + c] = sample_of<T>(is_zero ? key_of(T(0)) : int32_t(keys[j]));
    }
  };
  for (int64_t top = int64_t(blockIdx.y) * rows; top < q.src.height;
       top += int64_t(gridDim.y) * rows) {
    const auto first = int32_t(top), end = int32_t(min(top + rows, int64_t(q.src.height)));
    Step step{uint32_t(q.ksize) & 1};
    uint32_t next[n][count];
#pragma unroll
    for (int i = 0; i < n; ++i) columns.load(first - r + i, next[i]);
    // Twice, so that what a step keeps need not move.
    for (int32_t two = first - r; two < end + r; two += 2 * n) {
#pragma unroll
      for (int32_t y = two; y < two + 2 * n; y += n) {
        if (y >= end + r) break;
        uint32_t in[n][count], out[n][own_columns];
#pragma unroll
        for (int i = 0; i < n; ++i) {
#pragma unroll
          for (int j = 0; j < count; ++j) in[i][j] = next[i][j];
          if (y + n < end + r) columns.load(y + n + i, next[i]);
        }
        step.push(in, out);
#pragma unroll
        for (int k = 0; k < n; ++k)
          if (y + k - r >= first && y + k - r < end) store(y + k - r, out[k]);
      }
    }
  }
}

// -- Bits -----------------------------------------------------------------------------------------

// Set pixels among the window's of row y around column x.
__device__ int32_t count_row(const MedianRequest& q, int32_t x, int32_t y) {
  const int32_t first = x - q.radius, sy = map_index(q.mode, y, q.src.height);
  if (sy < 0) return q.outside * q.ksize;
  const uint32_t* row = bit_row(q.src, sy);
  int32_t count = 0;
  if (first < 0 || x >= q.src.width - q.radius) {
    for (int32_t i = 0; i < q.ksize; ++i) {
      const int32_t sx = map_index(q.mode, first + i, q.src.width);
      count += sx < 0 ? q.outside : int32_t(row[sx / 32] >> (sx % 32) & 1);
    }
    return count;
  }
  int32_t word = first / 32, held = 32 - first % 32, left = q.ksize;
  uint32_t bits = row[word] >> (first % 32);
  while (left > held) {
    count += __popc(bits);
    left -= held;
    bits = row[++word];
    held = 32;
  }
  return count + __popc(bits & 0xFFFFFFFFu >> (32 - left));
}

__global__ void __launch_bounds__(block_threads) median_bit_march(MedianRequest q, int32_t rows) {
  const int lane = threadIdx.x % 32;
  const int64_t word = int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (word >= half_words(q.src.width)) return;
  const int64_t column = word * 32 + lane;
  const bool inside = column < q.src.width;
  const auto x = int32_t(min(column, int64_t(q.src.width) - 1));
  for (int64_t top = int64_t(blockIdx.y) * rows; top < q.src.height;
       top += int64_t(gridDim.y) * rows) {
    const auto begin = int32_t(top), end = int32_t(min(top + rows, int64_t(q.src.height)));
    int32_t set = 0;
    for (int32_t y = begin - q.radius; y < begin + q.radius; ++y) set += count_row(q, x, y);
    for (int32_t y = begin; y < end; ++y) {
      set += count_row(q, x, y + q.radius);
      const bool majority = inside && set > q.half && !leaves(q, x, y);
      const uint32_t bits = __ballot_sync(0xFFFFFFFFu, majority);
      if (lane == 0) bit_row(q.dst, y)[word] = bits;
      set -= count_row(q, x, y - q.radius);
    }
  }
}

// -------------------------------------------------------------------------------------------------

/// Windows of 3 and 5 of u8 and u16.
template <class T, int K, int Channels>
struct Strips {
  // Columns a lane, warps a multiprocessor and rows of a strip on large pictures. (H200,
  // 2026-11-22, 8192² u8, times of a copy. 3 × 3, strips of 8, 16, 32 rows: 1.67, 1.60, 1.71; of 8
  // columns a lane 1.82. 5 × 5, strips of 32, 64 and 128: 4.46, 4.36, 4.57; of 16 columns a lane
  // 4.6 and more.)
  static constexpr int columns = K == 3 ? 16 / int(sizeof(T)) : 8, channels = Channels;
  static constexpr int threads = K == 3 ? 32 : 64, warps = K == 3 ? 24 : 16;
  static constexpr int32_t max_rows = K == 3 ? 16 : 64, min_rows = 4;
  static constexpr int reach = K / 2 * Channels;
  static constexpr bool bytes = sizeof(T) == 1;
  using Pairs = Pairing<T, columns, reach, K == 5 && bytes>;
  // 16 bits have no room in fp16.
  using Step =
      std::conditional_t<K == 3, Median3<Pairs, InPairs, Channels>,
                         std::conditional_t<bytes, Median5<Pairs, InPairs, InHalves, InHalves>,
                                            Median5<Pairs, InPairs, InSums, InPairs>>>;
  static constexpr int min_width =
      cuda::LaneRows<T, columns, reach, true, Channels>::min_width;  // samples

  static auto kernel(bool aligned) {
    return aligned ? median_strips<T, Step, Strips, true> : median_strips<T, Step, Strips, false>;
  }
  /// As many as leave half of the warps that the GPU has room for, or more.
  static int32_t rows(ConstAnyView picture) {
    int32_t rows = max_rows;
    picture.width *= Channels;
    while (rows > min_rows) {
      const dim3 grid = cuda::tiles(picture, threads * columns, rows);
      if (int64_t(grid.x) * grid.y * threads / 32 >= warps * cuda::multiprocessors() / 2) break;
      rows /= 2;
    }
    return rows;
  }
};

/// Runs them if they take the picture; returns whether they did.
template <class T, int K, int Channels>
bool launch_strips(const MedianArgs& args, Call& call) {
  using S = Strips<T, K, Channels>;
  const int64_t samples = int64_t(args.src.width) * Channels;
  if (args.src.channels != Channels || samples < S::min_width || samples > INT32_MAX - 64)
    return false;
  const int32_t rows = S::rows(args.src);
  const bool aligned = cuda::has_word_rows(args.src, 16) && cuda::has_word_rows(args.dst, 16);
  const dim3 grid(cuda::lane_blocks(aligned, int32_t(samples), S::columns, S::threads),
                  std::min(cuda::blocks(args.src.height, rows), cuda::max_grid_y));
  cuda::launch("median", S::kernel(aligned), grid, dim3(S::threads), 0, cuda::stream_of(call),
               request_of(args), rows);
  return true;
}

template <class T, int K>
void launch_columns(const MedianArgs& args, Call& call) {
  const ConstAnyView& src = args.src;
  if constexpr (!std::is_same_v<T, float>)
    if (launch_strips<T, K, 1>(args, call)) return;
  if constexpr (sizeof(T) < 4 && K == 3)
    if (launch_strips<T, K, 3>(args, call) || launch_strips<T, K, 4>(args, call)) return;
  static constexpr decltype(&median_columns<T, K, 1>) kernels[] = {
      median_columns<T, K, 1>, median_columns<T, K, 2>, median_columns<T, K, 3>,
      median_columns<T, K, 4>};
  const int64_t threads = (int64_t(src.width) + own_columns - 1) / own_columns * src.channels;
  const auto grid = [&](int32_t rows) {
    return marching_grid(threads, column_threads, src.height, rows, 1);
  };
  int32_t rows = K == 3 ? 16 : 64;
  while (rows > 4 && int64_t(grid(rows).x) * grid(rows).y < 8 * cuda::multiprocessors()) rows /= 2;
  cuda::launch("median", kernels[src.channels - 1], grid(rows), dim3(column_threads), 0,
               cuda::stream_of(call), request_of(args), rows);
}

template <class T>
void launch_samples(const MedianArgs& args, Call& call) {
  switch (args.options.ksize) {
    case 1: return cuda::copy_rows("median", args.src, args.dst, call);
    case 3: return launch_columns<T, 3>(args, call);
    default: return launch_columns<T, 5>(args, call);
  }
}

}  // namespace

std::string_view median_cuda::fused_supports(const MedianArgs& args, const Parameters&) {
  const bool small = args.options.ksize <= 5 || args.src.type == PixelType::bit;
  return small ? std::string_view() : "windows of 7 and more of u8 and u16";
}

void median_cuda::fused(const MedianArgs& args, Call& call) {
  if (args.src.type == PixelType::bit) {
    const int32_t rows = std::max(16, args.options.ksize);
    cuda::launch("median", median_bit_march,
                 marching_grid(half_words(args.src.width), warps, args.src.height, rows, 1),
                 dim3(block_threads), 0, cuda::stream_of(call), request_of(args), rows);
    return;
  }
  for_type(args.src.type, [&](auto sample) { launch_samples<decltype(sample)>(args, call); });
}

}  // namespace cuesta
