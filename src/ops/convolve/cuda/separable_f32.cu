// Strategy `separable-f32`: f32 factors up to 31 wide, sums down the columns first, sums of those
// across second, in one kernel and in the definition's order. (Wide windows without a tap of 0:
// separable_f32_tiles.cu.)
//
// A lane owns a few columns and marches down: a row, loaded once, is added to the K column sums it
// belongs to, which stay in registers. Whole ones go to shared memory, two rows at a time, so that
// a tap brought to a uniform register serves both rows and one barrier is enough for them; the
// lanes of a warp (of a block, where windows are wide) read there what their neighbours have, 16
// bytes at a time, and sum across. The outer lanes only lend their sums. Blocks whose columns may
// are outside the picture have a body of their own, which reads sample by sample, by a map, those
// that stand for them: their sums are the ones wanted. Of the rows above and below a strip only the
// taps that its results need are added, in eights. Taps of 0 are multiplied where that does not
// show (zero_taps.hpp).
//
// Bound by memory to 9 taps, by FFMA, 2 K a pixel, beyond.
#include "cuda/any_alignment.cuh"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/separable_f32.hpp"
#include "ops/convolve/cuda/zero_taps.hpp"

namespace cuesta {
namespace {

using namespace convolve_cuda;

/// Columns of a lane, and rows whose sums are exchanged at a time.
constexpr int lane_columns = 4, step = 2;

template <int K>
struct Factors {
  float column[K], row[K];
  uint32_t column_used, row_used;  // a bit a tap that is not 0
};

/// K taps; `Lanes` of them exchange their sums; `lent` on either side only lend theirs.
template <int K, int Lanes>
struct Shape {
  static constexpr int reach = K / 2, lent = (reach + 3) / 4;
  static constexpr int columns = (Lanes - 2 * lent) * lane_columns;
};

struct SeparableFloats : FloatRequest {
  int32_t shift;                 // of the first sample, to an aligned address
  int32_t across, rows, strips;  // blocks side by side, rows of a strip, strips
  uint32_t least = 0;            // min_sample() of the factors

  using FloatRequest::FloatRequest;
};

/// A lane's columns of a row, loaded but not yet looked at: nothing waits for them, since no branch
/// ends in a choice between them and others. `Mapped`: sample by sample.
template <bool Aligned, bool Mapped>
struct Samples {
  float loaded[lane_columns];

  __device__ __forceinline__ void load(const float* row, int32_t x,
                                       const int32_t (&map)[lane_columns]) {
    if constexpr (Mapped) {
#pragma unroll
      for (int i = 0; i < lane_columns; ++i) loaded[i] = __ldg(row + max(map[i], 0));
    } else {
      const float4 v = __ldg(reinterpret_cast<const float4*>(row + x));
      loaded[0] = v.x, loaded[1] = v.y, loaded[2] = v.z, loaded[3] = v.w;
    }
  }
  __device__ __forceinline__ void get(float (&to)[lane_columns], const int32_t (&map)[lane_columns],
                                      float outside) const {
#pragma unroll
    for (int i = 0; i < lane_columns; ++i) to[i] = Mapped && map[i] < 0 ? outside : loaded[i];
  }
};
template <>
struct Samples<false, false> {
  cuda::Pieces<lane_columns> loaded;

  __device__ __forceinline__ void load(const float* row, int32_t x,
                                       const int32_t (&)[lane_columns]) {
    loaded.load(row + x);
  }
  __device__ __forceinline__ void get(float (&to)[lane_columns], const int32_t (&)[lane_columns],
                                      float) const {
    uint32_t words[lane_columns];
    loaded.template words<false>(words);
#pragma unroll
    for (int i = 0; i < lane_columns; ++i) to[i] = __uint_as_float(words[i]);
  }
};

/// What was best of those tried for a window: lanes that exchange sums, warps of a multiprocessor,
/// rows of a strip in pictures that fill the GPU.
/// (H200, 2026-11-22, 8192², times an f32 copy: 9 taps 1.51, 15 1.80, 31 2.29, with strips of 128
/// rows 2.42, with two columns a lane and four rows at a time 2.57.)
template <int Lanes, int Warps, int Rows, bool Trim>
struct Policy {
  static constexpr int lanes = Lanes, warps = Warps, rows = Rows;
  static constexpr bool trim = Trim;  // whether sums of rows before and after a strip are left out
  static constexpr int threads = 128, teams = threads / Lanes;
};
template <int K>
struct Chosen : Policy<128, 12, 374, true> {};
template <>
struct Chosen<17> : Policy<128, 16, 64, true> {};
template <>
struct Chosen<15> : Policy<128, 20, 64, true> {};
template <>
struct Chosen<11> : Policy<128, 20, 64, true> {};
template <>
struct Chosen<9> : Policy<32, 24, 16, false> {};
template <>
struct Chosen<7> : Policy<32, 24, 16, false> {};
template <>
struct Chosen<5> : Policy<32, 24, 8, false> {};
template <>
struct Chosen<3> : Policy<32, 32, 8, false> {};

/// Adds a row to the column sums it belongs to; sums that have their last one are `out`.
/// sum[j] has its first j rows of taps. `Trim`: taps but first .. last need not be added, in
/// eights.
template <int K, bool LeaveOut, bool Trim>
__device__ __forceinline__ void add_row(const Factors<K>& taps, const float (&row)[lane_columns],
                                        float (&sum)[K][lane_columns], float (&out)[lane_columns],
                                        int32_t first, int32_t last) {
  constexpr int part = Trim ? 8 : K;
#pragma unroll
  for (int begin = (K - 1) / part * part; begin >= 0; begin -= part) {
    if (Trim && (begin > last || begin + part <= first)) continue;
#pragma unroll
    for (int j = min(begin + part, K) - 1; j >= begin; --j) {
      const bool used = !LeaveOut || taps.column_used >> j & 1;
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) {
        float s = j ? sum[j][c] : 0.0f;
        if (used) s = __fmaf_rn(taps.column[j], row[c], s);
        (j == K - 1 ? out[c] : sum[j + 1 < K ? j + 1 : 0][c]) = s;
      }
    }
  }
}

/// Sums that are exchanged: of two times `step` rows, so that one barrier a time is enough.
template <class P>
struct Exchange {
  float4 sums[2][step][P::teams][P::lanes];
};

/// A lane's columns of a strip: its first one; whether it has sums to make that are in the picture,
/// and all of its columns do.
struct LanePlace {
  int lane;
  int32_t x0;
  bool makes, fits;
};

/// The lane's results of row `at`, finished, to the picture.
template <int K, class P, bool Aligned, bool Mapped>
__device__ void store(const SeparableFloats& q, const LanePlace& place, float (&out)[lane_columns],
                      int32_t at) {
  using S = Shape<K, P::lanes>;
  const auto& [lane, x0, makes, fits] = place;
  if (q.changes) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      out[c] = q.is_void_row(at) || (Mapped && q.is_void_sample(x0 + c))
                   ? 0.0f
                   : q.finish.template sample<float>(out[c]);
    }
  }
  float* to = q.dst.row(at) + x0;
  if (Aligned && fits) {
    if (makes) *reinterpret_cast<float4*>(to) = make_float4(out[0], out[1], out[2], out[3]);
    return;
  }
  if constexpr (!Aligned) {
    const uint32_t words[4] = {__float_as_uint(out[0]), __float_as_uint(out[1]),
                               __float_as_uint(out[2]), __float_as_uint(out[3])};
    cuda::store_run<4>(
        to, words, threadIdx.x % 32 == 0 || lane == S::lent || x0 <= 0,
        threadIdx.x % 32 == 31 || lane == P::lanes - S::lent - 1 || x0 + 8 > q.src.width,
        makes && fits);
  }
  if (!makes || fits) return;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (x0 + i >= 0 && x0 + i < q.src.width) to[i] = out[i];
}

/// Adds up across what the lanes exchanged, two rows at a time.
template <int K, class P, bool LeaveOut>
__device__ __forceinline__ void sum_across(const Factors<K>& taps, const Exchange<P>& shared,
                                           int parity, int team, int lane,
                                           float (&out)[step][lane_columns]) {
  using S = Shape<K, P::lanes>;
#pragma unroll
  for (int m = 0; m <= 2 * S::lent; ++m) {
#pragma unroll
    for (int i = 0; i < step; ++i) {
      const float4 v = shared.sums[parity][i][team][lane - S::lent + m];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float sum = e == 0 ? v.x : e == 1 ? v.y : e == 2 ? v.z : v.w;
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          const int k = 4 * (m - S::lent) + e - c + S::reach;
          if (k < 0 || k >= K || (LeaveOut && !(taps.row_used >> k & 1))) continue;
          out[i][c] = __fmaf_rn(taps.row[k], sum, out[i][c]);
        }
      }
    }
  }
}

/// A strip of the block. `Mapped`: some of its columns may be outside. Gives, of zeros multiplied,
/// whether a result may differ for it.
template <int K, class P, Zeros Z, bool Aligned, bool Mapped>
__device__ __forceinline__ bool march(const SeparableFloats& q, const Factors<K>& taps,
                                      Exchange<P>& shared, int32_t left, int32_t y0) {
  constexpr bool leaves_out = Z == Zeros::left_out;
  using S = Shape<K, P::lanes>;
  const int lane = threadIdx.x % P::lanes, team = threadIdx.x / P::lanes;
  const int32_t rows = min(q.rows, q.src.height - y0);
  const int32_t x0 = left + lane * lane_columns;
  const bool wanted = lane >= S::lent && lane < P::lanes - S::lent;
  const bool makes = wanted && x0 < q.src.width && x0 > -lane_columns;
  const bool fits = !Mapped || (x0 >= 0 && x0 + lane_columns <= q.src.width);
  int32_t map[lane_columns];
#pragma unroll
  for (int i = 0; i < lane_columns; ++i) map[i] = Mapped ? q.place(x0 + i) : 0;

  Samples<Aligned, Mapped> ahead[step];
  bool is_outside[step];
  int32_t y = y0 - S::reach;
  const int32_t last_row = y0 + rows - 1 + S::reach;
  const auto fetch = [&](int i) {
    int32_t sy = min(y, last_row);
    ++y;
    if (uint32_t(sy) >= uint32_t(q.src.height)) sy = q.place_row(sy);
    is_outside[i] = sy < 0;
    ahead[i].load(q.src.row(max(sy, 0)), x0, map);
  };

#pragma unroll
  for (int i = 0; i < step; ++i) fetch(i);
  float sum[K][lane_columns] = {};
  float nan = 0;
  uint32_t least = ~0u;
  int parity = 0;
  for (int32_t n = 0; n < rows + 2 * S::reach; n += step) {
#pragma unroll
    for (int i = 0; i < step; ++i) {
      float row[lane_columns], done[lane_columns] = {};
      ahead[i].get(row, map, q.outside);
      if (is_outside[i]) {
#pragma unroll
        for (float& v : row) v = q.outside;
      }
      fetch(i);
      if constexpr (Z == Zeros::multiplied) {
#pragma unroll
        for (const float v : row) least = min(least, 2 * __float_as_uint(v) - 1);
      }
      add_row<K, leaves_out, P::trim>(taps, row, sum, done, n + i - rows + 1, n + i);
      shared.sums[parity][i][team][lane] = make_float4(done[0], done[1], done[2], done[3]);
    }
    if (n + step <= 2 * S::reach) continue;
    if constexpr (P::lanes > 32)
      __syncthreads();
    else
      __syncwarp();
    float out[step][lane_columns] = {};
    if (wanted) sum_across<K, P, leaves_out>(taps, shared, parity, team, lane, out);
#pragma unroll
    for (int i = 0; i < step; ++i) {
      const int32_t at = y0 + n - 2 * S::reach + i;
      if (at < y0 || at >= y0 + rows) continue;
      if constexpr (Z == Zeros::multiplied) {
#pragma unroll
        for (const float v : out[i]) nan = __fmaf_rn(v, 0.0f, nan);
      }
      store<K, P, Aligned, Mapped>(q, {lane, x0, makes, fits}, out[i], at);
    }
    parity ^= 1;
  }
  return Z == Zeros::multiplied && (nan != 0 || least < q.least);
}

template <int K, bool HasZeros, bool Aligned>
__global__ void __launch_bounds__(Chosen<K>::threads, Chosen<K>::warps * 32 / Chosen<K>::threads)
    separable_f32_kernel(const __grid_constant__ SeparableFloats q,
                         const __grid_constant__ Factors<K> taps) {
  using P = Chosen<K>;
  using S = Shape<K, P::lanes>;
  __shared__ Exchange<P> shared;
  const int lane = threadIdx.x % P::lanes, team = threadIdx.x / P::lanes;
  const int32_t group = int32_t(blockIdx.x) % q.across * P::teams + team;
  const int32_t left = group * S::columns - S::lent * lane_columns - q.shift;
  // Warps whose results are not wanted.
  if (left + S::lent * lane_columns >= q.src.width) return;
  if (left + lane / 32 * 32 * lane_columns >= q.src.width + S::lent * lane_columns) return;
  const int32_t y0 = int32_t(blockIdx.x) / q.across * q.rows;
  // Pieces of rows at any address reach 4 samples past the columns.
  const bool inside =
      left >= 0 && left + P::lanes * lane_columns + (Aligned ? 0 : 4) <= q.src.width;
  constexpr Zeros first = HasZeros ? Zeros::multiplied : Zeros::none;
  bool again = inside ? march<K, P, first, Aligned, false>(q, taps, shared, left, y0)
                      : march<K, P, first, Aligned, true>(q, taps, shared, left, y0);
  if constexpr (HasZeros) {
    again = P::lanes > 32 ? bool(__syncthreads_or(again)) : bool(__any_sync(~0u, again));
    if (again) march<K, P, Zeros::left_out, Aligned, true>(q, taps, shared, left, y0);
  }
}

/// Divides the picture among blocks.
template <int K, class P, bool Aligned>
void divide(SeparableFloats& q, int32_t rows) {
  q.shift = Aligned ? int32_t(reinterpret_cast<uintptr_t>(q.src.data) % cuda::piece_bytes / 4) : 0;
  q.across = int32_t(cuda::blocks(q.src.width + q.shift, Shape<K, P::lanes>::columns * P::teams));
  q.rows = std::min(rows, q.src.height);
  q.strips = int32_t(cuda::blocks(q.src.height, q.rows));
}

template <int K, bool HasZeros, bool Aligned>
void run(SeparableFloats q, const Factors<K>& taps, Call& call) {
  using P = Chosen<K>;
  // Fewer rows while the GPU is not full: the rows around a strip are read and summed twice.
  int32_t rows = P::rows;
  const int64_t resident = int64_t(cuda::multiprocessors()) * P::warps * 32 / P::threads;
  divide<K, P, Aligned>(q, rows);
  while (rows > 16 && int64_t(q.across) * q.strips < resident) divide<K, P, Aligned>(q, rows /= 2);
  cuda::launch("convolve", separable_f32_kernel<K, HasZeros, Aligned>,
               dim3(unsigned(int64_t(q.across) * q.strips)), dim3(P::threads), 0,
               cuda::stream_of(call), q, taps);
}

template <int K>
void run_window(const ConvolveArgs& args, Call& call) {
  SeparableFloats q(args);
  Factors<K> taps{};
  const auto put = [](float tap, int at, float(&to)[K], uint32_t& used) {
    to[at] = tap;
    if (tap != 0) used |= 1u << at;
  };
  for (int32_t i = 0; i < args.width; ++i) {
    put(args.floats.row[size_t(i)], (i - args.anchor_x) * q.channels + K / 2, taps.row,
        taps.row_used);
  }
  for (int32_t j = 0; j < args.height; ++j)
    put(args.floats.column[size_t(j)], j - args.anchor_y + K / 2, taps.column, taps.column_used);
  q.least = min_sample(std::min(lowest_bit(args.floats.column), 0) +
                       std::min(lowest_bit(args.floats.row), 0));
  constexpr uint32_t all = uint32_t((uint64_t(1) << K) - 1);
  const auto with = [&](auto zeros) {
    q.is_aligned() ? run<K, zeros(), true>(q, taps, call) : run<K, zeros(), false>(q, taps, call);
  };
  // Wide windows without a tap of 0 are the tiles'.
  if constexpr (K < int(min_tiled_taps)) {
    if ((taps.row_used & taps.column_used) == all) return with(std::false_type());
  }
  with(std::true_type());
}

}  // namespace

std::string_view convolve_cuda::separable_f32_takes(const ConvolveArgs& args, const Parameters&) {
  if (const auto why = ordered_sums_take(args); !why.empty()) return why;
  if (!args.floats.separable()) return "stencils that are not separable";
  if (separable_f32_tiles_takes(args)) return {};
  if (reach_of(args) > 15) return "windows that reach more than 15 samples";
  return flat_rows_take(args);
}

void convolve_cuda::separable_f32(const ConvolveArgs& args, Call& call) {
  if (separable_f32_tiles_takes(args)) return separable_f32_tiles(args, call);
  const int64_t reach = reach_of(args);
  if (reach <= 1) return run_window<3>(args, call);
  if (reach <= 2) return run_window<5>(args, call);
  if (reach <= 3) return run_window<7>(args, call);
  if (reach <= 4) return run_window<9>(args, call);
  if (reach <= 5) return run_window<11>(args, call);
  if (reach <= 7) return run_window<15>(args, call);
  if (reach <= 8) return run_window<17>(args, call);
  if (reach <= 10) return run_window<21>(args, call);
  if (reach <= 12) return run_window<25>(args, call);
  run_window<31>(args, call);
}

}  // namespace cuesta
