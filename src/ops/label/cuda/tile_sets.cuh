// Strategy `tiles`, the tiles: a block finds the sets of its tile in shared memory, and adds them
// up.
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
  static constexpr int most_links = 7 * room;
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
    uint32_t link[most_links];
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

/// Threads of find_tile_sets that a multiprocessor holds.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int resident_threads = 1024;  // all that there may be
#else
inline constexpr int resident_threads = 1536;
#endif

template <class Shape, bool Labels, class Source>
__global__ void __launch_bounds__(Shape::threads, resident_threads / Shape::threads)
    find_tile_sets(Tiles t, Source source) {
  using Sets = TileSets<Shape>;
  __shared__ Sets s;
  cuda::let_next_begin();
  const TileParents parents{s.nodes};
  const int own = int(threadIdx.x), lane = own % 32, column = own / 32;
  const int32_t tile = int32_t(blockIdx.x), tile_y = tile / t.across;
  const int32_t tile_x = tile - tile_y * t.across;
  const int32_t left = tile_x * Shape::pixels, top = tile_y * Shape::rows;
  const int32_t first_word = tile_x * Shape::words;

  // each(word, y, row of its cell, cell) for this thread's words, neighbours beside each other.
  const auto each_word = [&](auto&& each) {
#pragma unroll
    for (int k = own; k < Shape::words * Shape::rows; k += Shape::threads) {
      const int i = k % Shape::words, y = k / Shape::words;
      each(first_word + i, top + y, y % Shape::rows_a_cell, i * 32 + y / Shape::rows_a_cell);
    }
  };
  each_word([&](int32_t i, int32_t y, int part, int cell) {
    s.pixels[part][cell] = source.word(t, i, y);
    s.first_pixels[part][cell] = 0;
  });
  __syncthreads();

  // Cells, and their nodes. Streaks of cells of one node, each below the one before, hang below the
  // first of them at once.
  const uint32_t upper = s.upper_row(own), lower = s.lower_row(own);
  const uint32_t all = upper | lower, starts = starts_of(all);
  uint32_t up = __shfl_up_sync(~0u, lower, 1);
  const bool up_single = __shfl_up_sync(~0u, int((starts & (starts - 1)) == 0), 1);
  if (lane == 0) up = 0;
  const bool streak = (starts & (starts - 1)) == 0 && up_single &&
                      (up & (Shape::eight ? widen(upper) : upper)) != 0;
  const unsigned streaks = __ballot_sync(~0u, streak);
  const uint2 counted = cuda::sum_before<Shape::threads>(uint32_t(count_bits(starts)), s.warps[0]);
  const int nodes = int(counted.y);
  int next = int(counted.x);
  const int head = __shfl_sync(~0u, next, 31 - __clz(int(~streaks & ((2u << lane) - 1))));
  s.first[own] = uint16_t(next);
  for (uint32_t left_over = starts; left_over; left_over &= left_over - 1, ++next)
    s.nodes[next] =
        uint32_t(own * word_pixels + lowest_bit(left_over)) << 16 | uint32_t(streak ? head : next);
  if (lane == 0) s.above[column] = streaks;
  for (int i = own; i < Shape::nodes / 32; i += Shape::threads)
    s.roots[i] = s.open[i] = s.several[i] = 0;
  if (own == 0) s.links = 0;

  const auto write_first_pixels = [&] {
    each_word([&](int32_t i, int32_t y, int part, int cell) {
      if (i < t.words_a_row && y < t.height) t.roots[t.at(i, y)] = s.first_pixels[part][cell];
    });
  };
  if (nodes == 0) {
    write_first_pixels();
    if (left + own < t.width) {
      t.first_rows[int64_t(tile_y) * t.width + left + own] = 0;
      t.last_rows[int64_t(tile_y) * t.width + left + own] = 0;
    }
    if (own < Shape::rows && top + own < t.height) {
      t.first_columns[int64_t(tile_x) * t.height + top + own] = 0;
      t.last_columns[int64_t(tile_x) * t.height + top + own] = 0;
    }
    if (Labels && own == 0) t.tile_sets[tile] = make_int4(0, 0, 0, 0);
    return;
  }
  __syncthreads();

  // A node hangs below the first that it touches; the other links wait.
  const auto link_later = [&](int n, int other) {
    const uint32_t at = atomicAdd(&s.links, 1u);
    if (at < uint32_t(Sets::most_links)) s.link[at] = uint32_t(n) << 16 | uint32_t(other);
  };
  for (int n = own; n < nodes; n += Shape::threads) {
    const auto r = s.node(s.nodes[n]);
    bool linked = s.above[r.column] >> r.row & 1, skip = linked;
    s.each_before(
        r,
        [&](int other) {
          if (skip) {  // the one above
            skip = false;
            return;
          }
          if (linked) return link_later(n, other);
          s.nodes[n] = (s.nodes[n] & ~TileParents::parent_bits) | uint32_t(other);
          linked = true;
        },
        [&](int other) { link_later(n, other); });
  }
  __syncthreads();
  const int links = int(s.links);
  for (int k = own; k < min(links, Sets::most_links); k += Shape::threads)
    cuda::unite(parents, int32_t(s.link[k] >> 16), int32_t(s.link[k] & 0xffff));
  if (links > Sets::most_links) {
    for (int n = own; n < nodes; n += Shape::threads) {
      const auto unite = [&](int other) { cuda::unite(parents, n, other); };
      s.each_before(s.node(node_entry(parents, n)), unite, unite);
    }
  }
  __syncthreads();
  s.replace_parents(nodes, [&](uint32_t entry) {
    int root = s.parent_of(entry);
    for (int above; (above = s.parent_of(s.nodes[root])) != root;) root = above;
    return root;
  });

  // Roots; which of them have nodes at the rim where the picture goes on beyond it, and which have
  // nodes besides themselves.
  const bool goes_up = top > 0, goes_down = top + Shape::rows < t.height;
  const bool goes_left = tile_x > 0, goes_right = (tile_x + 1) * Shape::words < t.words_a_row;
  for (int n = own; n - lane < nodes; n += Shape::threads) {
    bool is_root = false;
    if (n < nodes) {
      const int root = s.parent_of(s.nodes[n]);
      is_root = root == n;
      const auto r = s.node(s.nodes[n]);
      if ((goes_up && r.row == 0 && s.upper_row(r.cell) & r.pixels) ||
          (goes_down && r.row == 31 && s.lower_row(r.cell) & r.pixels) ||
          (goes_left && r.column == 0 && r.pixels & 1) ||
          (goes_right && r.column == Shape::words - 1 && r.pixels >> 31))
        atomicOr(&s.open[root / 32], 1u << root % 32);
      if (!is_root) atomicOr(&s.several[root / 32], 1u << root % 32);
    }
    const unsigned roots = __ballot_sync(~0u, is_root);
    if (lane == 0) s.roots[n / 32] = roots;
  }
  __syncthreads();
  constexpr int bit_words = Shape::nodes / 32, own_words = (bit_words - 1) / Shape::threads + 1;
  uint32_t sets = 0, sets_of_several = 0;
#pragma unroll
  for (int k = 0; k < own_words; ++k) {
    const int i = own * own_words + k;
    if (i >= bit_words) break;
    sets += uint32_t(count_bits(s.roots[i] & ~s.open[i]) + (count_bits(s.open[i]) << 16));
    sets_of_several += uint32_t(count_bits(s.several[i]));
  }
  const uint2 numbered = cuda::sum_before<Shape::threads>(sets, s.warps[0]);
  const uint2 numbered_several = cuda::sum_before<Shape::threads>(sets_of_several, s.warps[1]);
  uint32_t before = numbered.x, several_before = numbered_several.x;
#pragma unroll
  for (int k = 0; k < own_words; ++k) {
    const int i = own * own_words + k;
    if (i >= bit_words) break;
    s.before[i] = before, s.several_before[i] = uint16_t(several_before);
    before += uint32_t(count_bits(s.roots[i] & ~s.open[i]) + (count_bits(s.open[i]) << 16));
    several_before += uint32_t(count_bits(s.several[i]));
  }
  if (own == 0) {
    const int closed = int(numbered.y & 0xffff), open = int(numbered.y >> 16);
    s.first_closed = closed ? atomicAdd(&t.counts->closed_sets, closed) : 0;
    s.first_open = open ? atomicAdd(&t.counts->open_sets, open) : 0;
    if (Labels) t.tile_sets[tile] = make_int4(nodes, s.first_closed, s.first_open, 0);
  }
  __syncthreads();

  const auto write_set = [&](int root, const Part& p) {
    const int first_column = p.first % Shape::pixels, first_row = p.first / Shape::pixels;
    const int32_t x = left + first_column, y = top + first_row;
    if (Sets::has(s.open, root)) {
      const int32_t index = s.first_open + s.open_number(root), first_pixel = y * t.width + x;
      t.parents[index] = open_set(first_pixel, index);
      t.open_sums[index] = {p.area,
                            p.x + int64_t(p.area) * left,
                            p.y + int64_t(p.area) * top,
                            left + p.left,
                            left + p.right,
                            top + p.bottom,
                            first_pixel};
      return;
    }
    atomicOr(&s.first_pixels[first_row % Shape::rows_a_cell]
                            [first_column / word_pixels * 32 + first_row / Shape::rows_a_cell],
             1u << first_column % word_pixels);
    const int32_t index = s.first_closed + s.closed_number(root);
    if (index >= t.closed_room) return;
    auto* to = reinterpret_cast<int4*>(t.closed + index);
    to[0] =
        make_int4(x, y, left + p.left, (p.right - p.left + 1) | (p.bottom - first_row + 1) << 16);
    to[1] = make_int4(p.area, p.x - p.area * p.left, p.y - p.area * first_row, 0);
  };
  // Sets of one node go out as they are, others are added up, Sets::room at a time.
  const int several_sets = int(numbered_several.y);
  for (int from = 0; from == 0 || from < several_sets; from += Sets::room) {
    for (int i = own; i < min(several_sets - from, Sets::room); i += Shape::threads) {
      s.sums.area[i] = s.sums.x[i] = s.sums.y[i] = s.sums.right[i] = s.sums.bottom[i] = 0;
      s.sums.left[i] = s.sums.first[i] = INT32_MAX;
    }
    __syncthreads();
    for (int n = own; n - lane < nodes; n += Shape::threads) {
      int slot = -1, root = -1;
      Part part{};
      if (n < nodes) {
        const uint32_t entry = s.nodes[n];
        root = s.parent_of(entry);
        if (Sets::has(s.several, root)) {
          slot = s.several_number(root) - from;
          if (unsigned(slot) >= unsigned(Sets::room)) slot = root = -1;
        } else if (from > 0) {
          root = -1;
        }
        if (root >= 0) part = s.part_of(s.node(entry));
        if (slot >= 0 && root == n) s.sums.root[slot] = uint16_t(n);
      }
      if (slot < 0 && root >= 0) write_set(root, part);
      add_parts(slot, part, [&](int32_t to, const Part& p) {
        atomicAdd(&s.sums.area[to], p.area);
        atomicAdd(&s.sums.x[to], p.x);
        atomicAdd(&s.sums.y[to], p.y);
        atomicMin(&s.sums.left[to], p.left);
        atomicMax(&s.sums.right[to], p.right);
        atomicMax(&s.sums.bottom[to], p.bottom);
        atomicMin(&s.sums.first[to], p.first);
      });
    }
    __syncthreads();
    if (several_sets == 0) break;
    for (int i = own; i < min(several_sets - from, Sets::room); i += Shape::threads)
      write_set(s.sums.root[i], {s.sums.area[i], s.sums.x[i], s.sums.y[i], s.sums.left[i],
                                 s.sums.right[i], s.sums.bottom[i], s.sums.first[i]});
    __syncthreads();
  }

  write_first_pixels();
  // The rims, a pixel a thread.
  const auto index_at = [&](int cell, uint32_t bits, int bit) {
    if ((bits >> bit & 1) == 0) return 0;
    const int root = s.parent_of(s.nodes[s.node_at(cell, bit)]);
    return Sets::has(s.open, root) ? s.first_open + s.open_number(root) + 1 : 0;
  };
  if (left + own < t.width) {
    const int first_cell = column * 32, last_cell = first_cell + 31;
    const int64_t at = int64_t(tile_y) * t.width + left + own;
    t.first_rows[at] = index_at(first_cell, s.upper_row(first_cell), lane);
    t.last_rows[at] = index_at(last_cell, s.lower_row(last_cell), lane);
  }
  if (own < Shape::rows && top + own < t.height) {
    const int first_cell = own / Shape::rows_a_cell,
              last_cell = (Shape::words - 1) * 32 + first_cell;
    const bool is_lower = Shape::eight && own % 2;
    const int64_t at = int64_t(tile_x) * t.height + top + own;
    t.first_columns[at] =
        index_at(first_cell, is_lower ? s.lower_row(first_cell) : s.upper_row(first_cell), 0);
    t.last_columns[at] =
        index_at(last_cell, is_lower ? s.lower_row(last_cell) : s.upper_row(last_cell), 31);
  }
  if constexpr (Labels) {
    t.first_node[int64_t(tile) * Shape::cells + own] = s.first[own];
    for (int n = own; n < nodes; n += Shape::threads) {
      const int root = s.parent_of(s.nodes[n]);
      t.set_of_node[int64_t(tile) * Shape::nodes + n] =
          uint16_t(Sets::has(s.open, root) ? open_entry | uint32_t(s.open_number(root))
                                           : uint32_t(s.closed_number(root)));
    }
  }
}

}  // namespace cuesta::label_cuda
