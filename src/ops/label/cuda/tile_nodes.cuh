// Strategy `tiles`, what a block holds of its tile in shared memory: cells, their nodes, the sets
// of nodes, and sums of sets.
#pragma once

#include "cuda/sums.cuh"
#include "ops/label/cuda/tiles.cuh"

namespace cuesta::label_cuda {

/// A mask of bits.
struct BitSource {
  __device__ uint32_t word(const Tiles& t, int32_t i, int32_t y) const { return t.word(i, y); }
};

/// A mask of bytes; where labels are wanted it writes what it packs.
struct ByteSource {
  const uint8_t* data;
  ptrdiff_t stride_bytes;
  uint32_t* packed;  // t.bits, or null

  /// Which of four bytes are not 0.
  __device__ static uint32_t nibble(uint32_t bytes) {
    const uint32_t high = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) & 0x80808080u;
    return (high >> 7) * 0x10204080u >> 28;
  }
  __device__ uint32_t word(const Tiles& t, int32_t i, int32_t y) const {
    if (i >= t.words_a_row || y >= t.height) return 0;
    const uint8_t* from = data + ptrdiff_t(y) * stride_bytes + ptrdiff_t(i) * word_pixels;
    const auto address = reinterpret_cast<uintptr_t>(from);
    const int32_t left = t.width - i * word_pixels;
    uint32_t bits = 0;
    if (address % 16 == 0 && left >= word_pixels) {
      const auto* quads = reinterpret_cast<const uint4*>(from);
      const uint4 a = __ldg(quads), b = __ldg(quads + 1);
      bits = nibble(a.x) | nibble(a.y) << 4 | nibble(a.z) << 8 | nibble(a.w) << 12 |
             nibble(b.x) << 16 | nibble(b.y) << 20 | nibble(b.z) << 24 | nibble(b.w) << 28;
    } else if (i > 0 && left >= word_pixels + 4) {
      // Whole words of memory, none of which leaves the row.
      const auto* words = reinterpret_cast<const uint32_t*>(from - address % 4);
      const unsigned shift = unsigned(address % 4) * 8;
      uint32_t low = __ldg(words);
#pragma unroll
      for (int k = 0; k < 8; ++k) {
        const uint32_t high = __ldg(words + k + 1);
        bits |= nibble(__funnelshift_r(low, high, shift)) << 4 * k;
        low = high;
      }
    } else {
      for (int32_t k = 0; k < min(left, word_pixels); ++k) bits |= uint32_t(from[k] != 0) << k;
    }
    if (packed) packed[t.at(i, y)] = bits;
    return bits;
  }
};

/// Parents of a tile's nodes in a block's shared memory, each below its node's place, which stays.
/// While sets are joined every access is an atomic one.
struct TileParents {
  uint32_t* nodes;

  static constexpr uint32_t parent_bits = 0xffff;
};
__device__ inline uint32_t node_entry(TileParents parents, int32_t node) {
  return atomicOr(parents.nodes + node, 0u);
}
__device__ inline int32_t parent_of(TileParents parents, int32_t node) {
  return int32_t(node_entry(parents, node) & TileParents::parent_bits);
}
__device__ inline void set_parent(TileParents parents, int32_t node, int32_t parent) {
  // Parents only fall.
  const uint32_t place = node_entry(parents, node) & ~TileParents::parent_bits;
  atomicMin(parents.nodes + node, place | uint32_t(parent));
}
__device__ inline int32_t link_root(TileParents parents, int32_t node, int32_t parent) {
  const uint32_t place = node_entry(parents, node) & ~TileParents::parent_bits;
  const uint32_t had =
      atomicCAS(parents.nodes + node, place | uint32_t(node), place | uint32_t(parent));
  return int32_t(had & TileParents::parent_bits);
}

/// What is known of pixels of one set, in the tile's coordinates.
struct Part {
  int32_t area, x, y, left, right, bottom;
  int32_t first;  // y * tile's width + x of the first pixel
};

/// The sets of a tile in a block's shared memory. Nodes are counted cell by cell, cells column by
/// column; every step past the first takes a node a thread, as cells have very different numbers of
/// them.
template <class Shape>
struct TileSets {
  /// Sets of several nodes that are added up at once.
  static constexpr int room = 256;
  /// Links beside the first one of each node that are kept; a tile with more finds them again.
  static constexpr int max_links = 7 * room;
  struct PartSums {
    int32_t area[room], x[room], y[room], left[room], right[room], bottom[room], first[room];
    uint16_t root[room];
  };

  uint32_t pixels[Shape::rows_a_cell][Shape::cells];        // rows of each cell
  uint32_t first_pixels[Shape::rows_a_cell][Shape::cells];  // of closed sets
  uint16_t first[Shape::cells];                             // nodes before the cell's
  uint32_t above[Shape::words];  // a bit a cell: its only node hangs below the only one above
  uint32_t nodes[Shape::nodes];  // parent; place of the first column above
  // A bit a node: roots, open ones, those of several nodes; and how many come before.
  uint32_t roots[Shape::nodes / 32], open[Shape::nodes / 32], several[Shape::nodes / 32];
  uint32_t before[Shape::nodes / 32];  // roots that are not open, open ones in the upper half
  uint16_t several_before[Shape::nodes / 32];
  uint32_t warps[2][Shape::threads / 32];
  int32_t first_closed, first_open;
  uint32_t links;
  union {
    uint32_t link[max_links];
    PartSums sums;
  };

  struct Node {
    int cell, column, row, start;
    uint32_t all, pixels;
  };
  __device__ uint32_t upper_row(int cell) const { return pixels[0][cell]; }
  __device__ uint32_t lower_row(int cell) const { return pixels[Shape::rows_a_cell - 1][cell]; }
  __device__ uint32_t both_rows(int cell) const { return upper_row(cell) | lower_row(cell); }

  __device__ static int place_of(uint32_t entry) { return int(entry >> 16); }
  __device__ static int parent_of(uint32_t entry) { return int(entry & TileParents::parent_bits); }
  __device__ Node node(uint32_t entry) const {
    const int place = place_of(entry), cell = place / word_pixels, start = place % word_pixels;
    const uint32_t all = both_rows(cell);
    return {cell, cell / 32, cell % 32, start, all, run_from(all, start)};
  }
  /// The node of a cell that holds column `bit`.
  __device__ int node_at(int cell, int bit) const {
    return int(first[cell]) + count_bits(starts_of(both_rows(cell)) & ((2u << bit) - 1)) - 1;
  }
  /// Calls each(n) for the nodes above and to the left that the node touches, without what others
  /// imply, and later(n) for one to the right above.
  template <class Each, class Later>
  __device__ void each_before(const Node& r, Each&& each, Later&& later) const {
    const bool has_above = r.row > 0, has_left = r.column > 0;
    const uint32_t own = upper_row(r.cell) & r.pixels;
    const uint32_t up = has_above ? lower_row(r.cell - 1) : 0;
    const uint32_t up_all = has_above ? both_rows(r.cell - 1) : 0;
    uint32_t touched = up & (Shape::eight ? widen(own) : own);
    while (touched) {
      const int start = run_start(up_all, lowest_bit(touched));
      each(int(first[r.cell - 1]) + runs_upto(up_all, start));
      touched &= ~run_from(up_all, start);
    }
    if (has_left && r.pixels & 1) {
      const int left = r.cell - 32;
      const bool left_upper = upper_row(left) >> 31, left_any = both_rows(left) >> 31;
      const bool up_left = has_above && lower_row(left - 1) >> 31;
      // Where the cell above is joined to the one at its left, and both to these, all is said.
      if (left_any && !(own & 1 && left_upper && up & 1 && up_left)) each(node_at(left, 31));
      if (Shape::eight && own & 1 && up_left && !(up & 1) && !left_upper)
        each(node_at(left - 1, 31));
    }
    if (Shape::eight && own >> 31 && has_above && r.column + 1 < Shape::words && !(up >> 31)) {
      const int right = r.cell + 32;
      if (lower_row(right - 1) & 1 && !(upper_row(right) & 1)) later(int(first[right - 1]));
    }
  }
  /// Gives nodes what new_parent(n, entry) says, from parents that nobody changes meanwhile. Called
  /// by the whole block; ends with a barrier.
  template <class NewParent>
  __device__ void replace_parents(int count, NewParent&& new_parent) {
    constexpr int at_once = 4;  // held in registers
    for (int from = 0; from < count; from += at_once * Shape::threads) {
      uint32_t entries[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int n = from + k * Shape::threads + int(threadIdx.x);
        if (n < count)
          entries[k] = (nodes[n] & ~TileParents::parent_bits) | uint32_t(new_parent(nodes[n]));
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int n = from + k * Shape::threads + int(threadIdx.x);
        if (n < count) nodes[n] = entries[k];
      }
      __syncthreads();
    }
  }
  __device__ static bool has(const uint32_t* bits, int n) { return bits[n / 32] >> n % 32 & 1; }
  __device__ static int rank(const uint32_t* bits, int n) {
    return count_bits(bits[n / 32] & ((1u << n % 32) - 1));
  }
  __device__ int closed_number(int root) const {
    return int(before[root / 32] & 0xffff) +
           count_bits(roots[root / 32] & ~open[root / 32] & ((1u << root % 32) - 1));
  }
  __device__ int open_number(int root) const {
    return int(before[root / 32] >> 16) + rank(open, root);
  }
  __device__ int several_number(int root) const {
    return int(several_before[root / 32]) + rank(several, root);
  }
  __device__ Part part_of(const Node& r) const {
    const uint32_t upper_part = upper_row(r.cell) & r.pixels;
    const uint32_t lower_part = Shape::eight ? lower_row(r.cell) & r.pixels : 0;
    const int x = r.column * word_pixels, y = r.row * Shape::rows_a_cell;
    const int below = count_bits(lower_part);
    Part p;
    p.area = count_bits(upper_part) + below;
    p.x = p.area * x + sum_of_columns(upper_part) + sum_of_columns(lower_part);
    p.y = p.area * y + below;
    p.left = x + r.start;
    p.right = x + 31 - __clz(int(r.pixels));
    p.bottom = lower_part ? y + 1 : y;
    p.first = upper_part ? y * Shape::pixels + x + lowest_bit(upper_part)
                         : (y + 1) * Shape::pixels + x + lowest_bit(lower_part);
    return p;
  }
  __device__ static int sum_of_columns(uint32_t bits) {
    return count_bits(bits & 0xaaaaaaaau) + 2 * count_bits(bits & 0xccccccccu) +
           4 * count_bits(bits & 0xf0f0f0f0u) + 8 * count_bits(bits & 0xff00ff00u) +
           16 * count_bits(bits & 0xffff0000u);
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
    all.area = cuda::warp_sum(joins ? part.area : 0);
    all.x = cuda::warp_sum(joins ? part.x : 0);
    all.y = cuda::warp_sum(joins ? part.y : 0);
    all.left = cuda::warp_min(joins ? part.left : INT32_MAX);
    all.right = cuda::warp_max(joins ? part.right : 0);
    all.bottom = cuda::warp_max(joins ? part.bottom : 0);
    all.first = cuda::warp_min(joins ? part.first : INT32_MAX);
    if (threadIdx.x % 32 == 0) add(common, all);
    if (joins) to = -1;
  }
  if (to >= 0) add(to, part);
}

}  // namespace cuesta::label_cuda
