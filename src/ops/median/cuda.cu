// Strategy `fused`. Windows of 3 and 5: columns sorted and merged in registers, u8 and u16 of one
// channel two a register in marches down strips (strips.cuh). Larger, of u16: a warp marches down a
// column with the window's histogram in shared memory, a row of samples out and a row in. Bits:
// every lane of a warp marches down with the count of its window.
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

// -- 1, 3 and 5, everything else ------------------------------------------------------------------

constexpr int block_x = 32, block_y = 8;

struct Numbers {
  __device__ int32_t low(int32_t a, int32_t b) const { return min(a, b); }
  __device__ int32_t high(int32_t a, int32_t b) const { return max(a, b); }
};

template <class T, int K>
__global__ void __launch_bounds__(block_x* block_y) median_network(MedianRequest q) {
  constexpr int r = K / 2;
  const Numbers order;
  const int64_t column = int64_t(blockIdx.x) * block_x + threadIdx.x;
  if (column >= q.src.width) return;
  const auto x = int32_t(column), c = int32_t(blockIdx.z);
  for (int64_t row = int64_t(blockIdx.y) * block_y + threadIdx.y; row < q.src.height;
       row += int64_t(gridDim.y) * block_y) {
    const auto y = int32_t(row);
    if (leaves(q, x, y)) {
      q.dst.as<T, Space::device>().at(x, y, c) = T(0);
      continue;
    }
    if constexpr (K == 1) {
      store_key<T>(q, x, y, c, key_at<T>(q, x, y, c));
    } else {
      int32_t ranks[K][K];
#pragma unroll
      for (int i = 0; i < K; ++i) {
        const int32_t sx = map_index(q.mode, x + i - r, q.src.width);
        int32_t keys[K];
#pragma unroll
        for (int j = 0; j < K; ++j) {
          const int32_t sy = map_index(q.mode, y + j - r, q.src.height);
          keys[j] =
              sx < 0 || sy < 0 ? q.outside : key_of(q.src.as<T, Space::device>().at(sx, sy, c));
        }
        sort(order, keys);
#pragma unroll
        for (int j = 0; j < K; ++j) ranks[j][i] = keys[j];
      }
      store_key<T>(q, x, y, c, middle_of_columns(order, ranks));
    }
  }
}

// -- Larger windows -------------------------------------------------------------------------------

constexpr int bins = 256;

/// A warp's view of its histogram.
struct WarpHistogram {
  uint32_t* counts;  // of `bins`, in shared memory, aligned to 16 bytes
  int lane;

  __device__ void clear() const {
    for (int i = lane; i < bins; i += 32) counts[i] = 0;
    __syncwarp();
  }
  struct Found {
    int32_t bin, below;  // samples in the bins before it
  };
  /// The first bin up to which there are more than `rank` samples; the same for every lane. What
  /// was added before is seen, and what is added after does not disturb.
  __device__ Found find(int32_t rank) const {
    __syncwarp();
    const auto* own = reinterpret_cast<const uint4*>(counts) + 2 * lane;
    const uint4 a = own[0], b = own[1];
    const uint32_t count[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    uint32_t sum = 0;
#pragma unroll
    for (const uint32_t n : count) sum += n;
    uint32_t upto = sum;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const uint32_t other = __shfl_up_sync(0xFFFFFFFFu, upto, step);
      if (lane >= step) upto += other;
    }
    const int owner = __ffs(int(__ballot_sync(0xFFFFFFFFu, upto > uint32_t(rank)))) - 1;
    uint32_t running = upto - sum;
    Found found{8 * lane, int32_t(running)};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      running += count[i];
      if (running <= uint32_t(rank)) found = {8 * lane + i + 1, int32_t(running)};
    }
    found.bin = __shfl_sync(0xFFFFFFFFu, found.bin, owner);
    found.below = __shfl_sync(0xFFFFFFFFu, found.below, owner);
    __syncwarp();
    return found;
  }
};

// The median's high byte from the histogram of high bytes; its low byte from that of the samples
// with this high byte, which slides while the high byte stays and otherwise is made again.
__global__ void __launch_bounds__(block_threads) median_march(MedianRequest q, int32_t rows) {
  alignas(16) __shared__ uint32_t coarse_counts[warps][bins], fine_counts[warps][bins];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t column = int64_t(blockIdx.x) * warps + warp;
  if (column >= q.src.width) return;  // whole warps; nothing below waits for a block
  const auto x = int32_t(column), c = int32_t(blockIdx.z);
  const WarpHistogram coarse{coarse_counts[warp], lane}, fine{fine_counts[warp], lane};

  // Adds `by` for every sample of row y of the window.
  const auto change = [&](int32_t y, uint32_t by) {
    for (int32_t i = lane; i < q.ksize; i += 32)
      atomicAdd(coarse.counts + (key_at<uint16_t>(q, x - q.radius + i, y, c) >> 8), by);
  };
  const auto change_fine = [&](int32_t y, int32_t high, uint32_t by) {
    for (int32_t i = lane; i < q.ksize; i += 32) {
      const int32_t key = key_at<uint16_t>(q, x - q.radius + i, y, c);
      if (key >> 8 == high) atomicAdd(fine.counts + (key & 255), by);
    }
  };

  for (int64_t top = int64_t(blockIdx.y) * rows; top < q.src.height;
       top += int64_t(gridDim.y) * rows) {
    const auto begin = int32_t(top), end = int32_t(min(top + rows, int64_t(q.src.height)));
    int32_t high = -1;
    __syncwarp();
    coarse.clear();
    for (int32_t y = begin - q.radius; y < begin + q.radius; ++y) change(y, 1);
    for (int32_t y = begin; y < end; ++y) {
      if (y > begin) change(y - q.radius - 1, uint32_t(-1));
      change(y + q.radius, 1);
      const auto found = coarse.find(q.half);
      if (found.bin == high) {
        change_fine(y - q.radius - 1, high, uint32_t(-1));
        change_fine(y + q.radius, high, 1);
      } else {
        high = found.bin;
        fine.clear();
        for (int32_t j = -q.radius; j <= q.radius; ++j) change_fine(y + j, high, 1);
      }
      const int32_t median = high << 8 | fine.find(q.half - found.below).bin;
      if (lane == 0)
        q.dst.as<uint16_t, Space::device>().at(x, y, c) =
            leaves(q, x, y) ? uint16_t(0) : uint16_t(median);
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
void launch_network(const MedianArgs& args, Call& call) {
  const ConstAnyView& src = args.src;
  if constexpr (K > 1 && !std::is_same_v<T, float>) {
    if (src.channels == 1 && src.width >= Strips<T, K>::min_width)
      return launch_strips<T, K>(args, call);
  }
  cuda::launch("median", median_network<T, K>,
               marching_grid(src.width, block_x, src.height, block_y, src.channels),
               dim3(block_x, block_y), 0, cuda::stream_of(call), request_of(args));
}

template <class T>
void launch_samples(const MedianArgs& args, Call& call) {
  switch (args.options.ksize) {
    case 1: return launch_network<T, 1>(args, call);
    case 3: return launch_network<T, 3>(args, call);
    case 5: return launch_network<T, 5>(args, call);
  }
  if constexpr (sizeof(T) == 2) {
    // The rows above and below are counted once more by every block.
    const int32_t rows = std::max(64, 2 * args.options.ksize);
    cuda::launch("median", median_march,
                 marching_grid(args.src.width, warps, args.src.height, rows, args.src.channels),
                 dim3(block_threads), 0, cuda::stream_of(call), request_of(args), rows);
  }
}

}  // namespace

std::string_view median_cuda::fused_supports(const MedianArgs& args, const Parameters&) {
  if (args.src.type == PixelType::u8 && args.options.ksize > 5)
    return "windows of 7 and more of u8";
  return {};
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
