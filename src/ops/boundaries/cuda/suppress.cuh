// Strength, limits and suppression of boundaries on CUDA, one launch: from levels 1 and 2 to masks
// of a bit a pixel. A block takes 128 × 64 pixels. The sum of scales C, strengths and directions of
// its tile are in shared memory; strengths at full size are in registers alone, two a word.
#pragma once

#include "ops/boundaries/cuda/tile.cuh"
#include "ops/shared/bit_masks.hpp"

namespace cuesta::boundary_cuda {

struct SuppressJob {
  Planes first, sums;  // level 1; level 2 of P₂ + E(2 P₃)
  Level far;           // the activity, level 4
  int64_t threshold;
  hysteresis::Masks masks;
  // Of quality high: level 1 of strengths and tensors, and the sum of the strengths.
  Level strengths{};
  WideLevel tensor[3]{};
  unsigned long long* total = nullptr;
};

// ---- pixels, two a word

__device__ inline uint32_t swapped(uint32_t pair) { return __byte_perm(pair, 0, 0x1032); }
/// Of three words that hold pixels of a row, the halves whose pixels exist.
struct Kept {
  uint32_t pair[3];
};

/// Six strengths of a row at full size: of a lane's four pixels, and of those beside.
struct PixelRow {
  uint32_t pair[3];

  PixelRow() = default;
  /// Between two rows of four strengths of half size; the inner two are the lane's.
  /// `kept` and `exists` have 0 for columns and rows outside the picture.
  __device__ PixelRow(uint2 near, uint2 far, const Kept& kept, uint32_t exists) {
    const uint32_t left = mix_pairs(near.x, far.x);
    const uint32_t right = mix_pairs(near.y, far.y);
    const uint32_t middle = between(left, right);
    pair[0] = mix_pairs(left, swapped(left), kept.pair[0] & exists);
    pair[1] = mix_pairs(middle, swapped(middle), kept.pair[1] & exists);
    pair[2] = mix_pairs(right, swapped(right), kept.pair[2] & exists);
  }
  /// Pixels 0 and 1, or 2 and 3.
  __device__ uint32_t own(int i) const { return between(pair[i], pair[i + 1]); }
};

/// Bits 15 and 31: whether a < b, and a <= b, in the halves; both up to 32,767.
__device__ inline uint32_t is_below(uint32_t a, uint32_t b) { return b + 0x7fff7fffu - a; }
__device__ inline uint32_t is_below_or_equal(uint32_t a, uint32_t b) { return b + 0x80008000u - a; }

/// Which neighbours two pixels of one octant have: in their own row, or in the rows above and below
/// those that __byte_perm() takes from two words.
struct Neighbours {
  bool flat;
  uint32_t before, after;
  __device__ explicit Neighbours(uint32_t octant)
      : flat(octant == 0),
        before(0x3210 + (octant - 1) * 0x2222),
        after(0x7654 - (octant - 1) * 0x2222) {}
};
/// is_maximum() of pixels 0 and 1, or 2 and 3, in bits 15 and 31.
__device__ inline uint32_t maxima(const PixelRow& up, const PixelRow& row, const PixelRow& down,
                                  int i, const Neighbours& at) {
  const uint32_t above = __byte_perm(up.pair[i], up.pair[i + 1], at.before);
  const uint32_t below = __byte_perm(down.pair[i], down.pair[i + 1], at.after);
  const uint32_t before = at.flat ? row.pair[i] : above, after = at.flat ? row.pair[i + 1] : below;
  return is_below(before, row.own(i)) & is_below_or_equal(after, row.own(i));
}

/// Bits of eight rows of a lane's four pixels. Rows come in from above, at bits 14, 15, 30 and 31.
struct LaneBits {
  uint32_t bits = 0;
  /// Bits 15 and 31 of two words: pixels 0 and 1, 2 and 3.
  __device__ void add(uint32_t a, uint32_t b) {
    const uint32_t row = (b & 0x80008000u) | (a >> 1 & ~0x80008000u);
    bits = (row & 0xc000c000u) | (bits >> 2 & ~0xc000c000u);
  }
  /// Pixel k of row r as bit 4 r + k: the halves are interleaved.
  __device__ uint32_t in_order() const {
    const auto exchange = [](uint32_t v, int by, uint32_t low) {
      const uint32_t moved = (v ^ v >> by) & low;
      return v ^ moved ^ moved << by;
    };
    uint32_t v = __byte_perm(bits, 0, 0x3120);
    v = exchange(v, 4, 0x00f000f0u);
    v = exchange(v, 2, 0x0c0c0c0cu);
    return exchange(v, 1, 0x22222222u);
  }
};
/// Eight rows of four bits of each of eight lanes; lane i receives row i of all of them.
__device__ inline uint32_t rows_of_lanes(uint32_t rows) {
  const auto exchange = [&](int with, uint32_t low) {
    const uint32_t other = __shfl_xor_sync(~0u, rows, with);
    const int by = 4 * with;
    rows = threadIdx.x & with ? (rows & ~low) | (other & ~low) >> by
                              : (rows & low) | (other & low) << by;
  };
  exchange(4, 0x0000ffffu);
  exchange(2, 0x00ff00ffu);
  exchange(1, 0x0f0f0f0fu);
  return rows;
}

// ---- the tile

template <int Channels>
struct SuppressTile {
  using Sums = Tile<tile_columns + 4, tile_rows + 4>;            // C, 2 samples more on all sides
  using Strengths = Tile<tile_columns + 2, tile_rows + 2>;       // 1 more
  using Coarse = Tile<tile_columns / 2 + 4, tile_rows / 2 + 4>;  // level 2, 2 more
  // Level 4, 1 more to all sides for limits; 2 further ones for each time it is smoothed.
  static constexpr int across = tile_columns / 8 + 2, down = tile_rows / 8 + 2;
  using Around = Tile<across + 4, down + 4>;
  using Smoothed = Tile<across + 2, down + 2>;

  Coarse coarse[Channels];
  Sums sums[Channels];
  Strengths strengths;
  uint16_t octants[Strengths::high][Strengths::pairs];  // a byte a sample
  Around around;
  Smoothed smooth;
  int32_t limits[down][across];
  int32_t sum;

  // What is between two barriers.

  __device__ void load(const SuppressJob& job, Corner at) {
    if (threadIdx.x == 0) sum = 0;
#pragma unroll
    for (int c = 0; c < Channels; ++c) coarse[c].load(job.sums.of(c), at.x / 2 - 2, at.y / 2 - 2);
    around.load(job.far, at.x / 8 - 3, at.y / 8 - 3);
  }
  /// C, and the activity smoothed once.
  __device__ void make_sums(const SuppressJob& job, Corner at) {
    add_brightness(job, at);
    for_columns<Sums::pairs, Sums::high, 2>([&](int pair, int row) {
#pragma unroll
      for (int c = 1; c < Channels; ++c) {
        expand_sample(coarse[c], pair + 1, row / 2 + 1, [&](int j, int32_t even, int32_t odd) {
          const int32_t own = first_pair(job.first.of(c), at, pair, row + j);
          sums[c].word[row + j][pair] = pair_of(own + even, (own >> 16) + odd);
        });
      }
    });
    smooth_to(smooth, around, job, at.x / 8 - 2, at.y / 8 - 2);
  }
  __device__ void make_limits(const SuppressJob& job, Corner at) {
    const int i = int(threadIdx.x);
    if (i >= across * down) return;
    const int32_t x = inside(at.x / 8 - 1 + i % across, job.far.width) - at.x / 8 + 2;
    const int32_t y = inside(at.y / 8 - 1 + i / across, job.far.height) - at.y / 8 + 2;
    limits[i / across][i % across] = limit(job.threshold, smoothed_of(smooth, x, y));
  }
  /// Strengths and directions; with Keeps, writes the tile's own strengths and tensors.
  template <bool Keeps>
  __device__ void make_strengths(const SuppressJob& job, Corner at) {
    int32_t own = 0;
    for_tensors<Channels>(sums, [&](int pair, int row, const Tensor& a, const Tensor& b) {
      const int32_t m[2] = {strength(a), strength(b)};
      strengths.word[row][pair] = pair_of(m[0], m[1]);
      octants[row][pair] = uint16_t(octant(a) | octant(b) << 8);
      if constexpr (Keeps) {
        const auto keep = [&](int i, const Tensor& j) {
          const int column = 2 * pair - 1 + i;
          const int32_t x = at.x + column, y = at.y + row - 1;
          if (column < 0 || column >= tile_columns || row == 0 || row > tile_rows ||
              x >= job.strengths.width || y >= job.strengths.height)
            return;
          own += m[i];
          job.strengths.at(x, y) = int16_t(m[i]);
          job.tensor[0].at(x, y) = j.xx;
          job.tensor[1].at(x, y) = j.yy;
          job.tensor[2].at(x, y) = j.xy;
        };
        keep(0, a);
        keep(1, b);
      }
    });
    if constexpr (Keeps) add_block(own, sum, *job.total);
  }
  /// The masks. A warp takes eight rows, a lane four pixels of each.
  __device__ void suppress(const SuppressJob& job, Corner at) const;

 private:
  /// A word of level 1 for the tile of sums; 0 outside the picture.
  __device__ static int32_t first_pair(const Level& first, Corner at, int pair, int row) {
    const int32_t x = at.x - 2 + 2 * pair, y = at.y - 2 + row;
    const bool inside = x >= 0 && x < first.width && y >= 0 && y < first.height;
    return inside ? *reinterpret_cast<const int32_t*>(first.row(y) + x) : 0;
  }
  /// C of brightness, at most 6,120 and never negative.
  __device__ void add_brightness(const SuppressJob& job, Corner at) {
    for_expanded(coarse[0], [&](int pair, int row, const int32_t(&words)[2]) {
#pragma unroll
      for (int i = 0; i < 2; ++i)
        sums[0].word[row][pair + i] = first_pair(job.first.first, at, pair + i, row) + words[i];
    });
  }
  __device__ static int32_t inside(int32_t at, int32_t size) { return min(max(at, 0), size - 1); }
  /// smoothed() around a sample that is not at the tile's border.
  template <class From>
  __device__ static int32_t smoothed_of(const From& from, int x, int y) {
    int32_t sum = 8;
#pragma unroll
    for (int j = -1; j <= 1; ++j) {
      const int16_t* row = from.row(y + j) + x;
      sum += (row[-1] + 2 * row[0] + row[1]) << (j == 0);
    }
    return sum >> 4;
  }
  __device__ static void smooth_to(Smoothed& to, const Around& from, const SuppressJob& job,
                                   int32_t x0, int32_t y0) {
    for (int i = int(threadIdx.x); i < Smoothed::wide * Smoothed::high; i += tile_threads) {
      const int32_t x = inside(x0 + i % Smoothed::wide, job.far.width) - x0 + 1;
      const int32_t y = inside(y0 + i / Smoothed::wide, job.far.height) - y0 + 1;
      to.row(i / Smoothed::wide)[i % Smoothed::wide] = int16_t(smoothed_of(from, x, y));
    }
  }
};

/// 2^10 times the limits of four pixels of a row, and what the next row adds. The pixels are
/// between two samples, and eight rows from a multiple of eight on are as well.
struct LimitRow {
  int32_t sum[4], step[4];

  /// Of `limits` the first is left of and above the block by at most a sample.
  template <int Down, int Across>
  __device__ LimitRow(const int32_t (&limits)[Down][Across], int32_t x, int32_t y) {
    const Place across = place_of(x), down = place_of(y);
    const int32_t* above = limits[down.first + 1] + across.first + 1;
    const int32_t* below = limits[down.first + 2] + across.first + 1;
    const int32_t left = (32 - down.share) * above[0] + down.share * below[0];
    const int32_t right = (32 - down.share) * above[1] + down.share * below[1];
    const int32_t left_step = 2 * (below[0] - above[0]), right_step = 2 * (below[1] - above[1]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int32_t share = across.share + 2 * i;
      sum[i] = (32 - share) * left + share * right + 512;
      step[i] = (32 - share) * left_step + share * right_step;
    }
  }
  /// The limits of pixels 0 and 1, or 2 and 3.
  __device__ uint32_t pair(int i) const {
    return uint32_t(pair_of(sum[2 * i] >> 10, sum[2 * i + 1] >> 10));
  }
  __device__ void next() {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] += step[i];
  }
};

template <int Channels>
__device__ inline void SuppressTile<Channels>::suppress(const SuppressJob& job, Corner at) const {
  static_assert(2 * tile_columns == 32 * 4 && 2 * tile_rows == tile_threads / 32 * 8);
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const int32_t x = 2 * at.x + 4 * lane, y = 2 * at.y + 8 * warp;
  const hysteresis::Masks& masks = job.masks;
  const auto in_row = [&](int32_t i) { return x + i >= 0 && x + i < masks.width; };
  Kept kept;
#pragma unroll
  for (int i = 0; i < 3; ++i)
    kept.pair[i] = (in_row(2 * i - 1) ? both_values & 0xffff : 0) |
                   (in_row(2 * i) ? both_values & ~0xffffu : 0);
  // Of half size: from a row above the lane's four to one below.
  uint2 half_row[6];
#pragma unroll
  for (int j = 0; j < 6; ++j) {
    const int32_t* words = strengths.word[4 * warp + j] + lane;
    half_row[j] = make_uint2(uint32_t(words[0]), uint32_t(words[1]));
  }
  // Row y + i of full size.
  const auto pixels = [&](int i) {
    const int near = (i + 2) / 2, far = i & 1 ? near + 1 : near - 1;
    const bool exists = y + i >= 0 && y + i < masks.height;
    return PixelRow(half_row[near], half_row[far], kept, exists ? ~0u : 0);
  };
  LimitRow limit_row(limits, 4 * lane, 8 * warp);
  PixelRow up = pixels(-1), row = pixels(0);
  LaneBits candidates, strong;
#pragma unroll
  for (int r = 0; r < 8; ++r) {
    const PixelRow down = pixels(r + 1);
    const auto* octant = reinterpret_cast<const uint8_t*>(octants[4 * warp + r / 2 + 1]) + 2 * lane;
    uint32_t found[2], sure[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const uint32_t most = limit_row.pair(i), here = row.own(i);
      // Above half a limit, rounded down, is twice as much above the limit.
      found[i] = maxima(up, row, down, i, Neighbours(octant[1 + i])) & is_below(most, 2 * here);
      sure[i] = found[i] & is_below(most, here);
    }
    candidates.add(found[0], found[1]);
    strong.add(sure[0], sure[1]);
    up = row;
    row = down;
    limit_row.next();
  }
  const uint32_t found_row = rows_of_lanes(candidates.in_order());
  const uint32_t strong_row = rows_of_lanes(strong.in_order());
  const int32_t to = y + lane % 8;
  if (to >= masks.height) return;
  const ptrdiff_t word = ptrdiff_t(to) * masks.words_per_row + at.x / 16 + lane / 8;
  masks.candidates[word] = found_row;
  masks.strong[word] = strong_row;
}

template <int Channels, bool Keeps>
__global__ void __launch_bounds__(tile_threads, Channels == 1 && !Keeps ? 5 : 3)
    find_masks(const __grid_constant__ SuppressJob job) {
  using All = SuppressTile<Channels>;
  CUESTA_DYNAMIC_SHARED(uint32_t, memory);
  All& tile = *reinterpret_cast<All*>(memory);
  const int32_t width = job.first.first.width, height = job.first.first.height;
  const Corner at = corner_of(width, tile_columns, tile_rows);
  const bool border = All::Sums::passes_border(at.x - 2, at.y - 2, width, height);
  cuda::wait_for_before();
  tile.load(job, at);
  __syncthreads();
  cuda::let_next_begin();
  tile.make_sums(job, at);
  __syncthreads();
  if (border) {
#pragma unroll
    for (int c = 0; c < Channels; ++c) tile.sums[c].close(at.x - 2, at.y - 2, width, height);
    __syncthreads();
  }
  tile.make_limits(job, at);
  tile.template make_strengths<Keeps>(job, at);
  __syncthreads();
  if (border) {
    tile.strengths.close(at.x - 1, at.y - 1, width, height);
    __syncthreads();
  }
  tile.suppress(job, at);
}

}  // namespace cuesta::boundary_cuda
