// Strategy `mma-separable`, what a lane does: both products, and where results go. mma_separable.cu
// says how they play together.
#pragma once

#include "cuda/any_alignment.cuh"
#include "cuda/instructions.cuh"
#include "cuda/shifted_words.cuh"
#include "cuda/tensor_products.cuh"
#include "cuda/tensor_stencil.cuh"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/quotients.hpp"

namespace cuesta::convolve_mma {

using convolve_cuda::Division;
using convolve_cuda::FlatRequest;
using convolve_cuda::WideDivision;
using cuda::tensor::joined;
using cuda::tensor::multiply;
using cuda::tensor::multiply_add;
using cuda::tensor::split_sums;

inline constexpr int band_columns = 16, warp_columns = 2 * band_columns, step_rows = 16;

/// Both factors as bytes, tap i at `centre` + (i − anchor) · samples between taps, 0 elsewhere.
struct Bands {
  static constexpr int centre = 64;
  uint8_t across[2 * centre], down[2 * centre];
};

/// Windows that reach `Before` samples to either side at most.
template <int Before>
struct Shape {
  static_assert(Before == 8 || Before == 16);
  static constexpr int words = Before / 8 + 1;   // a lane's, of the samples of 16 columns' sums
  static constexpr int groups = Before / 8 + 1;  // of 16 rows of H that 16 results need
};

template <class T, class Out = T>
struct SeparableRequest : FlatRequest<T, Out> {
  std::conditional_t<sizeof(T) == 1, Division, WideDivision> divide{};
  int32_t offset;

  explicit SeparableRequest(const ConvolveArgs& args)
      : FlatRequest<T, Out>(args), offset(std::clamp(args.offset, -(1 << 30), 1 << 30)) {
    if (args.divisor > 1) divide = {args.divisor, 0, args.rounding == Rounding::half_up};
  }
};

/// Clears what `ignore` leaves out.
template <class T>
void clear_void(const SeparableRequest<T>& q, Call& call) {
  if (q.mode != BorderMode::ignore) return;
  const int32_t c = q.channels;
  cuda::for_each_frame_pixel("convolve",
                             cuda::frame_of(q.src.width, q.src.height, (q.width - 1) * c + 1,
                                            q.height, q.anchor_x * c, q.anchor_y),
                             cuda::tensor::Clear<T>{q.dst}, call);
}

/// Both bands in the order of the products' first operand.
template <int Before>
struct Fragments {
  uint32_t across[2 * Shape<Before>::words];
  // down[i]: where group i of H is the oldest. Of two groups one product takes both, of three each
  // has its own.
  static constexpr int turns = Shape<Before>::groups == 2 ? 2 : 1;
  uint32_t down[turns][2 * Shape<Before>::groups];

  /// `again`: another copy of the bands, so that the compiler keeps both.
  __device__ void fill(const Bands& bands, const Bands& again, int g, int t) {
    const auto word = [](const uint8_t* taps, int a, int b) {  // taps a, a + 1, b, b + 1
      return uint32_t(taps[a]) | uint32_t(taps[a + 1]) << 8 | uint32_t(taps[b]) << 16 |
             uint32_t(taps[b + 1]) << 24;
    };
#pragma unroll
    for (int upper = 0; upper < 2; ++upper) {
#pragma unroll
      for (int i = 0; i < Shape<Before>::words; ++i) {
        const int column = 4 * (g / 2) + 2 * upper + g % 2;
        const int at = Bands::centre + 16 * i + 4 * t - Before - column;
        across[2 * i + upper] = word(bands.across, at, at + 2);
      }
#pragma unroll
      for (int i = 0; i < Shape<Before>::groups; ++i) {
        const int at = Bands::centre + 16 * i - Before + 2 * t - (g + 8 * upper);
        down[0][2 * i + upper] = word(bands.down, at, at + 8);
        if constexpr (turns == 2) down[1][2 * (1 - i) + upper] = word(again.down, at, at + 8);
      }
    }
  }
};

/// A lane's part of H, 16 rows a group: [16 of a warp's columns][pair of them][byte][group]. The
/// groups take turns, so that nothing moves, and stand side by side as a product wants them.
template <class T, int Groups>
using Sums = uint32_t[2][2][sizeof(T) + 1][Groups];

/// Word i of lane t becomes word t of lane i, among each four lanes.
__device__ __forceinline__ void transpose(uint32_t (&word)[4], int t) {
#pragma unroll
  for (int by = 1; by < 4; by *= 2) {
    const bool odd = t & by;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i & by) continue;
      const uint32_t other = __shfl_xor_sync(0xFFFFFFFF, odd ? word[i] : word[i + by], by);
      (odd ? word[i] : word[i + by]) = other;
    }
  }
}

/// A row of `Parts` times four lanes' words, one of samples T after the other, to any address. All
/// lanes of the warp call it.
template <class T, int Parts, int Words>
__device__ __forceinline__ void store_shifted(const uint32_t (&own)[Parts][Words], T* to, int t,
                                              bool wanted) {
  // The last word of the lane before; of the last one, for a part's first.
  uint32_t last[Parts], before[Parts];
#pragma unroll
  for (int p = 0; p < Parts; ++p)
    last[p] =
        __shfl_sync(0xFFFFFFFF, own[p][Words - 1], int(threadIdx.x) % 32 / 4 * 4 + (t + 3) % 4);
#pragma unroll
  for (int p = 0; p < Parts; ++p) before[p] = t || p == 0 ? last[p] : last[p ? p - 1 : 0];
  if (!wanted) return;
  cuda::store_shifted(to + t * (4 * Words / int(sizeof(T))), own, before, 4 * Words, t == 0,
                      t == 3);
}

/// What sums become: rounded quotients; the upper halves of sum + 2^15; nothing else.
enum class Results : uint8_t { quotients, upper_halves, sums };

/// How a block's results leave.
enum class Leaving : uint8_t {
  vectors,  ///< rows of both pictures begin at multiples of 16 bytes, or beside them alike
  words,    ///< at any address: each warp's 32 columns, with single bytes at their ends
  staged,   ///< at any address: all rows of the block at its end, through shared memory
};

/// The block's results, rows one after the other in shared memory.
template <class T, int Columns>
struct Stage {
  // Four more banks a row: the 8 rows that a warp writes at once are in different ones.
  static constexpr int bytes = Columns * int(sizeof(T)), pitch = bytes + 16;

  /// Writes `rows` of them to rows `top` and columns `left` of `to` and on, as far as it has them,
  /// in pieces of 16 bytes, a row by some lanes side by side. All threads of the block call it.
  template <int Warps>
  __device__ static void leave(const uint8_t* stage, ImageView<T, Space::device> to, int32_t left,
                               int32_t top, int rows) {
    constexpr int lanes = bytes / 16, abreast = 32 / lanes;
    static_assert(lanes * abreast == 32);
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const int32_t at = lane % lanes * 16,
                  room = min(to.width - left, Columns) * int(sizeof(T)) - at;
    for (int y0 = warp * abreast; y0 < rows; y0 += Warps * abreast) {
      const int y = min(y0 + lane / lanes, rows - 1);
      const bool active = y0 + lane / lanes < rows;
      const uint4 v = *reinterpret_cast<const uint4*>(stage + y * pitch + at);
      const uint32_t own[4] = {v.x, v.y, v.z, v.w};
      auto* own_place = reinterpret_cast<uint8_t*>(to.row(top + y) + left) + at;
      if (to.width - left >= Columns) {
        cuda::store_run(own_place, own, lane % lanes == 0, lane % lanes == lanes - 1, active);
      } else if (active) {
#pragma unroll
        for (int i = 0; i < 16; ++i)
          if (i < room) own_place[i] = uint8_t(own[i / 4] >> i % 4 * 8);
      }
    }
  }
};

/// A kernel: how far windows reach, whether results are upper halves, how they leave; warps of a
/// block and blocks of a multiprocessor.
template <int Before, bool Q16, Leaving How, int Warps, int Blocks>
struct Kind {
  static constexpr int before = Before, warps = Warps, blocks = Blocks;
  static constexpr bool q16 = Q16, sums = false;
  static constexpr bool aligned = How == Leaving::vectors, staged = How == Leaving::staged;
  static constexpr int columns = warp_columns * Warps;  // of a block
  template <class T>
  using Tile = cuda::tensor::Tile<T, columns, Before, 16 * int(sizeof(T)), Warps>;
};

/// A lane's results: of sums what they become, and where they go.
template <class T, class K>
struct LaneResults {
  using Out = Stage<T, K::columns>;
  static constexpr int size = sizeof(T), planes = size, parts = planes + 1;

  const SeparableRequest<T, std::conditional_t<K::sums, int32_t, T>>& q;
  uint8_t* stage;
  int32_t top, here, warp_left;  // rows of the block; the warp's first column
  int warp, g, t;
  bool whole;  // the picture has all columns of the warp

  /// What the sums of their lowest bytes start at.
  __device__ __forceinline__ int32_t start() const {
    return K::sums ? 0 : K::q16 ? 32768 : q.divide.start;
  }
  __device__ __forceinline__ uint32_t result(uint32_t sum) const {
    constexpr int32_t most = planes == 1 ? 255 : 65535;
    return K::q16 ? sum : uint32_t(min(max(q.divide(sum) + q.offset, 0), most));
  }
  /// A lane's words of 16 columns of a row g and row g + 8 of a step, of [pair of columns][byte].
  __device__ __forceinline__ void make(const int32_t (&part)[2][parts][4],
                                       uint32_t (&out)[2][planes]) const {
    uint32_t v[2][4];
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
#pragma unroll
      for (int i = 0; i < 4; ++i) v[pair][i] = result(joined(part[pair], i));
    }
    constexpr uint32_t both = K::q16 ? 0x7632 : 0x5410;  // the results' halves
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const uint32_t first = __byte_perm(v[0][2 * k], v[0][2 * k + 1], both);
      const uint32_t second = __byte_perm(v[1][2 * k], v[1][2 * k + 1], both);
      if constexpr (planes == 1)
        out[k][0] = __byte_perm(first, second, 0x6420);
      else
        out[k][0] = first, out[k][1] = second;
    }
  }
  /// A lane's words in a row, to columns from x on.
  template <class Words>
  __device__ __forceinline__ void store(const Words& own, T* to, int32_t x) const {
    constexpr int count = sizeof own / 4;
    if (K::aligned && whole) {
      if constexpr (count == 2)
        *reinterpret_cast<uint2*>(to) = make_uint2(own[0], own[1]);
      else
        *reinterpret_cast<uint4*>(to) = make_uint4(own[0], own[1], own[2], own[3]);
      return;
    }
    const int32_t room = q.src.width - x;
#pragma unroll
    for (int i = 0; i < 4 * count / size; ++i)
      if (i < room) to[i] = T(own[i * size / 4] >> i * size % 4 * 8);
  }
  /// Rows `at` + g and 8 below to the picture, a row after the other.
  __device__ __forceinline__ void store_rows(const uint32_t (&made)[2][2][planes],
                                             int32_t at) const {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int32_t y = at + g + 8 * k;
      T* to = q.dst.row(top + min(y, here - 1)) + warp_left;
      if (!K::aligned && whole) {
        uint32_t own[2][planes];
#pragma unroll
        for (int n = 0; n < 2; ++n)
#pragma unroll
          for (int p = 0; p < planes; ++p) own[n][p] = made[n][k][p];
        store_shifted(own, to, t, y < here);
      } else if (y < here) {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          const int32_t x = n * band_columns + 4 * t;
          store(made[n][k], to + x, warp_left + x);
        }
      }
    }
  }
  /// The sums of 16 rows themselves, modulo 2^32, to a picture that has room for all columns of
  /// the warp, its rows at multiples of 16 bytes.
  __device__ __forceinline__ void leave_sums(const int32_t (&part)[2][2][parts][4],
                                             int32_t at) const {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int32_t y = at + g + 8 * k;
      if (y >= here) continue;
      auto* to = reinterpret_cast<uint4*>(q.dst.row(top + y) + warp_left) + t;
#pragma unroll
      for (int n = 0; n < 2; ++n)
        to[n * band_columns / 4] =
            make_uint4(joined(part[n][0], 2 * k), joined(part[n][0], 2 * k + 1),
                       joined(part[n][1], 2 * k), joined(part[n][1], 2 * k + 1));
    }
  }
  /// 16 rows of results from `at` on, to the picture or the stage: [16 columns][row g, g + 8].
  __device__ __forceinline__ void leave(const uint32_t (&made)[2][2][planes], int32_t at) const {
    if constexpr (K::staged) {
#pragma unroll
      for (int k = 0; k < 2; ++k)
#pragma unroll
        for (int n = 0; n < 2; ++n)
          *reinterpret_cast<uint32_t*>(stage + (at + g + 8 * k) * Out::pitch + warp_columns * warp +
                                       n * band_columns + 4 * t) = made[n][k][0];
      return;
    }
    if (planes == 1 && (K::aligned || !whole)) {
      // A lane's four words, of two rows and both halves of the columns, become four in a row.
      uint32_t out[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) out[i] = made[i % 2][i / 2][0];
      transpose(out, t);
      const int32_t y = at + g + t / 2 * 8, x = warp_left + t % 2 * band_columns;
      if (y < here) store(out, q.dst.row(top + y) + x, x);
      return;
    }
    store_rows(made, at);
  }
};

/// The words of a lane from `at`, a plane of bytes each. Unless they are aligned, `at` is a whole
/// word, and the first byte is `odd` bytes further.
template <bool Aligned, int Planes>
__device__ __forceinline__ void load_planes(const uint8_t* at, int odd, uint32_t (&w)[Planes]) {
  const auto* p = reinterpret_cast<const uint32_t*>(at);
  uint32_t v[Planes + 1];
  if constexpr (Aligned && Planes == 2) {
    const uint2 both = *reinterpret_cast<const uint2*>(p);
    v[0] = both.x, v[1] = both.y;
  } else {
#pragma unroll
    for (int n = 0; n < Planes + (Aligned ? 0 : 1); ++n) v[n] = p[n];
  }
  if constexpr (!Aligned) {
#pragma unroll
    for (int n = 0; n < Planes; ++n) v[n] = __funnelshift_r(v[n], v[n + 1], 8 * odd);
  }
  if constexpr (Planes == 2)
    w[0] = __byte_perm(v[0], v[1], 0x6420), w[1] = __byte_perm(v[0], v[1], 0x7531);
  else
    w[0] = v[0];
}

/// A lane of a warp that marches down.
template <class T, class K>
struct Lane : LaneResults<T, K> {
  using S = Shape<K::before>;
  using Tile = typename K::template Tile<T>;
  using LaneSums = Sums<T, S::groups>;
  static constexpr int size = sizeof(T), planes = size, parts = planes + 1, words = S::words;

  const Tile& in;
  const Fragments<K::before>& band;
  const uint8_t* from;  // the lane's words of `row` of the tile
  int row;

  /// The words of rows g and g + 8 of the next 16, a plane of bytes each.
  __device__ __forceinline__ void load(uint32_t (&w)[2][planes][words + 1]) const {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      // Rows that no result needs have no shift: whatever is there, within a piece.
      const uint32_t shift = K::aligned ? 0 : in.shift[row + 8 * k] & 15, odd = shift & 3;
      const uint8_t* at = from + 8 * k * Tile::pitch + (shift - odd);
#pragma unroll
      for (int i = 0; i <= words; ++i) {
        uint32_t of_piece[planes];
        load_planes<K::aligned>(at + 16 * size * i, int(odd), of_piece);
#pragma unroll
        for (int n = 0; n < planes; ++n) w[k][n][i] = of_piece[n];
      }
    }
  }
  /// The first product: the next 16 rows of H, as a group of `sums`.
  __device__ __forceinline__ void take(LaneSums& sums, int group) {
    uint32_t w[2][planes][words + 1];
    load(w);
    from += step_rows * Tile::pitch, row += step_rows;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      int32_t h[2][planes][4];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
#pragma unroll
        for (int p = 0; p < planes; ++p) {
          multiply<uint8_t, uint8_t>(h[k][p], band.across, 0, w[k][p][n], w[k][p][n + 1]);
          if constexpr (words == 3)
            multiply_add<uint8_t, uint8_t>(h[k][p], band.across + 4, w[k][p][n + 2]);
        }
      }
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        uint32_t bytes[parts];
        split_sums<false>(h, pair, bytes);
#pragma unroll
        for (int k = 0; k < parts; ++k) sums[n][pair][k][group] = bytes[k];
      }
    }
  }

  /// The second product: sums of both factors, of one of the pairs of 16 columns.
  __device__ __forceinline__ void sum_down(const LaneSums& sums, int oldest, int n, int pair,
                                           int32_t (&part)[parts][4]) const {
#pragma unroll
    for (int k = 0; k < parts; ++k) {
      const int32_t start = k > 0 ? 0 : this->start();
      const auto& h = sums[n][pair][k];
      if constexpr (S::groups == 2) {
        multiply<uint8_t, uint8_t>(part[k], band.down[oldest], start, h[0], h[1]);
      } else {
        multiply<uint8_t, uint8_t>(part[k], band.down[0], start, h[oldest]);
        multiply_add<uint8_t, uint8_t>(part[k], band.down[0] + 2, h[(oldest + 1) % 3]);
        multiply_add<uint8_t, uint8_t>(part[k], band.down[0] + 4, h[(oldest + 2) % 3]);
      }
    }
  }
  /// 16 rows of results from `at` on.
  __device__ __forceinline__ void emit(const LaneSums& sums, int oldest, int32_t at) const {
    uint32_t made[2][2][planes];
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      int32_t part[2][parts][4];
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) sum_down(sums, oldest, n, pair, part[pair]);
      this->make(part, made[n]);
    }
    this->leave(made, at);
  }
};

}  // namespace cuesta::convolve_mma
