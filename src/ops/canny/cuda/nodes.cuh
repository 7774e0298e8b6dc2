// What canny's hysteresis on CUDA knows of a tile: its nodes, and their sets in shared memory. A
// node is a run of (upper | lower row) of a pair of rows of open candidates: all pixels of such a
// run touch. A tile is a warp's, which takes all steps in step.
#pragma once

#include "cuda/word_runs.hpp"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/sweeps.cuh"
#include "ops/canny/cuda/tiles.hpp"

namespace cuesta::canny_cuda {

/// What a tile leaves of its outermost columns, a bit a row.
struct Rim {
  uint32_t open_left, edge_left, open_right, edge_right;
};
static_assert(sizeof(Rim) == canny_tiles::rim_bytes);

/// What tiles leave to the later launches.
struct Open {
  int32_t* parents;  // of labels (canny_tiles::labels_of() a picture), which name sets of open runs
  uint16_t* nodes;   // lists of open runs, a tile's in list_of()
  uint16_t* overflow;  // as large: nodes of a tile that its shared memory has no place to list
  int32_t* counts;     // of open runs, for each tile
  Rim* rims;           // of each tile

  static constexpr int32_t edge = 0;

  __device__ int32_t* parents_of(uint32_t picture, const Masks& masks) const {
    return parents + picture * canny_tiles::labels_of(masks.words_per_row, masks.height);
  }
  /// The place of a tile in `lists`: as many entries as it can have nodes.
  template <class Place>
  __device__ static uint16_t* list_of(uint16_t* lists, const Masks& masks, const Place& tile) {
    const int64_t pairs = (min(Place::rows, masks.height - tile.row) + 1) / 2;
    const int64_t before = int64_t(tile.row / 2) * masks.words_per_row + tile.word * pairs;
    return lists + blockIdx.z * canny_tiles::labels_of(masks.words_per_row, masks.height) +
           before * canny_tiles::nodes_of_pair;
  }
};

/// The label of the run that begins at pixel `start` of a word of a pair of rows.
__device__ inline int32_t label_of(int32_t words_per_row, int32_t pair, int32_t word, int start) {
  return 1 + (pair * words_per_row + word) * canny_tiles::nodes_of_pair + start / 2;
}
/// Warps of a block; each of them has a tile of its own: blocks of fewer would wait to be
/// launched.
inline constexpr int tile_warps = 4;

/// Where a warp's tile is. Tiles of a picture are numbered row after row.
template <class T>
struct Place {
  static constexpr int32_t rows = T::rows;
  uint32_t across, down;  // tiles of the picture
  uint32_t x, y;          // of these
  int32_t word, row;      // its first

  /// Of a warp of the block.
  __device__ explicit Place(const Masks& masks, uint32_t warp = threadIdx.y)
      : across(uint32_t(canny_tiles::columns_of(masks.words_per_row, T::across))),
        down(uint32_t(canny_tiles::rows_of(masks.height, T::rows))) {
    const uint32_t number = blockIdx.x * tile_warps + warp;
    x = number % across;
    y = number / across;
    word = int32_t(x) * T::across;
    row = int32_t(y) * T::rows;
  }
  __device__ bool exists() const { return y < down; }
  /// Among those of all pictures.
  __device__ int64_t number() const { return (int64_t(blockIdx.z) * down + y) * across + x; }
};

/// Across words wide; a warp has 32 / Across strips of Rows rows, one below the other.
template <int Rows, int Across>
struct Tile {
  static constexpr int across = Across, strip_rows = Rows, strips = 32 / Across;
  static constexpr int rows = strips * strip_rows, words = rows * across, pairs = words / 2;
  static constexpr int nodes = pairs * canny_tiles::nodes_of_pair;
  // Nodes that are listed here; the others in device memory.
  static constexpr int listed_here = words, linked_here = words / 2;
  static_assert(rows <= 32 && nodes <= 65535);

  uint32_t open[words];
  uint32_t edge[words + 1];         // rows are read a word further
  uint32_t at_rim[nodes / 32 + 1];  // a bit a node: a root whose set reaches the tile's rim
  uint16_t parents[nodes + 1];      // of node + 1
  uint16_t list[listed_here], linked[linked_here];
};

// ---- sets of nodes; the smallest node of a set is its root

/// A place in a list that `counter` counts for each lane that wants one; a whole warp asks.
__device__ inline int places_for(bool wants, int& counter) {
  const uint32_t who = __ballot_sync(~0u, wants);
  const int place = counter + __popc(who & ((1u << threadIdx.x) - 1));
  counter += __popc(who);
  return place;
}

__device__ inline uint32_t parent_of(const uint16_t* parents, uint32_t node) {
  return *static_cast<const volatile uint16_t*>(parents + node);
}
__device__ inline uint32_t root_of(const uint16_t* parents, uint32_t node) {
  for (;;) {
    const uint32_t parent = parent_of(parents, node);
    if (parent == node) return node;
    node = parent;
  }
}
/// All nodes point at their roots, where nobody unites. A warp, in step: the next nodes find the
/// paths of these short.
template <class Entry>
__device__ inline void flatten_all(uint16_t* parents, int nodes, Entry&& entry) {
  for (int first = 0; first < nodes; first += 32) {
    const int i = first + int(threadIdx.x);
    const uint32_t node = i < nodes ? uint32_t(entry(i)) + 1 : 0;
    const uint32_t root = root_of(parents, node);
    __syncwarp();
    if (node != 0) parents[node] = uint16_t(root);
    __syncwarp();
  }
}
__device__ inline void unite_nodes(uint16_t* parents, uint32_t a, uint32_t b) {
  a = root_of(parents, a);
  b = root_of(parents, b);
  while (a != b) {
    if (a < b) {
      const uint32_t smaller = a;
      a = b;
      b = smaller;
    }
    const uint32_t seen = atomicCAS(parents + a, uint16_t(a), uint16_t(b));
    if (seen == a) return;
    a = root_of(parents, seen);
  }
}

/// A node of a tile: where it is, and its pixels in the pair's two rows.
template <class T>
struct Node {
  const T& tile;
  int x, y, start;  // word, upper row, first pixel
  uint32_t upper, lower;

  __device__ Node(const T& tile, uint32_t number) : tile(tile) {
    using namespace mask_runs;
    const int pair = int(number) / canny_tiles::nodes_of_pair;
    x = pair % T::across;
    y = pair / T::across * 2;
    const uint32_t a = tile.open[y * T::across + x], b = tile.open[(y + 1) * T::across + x];
    const uint32_t both = a | b;
    start = int(number) % canny_tiles::nodes_of_pair * 2;
    start += !((both & ~(both << 1)) >> start & 1);  // of two neighbours one begins a run
    const uint32_t run = run_from(both, start);
    upper = a & run;
    lower = b & run;
  }
  __device__ uint32_t run() const { return upper | lower; }
  /// Whether it touches an edge of the tile.
  __device__ bool touches_edge() const {
    using mask_runs::widen;
    const auto near = [&](int dy, uint32_t pixels) {  // an edge of a row beside these
      if (pixels == 0 || uint32_t(y + dy) >= uint32_t(T::rows)) return false;
      const uint32_t* at = tile.edge + (y + dy) * T::across + x;
      return (at[0] & widen(pixels)) != 0 || (x > 0 && pixels & 1 && at[-1] >> 31) ||
             (x + 1 < T::across && pixels >> 31 && at[1] & 1);
    };
    return near(-1, upper) || near(0, run()) || near(1, run()) || near(2, lower);
  }

  __device__ uint32_t row(int dx, int dy) const {
    const bool inside = uint32_t(x + dx) < uint32_t(T::across) && y + dy >= 0;
    return inside ? tile.open[(y + dy) * T::across + x + dx] : 0;
  }
  __device__ uint32_t pair(int dx, int dy) const { return row(dx, dy) | row(dx, dy + 1); }
  /// The parents' index of the run of another pair that begins at `start`.
  __device__ uint32_t index(int dx, int dy, int start) const {
    return 1 + ((y + dy) / 2 * T::across + x + dx) * canny_tiles::nodes_of_pair + start / 2;
  }
  /// link(index) for every node before that this one touches: above, and to the left.
  template <class Link>
  __device__ void links(Link&& link) const {
    using namespace mask_runs;
    // From the left to the right: the ends of the words beside, and the runs above.
    const bool from_left = run() & 1 && pair(-1, 0) >> 31;
    const bool from_corner = upper & 1 && row(-1, -1) >> 31;
    const bool to_corner = upper >> 31 && row(1, -1) & 1;
    uint32_t above = row(0, -1) & widen(upper);
    const uint32_t runs_above = above ? pair(0, -2) : 0;
    int todo = from_left | from_corner << 1 | to_corner << 2;
    while (above != 0 || todo != 0) {
      int dx = 0, dy = -2, first = 0;
      if (above != 0) {
        first = run_start(runs_above, lowest_bit(above));
        above &= ~run_from(runs_above, first);
      } else if (todo & 1) {
        dx = -1, dy = 0, todo &= ~1;
        first = run_start(pair(-1, 0), 31);
      } else if (todo & 2) {
        dx = -1, todo &= ~2;
        first = run_start(pair(-1, -2), 31);
      } else {
        dx = 1, todo = 0;
      }
      link(index(dx, dy, first));
    }
  }
};

}  // namespace cuesta::canny_cuda
