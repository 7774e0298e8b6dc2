// Hysteresis of canny on CUDA, second and third launch: open sets (resolve.cuh) are joined across
// the tiles' rims by union-find in device memory, with label 0 where they touch another tile's
// edges, and the pixels of those that end there become edges. A block takes a tile, a thread a
// pixel of its seams or a run of its list; blockIdx.z is the picture. What binds: latency.
#pragma once

#include "cuda/union_find.cuh"
#include "ops/canny/cuda/resolve.cuh"

namespace cuesta::canny_cuda {

inline constexpr int seam_warps = 8, seam_threads = seam_warps * 32;

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
  /// The label of the open run that holds pixel `bit` of a word of row y.
  __device__ int32_t label(int32_t x, int32_t y, int bit) const {
    return label_of(masks.words_per_row, y / 2, x, mask_runs::run_start(both(x, y), bit));
  }
  __device__ void join(int32_t a, int32_t b) const { cuda::unite(parents, a, b); }

  /// Pixel `bit` of word x of row y with the row above, which is another tile's. A warp takes a
  /// word. Pixels that touch as one is left to are not joined again.
  __device__ void across(int32_t x, int32_t y, int bit) const {
    using namespace mask_runs;
    const uint32_t here = open(x, y), above = open(x, y - 1);
    if ((here | above) == 0) return;
    const auto touched = [&](int32_t row, uint32_t middle) {  // by the pixels of a row
      return widen(middle) | edge(x - 1, row) >> 31 | edge(x + 1, row) << 31;
    };
    const uint32_t at_upper = here & touched(y - 1, edge(x, y - 1));
    const uint32_t at_lower = above & touched(y, edge(x, y));
    const uint32_t joined = here & above, before = joined << 1;
    // One above the other; to the upper left, and to the upper right.
    const uint32_t straight = joined & ~before;
    const uint32_t left = here & (above << 1 | open(x - 1, y - 1) >> 31) & ~above & ~(here << 1);
    const uint32_t right = here & (above >> 1 | open(x + 1, y - 1) << 31) & ~above & ~(here >> 1);
    const auto at = [&](uint32_t word) { return word >> bit & 1; };
    if (at(here & (at_upper | straight | left | right))) {
      const int32_t mine = label(x, y, bit);
      if (at(at_upper & ~(at_upper << 1))) join(mine, Open::edge);
      if (at(straight)) join(mine, label(x, y - 1, bit));
      if (at(left)) join(mine, bit > 0 ? label(x, y - 1, bit - 1) : label(x - 1, y - 1, 31));
      if (at(right)) join(mine, bit < 31 ? label(x, y - 1, bit + 1) : label(x + 1, y - 1, 0));
    }
    if (at(at_lower & ~(at_lower << 1))) join(label(x, y - 1, bit), Open::edge);
  }
  /// The last pixel of word x − 1 of row y, which is another tile's, with the first of word x, dy
  /// rows below.
  __device__ void beside(int32_t x, int32_t y, int32_t dy) const {
    const bool left = open(x - 1, y) >> 31, right = open(x, y + dy) & 1;
    if (left && right)
      join(label(x - 1, y, 31), label(x, y + dy, 0));
    else if (left && edge(x, y + dy) & 1)
      join(label(x - 1, y, 31), Open::edge);
    else if (right && edge(x - 1, y) >> 31)
      join(label(x, y + dy, 0), Open::edge);
  }
};

/// The seams above and to the left of every tile.
template <class T>
__global__ void __launch_bounds__(seam_threads) join_tiles(Masks all_masks, Open all_open) {
  const Masks masks = all_masks.picture(blockIdx.z);
  const Rims rims{masks, all_open.parents_of(blockIdx.z, masks)};
  const int32_t x0 = int32_t(blockIdx.x) * T::across, y0 = int32_t(blockIdx.y) * T::rows;
  if (y0 > 0) {
    for (int i = int(threadIdx.y); i < T::across && x0 + i < masks.words_per_row; i += seam_warps)
      rims.across(x0 + i, y0, int(threadIdx.x));
  }
  if (x0 > 0) {
    const int thread = int(threadIdx.y) * 32 + int(threadIdx.x);
    for (int i = thread; i < 3 * T::rows; i += seam_threads) {
      const int32_t y = y0 + i % T::rows, dy = i / T::rows - 1;
      if (y < masks.height) rims.beside(x0, y, dy);
    }
  }
}

/// Open runs whose set is the edges', into the picture.
template <class T>
__global__ void __launch_bounds__(seam_threads)
    write_open(Masks all_masks, Open all_open, DeviceBatch<uint8_t> pictures) {
  using namespace mask_runs;
  const Masks masks = all_masks.picture(blockIdx.z);
  const DeviceImage<uint8_t> dst = pictures.here();
  int32_t* parents = all_open.parents_of(blockIdx.z, masks);
  const uint16_t* nodes = Open::list_of<T>(all_open.nodes, masks);
  const int32_t count = all_open.counts[tile_number()];
  for (int i = int(threadIdx.y) * 32 + int(threadIdx.x); i < count; i += seam_threads) {
    const int node = nodes[i], pair = node / canny_tiles::nodes_of_pair;
    const int start = node % canny_tiles::nodes_of_pair * 2;
    const int32_t x = int32_t(blockIdx.x) * T::across + pair % T::across;
    const int32_t y = int32_t(blockIdx.y) * T::rows + pair / T::across * 2;
    const int32_t label = label_of(masks.words_per_row, y / 2, x, start);
    if (cuda::find_and_shorten(parents, label) != Open::edge) continue;
    const uint32_t* at = masks.candidates + ptrdiff_t(y) * masks.words_per_row + x;
    const uint32_t upper = at[0], lower = y + 1 < masks.height ? at[masks.words_per_row] : 0;
    const uint32_t both = upper | lower, from = both >> start & 1 ? start : start + 1;
    const uint32_t run = run_from(both, int(from));
    uint8_t* to = dst.row(y) + ptrdiff_t(x) * word_pixels;
    for (uint32_t bits = upper & run; bits != 0; bits &= bits - 1) to[lowest_bit(bits)] = 255;
    to += dst.stride_bytes;
    for (uint32_t bits = lower & run; bits != 0; bits &= bits - 1) to[lowest_bit(bits)] = 255;
  }
}

}  // namespace cuesta::canny_cuda
