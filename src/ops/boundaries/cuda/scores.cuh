// Scores of quality high on CUDA: what the cues are read from, at level 2 and above a thread a
// sample, and the marks. Most maxima have a low strength, so scores are of few samples: a block
// lists those of its tile first.
#pragma once

#include "ops/boundaries/cuda/suppress.cuh"
#include "ops/boundaries/cuda/totals.cuh"
#include "ops/boundaries/cues.hpp"

namespace cuesta::boundary_cuda {

using Maps = CueMaps<Level, WideLevel>;

struct CuesJob {
  Level brightness, coarse;  // levels 1 and 2
  WideLevel tensor[3], spread[3];
  Level detail, grain;
};

struct CuesTile {
  using Inner = Tile<tile_columns + 2, tile_rows + 2>;  // 1 sample more on all sides
  using Outer = Tile<tile_columns + 4, tile_rows + 4>;  // 2 more
  Outer brightness[1], detail;
  Tile<tile_columns / 2 + 4, tile_rows / 2 + 4> coarse;
  Inner grain;
  int32_t tensor[3][Inner::high][Inner::wide];  // in 64ths

  __device__ void load(const CuesJob& job, Corner at) {
    brightness[0].load(job.brightness, at.x - 2, at.y - 2);
    coarse.load(job.coarse, at.x / 2 - 2, at.y / 2 - 2);
    for (int i = int(threadIdx.x); i < Inner::wide * Inner::high; i += tile_threads) {
      const int column = i % Inner::wide, row = i / Inner::wide;
      const int32_t x = min(max(at.x - 1 + column, 0), job.brightness.width - 1);
      const int32_t y = min(max(at.y - 1 + row, 0), job.brightness.height - 1);
#pragma unroll
      for (int k = 0; k < 3; ++k) tensor[k][row][column] = job.tensor[k].row(y)[x] >> 6;
    }
  }
  /// Detail and grain of level 1. Samples past the border are wrong until they are closed.
  __device__ void measure() {
    for_expanded(coarse, [&](int pair, int row, const int32_t(&words)[2]) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const auto a = uint32_t(brightness[0].word[row][pair + i]), b = uint32_t(words[i]);
        detail.word[row][pair + i] = int32_t(__vmaxu2(a, b) - __vminu2(a, b));
      }
    });
    for_gradients<1>(brightness, [&](int pair, int row, const Gradient(&g)[1][2]) {
      const auto grain_of = [](Gradient one) { return abs(one.x) - abs(one.y); };
      grain.word[row][pair] = pair_of(grain_of(g[0][0]), grain_of(g[0][1]));
    });
  }
  __device__ void reduce(const CuesJob& job, Corner at) const {
    constexpr int wide = tile_columns / 2, all = wide * tile_rows / 2;
    for (int i = int(threadIdx.x); i < all; i += tile_threads) {
      const int column = i % wide, row = i / wide;
      const int32_t x = at.x / 2 + column, y = at.y / 2 + row;
      if (x >= job.detail.width || y >= job.detail.height) continue;
      job.detail.row(y)[x] = int16_t(reduced_of<true>(detail, column, 2 * row + 1));
      job.grain.row(y)[x] = int16_t(reduced_of<false>(grain, column, 2 * row));
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        const auto sample = [&](int32_t u, int32_t v) { return tensor[k][v + 1][u + 1]; };
        job.spread[k].row(y)[x] = (reduced_sum(column, row, sample) + 32) >> 6;
      }
    }
  }
};

/// Level 2 of detail, grain and the tensors.
__global__ inline void __launch_bounds__(tile_threads)
    make_cues(const __grid_constant__ CuesJob job) {
  __shared__ CuesTile tile;
  const int32_t width = job.brightness.width, height = job.brightness.height;
  const Corner at = corner_of(width, tile_columns, tile_rows);
  tile.load(job, at);
  __syncthreads();
  tile.measure();
  __syncthreads();
  if (CuesTile::Outer::passes_border(at.x - 2, at.y - 2, width, height)) {
    tile.detail.close(at.x - 2, at.y - 2, width, height);
    tile.grain.close(at.x - 1, at.y - 1, width, height);
    __syncthreads();
  }
  tile.reduce(job, at);
}

// ---- above it

struct SmoothBoth {
  Level from[2], to[2];
  __device__ void operator()(int32_t x, int32_t y) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) to[i].at(x, y) = int16_t(smoothed(from[i], x, y));
  }
};
/// Level 3 of the channels, the activity and the tensors.
struct ThirdCues {
  int32_t channels;
  Planes second, third;
  Level active, activity;
  WideLevel from[3], spread[3];
  __device__ void operator()(int32_t x, int32_t y) const {
    for (int32_t c = 0; c < channels; ++c)
      third.of(c).at(x, y) = int16_t(reduced(second.of(c), x, y));
    activity.at(x, y) = int16_t(reduced(active, x, y));
#pragma unroll
    for (int k = 0; k < 3; ++k) spread[k].at(x, y) = reduced(from[k], x, y);
  }
};
/// Texture of level 3, and level 4 of the rest.
struct FourthCues {
  Level activity, texture;
  WideLevel from[3], spread[3];
  Level far, surround;
  Level red_green, red_green_far;  // levels 3 and 4, or no data
  __device__ void operator()(int32_t x, int32_t y) const {
    texture.at(x, y) = int16_t(smoothed(activity, x, y));
    if (x >= far.width || y >= far.height) return;
#pragma unroll
    for (int k = 0; k < 3; ++k) spread[k].at(x, y) = reduced(from[k], x, y);
    const Computed once{far.width, far.height,
                        [&](int32_t i, int32_t j) { return smoothed(far, i, j); }};
    surround.at(x, y) = int16_t(smoothed(once, x, y));
    if (red_green_far.data) red_green_far.at(x, y) = int16_t(reduced(red_green, x, y));
  }
};

// ---- marks

struct ScoreJob {
  Maps maps;
  const Totals* totals;
  int64_t samples;
  ScoreLimits limits;
  hysteresis::Masks masks;  // strong: the maxima that are considered
};

/// Both masks from the scores of the maxima. A block takes the tile that find_masks() gives one.
__global__ inline void __launch_bounds__(tile_threads)
    mark_scored(const __grid_constant__ ScoreJob job) {
  constexpr int words = 2 * tile_columns / 32, rows = 2 * tile_rows;
  static_assert(words * rows == tile_threads);
  __shared__ uint32_t found[rows][words], candidates[rows][words], strong[rows][words];
  __shared__ uint16_t listed[tile_columns * tile_rows];
  __shared__ int32_t count;
  const hysteresis::Masks& masks = job.masks;
  const Corner at = corner_of(job.maps.strengths.width, tile_columns, tile_rows);
  const int thread = int(threadIdx.x), row = thread / words, word = thread % words;
  const int32_t y = 2 * at.y + row;
  const ptrdiff_t place = ptrdiff_t(y) * masks.words_per_row + at.x / 16 + word;
  found[row][word] = y < masks.height ? masks.strong[place] : 0;
  candidates[row][word] = strong[row][word] = 0;
  if (thread == 0) count = 0;
  __syncthreads();
  for (int i = thread; i < tile_columns * tile_rows; i += tile_threads) {
    const int column = i % tile_columns, pair = i / tile_columns * 2, w = column / 16;
    const bool has = (found[pair][w] | found[pair + 1][w]) >> (column % 16 * 2) & 3;
    if (has) listed[atomicAdd(&count, 1)] = uint16_t(i);
  }
  __syncthreads();
  Maps maps = job.maps;
  maps.mean_strength = int32_t(int64_t(job.totals->strength) / job.samples);
  maps.mean_activity = int32_t(int64_t(job.totals->activity) / job.samples);
  maps.max_surround = job.totals->surround;
  for (int i = thread; i < count; i += tile_threads) {
    const int column = listed[i] % tile_columns, pair = listed[i] / tile_columns * 2;
    const int32_t score = score_of(CueReader(maps, at.x + column, at.y + pair / 2).read());
    const uint32_t own = 3u << (column % 16 * 2);
    for (int r = pair; r < pair + 2; ++r) {
      const uint32_t pixels = found[r][column / 16] & own;
      if (score > job.limits.weak) atomicOr(&candidates[r][column / 16], pixels);
      if (score > job.limits.strong) atomicOr(&strong[r][column / 16], pixels);
    }
  }
  __syncthreads();
  if (y >= masks.height) return;
  masks.candidates[place] = candidates[row][word];
  masks.strong[place] = strong[row][word];
}

}  // namespace cuesta::boundary_cuda
