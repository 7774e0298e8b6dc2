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

constexpr int column_threads = 128;

struct Numbers {
  __device__ int32_t low(int32_t a, int32_t b) const { return min(a, b); }
  __device__ int32_t high(int32_t a, int32_t b) const { return max(a, b); }
};

/// A thread marches down `rows` rows of a column of samples; the window's rows are in registers.
template <class T, int K>
__global__ void __launch_bounds__(column_threads)
    median_columns(const __grid_constant__ MedianRequest q, int32_t rows) {
  constexpr int r = K / 2;
  const Numbers order;
  const auto src = q.src.as<T, Space::device>();
  const int64_t sample = int64_t(blockIdx.x) * column_threads + threadIdx.x;
  if (sample >= int64_t(q.src.width) * q.src.channels) return;
  const auto x = int32_t(sample / q.src.channels), c = int32_t(sample % q.src.channels);
  int64_t offset[K];  // of the window's columns in a row; −1 outside
#pragma unroll
  for (int i = 0; i < K; ++i) {
    const int32_t sx = map_index(q.mode, x + i - r, q.src.width);
    offset[i] = sx < 0 ? -1 : int64_t(sx) * q.src.channels + c;
  }
  int32_t window[K][K];  // row y of the picture is at (y − first) % K
  const auto load = [&](int32_t y, int32_t(&to)[K]) {
    const int32_t sy = map_index(q.mode, y, q.src.height);
    const T* row = src.row(max(sy, 0));
#pragma unroll
    for (int i = 0; i < K; ++i) {
      const int32_t key = key_of(row[max(offset[i], int64_t(0))]);
      to[i] = sy < 0 || offset[i] < 0 ? q.outside : key;
    }
  };
  for (int64_t top = int64_t(blockIdx.y) * rows; top < q.src.height;
       top += int64_t(gridDim.y) * rows) {
    const auto first = int32_t(top), end = int32_t(min(top + rows, int64_t(q.src.height)));
#pragma unroll
    for (int j = 0; j < K - 1; ++j) load(first - r + j, window[j]);
    for (int32_t y = first; y < end; y += K) {
#pragma unroll
      for (int step = 0; step < K; ++step) {
        if (y + step >= end) break;
        load(y + step + r, window[(step + K - 1) % K]);
        int32_t ranks[K][K];
#pragma unroll
        for (int i = 0; i < K; ++i) {
          int32_t keys[K];
#pragma unroll
          for (int j = 0; j < K; ++j) keys[j] = window[j][i];
          sort(order, keys);
#pragma unroll
          for (int j = 0; j < K; ++j) ranks[j][i] = keys[j];
        }
        store_key<T>(q, x, y + step, c,
                     leaves(q, x, y + step) ? key_of(T(0)) : middle_of_columns(order, ranks));
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

/// Windows of 3 and 5 of one channel.
template <class T, int K>
struct Strips {
  // Columns a lane, warps a multiprocessor and rows of a strip on large pictures. (H200,
  // 2026-11-22, 8192² u8, times of a copy. 3 × 3, strips of 8, 16, 32 rows: 1.67, 1.60, 1.71; of 8
  // columns a lane 1.82. 5 × 5, strips of 32, 64 and 128: 4.46, 4.36, 4.57; of 16 columns a lane
  // 4.6 and more.)
  static constexpr int columns = K == 3 ? 16 / int(sizeof(T)) : 8;
  static constexpr int threads = K == 3 ? 32 : 64, warps = K == 3 ? 24 : 16;
  static constexpr int32_t max_rows = K == 3 ? 16 : 64, min_rows = 4;
  using Step = std::conditional_t<K == 3, Median3<T, columns>, Median5<T, columns>>;
  static constexpr int min_width = cuda::LaneRows<T, columns, K / 2, true>::min_width;

  static auto kernel(bool aligned) {
    return aligned ? median_strips<T, Step, Strips, true> : median_strips<T, Step, Strips, false>;
  }
  /// As many as leave half of the warps that the GPU has room for, or more.
  static int32_t rows(ConstAnyView picture) {
    int32_t rows = max_rows;
    while (rows > min_rows) {
      const dim3 grid = cuda::tiles(picture, threads * columns, rows);
      if (int64_t(grid.x) * grid.y * threads / 32 >= warps * cuda::multiprocessors() / 2) break;
      rows /= 2;
    }
    return rows;
  }
};

template <class T, int K>
void launch_strips(const MedianArgs& args, Call& call) {
  using S = Strips<T, K>;
  const int32_t rows = S::rows(args.src);
  const bool aligned = cuda::has_word_rows(args.src, 16) && cuda::has_word_rows(args.dst, 16);
  const dim3 grid(cuda::lane_blocks(aligned, args.src.width, S::columns, S::threads),
                  std::min(cuda::blocks(args.src.height, rows), cuda::max_grid_y));
  cuda::launch("median", S::kernel(aligned), grid, dim3(S::threads), 0, cuda::stream_of(call),
               request_of(args), rows);
}

template <class T, int K>
void launch_columns(const MedianArgs& args, Call& call) {
  const ConstAnyView& src = args.src;
  if constexpr (!std::is_same_v<T, float>) {
    if (src.channels == 1 && src.width >= Strips<T, K>::min_width)
      return launch_strips<T, K>(args, call);
  }
  const int64_t samples = int64_t(src.width) * src.channels;
  const auto grid = [&](int32_t rows) {
    return marching_grid(samples, column_threads, src.height, rows, 1);
  };
  int32_t rows = 8 * K;
  while (rows > K && int64_t(grid(rows).x) * grid(rows).y < 16 * cuda::multiprocessors()) rows /= 2;
  rows = rows / K * K;
  cuda::launch("median", median_columns<T, K>, grid(rows), dim3(column_threads), 0,
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
