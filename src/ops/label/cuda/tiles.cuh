// What the kernels of strategy `tiles` share: how the mask is cut, what is held of it, and how a
// set is found and numbered. src/ops/label/tiles.cu says how they play together.
#pragma once

#include "cuda/overlap.cuh"
#include "cuda/union_find.cuh"
#include "cuda/word_runs.hpp"
#include "ops/label/args.hpp"
#include "ops/label/cuda/records.cuh"

namespace cuesta::label_cuda {

using namespace mask_runs;

/// A cell is a word of 32 pixels in one row, 8-way in two, whose neighbouring columns always
/// touch: its nodes are the runs of columns that hold a pixel. A tile is Words x 32 cells, a warp
/// for each column of them and a lane for each cell.
template <bool Eight, int Words>
struct TileShape {
  static constexpr bool eight = Eight;
  static constexpr int words = Words, threads = Words * 32;
  static constexpr int rows_a_cell = Eight ? 2 : 1, rows = 32 * rows_a_cell;
  static constexpr int cells = Words * 32;
  static constexpr int nodes = cells * word_pixels / 2;  ///< that a tile can have
  static constexpr int pixels = Words * word_pixels;     ///< across
  /// Sets that reach a tile's rim: two pixels side by side are of one.
  static constexpr int open_sets = pixels + rows;
  static_assert(nodes / 32 <= threads * 2 && nodes <= 1 << 15);
};

/// A set of one tile that reaches the tile's rim, as a node of the sets of the whole picture: its
/// index below, its first pixel y * width + x above. So nodes stand in raster order, while their
/// indices come as tiles end.
enum class OpenSet : int64_t {};
__device__ inline OpenSet open_set(int32_t first_pixel, int32_t index) {
  return OpenSet(int64_t(first_pixel) << 32 | uint32_t(index));
}
__device__ inline int32_t index_of(OpenSet set) { return int32_t(uint32_t(int64_t(set))); }
__device__ inline int32_t first_pixel_of(OpenSet set) { return int32_t(int64_t(set) >> 32); }
__device__ inline OpenSet compare_and_swap(OpenSet* at, OpenSet expected, OpenSet wanted) {
  return OpenSet(
      cuda::compare_and_swap(reinterpret_cast<int64_t*>(at), int64_t(expected), int64_t(wanted)));
}

/// What is held of an open set, of the picture's when it is a root and all are merged.
struct Sums {
  int64_t area, x, y;
  int32_t left, right, bottom;
  int32_t first_pixel;
};

/// A set that does not reach its tile's rim, and so is a component.
struct alignas(16) ClosedSet {
  int32_t x, top;              // of its first pixel
  int32_t left;                // of its box
  int32_t size;                // of its box: width, and height above
  int32_t area, sum_x, sum_y;  // from the box's corner
  int32_t spare;
};

inline constexpr int set_threads = 128;

/// Roots are counted for this many words together.
inline constexpr int words_a_group = 4;

/// Everything held of a mask, in device memory. Words are counted row by row over the picture.
struct Tiles {
  const char* bits;
  ptrdiff_t stride_bytes;
  int32_t width, height, words_a_row;
  int32_t across, down;  // tiles
  int32_t closed_room;

  uint32_t* roots;  // of each word: pixels that are the first of a set
  int32_t* sums;    // of each group of words: roots up to its end
  // At the rims, of each pixel: the index of its open set, counted from 1. Rows of the picture's
  // width that are the first and the last of tiles; columns of its height.
  int32_t *first_rows, *last_rows, *first_columns, *last_columns;
  OpenSet* parents;   // of each open set
  Sums* open_sums;    // of each open set
  ClosedSet* closed;  // closed_room of them
  uint64_t* parts;    // of the scan: what is known of each
  Counts* counts;

  // For a picture of labels alone.
  int4* tile_sets;         // of each tile: nodes; the index of its first closed set, and open one
  uint16_t* first_node;    // of each cell
  uint16_t* set_of_node;   // of each node: its set's number in the tile
  int32_t* closed_labels;  // of each closed set
  int32_t* open_labels;    // of each open set

  /// Bits past the width are 0, and so is all outside.
  __device__ uint32_t word(int32_t i, int32_t y) const {
    if (i >= words_a_row || y >= height) return 0;
    const uint32_t all = reinterpret_cast<const uint32_t*>(bits + ptrdiff_t(y) * stride_bytes)[i];
    const int32_t left = width - i * word_pixels;
    return left < word_pixels ? all & ((1u << left) - 1) : all;
  }
  __host__ __device__ int64_t words() const { return int64_t(words_a_row) * height; }
  __host__ __device__ int64_t word_groups() const { return (words() - 1) / words_a_group + 1; }
  __device__ int64_t at(int32_t word, int32_t y) const { return int64_t(y) * words_a_row + word; }
  /// Of the set whose first pixel is (x, y), when roots are counted.
  __device__ int32_t label(int32_t x, int32_t y) const {
    const int64_t word = at(x / word_pixels, y), group = word / words_a_group;
    const uint4 own = reinterpret_cast<const uint4*>(roots)[group];
    const uint32_t of[words_a_group] = {own.x, own.y, own.z, own.w};
    const int last = int(word % words_a_group);
    int32_t after = 0;
#pragma unroll
    for (int i = 0; i < words_a_group; ++i) {
      const uint32_t upto = (2u << (x % word_pixels)) - 1;
      after += count_bits(i < last ? 0 : i > last ? of[i] : of[i] & ~upto);
    }
    return sums[group] - after;
  }
  __device__ int32_t label(int32_t first_pixel) const {
    const int32_t y = first_pixel / width;
    return label(first_pixel - y * width, y);
  }
};

/// Where a run of each word begins.
__device__ inline uint32_t starts_of(uint32_t word) { return word & ~(word << 1); }
/// How many runs begin before pixel `bit`.
__device__ inline int runs_upto(uint32_t word, int bit) {
  return count_bits(starts_of(word) & ((1u << bit) - 1));
}

/// In a set's number in its tile: it is the number of an open one.
inline constexpr uint32_t open_entry = 0x8000;

}  // namespace cuesta::label_cuda
