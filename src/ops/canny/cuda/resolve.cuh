// Hysteresis of canny on CUDA, first launch: a warp resolves a tile of its masks; only
// what reaches the tile's rim continues (seams.cuh). blockIdx.z is the picture.
//
//   sweep    the tile is in registers, and edges run down and up through candidates
//            (sweeps.cuh). Then the same from the tile's rim through what is left: only `open`
//            candidates can become edges, by other tiles. Sweeps end when nothing moves, almost
//            always, or after a fixed number; then all that is undecided is open.
//   unite    the open candidates, in shared memory, a node a lane (nodes.cuh). Each points at one
//            that it touches before itself, or at 0, which stands for edges, and then at the root
//            of that path; then the few nodes that touch several unite their sets.
//   decide   where sweeps came to their end every open set reaches the rim and none touches an
//            edge. Else sets with node 0 are edges, sets that reach the rim stay open, the others
//            are nothing. The tile's picture is written. Of the masks only what the later launches
//            read goes back: the outermost rows and the words that hold open runs; the outermost
//            columns go into words of their own. Every open run points at the root of its set in
//            the tile, and a list names it.
//
// Whatever the masks hold, a tile takes a bounded number of sweeps and a word has at most 8 nodes.
// What binds: the latency of a sweep's pairs and of paths in shared memory.
#pragma once

#include "cuda/instructions.cuh"
#include "cuda/overlap.cuh"
#include "ops/canny/cuda/nodes.cuh"

namespace cuesta::canny_cuda {

// ---- the picture

/// Lanes that take a row of the picture, `lane` one of them: `count` pixels to `to` from a row of
/// words in shared memory, one word longer than they need, 16 at once where the address allows.
template <int Lanes>
__device__ inline void write_row(const uint32_t* words, uint8_t* to, int count, int lane) {
  const int before = min(int(-reinterpret_cast<uintptr_t>(to) & 15), count);
  const int chunks = (count - before) / 16, after = before + chunks * 16;
  const auto one = [&](int x) { to[x] = words[x / 32] >> (x % 32) & 1 ? 255 : 0; };
  for (int x = lane; x < before; x += Lanes) one(x);
  for (int i = lane; i < chunks; i += Lanes) {
    const int x = before + 16 * i;
    const uint32_t bits = __funnelshift_r(words[x / 32], words[x / 32 + 1], uint32_t(x));
    *reinterpret_cast<uint4*>(to + x) = make_uint4(spread_bits(bits), spread_bits(bits >> 4),
                                                   spread_bits(bits >> 8), spread_bits(bits >> 12));
  }
  for (int x = after + lane; x < count; x += Lanes) one(x);
}
/// A warp writes the tile whose first pixel is (x0, y0).
template <class T>
__device__ inline void write_tile(const T& tile, const DeviceImage<uint8_t>& dst, int32_t x0,
                                  int32_t y0) {
  const int count = int(min(int64_t(dst.width) - x0, int64_t(T::across) * mask_runs::word_pixels));
  const int rows = int(min(int64_t(dst.height) - y0, int64_t(T::rows)));
  uint8_t* const to = dst.row(y0) + x0;
  const auto address = reinterpret_cast<uintptr_t>(to) | uintptr_t(dst.stride_bytes);
  constexpr int chunks = T::across * 2;  // of 16 pixels
  if (address % 16 == 0 && count == chunks * 16) {
#pragma unroll 4
    for (int i = int(threadIdx.x); i < rows * chunks; i += 32) {
      const uint32_t bits = tile.edge[i / 2] >> (i % 2 * 16);
      *reinterpret_cast<uint4*>(to + ptrdiff_t(i / chunks) * dst.stride_bytes + i % chunks * 16) =
          make_uint4(spread_bits(bits), spread_bits(bits >> 4), spread_bits(bits >> 8),
                     spread_bits(bits >> 12));
    }
  } else {
    const int lane = int(threadIdx.x);
    for (int i = lane / chunks; i < rows; i += 32 / chunks)
      write_row<chunks>(tile.edge + i * T::across, to + ptrdiff_t(i) * dst.stride_bytes, count,
                        lane % chunks);
  }
}

// ---- the kernel

/// A tile's sweeps, from edges and again from the rim.
inline constexpr int max_sweeps = 32;

/// Where other tiles are: the ends of words beside which they begin.
struct Beyond {
  bool up, down;
  uint32_t left_end, right_end;
};

/// A lane's rows of the warp's tile. Every phase is called by the whole warp, in the kernel's
/// order.
template <class T>
struct TileLane {
  static constexpr int R = T::strip_rows, pairs = R / 2, across = T::across;
  const Masks& masks;
  const Beyond& beyond;
  int lane, column, strip;
  int32_t word, row;  // the first of the lane's own
  ptrdiff_t pitch, at;
  uint32_t *open_rows, *edge_rows;
  Strip<R, across>& s;

  /// Candidates, and strong pixels as what is reached.
  __device__ __forceinline__ void load() const {
    uint32_t strong[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const bool inside = word < masks.words_per_row && row + r < masks.height;
      s.rows[r] = inside ? masks.candidates[at + r * pitch] : 0;
      strong[r] = inside ? masks.strong[at + r * pitch] : 0;
    }
#pragma unroll
    for (int p = 0; p < pairs; ++p) s.reached[p] = strong[2 * p] | strong[2 * p + 1];
  }

  /// What was reached becomes edges, and what is left is reached from the rim; from everywhere
  /// where edges are not `decided`.
  __device__ __forceinline__ void take_edges(bool decided) const {
    const uint32_t side =
        (column == 0 ? beyond.left_end : 0) | (column == across - 1 ? beyond.right_end : 0);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const uint32_t edge = s.row(r);
      edge_rows[r * across] = edge;
      s.rows[r] &= ~edge;
    }
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      s.reached[p] = s.both(p) & (decided ? side : ~0u);
      if (p == 0 && strip == 0 && beyond.up) s.reached[p] |= s.rows[0];
      if (p == pairs - 1 && strip == T::strips - 1 && beyond.down) s.reached[p] |= s.rows[R - 1];
    }
  }
  /// Edges; then what is open, from the rim. One body of code for both. Gives whether sweeps came
  /// to their end.
  __device__ __forceinline__ bool sweep() const {
    bool decided = true;
#pragma unroll 1
    for (bool edges = true;; edges = false) {
      const bool ended = s.spread(max_sweeps);
      decided &= ended;
      if (!edges) {
        if (!ended) {
#pragma unroll
          for (int p = 0; p < pairs; ++p) s.reached[p] = s.both(p);
        }
        return decided;
      }
      take_edges(decided);
    }
  }

  /// Open nodes that begin in the lane's words.
  __device__ __forceinline__ int own_nodes() const {
    int count = 0;
#pragma unroll
    for (int p = 0; p < pairs; ++p)
      count += mask_runs::count_bits(s.reached[p] & ~(s.reached[p] << 1));
    return count;
  }
  /// Puts them into the list from `slot` on.
  template <class Entry>
  __device__ __forceinline__ void list_nodes(int slot, Entry&& entry) const {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const int pair = (strip * pairs + p) * across + column;
      for (uint32_t starts = s.reached[p] & ~(s.reached[p] << 1); starts != 0; starts &= starts - 1)
        entry(slot++) =
            uint16_t(pair * canny_tiles::nodes_of_pair + mask_runs::lowest_bit(starts) / 2);
    }
  }

  /// What the seams read of the masks: the rows at the rim and those that complete pairs, and the
  /// pairs that the list names. The columns at the rim go into words of their own.
  __device__ __forceinline__ Rim write_masks() const {
    Rim rim = {};
#pragma unroll
    for (int r = 0; r < R; r += 2) {
      const uint32_t e0 = edge_rows[r * across], e1 = edge_rows[(r + 1) * across];
      const uint32_t o0 = s.row(r) & ~e0, o1 = s.row(r + 1) & ~e1;
      const auto two = [&](uint32_t a, uint32_t b) { return (a | b << 1) << (strip * R + r); };
      if (column == 0) {
        rim.open_left |= two(o0 & 1, o1 & 1);
        rim.edge_left |= two(e0 & 1, e1 & 1);
      }
      if (column == across - 1) {
        rim.open_right |= two(o0 >> 31, o1 >> 31);
        rim.edge_right |= two(e0 >> 31, e1 >> 31);
      }
      const bool first_pair = strip == 0 && r == 0;
      const bool last_pair = strip == T::strips - 1 && r == R - 2;
      const bool writes = first_pair || last_pair || (o0 | o1) != 0;
      if (!writes || word >= masks.words_per_row) continue;
      const ptrdiff_t to = at + r * pitch;
      if (row + r < masks.height) {
        masks.candidates[to] = o0;
        if (first_pair) masks.strong[to] = e0;
      }
      if (row + r + 1 < masks.height) {
        masks.candidates[to + pitch] = o1;
        if (last_pair) masks.strong[to + pitch] = e1;
      }
    }
    return {in_any_lane(rim.open_left), in_any_lane(rim.edge_left), in_any_lane(rim.open_right),
            in_any_lane(rim.edge_right)};
  }
};

/// The open nodes of a warp's tile, which are listed in `tile` and, where it has no place, in
/// device memory. Every phase is called by the whole warp, in the kernel's order.
template <class T>
struct OpenNodes {
  T& tile;
  const Masks& masks;
  const Place<T>& place;
  const Beyond& beyond;
  int32_t* parents;  // of the picture's labels
  bool decided;      // sweeps came to their end
  int lane, nodes, all_lanes;
  uint16_t *further, *stay;  // what `tile` does not list; those that stay open

  __device__ uint16_t& entry(int i) const {
    return i < T::listed_here ? tile.list[i] : further[i - T::listed_here];
  }
  /// Of those with several links.
  __device__ uint16_t& linked_entry(int i) const {
    return i < T::linked_here ? tile.linked[i] : stay[i - T::linked_here];
  }
  /// A node's label in the picture.
  __device__ int32_t label(uint32_t n) const {
    const int32_t pair = int32_t(n) / canny_tiles::nodes_of_pair;
    return label_of(masks.words_per_row, place.row / 2 + pair / T::across,
                    place.word + pair % T::across, int(n) % canny_tiles::nodes_of_pair * 2);
  }

  /// First links. Nodes with several go to a list of their own, so that no lane waits for them;
  /// gives how many.
  __device__ __forceinline__ int link() const {
    int linked = 0;
    if (lane == 0) tile.parents[Open::edge] = Open::edge;
    for (int i = lane; i < all_lanes; i += 32) {
      uint32_t number = 0;
      int links = 0;
      if (i < nodes) {
        number = entry(i);
        const Node<T> node(tile, number);
        uint32_t parent = number + 1;
        if (!decided && node.touches_edge()) parent = Open::edge, links = 1;
        node.links([&](uint32_t other) {
          if (links++ == 0) parent = other;
        });
        tile.parents[number + 1] = uint16_t(parent);
      }
      const int at_list = places_for(links > 1, linked);
      if (links > 1) linked_entry(at_list) = uint16_t(number);
    }
    __syncwarp();
    return linked;
  }
  /// All links of the `linked` nodes that have several.
  __device__ __forceinline__ void unite(int linked) const {
    flatten_all(tile.parents, nodes, [&](int i) -> uint16_t& { return entry(i); });
    __syncwarp();
    for (int i = lane; i < linked; i += 32) {
      const uint32_t number = linked_entry(i);
      const Node<T> node(tile, number);
      node.links([&](uint32_t other) { unite_nodes(tile.parents, number + 1, other); });
    }
    __syncwarp();
  }
  /// Every node finds its root; roots learn whether they reach the rim.
  __device__ __forceinline__ void find_roots() const {
    for (int i = lane; i < nodes; i += 32) {
      const uint32_t number = entry(i), root = root_of(tile.parents, number + 1);
      if (decided) {
        parents[label(number)] = label(root - 1);
        stay[i] = uint16_t(number);
      } else if (root != Open::edge) {
        const Node<T> node(tile, number);
        const bool rim = (node.x == 0 && node.run() & beyond.left_end) ||
                         (node.x == T::across - 1 && node.run() & beyond.right_end) ||
                         (node.y == 0 && beyond.up && node.upper) ||
                         (node.y == T::rows - 2 && beyond.down && node.lower);
        if (rim) atomicOr(tile.at_rim + root / 32, 1u << (root % 32));
      }
    }
  }
  /// Where sweeps did not come to their end: sets with node 0 are edges, those at the rim stay
  /// open; gives how many nodes do.
  __device__ __forceinline__ int decide() const {
    int left = 0;
    __syncwarp();
    for (int i = lane; i < all_lanes; i += 32) {
      bool stays = false;
      uint32_t number = 0;
      if (i < nodes) {
        number = entry(i);
        const uint32_t root = root_of(tile.parents, number + 1);
        stays = root != Open::edge && tile.at_rim[root / 32] >> (root % 32) & 1;
        if (stays) parents[label(number)] = label(root - 1);
        if (root == Open::edge) {
          const Node<T> node(tile, number);
          const int w = node.y * T::across + node.x;
          if (node.upper) atomicOr(tile.edge + w, node.upper);
          if (node.lower) atomicOr(tile.edge + w + T::across, node.lower);
        }
      }
      const int at_list = places_for(stays, left);
      if (stays) stay[at_list] = uint16_t(number);
    }
    return left;
  }
};

/// The sum of `count` over a warp's lanes up to this one.
__device__ __forceinline__ int sum_upto(int count) {
  const int lane = int(threadIdx.x);
  int sum = count;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int before = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += before;
  }
  return sum;
}

/// Blocks of resolve() that a multiprocessor's registers hold: 48 a thread.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr int resident_tiles = 8;  // all that there may be
#else
inline constexpr int resident_tiles = 10;
#endif

template <class T>
__global__ void __launch_bounds__(32 * tile_warps, resident_tiles)
    resolve(Masks all_masks, Open all_open, DeviceBatch<uint8_t> pictures) {
  constexpr int R = T::strip_rows, across = T::across;
  CUESTA_DYNAMIC_SHARED(uint32_t, shared);
  T& tile = reinterpret_cast<T*>(shared)[threadIdx.y];
  const Masks masks = all_masks.picture(blockIdx.z);
  const Place<T> place(masks);
  cuda::wait_for_before();
  cuda::let_next_begin();
  if (!place.exists()) return;
  const int lane = int(threadIdx.x), column = lane % across, strip = lane / across;
  const int32_t word = place.word + column, row = place.row + strip * R;
  const ptrdiff_t pitch = masks.words_per_row, at = ptrdiff_t(row) * pitch + word;
  int32_t* parents = all_open.parents_of(blockIdx.z, masks);
  if (lane == 0 && place.x == 0 && place.y == 0) parents[Open::edge] = Open::edge;
  const Beyond beyond{place.y > 0, place.y + 1 < place.down, place.x > 0 ? 1u : 0u,
                      place.x + 1 < place.across ? 1u << 31 : 0};
  uint32_t* const open_rows = tile.open + strip * R * across + column;
  uint32_t* const edge_rows = tile.edge + strip * R * across + column;
  Strip<R, across> s;
  const TileLane<T> own{masks, beyond, lane, column,    strip,     word,
                        row,   pitch,  at,   open_rows, edge_rows, s};
  own.load();
  const bool decided = own.sweep();
  int left = 0;  // nodes that stay open
  const int count = own.own_nodes();
  if (__any_sync(~0u, count != 0)) {
#pragma unroll
    for (int r = 0; r < R; ++r) open_rows[r * across] = s.row(r);
    const int upto = sum_upto(count);
    const int nodes = __shfl_sync(~0u, upto, 31), all_lanes = (nodes + 31) / 32 * 32;
    uint16_t* const further = Open::list_of(all_open.overflow, masks, place);
    uint16_t* const stay = Open::list_of(all_open.nodes, masks, place);
    const OpenNodes<T> open{tile, masks, place,     beyond,  parents, decided,
                            lane, nodes, all_lanes, further, stay};
    own.list_nodes(upto - count, [&](int i) -> uint16_t& { return open.entry(i); });
    if (!decided) {
      for (int i = lane; i < int(sizeof(tile.at_rim) / 4); i += 32) tile.at_rim[i] = 0;
    }
    __syncwarp();
    open.unite(open.link());
    open.find_roots();
    left = decided ? nodes : open.decide();
  }
  __syncwarp();
  const Rim rim = own.write_masks();
  if (lane == 0) {
    all_open.counts[place.number()] = left;
    all_open.rims[place.number()] = rim;
  }
  write_tile(tile, pictures.here(), place.word * mask_runs::word_pixels, place.row);
}

}  // namespace cuesta::canny_cuda
