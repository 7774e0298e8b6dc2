// The pyramid of boundaries on CUDA, two launches. The first goes from the source to levels 1 and 2
// of each channel, and to level 2 of the activity; the second from there to level 2 of the sums of
// scales, and to level 4 of the activity. A block takes a tile; what is between stays in shared
// memory.
#pragma once

#include <array>

#include "ops/boundaries/cuda/tile.cuh"

namespace cuesta::boundary_cuda {

template <class T>
struct LevelsJob {
  ImageView<const T, Space::device> src;
  bool aligned;                    // rows begin at multiples of 4 bytes
  std::array<uint32_t, 64> table;  // of responses
  Planes first, second;            // levels 1 and 2
  Level active;                    // activity, level 2
  unsigned long long* total;       // of the activity of level 1; null where nobody asks
};

// ---- the source

/// Four pixels side by side from (x, y) on, as a word of responses for each channel; outside the
/// picture the nearest one counts. x is a multiple of 4.
template <class T, int Channels>
struct Quad {
  static constexpr int words = Channels * int(sizeof(T));
  uint32_t sample[words];

  Quad() = default;
  __device__ Quad(const LevelsJob<T>& job, int32_t x, int32_t y) {
    const T* row = job.src.row(min(max(y, 0), job.src.height - 1));
    if (job.aligned && x >= 0 && x < job.src.width - 3) {
      const auto* from = reinterpret_cast<const uint32_t*>(row + ptrdiff_t(x) * Channels);
#pragma unroll
      for (int i = 0; i < words; ++i) sample[i] = __ldg(from + i);
      return;
    }
#pragma unroll
    for (int i = 0; i < words; ++i) sample[i] = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const T* pixel = row + ptrdiff_t(min(max(x + i, 0), job.src.width - 1)) * Channels;
#pragma unroll
      for (int c = 0; c < Channels; ++c) {
        const int at = (i * Channels + c) * int(sizeof(T));
        sample[at / 4] |= uint32_t(pixel[c]) << (at % 4 * 8);
      }
    }
  }
  /// The responses to channel c.
  __device__ uint32_t responses(const uint8_t* table, int c) const {
    uint32_t word = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = (i * Channels + c) * int(sizeof(T));
      const auto v = T(sample[at / 4] >> (at % 4 * 8));
      word |= uint32_t(table[level_of(v)]) << (8 * i);
    }
    return word;
  }
};

template <class T, int Channels>
struct LevelsTile {
  // Level 1, 2 samples more on all sides; the activity, 1 more.
  using First = Tile<tile_columns + 4, tile_rows + 4>;
  using Active = Tile<tile_columns + 2, tile_rows + 2>;
  // Responses, 4 a word, from the tile's first pixel - 8 and - 5 on.
  static constexpr int words = (2 * tile_columns + 16) / 4, rows = 2 * First::high + 2;

  uint8_t table[256];
  uint32_t response[Channels][rows][words];
  First first[Channels];
  Active active;
  int32_t sum;

  __device__ void load_table(const LevelsJob<T>& job) {
    const uint32_t* from = cuda::opaque(job.table.data());
    if (threadIdx.x == 0) sum = 0;
    if (threadIdx.x < 64) reinterpret_cast<uint32_t*>(table)[threadIdx.x] = from[threadIdx.x];
  }
  __device__ void load(const LevelsJob<T>& job, Corner at) {
    // A thread takes some words of a column, a few at a time: their latencies overlap.
    using Four = Quad<T, Channels>;
    constexpr int lines = tile_threads / words, batch = Four::words <= 3 ? 4 : 2;
    const int x = int(threadIdx.x) % words, first_line = int(threadIdx.x) / words;
    if (first_line >= lines) return;
    for (int top = first_line; top < rows; top += batch * lines) {
      Four four[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i)
        four[i] = Four(job, 2 * at.x - 8 + 4 * x, 2 * at.y - 5 + top + i * lines);
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const int y = top + i * lines;
        if (y >= rows) break;
#pragma unroll
        for (int c = 0; c < Channels; ++c) response[c][y][x] = four[i].responses(table, c);
      }
    }
  }
  /// Level 1; writes the tile's own part of it.
  __device__ void make_first(const LevelsJob<T>& job, Corner at) {
    constexpr int run = 6;
    for_columns<First::pairs, First::high, run>([&](int pair, int top) {
      uint32_t even[Channels][4], odd[Channels][4];
      const auto take = [&](int c, int row, int slot) {
        const uint32_t* word = response[c][row] + pair;
        even[c][slot] = __funnelshift_r(word[0], word[1], 24);
        odd[c][slot] = __funnelshift_r(word[1], word[2], 8);
      };
#pragma unroll
      for (int c = 0; c < Channels; ++c) take(c, 2 * top, 2), take(c, 2 * top + 1, 3);
#pragma unroll
      for (int r = 0; r < run; ++r) {
        int32_t mean[2][3];
#pragma unroll
        for (int c = 0; c < Channels; ++c) {
#pragma unroll
          for (int i = 0; i < 2; ++i) even[c][i] = even[c][i + 2], odd[c][i] = odd[c][i + 2];
          take(c, 2 * (top + r) + 2, 2), take(c, 2 * (top + r) + 3, 3);
          mean[0][c] = mean_of(even[c]);
          mean[1][c] = mean_of(odd[c]);
        }
        put_first(job, at, pair, top + r, mean);
      }
    });
  }
  /// The tile of activity.
  __device__ void make_active() {
    for_tensors<Channels>(first, [&](int pair, int row, const Tensor& a, const Tensor& b) {
      active.word[row][pair] = pair_of(activity(a), activity(b));
    });
  }
  /// Adds the activity of the tile's own samples up.
  __device__ void add_activity(const LevelsJob<T>& job, Corner at) {
    int32_t own = 0;
    for (int i = int(threadIdx.x); i < tile_columns * tile_rows; i += tile_threads) {
      const int x = i % tile_columns, y = i / tile_columns;
      if (at.x + x < job.first.first.width && at.y + y < job.first.first.height)
        own += active.row(y + 1)[x + 1];
    }
    add_block(own, sum, *job.total);
  }
  /// Level 2 of everything.
  __device__ void make_second(const LevelsJob<T>& job, Corner at) const {
    constexpr int wide = tile_columns / 2, all = wide * tile_rows / 2;
    for (int i = int(threadIdx.x); i < all; i += tile_threads) {
      const int x = i % wide, y = i / wide;
      const int32_t to_x = at.x / 2 + x, to_y = at.y / 2 + y;
      if (to_x >= job.active.width || to_y >= job.active.height) continue;
#pragma unroll
      for (int c = 0; c < Channels; ++c)
        job.second.of(c).row(to_y)[to_x] = int16_t(reduced_of<true>(first[c], x, 2 * y + 1));
      job.active.row(to_y)[to_x] = int16_t(reduced_of<false>(active, x, 2 * y));
    }
  }

 private:
  // [S / 32] of 4 × 4 responses, a row a word.
  __device__ static int32_t mean_of(const uint32_t (&row)[4]) {
    constexpr uint32_t outer = 0x01030301, inner = 3 * outer;
    const uint32_t sum = __dp4a(
        row[0], outer, __dp4a(row[1], inner, __dp4a(row[2], inner, __dp4a(row[3], outer, 16u))));
    return int32_t(sum >> 5);
  }
  __device__ void put_first(const LevelsJob<T>& job, Corner at, int pair, int row,
                            const int32_t (&mean)[2][3]) {
    const int last = Channels - 1, middle = Channels / 2;  // of one channel three equal ones
    const Opponents a = opponents(mean[0][0], mean[0][middle], mean[0][last]);
    const Opponents b = opponents(mean[1][0], mean[1][middle], mean[1][last]);
    const int32_t x = at.x - 2 + 2 * pair, y = at.y - 2 + row;
    const bool writes = pair > 0 && pair <= tile_columns / 2 && row >= 2 && row < tile_rows + 2 &&
                        x < job.first.first.width && y < job.first.first.height;
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      const int32_t both = pair_of(a.of[c], b.of[c]);
      first[c].word[row][pair] = both;
      // Rows of a level are padded, so that a pair may pass their end.
      if (writes) *reinterpret_cast<int32_t*>(job.first.of(c).row(y) + x) = both;
    }
  }
};

template <class T, int Channels>
__global__ void __launch_bounds__(tile_threads)
    make_levels(const __grid_constant__ LevelsJob<T> job) {
  using All = LevelsTile<T, Channels>;
  CUESTA_DYNAMIC_SHARED(uint32_t, memory);
  All& tile = *reinterpret_cast<All*>(memory);
  const int32_t width = job.first.first.width, height = job.first.first.height;
  const Corner at = corner_of(width, tile_columns, tile_rows);
  tile.load_table(job);
  __syncthreads();
  tile.load(job, at);
  __syncthreads();
  cuda::let_next_begin();
  tile.make_first(job, at);
  __syncthreads();
  const bool border = All::First::passes_border(at.x - 2, at.y - 2, width, height);
  if (border) {
#pragma unroll
    for (int c = 0; c < Channels; ++c) tile.first[c].close(at.x - 2, at.y - 2, width, height);
    __syncthreads();
  }
  tile.make_active();
  __syncthreads();
  if (border) {
    tile.active.close(at.x - 1, at.y - 1, width, height);
    __syncthreads();
  }
  tile.make_second(job, at);
  if (job.total) tile.add_activity(job, at);
}

// ---- above level 2

struct ScalesJob {
  Planes second, sums;  // level 2: of the pyramid, P₂ + E(2 P₃)
  Level active, far;    // the activity, levels 2 and 4
  int32_t channels;
};

/// P₃ is doubled on its way. A block's channel is blockIdx.z, and the activity comes after the
/// last.
__global__ inline void __launch_bounds__(tile_threads)
    make_scales(const __grid_constant__ ScalesJob job) {
  using Second = Tile<tile_columns + 8, tile_rows + 8>;         // 4 samples more on all sides
  using Third = Tile<tile_columns / 2 + 2, tile_rows / 2 + 2>;  // 1 sample more
  __shared__ Second second;
  __shared__ Third third;
  const bool is_activity = int32_t(blockIdx.z) == job.channels;
  const Level from = is_activity ? job.active : job.second.of(int32_t(blockIdx.z));
  const Corner at = corner_of(from.width, tile_columns, tile_rows);
  cuda::wait_for_before();
  second.load(from, at.x - 4, at.y - 4);
  __syncthreads();
  cuda::let_next_begin();
  for (int i = int(threadIdx.x); i < Third::wide * Third::high; i += tile_threads) {
    const int x = i % Third::wide, y = i / Third::wide;
    third.row(y)[x] = int16_t(reduced_of<true>(second, x, 2 * y + 1) << !is_activity);
  }
  __syncthreads();
  if (Second::passes_border(at.x - 4, at.y - 4, from.width, from.height)) {
    third.close(at.x / 2 - 1, at.y / 2 - 1, half(from.width), half(from.height));
    __syncthreads();
  }
  if (is_activity) {
    constexpr int wide = tile_columns / 4, all = wide * tile_rows / 4;
    for (int i = int(threadIdx.x); i < all; i += tile_threads) {
      const int32_t x = at.x / 4 + i % wide, y = at.y / 4 + i / wide;
      if (x < job.far.width && y < job.far.height)
        job.far.row(y)[x] = int16_t(reduced_of<false>(third, i % wide, 2 * (i / wide)));
    }
    return;
  }
  const Level sums = job.sums.of(int32_t(blockIdx.z));
  for_columns<tile_columns / 2, tile_rows, 2>([&](int pair, int row) {
    const int32_t x = at.x + 2 * pair, y = at.y + row;
    if (x >= sums.width) return;
    expand_sample(third, pair + 1, row / 2 + 1, [&](int j, int32_t even, int32_t odd) {
      if (y + j >= sums.height) return;
      const int32_t own = second.word[row + j + 4][pair + 2];
      *reinterpret_cast<int32_t*>(sums.row(y + j) + x) = pair_of(own + even, (own >> 16) + odd);
    });
  });
}

}  // namespace cuesta::boundary_cuda
