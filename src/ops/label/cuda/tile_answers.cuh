// Strategy `tiles`, the answers: labels, and components from sums of a tile's sets.
#pragma once

#include <cstddef>

#include "ops/label/cuda/components.cuh"
#include "ops/label/cuda/tiles.cuh"
#include "ops/label/cuda/warp_sums.cuh"

namespace cuesta::label_cuda {

/// What is added to a set's sums.
struct Part {
  int32_t area, x, y, left, right, bottom;
};

/// Sums of a tile's sets in shared memory, in the tile's coordinates.
template <int Room>
struct TileSums {
  int32_t area[Room], x[Room], y[Room], left[Room], right[Room], bottom[Room];

  __device__ void clear(int set) {
    area[set] = x[set] = y[set] = right[set] = bottom[set] = 0;
    left[set] = INT32_MAX;
  }
  __device__ void add(int set, const Part& p) {
    atomicAdd(&area[set], p.area);
    atomicAdd(&x[set], p.x);
    atomicAdd(&y[set], p.y);
    atomicMin(&left[set], p.left);
    atomicMax(&right[set], p.right);
    atomicMax(&bottom[set], p.bottom);
  }
};

/// Lanes of one set that it pays to add up before they go to memory, and how often.
inline constexpr int lanes_to_add = 6, rounds_to_add = 2;

/// add(to, part) for the parts of a warp's lanes; `to` < 0 for none. Those of many lanes are added
/// up before.
template <class Add>
__device__ void add_parts(int32_t to, const Part& part, Add&& add) {
#pragma unroll
  for (int round = 0; round < rounds_to_add; ++round) {
    const unsigned some = __ballot_sync(~0u, to >= 0);
    if (some == 0) return;
    const int32_t common = __shfl_sync(~0u, to, lowest_bit(some));
    const bool joins = to == common;
    if (count_bits(__ballot_sync(~0u, joins)) < lanes_to_add) break;
    Part all;
    all.area = warp_sum(joins ? part.area : 0);
    all.x = warp_sum(joins ? part.x : 0);
    all.y = warp_sum(joins ? part.y : 0);
    all.left = warp_min(joins ? part.left : INT32_MAX);
    all.right = warp_max(joins ? part.right : 0);
    all.bottom = warp_max(joins ? part.bottom : 0);
    if (threadIdx.x % 32 == 0) add(common, all);
    if (joins) to = -1;
  }
  if (to >= 0) add(to, part);
}

/// Writes a component, whose number is `label`, in three stores; its padding too, as all is copied.
__device__ inline void write_component(Component* components, int32_t label, const Rect& box,
                                       int64_t area, int64_t sum_x, int64_t sum_y) {
  static_assert(sizeof(Component) == 48 && offsetof(Component, box) == 4 &&
                offsetof(Component, area) == 24 && offsetof(Component, sum_x) == 32 &&
                offsetof(Component, sum_y) == 40);
  const auto low = [](int64_t v) { return int32_t(uint32_t(uint64_t(v))); };
  const auto high = [](int64_t v) { return int32_t(v >> 32); };
  auto* to = reinterpret_cast<int4*>(components + (label - 1));
  to[0] = make_int4(label, box.x, box.y, box.width);
  to[1] = make_int4(box.height, 0, low(area), high(area));
  to[2] = make_int4(low(sum_x), high(sum_x), low(sum_y), high(sum_y));
}

/// Labels, unless that view is none, and components, unless there is none or no room for all. Sets
/// of a tile take turns in shared memory, `room` at a time.
template <bool Labels, bool Components, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    answer_tiles(Tiles t, ImageView<int32_t, Space::device> labels, Component* components,
                 int32_t components_room) {
  constexpr int room = Labels ? 256 : 512;
  __shared__ TileSums<Components ? room : 1> sums;
  __shared__ int32_t set_labels[room];
  __shared__ int32_t run_labels[Labels ? Shape::runs : 1];
  __shared__ uint32_t words[Shape::words_in_all];

  if (Components && t.counts->sets > components_room) return;
  const int own = int(threadIdx.x), lane = own % 32;
  const int32_t tile = int32_t(blockIdx.x), tile_y = tile / t.across;
  const int32_t tile_x = tile - tile_y * t.across;
  const int32_t left = tile_x * Shape::pixels, top = tile_y * Shape::rows;
  const int64_t at = int64_t(tile) * Shape::runs;
  const int4 held = t.tile_sets[tile];
  const int all_sets = held.x, first_open = held.y, runs = held.z;
  if (!Labels && runs == 0) return;
  const auto global_index = [&](uint32_t entry) {
    return index_of(t.parents[first_open + int32_t(entry & (open_entry - 1))]);
  };

  for (int k = own; k < Shape::words_in_all; k += Shape::threads)
    words[k] = t.word(tile_x * Shape::words + k % Shape::words, top + k / Shape::words);
  for (int from = 0; from < all_sets; from += room) {
    const int sets = min(room, all_sets - from);
    for (int s = own; s < sets; s += Shape::threads) {
      const uint32_t entry = t.sets[at + from + s];
      if (entry & open_entry) {
        const int32_t index = first_open + int32_t(entry & (open_entry - 1));
        set_labels[s] = t.label(first_pixel_of(t.parents[index]));
      } else {
        const int x = int(entry) % Shape::pixels, y = int(entry) / Shape::pixels;
        set_labels[s] = t.label(left + x, top + y);
      }
      if constexpr (Components) sums.clear(s);
    }
    __syncthreads();
    for (int n = own; n - lane < runs; n += Shape::threads) {
      int set = -1;
      Part part{};
      if (n < runs) {
        set = t.set_of_run[at + n] - from;
        if (unsigned(set) >= unsigned(sets)) set = -1;
        if constexpr (Labels) {
          if (set >= 0) run_labels[n] = set_labels[set];
        }
        if constexpr (Components) {
          const int place = t.places[at + n], y = place / Shape::pixels;
          const int32_t pixels =
              count_bits(run_from(words[place / word_pixels], place % word_pixels));
          part.left = place % Shape::pixels, part.right = part.left + pixels - 1;
          part.area = pixels;
          part.x = (part.left + part.right) * pixels / 2;
          part.y = pixels * y;
          part.bottom = y;
        }
      }
      if constexpr (Components)
        add_parts(set, part, [&](int32_t to, const Part& p) { sums.add(to, p); });
    }
    if constexpr (Components) {
      __syncthreads();
      for (int s = own; s - lane < sets; s += Shape::threads) {
        int32_t open = -1;
        Part part{};
        if (s < sets) {
          const uint32_t entry = t.sets[at + from + s];
          part = {sums.area[s], sums.x[s], sums.y[s], sums.left[s], sums.right[s], sums.bottom[s]};
          if (entry & open_entry) {
            open = global_index(entry);
          } else {
            const int32_t first_row = int32_t(entry) / Shape::pixels;
            write_component(components, set_labels[s],
                            {left + part.left, top + first_row, part.right - part.left + 1,
                             part.bottom - first_row + 1},
                            part.area, part.x + int64_t(part.area) * left,
                            part.y + int64_t(part.area) * top);
          }
        }
        add_parts(open, part, [&](int32_t to, const Part& p) {
          Sums& of = t.open_sums[to];
          add(of.area, p.area);
          add(of.x, p.x + int64_t(p.area) * left);
          add(of.y, p.y + int64_t(p.area) * top);
          atomicMin(&of.left, left + p.left);
          atomicMax(&of.right, left + p.right);
          atomicMax(&of.bottom, top + p.bottom);
        });
      }
    }
    __syncthreads();
  }
  if constexpr (Labels) {
    if (all_sets == 0) __syncthreads();
    // Four pixels a thread, so that eight threads write a word's labels.
    const int quad = own % 8 * 4;
    for (int k = own / 8; k < Shape::words_in_all; k += Shape::threads / 8) {
      const int32_t i = tile_x * Shape::words + k % Shape::words, y = top + k / Shape::words;
      const int32_t x = i * word_pixels + quad;
      if (y >= t.height || x >= t.width) continue;
      const uint32_t word = words[k];
      int4 out = make_int4(0, 0, 0, 0);
      int32_t* const each = &out.x;
      if (word >> quad & 15) {
        // The run of a pixel: those that begin up to it, less one.
        const int before = t.first_run[t.at(i, y)] - 1 + runs_upto(word, quad);
        const uint32_t starts = starts_of(word) >> quad;
#pragma unroll
        for (int p = 0; p < 4; ++p) {
          if (word >> (quad + p) & 1)
            each[p] = run_labels[before + count_bits(starts & ((2u << p) - 1))];
        }
      }
      int32_t* to = labels.row(y) + x;
      if (x + 4 <= t.width && reinterpret_cast<uintptr_t>(to) % 16 == 0) {
        *reinterpret_cast<int4*>(to) = out;
      } else {
#pragma unroll
        for (int p = 0; p < 4; ++p)
          if (x + p < t.width) to[p] = each[p];
      }
    }
  }
}

/// Components of open sets.
static __global__ void __launch_bounds__(open_set_threads)
    answer_open_sets(Tiles t, Component* components, int32_t components_room) {
  if (t.counts->sets > components_room) return;
  const int32_t count = t.counts->open_sets;
  for (int32_t k = int32_t(blockIdx.x * open_set_threads + threadIdx.x); k < count;
       k += int32_t(gridDim.x * open_set_threads)) {
    if (index_of(t.parents[k]) != k) continue;
    const Sums& of = t.open_sums[k];
    const int32_t top = of.first_pixel / t.width;
    write_component(components, t.label(of.first_pixel),
                    {of.left, top, of.right - of.left + 1, of.bottom - top + 1}, of.area, of.x,
                    of.y);
  }
}

}  // namespace cuesta::label_cuda
