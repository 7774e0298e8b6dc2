// Strategy `mma-long`, what a lane does: both products, whose bands of taps and sums across are in
// shared memory. mma_long.cu says how they play together.
#pragma once

#include "ops/convolve/cuda/mma_lane.cuh"

namespace cuesta::convolve_mma {

using cuda::tensor::Quad;
using cuda::tensor::RowTile;
using cuda::tensor::TileShape;

/// Both factors as bytes, 0 elsewhere: tap i across at `across_centre` + (i − anchor) · samples
/// between taps; tap j down at `down_centre` + the row of the first group that it is over for the
/// first result. Sums that run: of 128 rows the first 64 are over what comes, the others what goes.
struct alignas(16) LongBands {
  static constexpr int across_centre = 560, down_centre = 16;
  uint8_t across[2 * across_centre], down[320];
};

/// A strip of a block: rows of results, rows that are brought at a time; products of depth 32 for
/// either factor; groups of 16 rows of sums across that are kept, and how many come before the
/// first results; rows of samples above those of the first results; where shared memory has the
/// sums across and the bands. Of sums that run down the products are those of what comes, and one
/// of what goes.
struct LongPlan {
  int rows, chunk, across, down, groups, lag, above, sums_at, bands_at;
  TileShape shape;
};

/// How far that many products reach.
CUESTA_HOST_DEVICE constexpr int reach_of_products(int products) { return 16 * products - 8; }

/// What sums become; rows at multiples of 16 bytes; products of depth 32 across and
/// down, whose bands then are in registers. 0: known at run time; `running` down: sums that run.
inline constexpr int running = -1;
template <class T, Results Become, bool Aligned, int Across, int Down>
struct LongKind {
  static constexpr int across = Across, down = Down;
  static constexpr bool runs = Down == running;
  // u16 has half of the warps, so that sums across of every height have room.
  static constexpr int warps = sizeof(T) == 1 ? 8 : 4, columns = warp_columns * warps;
  static constexpr int blocks = sizeof(T) == 1 ? 2 : 3;
  static constexpr bool q16 = Become == Results::upper_halves, sums = Become == Results::sums;
  static constexpr bool aligned = Aligned, staged = false;
  using Request = SeparableRequest<T, std::conditional_t<sums, int32_t, T>>;
  static constexpr int size = sizeof(T), planes = size, parts = planes + 1;
  /// A lane's words of 16 rows of sums across: [16 of a warp's columns][pair of them][byte].
  static constexpr int words = 4 * parts;
};

/// Both bands in the order of the products' first operand, a vector a lane and product, by all
/// threads of the block.
template <int Threads>
__device__ __forceinline__ void fill_bands(const LongBands& taps, const LongPlan& plan, uint4* to) {
  const int across = 32 * plan.across, all = across + 32 * plan.down;
  for (int n = int(threadIdx.x); n < all; n += Threads) {
    const bool down = n >= across;
    const int i = (down ? n - across : n) / 32, g = n % 32 / 4, t = n % 4;
    uint32_t word[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int upper = k % 2, depth = 32 * i + k / 2 * 16;
      const int column = 4 * (g / 2) + 2 * upper + g % 2;
      const uint8_t* at = down
                              ? taps.down + LongBands::down_centre + depth + 2 * t - (g + 8 * upper)
                              : taps.across + LongBands::across_centre + depth -
                                    reach_of_products(plan.across) + 4 * t - column;
      const int second = down ? 8 : 2;  // taps 0, 1, then these
      word[k] = uint32_t(at[0]) | uint32_t(at[1]) << 8 | uint32_t(at[second]) << 16 |
                uint32_t(at[second + 1]) << 24;
    }
    to[n] = make_uint4(word[0], word[1], word[2], word[3]);
  }
}

__device__ __forceinline__ Quad quad_of(const uint4& v) { return {{v.x, v.y, v.z, v.w}}; }

/// A lane's band, in registers where the number of products is known.
template <int Products>
struct LaneBand {
  Quad own[Products];
  __device__ void load(const uint4* band) {
#pragma unroll
    for (int i = 0; i < Products; ++i) own[i] = quad_of(band[32 * i]);
  }
  __device__ __forceinline__ const Quad& operator[](int i) const { return own[i]; }
};
template <>
struct LaneBand<0> {
  const uint4* there;
  __device__ void load(const uint4* band) { there = band; }
  __device__ __forceinline__ Quad operator[](int i) const { return quad_of(there[32 * i]); }
};

/// A lane of a warp that marches down.
template <class T, class K>
struct LongLane : LaneResults<T, K> {
  static constexpr int size = K::size, planes = K::planes, parts = K::parts;
  static constexpr int vectors = K::words / 4;

  const LongPlan& plan;
  uint4* sums;  // the lane's of the groups, which take turns
  LaneBand<K::across> across;
  LaneBand<K::runs ? 3 : K::down> down;  // sums that run: of what comes, twice, and what goes
  int newest = 0;
  int32_t part[2][2][parts][4];

  /// `bands`: the lane's, of both.
  __device__ __forceinline__ void begin(const uint4* bands) {
    across.load(bands);
    down.load(bands + 32 * plan.across);
    start_sums();
  }
  __device__ __forceinline__ void start_sums() {
#pragma unroll
    for (int i = 0; i < 4 * parts; ++i) {
#pragma unroll
      for (int n = 0; n < 4; ++n)
        part[i / (2 * parts)][i / parts % 2][i % parts][n] = i % parts ? 0 : this->start();
    }
  }
  /// The first product: 16 rows of sums across. `from`: the lane's words of rows g and g + 8, which
  /// are `shift` bytes into their places.
  __device__ __forceinline__ void take(const uint8_t* from, const uint32_t (&shift)[2]) {
    int32_t h[2][2][planes][4] = {};  // [16 columns][half of the rows]
    uint32_t before[2][planes];
    int odd[2];
    const uint8_t* at[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      odd[k] = int(shift[k] & 3);
      at[k] = from + 8 * k * plan.shape.pitch + (int(shift[k]) - odd[k]);
      load_planes<K::aligned>(at[k], odd[k], before[k]);
    }
    const auto multiply = [&](int i) {
      const Quad taps = across[i];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        uint32_t middle[planes], after[planes];
        load_planes<K::aligned>(at[k] + (32 * i + 16) * size, odd[k], middle);
        load_planes<K::aligned>(at[k] + (32 * i + 32) * size, odd[k], after);
#pragma unroll
        for (int p = 0; p < planes; ++p) {
          multiply_add<uint8_t, uint8_t>(h[0][k][p], taps.word, before[k][p], middle[p]);
          multiply_add<uint8_t, uint8_t>(h[1][k][p], taps.word, middle[p], after[p]);
          before[k][p] = after[p];
        }
      }
    };
    if constexpr (K::across > 0) {
#pragma unroll
      for (int i = 0; i < K::across; ++i) multiply(i);
    } else {
#pragma unroll 4
      for (int i = 0; i < plan.across; ++i) multiply(i);
    }
    uint32_t out[2][2][parts];
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) split_sums<false>(h[n], pair, out[n][pair]);
    newest = newest + 1 == plan.groups ? 0 : newest + 1;
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      const auto word = [&](int i) { return out[i / (2 * parts)][i / parts % 2][i % parts]; };
      sums[32 * (newest * vectors + v)] =
          make_uint4(word(4 * v), word(4 * v + 1), word(4 * v + 2), word(4 * v + 3));
    }
  }
  /// Adds the product of a band and two groups of sums across; a group of −1 is none.
  template <class A>
  __device__ __forceinline__ void add(const Quad& taps, int first, int second) {
    uint32_t h[2][K::words];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int group = half ? second : first;
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        uint4 four = make_uint4(0, 0, 0, 0);
        if (!K::runs || group >= 0) four = sums[32 * (group * vectors + v)];
        h[half][4 * v] = four.x, h[half][4 * v + 1] = four.y;
        h[half][4 * v + 2] = four.z, h[half][4 * v + 3] = four.w;
      }
    }
#pragma unroll
    for (int i = 0; i < K::words; ++i)
      multiply_add<A, uint8_t>(part[i / (2 * parts)][i / parts % 2][i % parts], taps.word, h[0][i],
                               h[1][i]);
  }
  /// The group `before` the newest, which is that of `step`; −1 where none was made.
  __device__ __forceinline__ int group_of(int step, int before) const {
    if (before > step) return -1;
    const int group = newest - before;
    return group < 0 ? group + plan.groups : group;
  }
  /// The second product of a step; its results, once there are any.
  __device__ __forceinline__ void emit(int step) {
    if constexpr (K::runs) {
      add<uint8_t>(down[0], group_of(step, 2), group_of(step, 1));
      add<uint8_t>(down[1], newest, -1);
      if (step < plan.lag) return;
      add<int8_t>(down[2], group_of(step, plan.lag + 1), group_of(step, plan.lag));
    } else {
      if (step < plan.lag) return;
      start_sums();
      const auto multiply = [&](int j) {
        const int first = newest + 1 + 2 * j, second = first + 1;
        add<uint8_t>(down[j], first < plan.groups ? first : first - plan.groups,
                     second < plan.groups ? second : second - plan.groups);
      };
      if constexpr (K::down > 0) {
#pragma unroll
        for (int j = 0; j < K::down; ++j) multiply(j);
      } else {
#pragma unroll 2
        for (int j = 0; j < plan.down; ++j) multiply(j);
      }
    }
    const int32_t at = (step - plan.lag) * step_rows;
    if constexpr (K::sums) {
      this->leave_sums(part, at);
    } else {
      uint32_t made[2][2][planes];
#pragma unroll
      for (int n = 0; n < 2; ++n) this->make(part[n], made[n]);
      this->leave(made, at);
    }
  }
};

}  // namespace cuesta::convolve_mma
