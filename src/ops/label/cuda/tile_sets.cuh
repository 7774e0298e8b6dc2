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

/// The sets of a tile in a block's shared memory. Runs are counted in raster order and are the
/// nodes; every step takes a run a thread, as words have very different numbers of them.
template <bool Eight, class Shape>
struct TileSets {
  uint32_t words[Shape::words_in_all];
  uint32_t first_pixels[Shape::words_in_all];  // of sets, by word
  uint16_t first[Shape::words_in_all];         // runs before the word's
  uint16_t places[Shape::runs];                // of a run's first pixel; `further`
  uint16_t parents[Shape::runs];
  uint32_t roots[Shape::runs / 32], open[Shape::runs / 32];  // a bit a run
  uint32_t before[Shape::runs / 32];                         // sets, open ones in the upper half
  uint32_t warps[2][Shape::threads / 32];
  int32_t first_open;

  /// A run touches more runs than the one that it was linked to at once.
  static constexpr uint32_t further = 0x8000;

  struct Run {
    int word, column, row, start;
    uint32_t here, pixels;
  };
  __device__ Run run(int n) const {
    const int place = int(places[n] & ~further), word = place / word_pixels;
    const int start = place % word_pixels;
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
  const cuda::SharedParents<uint16_t> parents{s.parents};
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
      s.places[next++] = uint16_t(word * word_pixels + lowest_bit(starts));
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
  for (int n = own; n < runs; n += Shape::threads) {
    int parent = n;
    bool further = false;
    s.each_before(s.run(n), [&](int other) {
      further = parent != n;
      if (!further) parent = other;
    });
    s.parents[n] = uint16_t(parent);
    if (further) s.places[n] |= uint16_t(s.further);
  }
  // Twice as far up each time.
  bool moves = true;
  while (__syncthreads_or(moves)) {
    moves = false;
    for (int n = own; n < runs; n += Shape::threads) {
      const int32_t parent = cuda::parent_of(parents, n), above = cuda::parent_of(parents, parent);
      if (above == parent) continue;
      cuda::set_parent(parents, n, above);
      moves = true;
    }
  }
  for (int n = own; n < runs; n += Shape::threads) {
    if ((s.places[n] & s.further) == 0) continue;
    bool linked = false;
    s.each_before(s.run(n), [&](int other) {
      if (linked) cuda::unite(parents, n, other);
      linked = true;
    });
  }
  __syncthreads();

  // Roots, and which of them have runs at the rim where the picture goes on beyond it.
  const bool up = first_row > 0, down = first_row + Shape::rows < t.height;
  const bool before = tile_x > 0, after = first_word + Shape::words < t.words_a_row;
  for (int n = own; n - lane < runs; n += Shape::threads) {
    bool is_root = false;
    if (n < runs) {
      const int root = cuda::flatten(parents, n);
      is_root = root == n;
      const auto r = s.run(n);
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
    const int root = s.parents[n], set = s.set_of(root);
    t.set_of_run[room + n] = uint16_t(set);
    const uint32_t place = s.places[n] & ~s.further;
    t.places[room + n] = uint16_t(place);
    if (root != n) continue;
    const int word = int(place) / word_pixels, start = int(place) % word_pixels;
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
