// Strategy `tiles`, the answers: components of sets, and labels.
#pragma once

#include <cstddef>

#include "ops/label/cuda/tiles.cuh"
#include "ops/label/reference.hpp"

namespace cuesta::label_cuda {

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

/// Labels of sets, where a picture of labels follows, and components, where they are wanted, unless
/// there is no room for all. Closed sets come first.
template <bool Labels, bool Components>
__global__ void __launch_bounds__(set_threads)
    answer_sets(Tiles t, Component* components, int32_t components_room) {
  const int32_t closed = t.counts->closed_sets, count = closed + t.counts->open_sets;
  if (closed > t.closed_room || (Components && t.counts->sets > components_room)) return;
  for (int32_t k = int32_t(blockIdx.x * set_threads + threadIdx.x); k < count;
       k += int32_t(gridDim.x * set_threads)) {
    if (k < closed) {
      const auto* from = reinterpret_cast<const int4*>(t.closed + k);
      const int4 place = from[0];
      const int32_t label = t.label(place.x, place.y);
      if (Labels) t.closed_labels[k] = label;
      if (!Components) continue;
      const int4 sums = from[1];
      const int32_t width = place.w & 0xffff, height = place.w >> 16;
      write_component(components, label, {place.z, place.y, width, height}, sums.x,
                      sums.y + int64_t(sums.x) * place.z, sums.z + int64_t(sums.x) * place.y);
    } else {
      const int32_t own = k - closed;
      const OpenSet root = t.parents[own];
      const bool is_root = index_of(root) == own;
      if (!Labels && !is_root) continue;
      const int32_t label = t.label(first_pixel_of(root));
      if (Labels) t.open_labels[own] = label;
      if (!Components || !is_root) continue;
      const Sums& of = t.open_sums[own];
      const int32_t top = of.first_pixel / t.width;
      write_component(components, label,
                      {of.left, top, of.right - of.left + 1, of.bottom - top + 1}, of.area, of.x,
                      of.y);
    }
  }
}

/// The picture of labels, tile by tile.
template <class Shape>
__global__ void __launch_bounds__(Shape::threads)
    write_labels(Tiles t, ImageView<int32_t, Space::device> labels) {
  __shared__ int32_t label_of[Shape::nodes];
  __shared__ uint32_t pixels[Shape::rows_a_cell][Shape::cells];
  if (t.counts->closed_sets > t.closed_room) return;
  const int own = int(threadIdx.x);
  const int32_t tile = int32_t(blockIdx.x), tile_y = tile / t.across;
  const int32_t tile_x = tile - tile_y * t.across;
  const int32_t first_word = tile_x * Shape::words, top = tile_y * Shape::rows;
  const int4 held = t.tile_sets[tile];
  for (int k = own; k < Shape::words * Shape::rows; k += Shape::threads) {
    const int i = k % Shape::words, y = k / Shape::words;
    pixels[y % Shape::rows_a_cell][i * 32 + y / Shape::rows_a_cell] =
        t.word(first_word + i, top + y);
  }
  for (int n = own; n < held.x; n += Shape::threads) {
    const uint32_t set = t.set_of_node[int64_t(tile) * Shape::nodes + n];
    label_of[n] = set & open_entry ? t.open_labels[held.z + int32_t(set & (open_entry - 1))]
                                   : t.closed_labels[held.y + int32_t(set)];
  }
  __syncthreads();
  // Four pixels a thread, so that eight threads write a word's labels.
  const int quad = own % 8 * 4;
  for (int k = own / 8; k < Shape::words * Shape::rows; k += Shape::threads / 8) {
    const int32_t column = k % Shape::words, row = k / Shape::words;
    const int32_t x = (first_word + column) * word_pixels + quad, y = top + row;
    if (y >= t.height || x >= t.width) continue;
    const int cell = column * 32 + row / Shape::rows_a_cell;
    const uint32_t word = pixels[row % Shape::rows_a_cell][cell];
    int4 out = make_int4(0, 0, 0, 0);
    int32_t* const each = &out.x;
    if (word >> quad & 15) {
      // The node of a pixel: those that begin up to it, less one.
      const uint32_t all = pixels[0][cell] | pixels[Shape::rows_a_cell - 1][cell];
      const int before =
          t.first_node[int64_t(tile) * Shape::cells + cell] - 1 + runs_upto(all, quad);
      const uint32_t starts = starts_of(all) >> quad;
#pragma unroll
      for (int p = 0; p < 4; ++p) {
        if (word >> (quad + p) & 1)
          each[p] = label_of[before + count_bits(starts & ((2u << p) - 1))];
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

}  // namespace cuesta::label_cuda
