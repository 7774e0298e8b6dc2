// Hysteresis of canny on CUDA, second and third launch: open sets (resolve.cuh) are joined across
// the tiles' rims by union-find in device memory, with label 0 where they touch another tile's
// edges, and the pixels of those that end there become edges. A warp takes a tile, a lane some
// pixels of its seams or a run of its list; blockIdx.z is the picture. What binds: latency.
#pragma once

#include "cuda/union_find.cuh"
#include "ops/canny/cuda/resolve.cuh"

namespace cuesta::canny_cuda {

/// The masks as resolve() leaves them, around the rims.
struct Rims {
  Masks masks;
  int32_t* parents;

  __device__ uint32_t word(const uint32_t* mask, int32_t x, int32_t y) const {
    const bool inside = x >= 0 && x < masks.words_per_row && y >= 0 && y < masks.height;
    return inside ? mask[ptrdiff_t(y) * masks.words_per_row + x] : 0;
  }
  __device__ uint32_t open(int32_t x, int32_t y) const { return word(masks.candidates, x, y); }
  __device__ uint32_t edge(int32_t x, int32_t y) const { return word(masks.strong, x, y); }
  /// Of a row and the one with which it makes a pair.
  __device__ uint32_t both(int32_t x, int32_t y) const { return open(x, y) | open(x, y ^ 1); }
  /// The label of the open run that holds pixel `bit` of a word of row y, whose both() is `pair`.
  __device__ int32_t label(int32_t x, int32_t y, int bit, uint32_t pair) const {
    return label_of(masks.words_per_row, y / 2, x, mask_runs::run_start(pair, bit));
  }
  __device__ int32_t label(int32_t x, int32_t y, int bit) const {
    return label(x, y, bit, both(x, y));
  }
  __device__ void join(int32_t a, int32_t b) const { cuda::unite_at_once(parents, a, b); }

  /// Pixels `mine` of word x of row y with the row above, which is another tile's. Pixels that
  /// touch as one is left to are not joined again.
  __device__ void across(int32_t x, int32_t y, uint32_t mine) const {
    using namespace mask_runs;
    // All loads at once, those of labels too.
    const uint32_t here = open(x, y), above = open(x, y - 1);
    const uint32_t pair = here | open(x, y ^ 1), pair_above = above | open(x, (y - 1) ^ 1);
    const uint32_t left_above = open(x - 1, y - 1), right_above = open(x + 1, y - 1);
    const auto touched = [&](int32_t row) {  // by the edges of a row
      return widen(edge(x, row)) | edge(x - 1, row) >> 31 | edge(x + 1, row) << 31;
    };
    const auto firsts = [](uint32_t v) { return v & ~(v << 1); };
    const uint32_t at_upper = firsts(here & touched(y - 1)), at_lower = firsts(above & touched(y));
    // One above the other; to the upper left, and to the upper right.
    const uint32_t straight = firsts(here & above);
    const uint32_t left = here & (above << 1 | left_above >> 31) & ~above & ~(here << 1);
    const uint32_t right = here & (above >> 1 | right_above << 31) & ~above & ~(here >> 1);
    uint32_t todo = (at_upper | at_lower | straight | left | right) & mine;
    for (; todo != 0; todo &= todo - 1) {
      const int bit = lowest_bit(todo);
      const auto at = [&](uint32_t word) { return (word >> bit & 1) != 0; };
      const auto over = [&](int place) { return label(x, y - 1, place, pair_above); };
      if (at(at_upper | straight | left | right)) {
        const int32_t from = label(x, y, bit, pair);
        if (at(at_upper)) join(from, Open::edge);
        if (at(straight)) join(from, over(bit));
        if (at(left)) join(from, bit > 0 ? over(bit - 1) : label(x - 1, y - 1, 31));
        if (at(right)) join(from, bit < 31 ? over(bit + 1) : label(x + 1, y - 1, 0));
      }
      if (at(at_lower)) join(over(bit), Open::edge);
    }
  }
  /// Two tiles side by side; the right one's first word is x and whose first row is y0;
  /// their corners meet other tiles above and below. A lane takes a row.
  __device__ void beside(const Rim& left, const Rim& right, int32_t x, int32_t y0) const {
    const uint32_t l = left.open_right, r = right.open_left;
    const auto firsts = [](uint32_t v) { return v & ~(v << 1); };
    const uint32_t l_edge = firsts(l & mask_runs::widen(right.edge_left));
    const uint32_t r_edge = firsts(r & mask_runs::widen(left.edge_right));
    const uint32_t straight = firsts(l & r);
    const uint32_t falls = l & (r >> 1) & ~r & ~(l >> 1), rises = l & (r << 1) & ~r & ~(l << 1);
    const auto at = [](uint32_t v) { return (v >> threadIdx.x & 1) != 0; };
    const int32_t y = y0 + int32_t(threadIdx.x);
    const bool from_left = at(l_edge | straight | falls | rises);
    if (!from_left && !at(r_edge)) return;
    // All labels before the first join waits.
    const int32_t from = from_left ? label(x - 1, y, 31) : Open::edge;
    const int32_t here = at(straight | r_edge) ? label(x, y, 0) : Open::edge;
    const int32_t below = at(falls) ? label(x, y + 1, 0) : Open::edge;
    const int32_t above = at(rises) ? label(x, y - 1, 0) : Open::edge;
    if (at(l_edge)) join(from, Open::edge);
    if (at(straight)) join(from, here);
    if (at(falls)) join(from, below);
    if (at(rises)) join(from, above);
    if (at(r_edge)) join(here, Open::edge);
  }
};

/// The seam above every tile, and the one to its left, a warp each: they wait for memory most of
/// the time. The second half of a block's warps have the sides.
template <class T>
__global__ void __launch_bounds__(2 * 32 * tile_warps) join_tiles(Masks all_masks, Open all_open) {
  static_assert(32 % T::across == 0);
  const Masks masks = all_masks.picture(blockIdx.z);
  const Place<T> place(masks, threadIdx.y % tile_warps);
  cuda::wait_for_before();
  cuda::let_next_begin();
  if (!place.exists()) return;
  const Rims rims{masks, all_open.parents_of(blockIdx.z, masks)};
  if (threadIdx.y >= tile_warps) {
    if (place.x == 0) return;
    const Rim* rim = all_open.rims + place.number();
    return rims.beside(rim[-1], *rim, place.word, place.row);
  }
  if (place.y == 0) return;
  // Lanes share a word.
  constexpr int sharing = 32 / T::across, pixels = 32 / sharing;
  const int lane = int(threadIdx.x);
  rims.across(place.word + lane / sharing, place.row,
              (~0u >> (32 - pixels)) << (lane % sharing * pixels));
}

/// Open runs whose set is the edges', into the picture.
template <class T>
__global__ void __launch_bounds__(32 * tile_warps)
    write_open(Masks all_masks, Open all_open, DeviceBatch<uint8_t> pictures) {
  using namespace mask_runs;
  const Masks masks = all_masks.picture(blockIdx.z);
  const Place<T> place(masks);
  cuda::wait_for_before();
  if (!place.exists()) return;
  const DeviceImage<uint8_t> dst = pictures.here();
  int32_t* parents = all_open.parents_of(blockIdx.z, masks);
  const uint16_t* nodes = Open::list_of(all_open.nodes, masks, place);
  const int32_t count = all_open.counts[place.number()];
  for (int i = int(threadIdx.x); i < count; i += 32) {
    const int node = nodes[i], pair = node / canny_tiles::nodes_of_pair;
    const int start = node % canny_tiles::nodes_of_pair * 2;
    const int32_t x = place.word + pair % T::across, y = place.row + pair / T::across * 2;
    const int32_t label = label_of(masks.words_per_row, y / 2, x, start);
    // In flight while the root is searched.
    const uint32_t* at = masks.candidates + ptrdiff_t(y) * masks.words_per_row + x;
    const uint32_t upper = at[0], lower = y + 1 < masks.height ? at[masks.words_per_row] : 0;
    if (cuda::find_and_shorten(parents, label) != Open::edge) continue;
    const uint32_t both = upper | lower, from = both >> start & 1 ? start : start + 1;
    const uint32_t run = run_from(both, int(from));
    uint8_t* to = dst.row(y) + ptrdiff_t(x) * word_pixels;
    for (uint32_t bits = upper & run; bits != 0; bits &= bits - 1) to[lowest_bit(bits)] = 255;
    to += dst.stride_bytes;
    for (uint32_t bits = lower & run; bits != 0; bits &= bits - 1) to[lowest_bit(bits)] = 255;
  }
}

}  // namespace cuesta::canny_cuda
