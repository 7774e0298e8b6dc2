// Strategy `tiles`, the answers: components of sets, and labels.
#pragma once

#include "ops/label/cuda/tiles.cuh"

namespace cuesta::label_cuda {

/// Labels of sets, where a picture of labels follows, and components, where they are wanted, unless
/// there is no room for all. Closed sets come first.
template <bool Labels, class List>
__global__ void __launch_bounds__(set_threads) answer_sets(Tiles t, const List list) {
  cuda::let_next_begin();
  cuda::wait_for_before();
  const int32_t closed = t.counts->closed_sets, count = closed + t.counts->open_sets;
  const auto own = int32_t(blockIdx.x * set_threads + threadIdx.x),
             all = int32_t(gridDim.x * set_threads);
  bool fits = closed <= t.closed_room;
  if constexpr (List::wanted) {
    fits &= t.counts->sets <= list.room;
    list.tell(t.counts->sets, fits, own, all);
  }
  if (!fits) return;
  __shared__ typename List::Stage stages[set_threads / 32];
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  for (int32_t k = own; k - lane < count; k += all) {
    Found found;
    if (k < closed) {
      const auto* from = reinterpret_cast<const int4*>(t.closed + k);
      const int4 place = from[0];
      found.label = t.label(place.x, place.y);
      if (Labels) t.closed_labels[k] = found.label;
      if constexpr (List::wanted) {
        const int4 sums = from[1];
        found.box = {place.z, place.y, place.w & 0xffff, place.w >> 16};
        found.area = sums.x, found.sum_x = sums.y, found.sum_y = sums.z;
      }
    } else if (k < count) {
      const int32_t set = k - closed;
      const OpenSet root = t.parents[set];
      const bool is_root = index_of(root) == set;
      if (Labels || is_root) {
        const int32_t label = t.label(first_pixel_of(root));
        if (Labels) t.open_labels[set] = label;
        if (List::wanted && is_root) {
          const Sums& of = t.open_sums[set];
          const int32_t top = of.first_pixel / t.width;
          found.label = label;
          found.box = {of.left, top, of.right - of.left + 1, of.bottom - top + 1};
          found.area = of.area;
          found.sum_x = of.x - of.area * of.left, found.sum_y = of.y - of.area * top;
        }
      }
    }
    if constexpr (List::wanted) list.write(found, stages[warp]);
  }
}

/// The picture of labels, tile by tile.
template <class Shape>
__global__ void __launch_bounds__(Shape::threads)
    write_labels(Tiles t, ImageView<int32_t, Space::device> labels) {
  __shared__ int32_t label_of[Shape::nodes];
  __shared__ uint32_t pixels[Shape::rows_a_cell][Shape::cells];
  cuda::let_next_begin();
  cuda::wait_for_before();
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
