// Strategy `tiles`, the tiles: a block finds the sets of its tile in shared memory, and adds them
// up.
#pragma once

#include "ops/label/cuda/tile_nodes.cuh"

namespace cuesta::label_cuda {

/// A thread's part of a tile. Every phase is called by the whole block, in the kernel's order.
template <class Shape, bool Labels>
struct TileThread {
  using Sets = TileSets<Shape>;
  const Tiles& t;
  Sets& s;
  TileParents parents;
  int own, lane, column;  // of the thread; its cell is `own`
  int32_t tile, tile_y, tile_x;
  int32_t left, top, first_word;  // of the tile, in the picture
  int nodes;                      // of the tile
  int several_sets;               // of them, those of several nodes

  __device__ __forceinline__ TileThread(const Tiles& t, Sets& s)
      : t(t),
        s(s),
        parents{s.nodes},
        own(int(threadIdx.x)),
        lane(own % 32),
        column(own / 32),
        tile(int32_t(blockIdx.x)),
        tile_y(tile / t.across),
        tile_x(tile - tile_y * t.across),
        left(tile_x * Shape::pixels),
        top(tile_y * Shape::rows),
        first_word(tile_x * Shape::words) {}

  /// each(word, y, row of its cell, cell) for this thread's words, neighbours beside each other.
  template <class Each>
  __device__ void each_word(Each&& each) const {
#pragma unroll
    for (int k = own; k < Shape::words * Shape::rows; k += Shape::threads) {
      const int i = k % Shape::words, y = k / Shape::words;
      each(first_word + i, top + y, y % Shape::rows_a_cell, i * 32 + y / Shape::rows_a_cell);
    }
  }

  /// The mask's words to shared memory.
  template <class Source>
  __device__ __forceinline__ void load(const Source& source) const {
    each_word([&](int32_t i, int32_t y, int part, int cell) {
      s.pixels[part][cell] = source.word(t, i, y);
      s.first_pixels[part][cell] = 0;
    });
    __syncthreads();
  }

  /// Cells, and their nodes. Streaks of cells of one node, each below the one before, hang below
  /// the first of them at once.
  __device__ __forceinline__ void find_nodes() {
    const uint32_t upper = s.upper_row(own), lower = s.lower_row(own);
    const uint32_t all = upper | lower, starts = starts_of(all);
    uint32_t up = __shfl_up_sync(~0u, lower, 1);
    const bool up_single = __shfl_up_sync(~0u, int((starts & (starts - 1)) == 0), 1);
    if (lane == 0) up = 0;
    const bool streak = (starts & (starts - 1)) == 0 && up_single &&
                        (up & (Shape::eight ? widen(upper) : upper)) != 0;
    const unsigned streaks = __ballot_sync(~0u, streak);
    const uint2 counted =
        cuda::sum_before<Shape::threads>(uint32_t(count_bits(starts)), s.warps[0]);
    nodes = int(counted.y);
    int next = int(counted.x);
    const int head = __shfl_sync(~0u, next, 31 - __clz(int(~streaks & ((2u << lane) - 1))));
    s.first[own] = uint16_t(next);
    for (uint32_t left_over = starts; left_over; left_over &= left_over - 1, ++next)
      s.nodes[next] = uint32_t(own * word_pixels + lowest_bit(left_over)) << 16 |
                      uint32_t(streak ? head : next);
    if (lane == 0) s.above[column] = streaks;
    for (int i = own; i < Shape::nodes / 32; i += Shape::threads)
      s.roots[i] = s.open[i] = s.several[i] = 0;
    if (own == 0) s.links = 0;
  }

  __device__ void write_first_pixels() const {
    each_word([&](int32_t i, int32_t y, int part, int cell) {
      if (i < t.words_a_row && y < t.height) t.roots[t.at(i, y)] = s.first_pixels[part][cell];
    });
  }
  /// All that a tile without nodes leaves.
  __device__ __forceinline__ void write_empty() const {
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
  }

  /// A node hangs below the first that it touches; the other links wait in a list.
  __device__ __forceinline__ void link() const {
    const auto link_later = [&](int n, int other) {
      const uint32_t at = atomicAdd(&s.links, 1u);
      if (at < uint32_t(Sets::max_links)) s.link[at] = uint32_t(n) << 16 | uint32_t(other);
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
  }
  /// The links that waited join sets; where the list is too short, all links. Then every node
  /// points at its root.
  __device__ __forceinline__ void unite() const {
    const int links = int(s.links);
    for (int k = own; k < min(links, Sets::max_links); k += Shape::threads)
      cuda::unite_at_once(parents, int32_t(s.link[k] >> 16), int32_t(s.link[k] & 0xffff));
    if (links > Sets::max_links) {
      for (int n = own; n < nodes; n += Shape::threads) {
        const auto unite = [&](int other) { cuda::unite_at_once(parents, n, other); };
        s.each_before(s.node(node_entry(parents, n)), unite, unite);
      }
    }
    __syncthreads();
    s.replace_parents(nodes, [&](uint32_t entry) {
      int root = s.parent_of(entry);
      for (int above; (above = s.parent_of(s.nodes[root])) != root;) root = above;
      return root;
    });
  }

  /// Roots; which of them have nodes at the rim where the picture continues beyond it, and which
  /// have nodes besides themselves.
  __device__ __forceinline__ void find_roots() const {
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
  }

  /// Closed sets in the lower half, open ones in the upper, of a word of nodes.
  __device__ __forceinline__ uint32_t sets_of(int i) const {
    return uint32_t(count_bits(s.roots[i] & ~s.open[i]) + (count_bits(s.open[i]) << 16));
  }
  /// Numbers the sets of the tile, and takes places for them among those of the picture.
  __device__ __forceinline__ void number_sets() {
    constexpr int bit_words = Shape::nodes / 32, own_words = (bit_words - 1) / Shape::threads + 1;
    uint32_t sets = 0, sets_of_several = 0;
#pragma unroll
    for (int k = 0; k < own_words; ++k) {
      const int i = own * own_words + k;
      if (i >= bit_words) break;
      sets += sets_of(i);
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
      before += sets_of(i);
      several_before += uint32_t(count_bits(s.several[i]));
    }
    if (own == 0) {
      const int closed = int(numbered.y & 0xffff), open = int(numbered.y >> 16);
      s.first_closed = closed ? atomicAdd(&t.counts->closed_sets, closed) : 0;
      s.first_open = open ? atomicAdd(&t.counts->open_sets, open) : 0;
      if (Labels) t.tile_sets[tile] = make_int4(nodes, s.first_closed, s.first_open, 0);
    }
    __syncthreads();
    several_sets = int(numbered_several.y);
  }

  /// A set whose sums are known to device memory: an open one for the launches after, or a
  /// component.
  __device__ void write_set(int root, const Part& p) const {
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
  }
  /// Sums of no node in every place of a turn.
  __device__ __forceinline__ void clear_sums(int from) const {
    for (int i = own; i < min(several_sets - from, Sets::room); i += Shape::threads) {
      s.sums.area[i] = s.sums.x[i] = s.sums.y[i] = s.sums.right[i] = s.sums.bottom[i] = 0;
      s.sums.left[i] = s.sums.first[i] = INT32_MAX;
    }
    __syncthreads();
  }
  /// Adds nodes of the sets [from, from + Sets::room) of several; in the first turn sets of one
  /// node go out as they are.
  __device__ __forceinline__ void add_nodes(int from) const {
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
  }
  /// All sets, those of several nodes Sets::room at a time.
  __device__ __forceinline__ void write_sets() const {
    for (int from = 0; from == 0 || from < several_sets; from += Sets::room) {
      clear_sums(from);
      add_nodes(from);
      if (several_sets == 0) break;
      for (int i = own; i < min(several_sets - from, Sets::room); i += Shape::threads)
        write_set(s.sums.root[i], {s.sums.area[i], s.sums.x[i], s.sums.y[i], s.sums.left[i],
                                   s.sums.right[i], s.sums.bottom[i], s.sums.first[i]});
      __syncthreads();
    }
  }

  /// The open set of a pixel, counted from 1; 0 where there is none.
  __device__ int index_at(int cell, uint32_t bits, int bit) const {
    if ((bits >> bit & 1) == 0) return 0;
    const int root = s.parent_of(s.nodes[s.node_at(cell, bit)]);
    return Sets::has(s.open, root) ? s.first_open + s.open_number(root) + 1 : 0;
  }
  /// The rims, a pixel a thread.
  __device__ __forceinline__ void write_rims() const {
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
  }
  /// What a picture of labels needs: the number of every node's set.
  __device__ __forceinline__ void write_numbers() const {
    t.first_node[int64_t(tile) * Shape::cells + own] = s.first[own];
    for (int n = own; n < nodes; n += Shape::threads) {
      const int root = s.parent_of(s.nodes[n]);
      t.set_of_node[int64_t(tile) * Shape::nodes + n] =
          uint16_t(Sets::has(s.open, root) ? open_entry | uint32_t(s.open_number(root))
                                           : uint32_t(s.closed_number(root)));
    }
  }
};

/// Threads of find_tile_sets that a multiprocessor holds.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int resident_threads = 1024;  // all that there may be
#else
inline constexpr int resident_threads = 1536;
#endif

template <class Shape, bool Labels, class Source>
__global__ void __launch_bounds__(Shape::threads, resident_threads / Shape::threads)
    find_tile_sets(Tiles t, Source source) {
  __shared__ TileSets<Shape> s;
  cuda::let_next_begin();
  TileThread<Shape, Labels> thread(t, s);
  thread.load(source);
  thread.find_nodes();
  if (thread.nodes == 0) return thread.write_empty();
  __syncthreads();
  thread.link();
  thread.unite();
  thread.find_roots();
  thread.number_sets();
  thread.write_sets();
  thread.write_first_pixels();
  thread.write_rims();
  if constexpr (Labels) thread.write_numbers();
}

}  // namespace cuesta::label_cuda
