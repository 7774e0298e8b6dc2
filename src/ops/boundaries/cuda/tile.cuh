// What the tiles of boundaries on CUDA share: planes of 16 bits, pairs of samples in a word, and
// tiles in shared memory whose samples past the picture's border are the nearest inside.
//
// A word has two samples. Levels are at most 3,060 (of brightness 1,530), sums of scales C at
// most 12,240 either way, strengths at most 16,383: all fit 16 bits with a sign.
#pragma once

#include "cuda/instructions.cuh"
#include "cuda/launch.cuh"
#include "cuda/overlap.cuh"
#include "cuda/sums.cuh"
#include "ops/boundaries/pixels.hpp"

namespace cuesta::boundary_cuda {

using namespace boundary;

using Level = ImageView<int16_t, Space::device>;
using WideLevel = ImageView<int32_t, Space::device>;

/// Planes of the channels, one below the other: each begins `step` samples after the one before.
struct Planes {
  Level first;
  ptrdiff_t step;
  CUESTA_HOST_DEVICE Level of(int32_t c) const {
    Level one = first;
    one.data += c * step;
    return one;
  }
};

/// Threads of a block of every kernel of the row.
inline constexpr int32_t tile_threads = 256;
/// Samples of level 1 that a block takes: 128 × 64 pixels, a word of a mask a quarter of a warp.
inline constexpr int32_t tile_columns = 64, tile_rows = 32;

/// The first sample of a block's tile; tiles of `wide` × `high` samples, row after row.
struct Corner {
  int32_t x, y;
};
__device__ inline Corner corner_of(int32_t width, int32_t wide, int32_t high) {
  const auto across = uint32_t((int64_t(width) + wide - 1) / wide);
  return {int32_t(blockIdx.x % across) * wide, int32_t(blockIdx.x / across) * high};
}

/// Adds the block's sum of `own` to `total`. `sum` is in shared memory, and 0 since a barrier.
__device__ inline void add_block(int32_t own, int32_t& sum, unsigned long long& total) {
  const int32_t all = cuda::warp_sum(own);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, all);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&total, static_cast<unsigned long long>(sum));
}

// ---- pairs of samples

__device__ inline int32_t pair_of(int32_t low, int32_t high) {
  return int32_t(__byte_perm(uint32_t(low), uint32_t(high), 0x5410));
}
/// sum + a · (the low sample) + b · (the high one).
template <int32_t a, int32_t b>
__device__ inline int32_t add_pair(int32_t pair, int32_t sum) {
  return __dp2a_lo(pair, (a & 255) | (b & 255) << 8, sum);
}

/// mix() of two pairs of values that are not negative and at most 16,383: (3 near + far + 2) / 4,
/// which 16 bits hold. `kept` clears others' bits, and may clear a half.
inline constexpr uint32_t both_values = 0x3fff3fffu;
__device__ inline uint32_t mix_pairs(uint32_t near, uint32_t far, uint32_t kept = both_values) {
  return ((3 * near + (far + 0x00020002u)) >> 2) & kept;
}
static_assert(4 * (both_values & 0xffff) + 2 <= 65535 &&
              largest_strength == (both_values & 0xffff));

/// The high half of a and the low half of b.
__device__ inline uint32_t between(uint32_t a, uint32_t b) { return __byte_perm(a, b, 0x5432); }

/// What Sobel's sums take of a row, for the two samples in the middle of four.
struct RowSums {
  int32_t across[2], along[2];

  __device__ RowSums() = default;
  __device__ RowSums(int32_t left, int32_t right)
      : across{add_pair<-1, 0>(left, add_pair<1, 0>(right, 0)),
               add_pair<0, -1>(left, add_pair<0, 1>(right, 0))},
        along{add_pair<1, 2>(left, add_pair<1, 0>(right, 0)),
              add_pair<0, 1>(left, add_pair<2, 1>(right, 0))} {}
};
/// gradient_at() of one of the two, from three rows.
__device__ inline Gradient gradient_of(const RowSums& above, const RowSums& row,
                                       const RowSums& below, int i) {
  const int32_t gx = above.across[i] + 2 * row.across[i] + below.across[i];
  return {(gx + 4) >> 3, (below.along[i] - above.along[i] + 4) >> 3};
}

// ---- tiles in shared memory

/// Wide × High samples, rows of Pairs words.
template <int Wide, int High>
struct Tile {
  static constexpr int wide = Wide, high = High, pairs = (Wide + 1) / 2;
  int32_t word[High][pairs];

  __device__ int16_t* row(int y) { return reinterpret_cast<int16_t*>(word[y]); }
  __device__ const int16_t* row(int y) const { return reinterpret_cast<const int16_t*>(word[y]); }

  /// Whether some of its samples, the first of which is (x0, y0), are outside the picture.
  __device__ static bool passes_border(int32_t x0, int32_t y0, int32_t width, int32_t height) {
    return x0 < 0 || y0 < 0 || x0 + Wide > width || y0 + High > height;
  }
  /// These become the nearest inside. The whole block calls it, between barriers.
  __device__ void close(int32_t x0, int32_t y0, int32_t width, int32_t height) {
    for (int i = int(threadIdx.x); i < Wide * High; i += tile_threads) {
      const int32_t x = x0 + i % Wide, y = y0 + i / Wide;
      const int32_t near_x = min(max(x, 0), width - 1), near_y = min(max(y, 0), height - 1);
      if (near_x != x || near_y != y) row(y - y0)[x - x0] = row(near_y - y0)[near_x - x0];
    }
  }
  /// All samples from a level, those past its border the nearest inside.
  __device__ void load(const Level& from, int32_t x0, int32_t y0) {
    if (Wide % 2 == 0 && x0 % 2 == 0 && !passes_border(x0, y0, from.width, from.height)) {
      for (int i = int(threadIdx.x); i < High * pairs; i += tile_threads) {
        const int column = i % pairs, row = i / pairs;
        word[row][column] = reinterpret_cast<const int32_t*>(from.row(y0 + row) + x0)[column];
      }
      return;
    }
    for (int i = int(threadIdx.x); i < Wide * High; i += tile_threads) {
      const int32_t x = min(max(x0 + i % Wide, 0), from.width - 1);
      const int32_t y = min(max(y0 + i / Wide, 0), from.height - 1);
      row(i / Wide)[i % Wide] = from.row(y)[x];
    }
  }
};

/// body(pair, first row) for columns of `rows` rows of a tile of `pairs` × `high`.
template <int Pairs, int High, int Rows, class Body>
__device__ inline void for_columns(const Body& body) {
  constexpr int items = Pairs * ((High + Rows - 1) / Rows);
  const auto at = [&](int i) { body(i % Pairs, i / Pairs * Rows); };
  if constexpr (items <= tile_threads) {
    if (int(threadIdx.x) < items) at(int(threadIdx.x));
  } else {
    for (int i = int(threadIdx.x); i < items; i += tile_threads) at(i);
  }
}

/// put(row, even, odd) for two rows of E of a tile: of the two samples below sample (column, row).
template <int Wide, int High, class Put>
__device__ inline void expand_sample(const Tile<Wide, High>& from, int column, int row,
                                     const Put& put) {
  int32_t near[3], far[2][3];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    far[0][i] = from.row(row - 1)[column - 1 + i];
    near[i] = from.row(row)[column - 1 + i];
    far[1][i] = from.row(row + 1)[column - 1 + i];
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const int32_t left = mix(near[0], far[j][0]), middle = mix(near[1], far[j][1]),
                  right = mix(near[2], far[j][2]);
    put(j, mix(middle, left), mix(middle, right));
  }
}

/// put(pair, row, two words) for E of a tile of values that mix_pairs() takes: two samples at once,
/// four of two rows a thread. The first sample is that below the tile's second column and row.
template <int Wide, int High, class Put>
__device__ inline void for_expanded(const Tile<Wide, High>& from, const Put& put) {
  for_columns<Wide / 2 - 1, 2 * (High - 2), 2>([&](int quad, int row) {
    const auto words = [&](int y) {
      const int32_t* word = from.word[y] + quad;
      return make_uint2(uint32_t(word[0]), uint32_t(word[1]));
    };
    const uint2 near = words(row / 2 + 1);
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const uint2 far = words(row / 2 + 2 * j);
      const uint32_t left = mix_pairs(near.x, far.x), right = mix_pairs(near.y, far.y);
      const uint32_t middle = between(left, right);
      const uint32_t even = mix_pairs(middle, left), odd = mix_pairs(middle, right);
      put(2 * quad, row + j,
          {int32_t(__byte_perm(even, odd, 0x5410)), int32_t(__byte_perm(even, odd, 0x7632))});
    }
  });
}

/// put(pair, row, gradients of both samples in each channel) for a tile whose first sample is one
/// right of and below that of `from`: the words' samples 1 and 2, and 1 row less on all sides.
template <int Channels, int Wide, int High, class Put>
__device__ inline void for_gradients(const Tile<Wide, High> (&from)[Channels], const Put& put) {
  constexpr int rows = 5, pairs = Wide / 2 - 1, high = High - 2;
  constexpr int safe = rows - (high + rows - 1) / rows * rows + high;  // rows that every item has
  for_columns<pairs, high, rows>([&](int pair, int first) {
    const auto sums = [&](int c, int y) {
      const int32_t* words = from[c].word[y] + pair;
      return RowSums(words[0], words[1]);
    };
    RowSums last[Channels][2];
#pragma unroll
    for (int c = 0; c < Channels; ++c) {
      last[c][0] = sums(c, first);
      last[c][1] = sums(c, first + 1);
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (r >= safe && first + r >= high) break;
      Gradient g[Channels][2];
#pragma unroll
      for (int c = 0; c < Channels; ++c) {
        const RowSums below = sums(c, first + r + 2);
#pragma unroll
        for (int i = 0; i < 2; ++i) g[c][i] = gradient_of(last[c][0], last[c][1], below, i);
        last[c][0] = last[c][1];
        last[c][1] = below;
      }
      put(pair, first + r, g);
    }
  });
}
/// The same of the tensors of both samples.
template <int Channels, int Wide, int High, class Put>
__device__ inline void for_tensors(const Tile<Wide, High> (&from)[Channels], const Put& put) {
  for_gradients<Channels>(from, [&](int pair, int row, const Gradient(&g)[Channels][2]) {
    Tensor j[2];
#pragma unroll
    for (int c = 0; c < Channels; ++c)
#pragma unroll
      for (int i = 0; i < 2; ++i) j[i].add(g[c][i].x, g[c][i].y);
    put(pair, row, j[0], j[1]);
  });
}

/// reduced() of the four rows from `row` on of a tile, whose first of four samples is the second of
/// word `pair` (Odd) or the first.
template <bool Odd, int Wide, int High>
__device__ inline int32_t reduced_of(const Tile<Wide, High>& from, int pair, int row) {
  int32_t sum = 32;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    constexpr int weights[] = {1, 3, 3, 1};
    const int32_t* words = from.word[row + j] + pair;
    int32_t one = 0;
    if constexpr (Odd)
      one = add_pair<0, 1>(words[0], add_pair<3, 3>(words[1], add_pair<1, 0>(words[2], 0)));
    else
      one = add_pair<1, 3>(words[0], add_pair<3, 1>(words[1], 0));
    sum += weights[j] * one;
  }
  return sum >> 6;
}

}  // namespace cuesta::boundary_cuda
