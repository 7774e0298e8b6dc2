// Strategy `tiles`, the tiles: a block finds the sets of its tile in shared memory.
#pragma once

#include "ops/label/cuda/tiles.cuh"

namespace cuesta::label_cuda {

/// A mask of bits.
struct BitSource {
  __device__ uint32_t word(const Tiles& t, int32_t i, int32_t y) const { return t.word(i, y); }
};

/// A mask of bytes; what it packs it writes, for the kernels that follow.
struct ByteSource {
  const uint8_t* data;
  ptrdiff_t stride_bytes;
  uint32_t* packed;  // t.bits

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
    packed[t.at(i, y)] = bits;
    return bits;
  }
};

/// Parents of a tile's runs in a block's shared memory, each below its run's place, which stays.
/// While sets are joined every access is an atomic one.
struct TileParents {
  uint32_t* runs;

  static constexpr uint32_t parent_bits = 0xffff;
};
__device__ inline uint32_t run_entry(TileParents parents, int32_t run) {
  return atomicOr(parents.runs + run, 0u);
}
__device__ inline int32_t parent_of(TileParents parents, int32_t run) {
  return int32_t(run_entry(parents, run) & TileParents::parent_bits);
}
__device__ inline void set_parent(TileParents parents, int32_t run, int32_t parent) {
  // Parents only fall.
  const uint32_t place = run_entry(parents, run) & ~TileParents::parent_bits;
  atomicMin(parents.runs + run, place | uint32_t(parent));
}
__device__ inline int32_t link_root(TileParents parents, int32_t run, int32_t parent) {
  const uint32_t place = run_entry(parents, run) & ~TileParents::parent_bits;
  const uint32_t had =
      atomicCAS(parents.runs + run, place | uint32_t(run), place | uint32_t(parent));
  return int32_t(had & TileParents::parent_bits);
}

/// The sets of a tile in a block's shared memory. Runs are counted in raster order and are the
/// nodes; every step takes a run a thread, as words have very different numbers of them.
template <bool Eight, class Shape>
struct TileSets {
  uint32_t words[Shape::words_in_all];
  uint32_t first_pixels[Shape::words_in_all];  // of sets, by word
  uint16_t first[Shape::words_in_all];         // runs before the word's
  uint32_t runs[Shape::runs];                  // parent; place of the first pixel above
  // A bit a run: it touches more runs than the one it is linked to at once; roots; open ones.
  uint32_t further[Shape::runs / 32], roots[Shape::runs / 32], open[Shape::runs / 32];
  uint32_t before[Shape::runs / 32];  // sets, open ones in the upper half
  uint32_t warps[2][Shape::threads / 32];
  int32_t first_open;

  struct Run {
    int word, column, row, start;
    uint32_t here, pixels;
  };
  __device__ static int place_of(uint32_t entry) { return int(entry >> 16); }
  __device__ static int parent_of(uint32_t entry) { return int(entry & TileParents::parent_bits); }
  __device__ Run run(uint32_t entry) const {
    const int place = place_of(entry), word = place / word_pixels, start = place % word_pixels;
    const uint32_t here = words[word];
    return {word, word % Shape::words, word / Shape::words, start, here, run_from(here, start)};
  }
  /// Calls each(n) for the runs before and above that the run touches, without what others imply.
  template <class Each>
  __device__ void each_before(const Run& r, Each&& each) const {
    const auto near = [&](int dx, int dy) {
      const bool inside = unsigned(r.column + dx) < unsigned(Shape::words) && r.row + dy >= 0;
      return inside ? words[r.word + dy * Shape::words + dx] : 0;
    };
    Around around{0, near(0, -1), 0, 0, r.here, 0, 0, 0, 0};
    bool joined_above = false;
    if (r.pixels & 1) {
      around.left = near(-1, 0), around.up_left = near(-1, -1);
      // The row above joins it to the run at the left.
      joined_above = around.up & 1 && around.up_left >> 31;
    }
    if (Eight && r.pixels >> 31) around.up_right = near(1, -1);
    runs_before<Eight>(around, r.pixels, [&](int dx, int dy, int start) {
      if (dy == 0 && joined_above) return;
      const int word = r.word + dy * Shape::words + dx;
      each(first[word] + runs_upto(words[word], start));
    });
  }
  /// Gives runs what new_parent(n, entry) says, from parents that nobody changes meanwhile; whether
  /// this thread changed any. Called by the whole block; ends with a barrier.
  template <class NewParent>
  __device__ bool replace_parents(int count, NewParent&& new_parent) {
    constexpr int at_once = 4;  // held in registers
    bool moves = false;
    for (int from = 0; from < count; from += at_once * Shape::threads) {
      uint32_t entries[at_once];
      unsigned changed = 0;
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const int n = from + k * Shape::threads + int(threadIdx.x);
        if (n >= count) continue;
        const uint32_t entry = runs[n];
        const int parent = new_parent(n, entry);
        entries[k] = (entry & ~TileParents::parent_bits) | uint32_t(parent);
        if (entries[k] != entry) changed |= 1u << k;
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (changed >> k & 1) runs[from + k * Shape::threads + int(threadIdx.x)] = entries[k];
      __syncthreads();
      moves |= changed != 0;
    }
    return moves;
  }
  __device__ int set_of(int root) const {
    return int(before[root / 32] & 0xffff) + count_bits(roots[root / 32] & ((1u << root % 32) - 1));
  }
  __device__ int open_set_of(int root) const {
    return int(before[root / 32] >> 16) + count_bits(open[root / 32] & ((1u << root % 32) - 1));
  }
};

template <bool Eight, class Shape, class Source>
__global__ void __launch_bounds__(Shape::threads) find_tile_sets(Tiles t, Source source) {
  constexpr int own_words = Shape::words_in_all / Shape::threads;
  __shared__ TileSets<Eight, Shape> s;
  const TileParents parents{s.runs};
  const int own = int(threadIdx.x), lane = own % 32;
  const int32_t tile = int32_t(blockIdx.x), tile_y = tile / t.across;
  const int32_t tile_x = tile - tile_y * t.across;
  const int32_t first_word = tile_x * Shape::words, first_row = tile_y * Shape::rows;
  const int64_t room = int64_t(tile) * Shape::runs;

  uint32_t loaded[own_words];
  uint32_t own_runs = 0;
#pragma unroll
  for (int k = 0; k < own_words; ++k) {
    const int word = own * own_words + k;
    loaded[k] = source.word(t, first_word + word % Shape::words, first_row + word / Shape::words);
    own_runs += count_bits(starts_of(loaded[k]));
  }
  const uint2 counted = sum_before<Shape::threads>(own_runs, s.warps[0]);
  const int runs = int(counted.y);
  int next = int(counted.x);
#pragma unroll
  for (int k = 0; k < own_words; ++k) {
    const int word = own * own_words + k;
    s.words[word] = loaded[k];
    s.first_pixels[word] = 0;
    s.first[word] = uint16_t(next);
    for (uint32_t starts = starts_of(loaded[k]); starts; starts &= starts - 1)
      s.runs[next++] = uint32_t(word * word_pixels + lowest_bit(starts)) << 16;
  }
  for (int i = own; i < Shape::runs / 32; i += Shape::threads) s.roots[i] = s.open[i] = 0;
  __syncthreads();

  for (int k = own; k < 2 * Shape::rows; k += Shape::threads) {
    const int side = k / Shape::rows, line = k % Shape::rows;
    const uint32_t word = s.words[line * Shape::words + (side ? Shape::words - 1 : 0)];
    const uint32_t column = __ballot_sync(~0u, word >> (side ? 31 : 0) & 1);
    if (lane == 0) t.side(tile_x, side)[(first_row + line) / 32] = column;
  }
  const auto write_words = [&] {
#pragma unroll
    for (int k = 0; k < own_words; ++k) {
      const int word = own * own_words + k;
      const int32_t i = first_word + word % Shape::words, y = first_row + word / Shape::words;
      if (i >= t.words_a_row || y >= t.height) continue;
      t.first_run[t.at(i, y)] = s.first[word];
      t.roots[t.at(i, y)] = s.first_pixels[word];
    }
  };
  if (runs == 0) {
    if (own == 0) t.tile_sets[tile] = make_int4(0, 0, 0, 0);
    return write_words();
  }
  // A run hangs below the first that it touches.
  for (int n = own; n - lane < runs; n += Shape::threads) {
    bool further = false;
    if (n < runs) {
      int parent = n;
      s.each_before(s.run(s.runs[n]), [&](int other) {
        further = parent != n;
        if (!further) parent = other;
      });
      s.runs[n] |= uint32_t(parent);
    }
    const unsigned many = __ballot_sync(~0u, further);
    if (lane == 0) s.further[n / 32] = many;
  }
  // Twice as far up each time.
  __syncthreads();
  const auto parents_parent = [&](int, uint32_t entry) {
    return s.parent_of(s.runs[s.parent_of(entry)]);
  };
  while (__syncthreads_or(s.replace_parents(runs, parents_parent))) {
  }
  for (int n = own; n < runs; n += Shape::threads) {
    if ((s.further[n / 32] >> n % 32 & 1) == 0) continue;
    bool linked = false;
    s.each_before(s.run(run_entry(parents, n)), [&](int other) {
      if (linked) cuda::unite(parents, n, other);
      linked = true;
    });
  }
  __syncthreads();
  s.replace_parents(runs, [&](int, uint32_t entry) {
    int root = s.parent_of(entry);
    for (int above; (above = s.parent_of(s.runs[root])) != root;) root = above;
    return root;
  });

  // Roots, and which of them have runs at the rim where the picture goes on beyond it.
  const bool up = first_row > 0, down = first_row + Shape::rows < t.height;
  const bool before = tile_x > 0, after = first_word + Shape::words < t.words_a_row;
  for (int n = own; n - lane < runs; n += Shape::threads) {
    bool is_root = false;
    if (n < runs) {
      const int root = s.parent_of(s.runs[n]);
      is_root = root == n;
      const auto r = s.run(s.runs[n]);
      if ((r.row == 0 && up) || (r.row == Shape::rows - 1 && down) ||
          (r.column == 0 && before && r.pixels & 1) ||
          (r.column == Shape::words - 1 && after && r.pixels >> 31))
        atomicOr(&s.open[root / 32], 1u << root % 32);
    }
    const unsigned roots = __ballot_sync(~0u, is_root);
    if (lane == 0) s.roots[n / 32] = roots;
  }
  __syncthreads();

  const uint32_t sets = own < Shape::runs / 32
                            ? uint32_t(count_bits(s.roots[own]) + (count_bits(s.open[own]) << 16))
                            : 0;
  const uint2 numbered = sum_before<Shape::threads>(sets, s.warps[1]);
  if (own < Shape::runs / 32) s.before[own] = numbered.x;
  if (own == 0) {
    const auto open_sets = int32_t(numbered.y >> 16);
    s.first_open = open_sets ? atomicAdd(&t.counts->open_sets, open_sets) : 0;
    t.tile_sets[tile] = make_int4(int(numbered.y & 0xffff), s.first_open, runs, 0);
  }
  __syncthreads();
  for (int n = own; n < runs; n += Shape::threads) {
    const int root = s.parent_of(s.runs[n]), set = s.set_of(root);
    const int place = s.place_of(s.runs[n]);
    t.set_of_run[room + n] = uint16_t(set);
    t.places[room + n] = uint16_t(place);
    if (root != n) continue;
    const int word = place / word_pixels, start = place % word_pixels;
    atomicOr(&s.first_pixels[word], 1u << start);
    if (s.open[n / 32] >> n % 32 & 1) {
      const int open_number = s.open_set_of(n);
      const int32_t index = s.first_open + open_number;
      const int32_t first_pixel = (first_row + word / Shape::words) * t.width +
                                  (first_word + word % Shape::words) * word_pixels + start;
      t.parents[index] = open_set(first_pixel, index);
      t.open_sums[index] = {0, 0, 0, INT32_MAX, 0, 0, first_pixel};
      t.sets[room + set] = uint16_t(open_entry | uint32_t(open_number));
    } else {
      t.sets[room + set] = uint16_t(place);
    }
  }
  __syncthreads();
  write_words();
}

}  // namespace cuesta::label_cuda
