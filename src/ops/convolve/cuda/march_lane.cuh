// Strategy `mma-march`, what a lane does: both products, with sums across of the last rows in
// registers. mma_march.cu says how they play together.
#pragma once

#include "ops/convolve/cuda/march_plan.hpp"
#include "ops/convolve/cuda/mma_lane.cuh"

namespace cuesta::convolve_mma {

using cuda::tensor::Quad;

/// Both factors as bytes, 0 elsewhere: tap i across at `across_centre` + (i − anchor) · samples
/// between taps; tap j down at `down_first` + the row of the oldest group that it is over for the
/// first result. Sums that run: what comes, of four groups; what goes, of two, at `gone_first`.
struct alignas(16) MarchTaps {
  static constexpr int across_centre = 160, down_first = 16, gone_first = 128;
  uint8_t across[2 * across_centre], down[192];
};

/// A strip of a block: rows of results; groups of 16 rows of sums across that come before the first
/// results; rows of samples above those of the first results; where shared memory has results, and
/// sums that will be subtracted.
struct MarchPlan {
  int rows, lag, above, results_at, kept_at;
};

/// Products of depth 32 across and down, and blocks of a multiprocessor. Wide windows have their
/// band across in shared memory.
template <int Across, int Down, int Blocks>
struct MarchForm {
  static constexpr int across = Across, blocks = Blocks;
  static constexpr bool runs = Down == running, shares = Across > 7;
  /// Groups that registers hold, which take turns, and for which products.
  static constexpr int down = runs ? 2 : Down, groups = 2 * down;
  /// One table serves both directions.
  static constexpr bool same = Across == Down;
  /// Stages of the ring, a step each; every group has its turn in them.
  static constexpr int stages = groups <= 4 ? 8 : groups;
  static_assert(stages % groups == 0);
};

/// A kernel: what sums become; rows of both pictures at multiples of 16 bytes.
template <class Form, Results Become, bool Aligned>
struct MarchKind : Form {
  static constexpr int warps = 8, columns = band_columns * warps;
  static constexpr bool q16 = Become == Results::upper_halves, sums = false;
  static constexpr bool aligned = Aligned, staged = true;
  using Request = SeparableRequest<uint8_t>;
};

/// Row or column of 16 of a product's row g, and of row g + 8.
__device__ __forceinline__ int dealt_place(int g, int upper) {
  return 4 * (g / 2) + g % 2 + 2 * upper;
}

/// A band of taps over `Products` · 32 samples as the products' first operands.
template <int Products>
struct MarchBand {
  Quad pair[Products];

  /// `taps`: that of the first sample for column or row 0. The first group of 16 samples is that of
  /// number `turned`; the one before it is the last.
  __device__ __forceinline__ void load(const uint8_t* taps, int turned, int g, int t) {
#pragma unroll
    for (int i = 0; i < 4 * Products; ++i) {
      const int group = (i / 2 + turned) % (2 * Products);
      const uint8_t* at = taps + 16 * group + 4 * t - dealt_place(g, i % 2);
      pair[i / 4].word[i % 4] =
          uint32_t(at[0]) | uint32_t(at[1]) << 8 | uint32_t(at[2]) << 16 | uint32_t(at[3]) << 24;
    }
  }
  __device__ __forceinline__ Quad operator[](int i) const { return pair[i]; }
};

/// The same in shared memory, for all lanes of the block.
struct SharedBand {
  const uint4* own;  // the lane's vectors, 32 apart

  __device__ __forceinline__ Quad operator[](int i) const {
    const uint4 v = own[32 * i];
    return {{v.x, v.y, v.z, v.w}};
  }
};

/// Sums across of 16 rows: of two of the lane's columns the low and the high bytes, four rows each.
using MarchSums = uint32_t[2][2];

/// A lane of a warp that has 16 columns and marches down.
template <class K>
struct MarchLane : LaneResults<uint8_t, K> {
  static constexpr int groups = K::groups;

  std::conditional_t<K::shares, SharedBand, MarchBand<K::across>> across;
  MarchBand<K::down> even, odd;  // down; odd: where the oldest group has an odd place
  MarchBand<1> gone[2];          // of sums that run
  uint32_t ring[2][2][groups] = {};
  uint32_t old[2][2][2] = {};  // sums across that go
  int32_t part[2][2][4];       // sums of both factors: [two columns][byte]
  uint4* kept = nullptr;       // the lane's sums across in shared memory, which will go
  int write = 0, count = 0;

  __device__ __forceinline__ const auto& band_down() const {
    if constexpr (K::same)
      return across;
    else
      return even;
  }
  /// `taps` are in shared memory.
  __device__ __forceinline__ void begin(const MarchTaps& taps) {
    const uint8_t* down = taps.down + MarchTaps::down_first;
    if constexpr (!K::shares) across.load(first_across(taps), 0, this->g, this->t);
    if constexpr (!K::same) even.load(down, 0, this->g, this->t);
    odd.load(down, 1, this->g, this->t);
    if constexpr (K::runs) {
#pragma unroll
      for (int i = 0; i < 2; ++i)
        gone[i].load(taps.down + MarchTaps::gone_first, i, this->g, this->t);
    }
    start_sums();
  }
  __device__ static const uint8_t* first_across(const MarchTaps& taps) {
    return taps.across + MarchTaps::across_centre - reach_of_products(K::across);
  }
  __device__ __forceinline__ void start_sums() {
#pragma unroll
    for (int i = 0; i < 16; ++i) part[i / 8][i / 4 % 2][i % 4] = i / 4 % 2 ? 0 : this->start();
  }
  /// The first product: sums across of the next 16 rows. `from`: the lane's word of place g of
  /// them, of which rows are `shift` bytes into theirs. Returns a number that depends on all words.
  __device__ __forceinline__ int32_t take(const uint8_t* from, int pitch,
                                          const uint32_t (&shift)[2], MarchSums& h) const {
    int32_t sum[2][1][4] = {};  // [half of the rows]
#pragma unroll
    for (int i = 0; i < K::across; ++i) {
      const Quad taps = across[i];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int skew = int(shift[k] & 3);
        const uint8_t* at = from + 8 * k * pitch + (int(shift[k]) - skew) + 32 * i;
        uint32_t first[1], second[1];
        load_planes<K::aligned>(at, skew, first);
        load_planes<K::aligned>(at + 16, skew, second);
        multiply_add<uint8_t, uint8_t>(sum[k][0], taps.word, first[0], second[0]);
      }
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) split_sums<false>(sum, n, h[n]);
    return sum[0][0][0] | sum[1][0][0];
  }
  /// Keeps the sums of a step whose group has this place, and adds the second product to `part`.
  template <int Place>
  __device__ __forceinline__ void add(const MarchSums& h) {
    constexpr int oldest = (Place + 1) % groups;
#pragma unroll
    for (int i = 0; i < 4; ++i) ring[i / 2][i % 2][Place] = h[i / 2][i % 2];
#pragma unroll
    for (int i = 0; i < groups; i += 2) {
      const int age = (i - oldest + groups) % groups;
      const Quad taps = age % 2 ? odd[age / 2] : band_down()[age / 2];
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const auto& of = ring[n / 2][n % 2];
        multiply_add<uint8_t, uint8_t>(part[n / 2][n % 2], taps.word, of[i], of[i + 1]);
      }
    }
  }
  /// Sums that run: keeps the sums of a step, and subtracts those that it kept `count` − 1 steps
  /// before where `goes`.
  template <int Turn>
  __device__ __forceinline__ void subtract(const MarchSums& h, bool goes) {
    const int read = write + 1 == count ? 0 : write + 1;
    kept[write * 32 * K::warps] = make_uint4(h[0][0], h[0][1], h[1][0], h[1][1]);
    uint4 away = make_uint4(0, 0, 0, 0);
    if (goes) away = kept[read * 32 * K::warps];
    write = read;
    const uint32_t word[4] = {away.x, away.y, away.z, away.w};
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      auto& of = old[n / 2][n % 2];
      of[Turn % 2] = word[n];
      multiply_add<int8_t, uint8_t>(part[n / 2][n % 2], gone[(Turn + 1) % 2].pair[0].word, of[0],
                                    of[1]);
    }
  }
  /// 16 rows of results to the lane's place of them.
  __device__ __forceinline__ void leave_at(uint8_t* to, int pitch) const {
    uint32_t made[2][1];
    this->make(part, made);
#pragma unroll
    for (int k = 0; k < 2; ++k)
      *reinterpret_cast<uint32_t*>(to + 8 * k * pitch) = made[k][0];
  }
};

}  // namespace cuesta::convolve_mma
