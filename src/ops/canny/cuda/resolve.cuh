// Hysteresis of canny on CUDA, first launch: a block resolves a tile of its masks, of which only
// what reaches the tile's rim goes on (seams.cuh). blockIdx.z is the picture.
//
//   sweep    a strip of Rows rows lies in registers, a word a lane, and edges run down and up
//   through
//            candidates, row after row: a sweep follows a path through all rows while it does not
//            turn. Strips hand their outermost rows on, a few times. Then the same from the strip's
//            rim through what is left: only `open` candidates can become edges by others. Sweeps
//            end when nothing moves or after a fixed number; then all that is undecided is open.
//   unite    the strips' open candidates, in shared memory, a node a thread. A node is a run of
//            (upper | lower row) of a pair of rows: all pixels of such a run touch. Each points at
//            one that it touches before itself, or at 0, which stands for edges; paths are halved
//            until they are gone; then the few nodes that touch several unite their sets.
//   decide   sets with node 0 are edges, sets that reach the tile's rim stay open, the others are
//            nothing. The tile's picture is written. Of the masks only what the later launches read
//            goes back: the outermost rows and columns and the words that hold open runs. Every
//            open run points at the root of its set in the tile, and a list names it.
//
// Whatever the masks hold, a strip takes a fixed number of sweeps and a word has at most 8 nodes.
// What binds: the latency of a sweep's rows and of paths in shared memory.
#pragma once

#include "cuda/word_runs.hpp"
#include "ops/canny/cuda/masks.cuh"
#include "ops/canny/cuda/tiles.hpp"

namespace cuesta::canny_cuda {

/// What tiles leave to the later launches.
struct Open {
  int32_t* parents;  // of labels (canny_tiles::labels_of() a picture), which name sets of open runs
  uint16_t* nodes;   // lists of open runs, a tile's in list_of()
  uint16_t* overflow;  // as large: nodes of a tile that its shared memory has no place to list
  int32_t* counts;     // of open runs, for each tile

  static constexpr int32_t edge = 0;

  __device__ int32_t* parents_of(uint32_t picture, const Masks& masks) const {
    return parents + picture * canny_tiles::labels_of(masks.words_per_row, masks.height);
  }
  /// The place of a block's tile in `lists`: as many entries as it can have nodes.
  template <class T>
  __device__ static uint16_t* list_of(uint16_t* lists, const Masks& masks) {
    const int64_t row = int64_t(blockIdx.y) * T::rows;
    const int64_t pairs = (min(int64_t(T::rows), masks.height - row) + 1) / 2;
    const int64_t before = row / 2 * masks.words_per_row + int64_t(blockIdx.x) * T::across * pairs;
    return lists + blockIdx.z * canny_tiles::labels_of(masks.words_per_row, masks.height) +
           before * canny_tiles::nodes_of_pair;
  }
};

/// The label of the run that begins at pixel `start` of a word of a pair of rows.
__device__ inline int32_t label_of(int32_t words_per_row, int32_t pair, int32_t word, int start) {
  return 1 + (pair * words_per_row + word) * canny_tiles::nodes_of_pair + start / 2;
}
/// Of a block's tile.
__device__ inline int64_t tile_number() {
  return (int64_t(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

/// Across words wide; a warp has 32 / Across strips of Rows rows, one below the other.
template <int Warps, int Rows, int Across>
struct Tile {
  static constexpr int warps = Warps, threads = warps * 32, across = Across, strip_rows = Rows;
  static constexpr int strips = threads / across;
  static constexpr int rows = strips * strip_rows, words = rows * across, pairs = words / 2;
  static constexpr int nodes = pairs * canny_tiles::nodes_of_pair;
  // Nodes that are listed here; the others in device memory.
  static constexpr int listed_here = words, several_here = words;
  static constexpr uint32_t several =
      1 << 15;  // in the list: a node that touches more than one before
  static_assert(strip_rows % 2 == 0 && strip_rows <= 32 && 32 % across == 0 &&
                nodes <= int(several));

  uint32_t open[words];
  // For a while what is weak, pixels of `open` that touch an edge, and nodes with several links.
  uint32_t edge[words];
  uint32_t at_rim[nodes / 32 + 1];  // a bit a node: a root whose set reaches the tile's rim
  uint32_t parents[nodes + 1];      // of node + 1
  uint16_t list[listed_here];
  int32_t count, linked, left;  // nodes; those with several links; those that stay open
};

// ---- sweeps

/// The runs of `open` that hold one of `seeds`, whole, as fill_runs(), by two additions.
__device__ inline uint32_t fill_both(uint32_t open, uint32_t seeds) {
  const uint32_t up = (open & ~(open + seeds)) | seeds;
  const uint32_t mirrored = __brev(open), from = __brev(up);
  return __brev((mirrored & ~(mirrored + from)) | from);
}

/// A row's pixels and their neighbours, a word a lane, Across words a row.
template <int Across>
__device__ inline uint32_t widen_across(uint32_t word) {
  uint32_t left = __shfl_up_sync(~0u, word, 1), right = __shfl_down_sync(~0u, word, 1);
  if (threadIdx.x % Across == 0) left = 0;
  if (threadIdx.x % Across == Across - 1) right = 0;
  return word | __funnelshift_l(left, word, 1) | __funnelshift_r(word, right, 1);
}

/// A warp spreads `seeds` through `open`, a subset of which they are, in at most `sweeps` sweeps. A
/// sweep visits the rows of `dirty`: those that are not filled, or beside which something changed,
/// in any of the warp's strips. Returns those that are left.
template <int Across, int Rows>
__device__ inline uint32_t spread(const uint32_t (&open)[Rows], uint32_t (&seeds)[Rows],
                                  uint32_t dirty, int sweeps) {
  const auto visit = [&](int r) {
    if (!(dirty >> r & 1)) return;
    dirty &= ~(1u << r);
    const uint32_t was = seeds[r];
    const uint32_t t = was | (r > 0 ? seeds[r - 1] : 0) | (r + 1 < Rows ? seeds[r + 1] : 0);
    const uint32_t now = fill_both(open[r], was | (widen_across<Across>(t) & open[r]));
    const uint32_t gained = now & ~was;
    seeds[r] = now;
    if (!__any_sync(~0u, gained != 0)) return;
    if (r > 0) dirty |= 1u << (r - 1);
    if (r + 1 < Rows) dirty |= 1u << (r + 1);
    // The words beside must look where a pixel at this one's end is new.
    if (__any_sync(~0u, (gained & 0x80000001u) != 0)) dirty |= 1u << r;
  };
#pragma unroll 1
  for (; dirty != 0 && sweeps > 0; sweeps -= 2) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) visit(r);
    if (dirty == 0) break;
#pragma unroll
    for (int r = Rows - 1; r >= 0; --r) visit(r);
  }
  return dirty;
}

/// Bit r: some lane's word of row r is not empty.
template <int Rows>
__device__ inline uint32_t rows_with(const uint32_t (&words)[Rows]) {
  uint32_t mine = 0;
#pragma unroll
  for (int r = 0; r < Rows; ++r) mine |= uint32_t(words[r] != 0) << r;
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, mine);
#else
#pragma unroll
  for (int d = 16; d > 0; d /= 2) mine |= __shfl_xor_sync(~0u, mine, d);
  return mine;
#endif
}

// ---- sets of nodes in shared memory; the smallest node of a set is its root

/// A place in a list that `counter` counts for each lane that wants one; a whole warp asks.
__device__ inline int places_for(bool wants, int32_t* counter) {
  const uint32_t who = __ballot_sync(~0u, wants);
  int first = 0;
  if (threadIdx.x == 0 && who != 0) first = atomicAdd(counter, __popc(who));
  return __shfl_sync(~0u, first, 0) + __popc(who & ((1u << threadIdx.x) - 1));
}

// Parents only ever become smaller, so that all that threads do to them at once is an atomic
// minimum or, at a root, compare-and-swap.

__device__ inline uint32_t parent_of(uint32_t* parents, uint32_t node) {
  return atomicOr(parents + node, 0u);
}
/// `node` points at its root, where nobody unites. Paths halve as others do the same.
__device__ inline uint32_t flatten(uint32_t* parents, uint32_t node) {
  uint32_t parent = parent_of(parents, node);
  for (;;) {
    const uint32_t next = parent_of(parents, parent);
    if (next == parent) return parent;
    atomicMin(parents + node, next);
    parent = next;
  }
}
__device__ inline uint32_t root_of(uint32_t* parents, uint32_t node) {
  for (;;) {
    const uint32_t parent = parent_of(parents, node);
    if (parent == node) return node;
    node = parent;
  }
}
__device__ inline void unite_nodes(uint32_t* parents, uint32_t a, uint32_t b) {
  a = root_of(parents, a);
  b = root_of(parents, b);
  while (a != b) {
    if (a < b) {
      const uint32_t smaller = a;
      a = b;
      b = smaller;
    }
    const uint32_t seen = atomicCAS(parents + a, a, b);
    if (seen == a) return;
    a = root_of(parents, seen);
  }
}

/// A node of a tile: where it lies, and its pixels in the pair's two rows.
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

// ---- the picture

/// A warp writes `count` pixels to `to` from a row of words in shared memory, one word longer than
/// they need: 16 at once where the address allows.
__device__ inline void write_row(const uint32_t* words, uint8_t* to, int count) {
  const int lane = int(threadIdx.x);
  const int before = min(int(-reinterpret_cast<uintptr_t>(to) & 15), count);
  const int chunks = (count - before) / 16, after = before + chunks * 16;
#pragma unroll
  for (int i = lane; i < 64; i += 32) {
    if (i >= chunks) break;
    const int x = before + 16 * i;
    const uint32_t bits = __funnelshift_r(words[x / 32], words[x / 32 + 1], uint32_t(x));
    *reinterpret_cast<uint4*>(to + x) = make_uint4(spread_bits(bits), spread_bits(bits >> 4),
                                                   spread_bits(bits >> 8), spread_bits(bits >> 12));
  }
  const int x = lane < 16 ? lane : after + lane - 16;
  if (lane < 16 ? x < before : x < count) to[x] = words[x / 32] >> (x % 32) & 1 ? 255 : 0;
}

// ---- the kernel

/// A strip's sweeps before others are heard again, and how often they are heard.
inline constexpr int most_sweeps = 8, most_rounds = 4;

template <class T>
__global__ void __launch_bounds__(T::threads)
    resolve(Masks all_masks, Open all_open, DeviceBatch<uint8_t> pictures) {
  using namespace mask_runs;
  constexpr int R = T::strip_rows;
  extern __shared__ uint32_t shared[];
  T& tile = *reinterpret_cast<T*>(shared);
  const Masks masks = all_masks.picture(blockIdx.z);
  const int lane = int(threadIdx.x), warp = int(threadIdx.y), thread = warp * 32 + lane;
  const int column = lane % T::across, strip = thread / T::across;
  const int32_t word0 = int32_t(blockIdx.x) * T::across, row0 = int32_t(blockIdx.y) * T::rows;
  const int32_t word = word0 + column, row = row0 + strip * R;
  const ptrdiff_t pitch = masks.words_per_row, at = ptrdiff_t(row) * pitch + word;
  const DeviceImage<uint8_t> dst = pictures.here();
  int32_t* parents = all_open.parents_of(blockIdx.z, masks);
  if (thread == 0) {
    tile.count = tile.linked = tile.left = 0;
    if (blockIdx.x == 0 && blockIdx.y == 0) parents[Open::edge] = Open::edge;
  }
  for (int i = thread; i < int(sizeof(tile.at_rim) / 4); i += T::threads) tile.at_rim[i] = 0;
  // Where other tiles are.
  const bool up = blockIdx.y > 0, down = blockIdx.y + 1 < gridDim.y;
  const uint32_t left_end = blockIdx.x > 0 ? 1 : 0;
  const uint32_t right_end = blockIdx.x + 1 < gridDim.x ? 1u << 31 : 0;
  const uint32_t side = column == 0 ? left_end : column == T::across - 1 ? right_end : 0;
  // Of the strip, in the tile's shared masks.
  uint32_t* const open_rows = tile.open + strip * R * T::across + column;
  uint32_t* const edge_rows = tile.edge + strip * R * T::across + column;
  constexpr int bottom = (R - 1) * T::across;
  // A row of the strip above, and of the strip below.
  const auto above = [&](const uint32_t* rows) { return strip > 0 ? rows[-T::across] : 0; };
  const auto below = [&](const uint32_t* rows) {
    return strip < T::strips - 1 ? rows[R * T::across] : 0;
  };

  uint32_t weak[R], edge[R], open[R];
#pragma unroll
  for (int r = 0; r < R; ++r) {
    const bool inside = word < masks.words_per_row && row + r < masks.height;
    weak[r] = inside ? masks.candidates[at + r * pitch] : 0;
    open[r] = inside ? masks.strong[at + r * pitch] : 0;
  }
  const bool any = __syncthreads_or(rows_with(weak) != 0);
  if (any) {
    // Edges, in rounds; then what is open, from the rims. One body of code for all. Between two
    // rounds the strips' outermost rows of edges lie in tile.edge, of what is weak in tile.open.
    uint32_t rest = 0, undecided = 0, edge_above = 0, edge_below = 0;
    bool last_round = false;
#pragma unroll 1
    for (int round = 0;; ++round) {
      uint32_t dirty = rest;
      if (round == 0 || last_round) {
        const uint32_t seeded = rows_with(open);
        dirty = (seeded | seeded << 1 | seeded >> 1) & (~0u >> (32 - R));
      } else {
        const uint32_t first = widen_across<T::across>(edge_above) & weak[0] & ~open[0];
        const uint32_t last = widen_across<T::across>(edge_below) & weak[R - 1] & ~open[R - 1];
        open[0] |= first;
        open[R - 1] |= last;
        if (__any_sync(~0u, first != 0)) dirty |= 1 | (R > 1 ? 2 : 0);
        if (__any_sync(~0u, last != 0)) dirty |= (1u << (R - 1)) | (1u << (R - 2));
      }
      const bool moves = dirty != 0;
      rest = spread<T::across>(weak, open, dirty, most_sweeps);
      if (last_round) break;
      if (!__syncthreads_or(round == 0 || moves) || round == most_rounds) last_round = true;
      edge_rows[0] = open[0];
      edge_rows[bottom] = open[R - 1];
      open_rows[0] = weak[0];
      open_rows[bottom] = weak[R - 1];
      __syncthreads();
      edge_above = above(edge_rows);
      edge_below = below(edge_rows);
      if (!last_round) continue;
      // What other strips have beside the outermost rows, weak or an edge.
      undecided = rest;
      const uint32_t first = widen_across<T::across>(above(open_rows) | edge_above);
      const uint32_t last = widen_across<T::across>(below(open_rows) | edge_below);
#pragma unroll
      for (int r = 0; r < R; ++r) {
        edge[r] = open[r];
        weak[r] &= ~edge[r];
        uint32_t rim = side;
        if (r == 0) rim |= strip > 0 ? first : up ? ~0u : 0;
        if (r == R - 1) rim |= strip < T::strips - 1 ? last : down ? ~0u : 0;
        open[r] = undecided >> r & 1 ? weak[r] : weak[r] & rim;
      }
      __syncthreads();
    }
    if (rest != 0) {
#pragma unroll
      for (int r = 0; r < R; ++r) open[r] = weak[r];
    }
    // Open pixels that touch an edge: another strip's, or one that was not followed to its end.
#pragma unroll
    for (int r = 0; r < R; ++r) {
      uint32_t touch = 0;
      if (r == 0 || r == R - 1 || undecided) {
        const uint32_t t =
            edge[r] | (r > 0 ? edge[r - 1] : edge_above) | (r + 1 < R ? edge[r + 1] : edge_below);
        touch = open[r] & widen_across<T::across>(t);
      }
      edge_rows[r * T::across] = touch;
      open_rows[r * T::across] = open[r];
    }
    int count = 0;
#pragma unroll
    for (int r = 0; r < R; r += 2) {
      const uint32_t both = open[r] | open[r + 1];
      count += count_bits(both & ~(both << 1));
    }
    int place = count;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const int before = __shfl_up_sync(~0u, place, d);
      if (lane >= d) place += before;
    }
    int first = 0;
    if (lane == 31 && place > 0) first = atomicAdd(&tile.count, place);
    place += __shfl_sync(~0u, first, 31) - count;
    uint16_t* const beyond = Open::list_of<T>(all_open.overflow, masks);
    const auto entry = [&](int i) -> uint16_t& {
      return i < T::listed_here ? tile.list[i] : beyond[i - T::listed_here];
    };
#pragma unroll
    for (int r = 0; r < R; r += 2) {
      const uint32_t both = open[r] | open[r + 1];
      const int pair = (strip * R + r) / 2 * T::across + column;
      for (uint32_t starts = both & ~(both << 1); starts != 0; starts &= starts - 1)
        entry(place++) = uint16_t(pair * canny_tiles::nodes_of_pair + lowest_bit(starts) / 2);
    }
    __syncthreads();

    const int nodes = tile.count;
    if (thread == 0) tile.parents[Open::edge] = Open::edge;
    for (int i = thread; i < nodes; i += T::threads) {
      const uint32_t number = entry(i);
      const Node<T> node(tile, number);
      const uint32_t* touch = tile.edge + node.y * T::across + node.x;
      const bool touches = (touch[0] & node.upper) | (touch[T::across] & node.lower);
      uint32_t parent = touches ? Open::edge : number + 1;
      int links = touches;
      node.links([&](uint32_t other) {
        if (links++ == 0) parent = other;
      });
      tile.parents[number + 1] = parent;
      if (links > 1) entry(i) = uint16_t(number | T::several);
    }
    __syncthreads();
    // Those with several links go to a list of their own, so that no lane waits for them.
    uint16_t* const here = reinterpret_cast<uint16_t*>(tile.edge);
    uint16_t* const left = Open::list_of<T>(all_open.nodes, masks);
    const auto linked_entry = [&](int i) -> uint16_t& {
      return i < T::several_here ? here[i] : left[i - T::several_here];
    };
    const int all_lanes = (nodes + 31) / 32 * 32;
    for (int i = thread; i < all_lanes; i += T::threads) {
      const uint32_t number = i < nodes ? entry(i) : 0;
      const int at_list = places_for((number & T::several) != 0, &tile.linked);
      if (number & T::several) linked_entry(at_list) = uint16_t(number & ~T::several);
      if (i < nodes) flatten(tile.parents, (number & ~T::several) + 1);
    }
    __syncthreads();
    for (int i = thread; i < tile.linked; i += T::threads) {
      const uint32_t number = linked_entry(i);
      const Node<T> node(tile, number);
      node.links([&](uint32_t other) { unite_nodes(tile.parents, number + 1, other); });
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; ++r) edge_rows[r * T::across] = edge[r];
    // Every node points at its root; roots learn whether they reach the rim.
    for (int i = thread; i < nodes; i += T::threads) {
      const uint32_t number = entry(i) & ~T::several;
      const uint32_t root = flatten(tile.parents, number + 1);
      if (root == Open::edge) continue;
      const Node<T> node(tile, number);
      const bool rim = (node.x == 0 && node.run() & left_end) ||
                       (node.x == T::across - 1 && node.run() & right_end) ||
                       (node.y == 0 && up && node.upper) ||
                       (node.y == T::rows - 2 && down && node.lower);
      if (rim) atomicOr(tile.at_rim + root / 32, 1u << (root % 32));
    }
    __syncthreads();
    for (int i = thread; i < all_lanes; i += T::threads) {
      bool stays = false;
      uint32_t number = 0;
      if (i < nodes) {
        number = entry(i) & ~T::several;
        const Node<T> node(tile, number);
        const auto label = [&](uint32_t n) {  // of the picture
          const int32_t pair = int32_t(n) / canny_tiles::nodes_of_pair;
          return label_of(masks.words_per_row, row0 / 2 + pair / T::across,
                          word0 + pair % T::across, int(n) % canny_tiles::nodes_of_pair * 2);
        };
        const uint32_t root = tile.parents[number + 1];
        stays = root != Open::edge && tile.at_rim[root / 32] >> (root % 32) & 1;
        if (stays) parents[label(number)] = label(root - 1);
        const int w = node.y * T::across + node.x;
        if (root == Open::edge) {
          if (node.upper) atomicOr(tile.edge + w, node.upper);
          if (node.lower) atomicOr(tile.edge + w + T::across, node.lower);
        }
      }
      const int place = places_for(stays, &tile.left);
      if (stays) left[place] = uint16_t(number);
    }
    __syncthreads();
  } else {
#pragma unroll
    for (int r = 0; r < R; ++r) open_rows[r * T::across] = edge_rows[r * T::across] = 0;
    __syncthreads();
  }
  if (thread == 0) all_open.counts[tile_number()] = tile.left;
    // What the seams read of the masks: rows and columns at the rim, and the rows that complete
    // pairs; and the pairs that the list names.
#pragma unroll
  for (int r = 0; r < R; r += 2) {
    const uint32_t e0 = edge_rows[r * T::across], e1 = edge_rows[(r + 1) * T::across];
    const uint32_t o0 = open_rows[r * T::across] & ~e0, o1 = open_rows[(r + 1) * T::across] & ~e1;
    const bool first_pair = strip == 0 && r == 0;
    const bool last_pair = strip == T::strips - 1 && r == R - 2;
    const bool at_side = column == 0 || column == T::across - 1;
    const bool writes = at_side || first_pair || last_pair || (o0 | o1) != 0;
    if (!writes || word >= masks.words_per_row) continue;
    const ptrdiff_t to = at + r * pitch;
    if (row + r < masks.height) {
      masks.candidates[to] = o0;
      if (at_side || first_pair) masks.strong[to] = e0;
    }
    if (row + r + 1 < masks.height) {
      masks.candidates[to + pitch] = o1;
      if (at_side || last_pair) masks.strong[to + pitch] = e1;
    }
  }
  const int32_t x0 = word0 * word_pixels;
  const int count = int(min(int64_t(dst.width) - x0, int64_t(T::across) * word_pixels));
  constexpr int warp_rows = T::rows / T::warps;
  for (int i = warp * warp_rows; i < (warp + 1) * warp_rows && row0 + i < dst.height; ++i)
    write_row(tile.edge + i * T::across, dst.row(row0 + i) + x0, count);
}

}  // namespace cuesta::canny_cuda
