// Strategy `tiles`, the seams: open sets that touch across the rims of tiles become one.
#pragma once

#include "ops/label/cuda/tiles.cuh"

namespace cuesta::label_cuda {

inline constexpr int seam_threads = 128;

/// The open set of the run that begins at pixel `start` of a word, known by the node it last had
/// above it.
template <class Shape>
__device__ OpenSet open_set_at(const Tiles& t, int32_t i, int32_t y, int start) {
  const int64_t tile = int64_t(y / Shape::rows) * t.across + i / Shape::words;
  const int run = t.first_run[t.at(i, y)] + runs_upto(t.word(i, y), start);
  const int32_t first_open = t.tile_sets[tile].y;
  const uint32_t set = t.sets[tile * Shape::runs + t.set_of_run[tile * Shape::runs + run]];
  return cuda::parent_of(t.parents, open_set(0, first_open + int32_t(set & (open_entry - 1))));
}

/// A warp has a word below a seam, or 32 rows beside one: a lane a pixel where two runs begin to
/// touch. Pairs that follow from the pixel or the row before are left out.
template <bool Eight, class Shape>
__global__ void __launch_bounds__(seam_threads) join_seams(Tiles t) {
  const int64_t n = int64_t(blockIdx.x) * (seam_threads / 32) + threadIdx.x / 32;
  const int lane = int(threadIdx.x) % 32;
  const int64_t below = int64_t(t.down - 1) * t.words_a_row;
  const auto join = [&](int32_t i, int32_t y, int start, int32_t other_i, int32_t other_y,
                        int other_start) {
    cuda::unite(t.parents, open_set_at<Shape>(t, i, y, start),
                open_set_at<Shape>(t, other_i, other_y, other_start));
  };
  if (n < below) {
    const auto seam = int32_t(n / t.words_a_row);
    const auto i = int32_t(n - int64_t(seam) * t.words_a_row), y = (seam + 1) * Shape::rows;
    const uint32_t here = t.word(i, y), up = t.word(i, y - 1);
    const auto has = [&](uint32_t word, int pixel) { return pixel >= 0 && (word >> pixel & 1); };
    const bool own = has(here, lane), above = has(up, lane);
    const bool begins = own && !has(here, lane - 1), above_begins = above && !has(up, lane - 1);
    if (own && above) {
      if (begins || above_begins) join(i, y, run_start(here, lane), i, y - 1, run_start(up, lane));
    } else if (Eight) {
      if (begins && has(up, lane - 1)) join(i, y, lane, i, y - 1, run_start(up, lane - 1));
      if (above_begins && has(here, lane - 1))
        join(i, y, run_start(here, lane - 1), i, y - 1, lane);
      if (own && lane == 0) {
        const uint32_t up_left = t.word(i - 1, y - 1);
        if (up_left >> 31 && t.word(i - 1, y) >> 31 == 0)
          join(i, y, 0, i - 1, y - 1, run_start(up_left, 31));
      }
      if (own && lane == 31 && t.word(i + 1, y - 1) & 1)
        join(i, y, run_start(here, 31), i + 1, y - 1, 0);
    }
    return;
  }
  const auto seam = int32_t((n - below) / t.groups);
  if (seam >= t.across - 1) return;
  const auto group = int32_t(n - below - int64_t(seam) * t.groups);
  const uint32_t left = t.side(seam, 1)[group], right = t.side(seam + 1, 0)[group];
  // The rows above, inside the same tiles.
  const bool first = group % (Shape::rows / 32) == 0;
  const uint32_t left_up = left << 1 | (first ? 0 : t.side(seam, 1)[group - 1] >> 31);
  const uint32_t right_up = right << 1 | (first ? 0 : t.side(seam + 1, 0)[group - 1] >> 31);
  const uint32_t level = left & right & ~(left_up & right_up);
  const uint32_t falls = Eight ? right & left_up & ~left & ~right_up : 0;
  const uint32_t rises = Eight ? left & right_up & ~right & ~left_up : 0;
  if (((level | falls | rises) >> lane & 1) == 0) return;
  const int32_t i = (seam + 1) * Shape::words, y = group * 32 + lane;
  const int32_t at_left = y - int32_t(falls >> lane & 1), at_right = y - int32_t(rises >> lane & 1);
  join(i - 1, at_left, run_start(t.word(i - 1, at_left), 31), i, at_right, 0);
}

/// Every open set points at its root; what is no root is no first pixel either.
static __global__ void __launch_bounds__(open_set_threads) flatten_open_sets(Tiles t) {
  const int32_t count = t.counts->open_sets;
  for (int32_t k = int32_t(blockIdx.x * open_set_threads + threadIdx.x); k < count;
       k += int32_t(gridDim.x * open_set_threads)) {
    const int32_t first = t.open_sums[k].first_pixel;
    if (index_of(cuda::flatten(t.parents, open_set(first, k))) == k) continue;
    const int32_t y = first / t.width, x = first - y * t.width;
    atomicAnd(&t.roots[t.at(x / word_pixels, y)], ~(1u << x % word_pixels));
  }
}

}  // namespace cuesta::label_cuda
