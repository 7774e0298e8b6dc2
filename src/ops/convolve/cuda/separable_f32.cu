// Strategy `separable-f32`: f32 factors up to 31 wide, sums down the columns first, sums of those
// across second, in one kernel and in the definition's order.
//
// A lane owns 4 columns and walks down: a row, loaded once, is added to the K column sums it
// belongs to, which stay in registers. A whole one goes to shared memory, where the lanes of a warp
// (of a block, where windows are wide) read what their neighbours have, 16 bytes at a time, and sum
// across. The outer lanes only lend their sums. A lane whose columns lie outside the picture reads,
// by a map, those that stand for them: their sums are the ones wanted. Taps are operands from the
// constant bank; a kernel of its own leaves out taps of 0. Bound by memory to 9 taps, by FFMA, 2 K
// a pixel, beyond.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/any_alignment.cuh"
#include "ops/convolve/cuda/flat_rows.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int block_threads = 128, lane_columns = 4;

template <int K>
struct Factors {
  float column[K], row[K];
  uint32_t column_used, row_used;  // a bit a tap that is not 0
};

/// K taps; `Lanes` of them exchange their sums.
template <int K, int Lanes>
struct Shape {
  static constexpr int reach = K / 2, lent = (reach + 3) / 4;  // lanes on either side
  static constexpr int columns = (Lanes - 2 * lent) * lane_columns;
};

struct Request : FloatRequest {
  int32_t shift;                 // of the first sample, to an aligned address
  int32_t groups, rows, strips;  // teams side by side, rows of a strip, strips

  using FloatRequest::FloatRequest;
};

/// A lane's 4 columns of a row.
template <bool Aligned>
struct Samples {
  std::conditional_t<Aligned, float4, Pieces<lane_columns>> loaded;

  __device__ __forceinline__ void load(const float* at) {
    if constexpr (Aligned)
      loaded = __ldg(reinterpret_cast<const float4*>(at));
    else
      loaded.load(at);
  }
  __device__ __forceinline__ void set(float a, float b, float c, float d) {
    if constexpr (Aligned) {
      loaded = make_float4(a, b, c, d);
    } else {
      loaded.offset = 0;
      loaded.piece[0] = make_uint4(__float_as_uint(a), __float_as_uint(b), __float_as_uint(c),
                                   __float_as_uint(d));
    }
  }
  __device__ __forceinline__ void get(float (&to)[lane_columns]) const {
    if constexpr (Aligned) {
      to[0] = loaded.x, to[1] = loaded.y, to[2] = loaded.z, to[3] = loaded.w;
    } else {
      uint32_t words[lane_columns];
      loaded.template words<false>(words);
#pragma unroll
      for (int i = 0; i < lane_columns; ++i) to[i] = __uint_as_float(words[i]);
    }
  }
};

/// What was best of those tried for a window: lanes that exchange sums, rows loaded before they are
/// used, blocks of a multiprocessor, rows of a strip in pictures that fill the GPU. (H200,
/// 2026-11-22, 8192²: 1.37, 1.52, 2.01 at 9 and 2.97 at 15 f32 copies; with a row less ahead 5 and
/// 15 take 1.63 and 3.33.)
struct Policy {
  int lanes, ahead, blocks, rows;
};
template <int K>
inline constexpr Policy policy = K == 3    ? Policy{32, 2, 8, 8}
                                 : K == 5  ? Policy{32, 4, 6, 16}
                                 : K <= 9  ? Policy{32, 1, 6, 32}
                                 : K <= 15 ? Policy{128, 2, 4, 64}
                                 : K <= 25 ? Policy{128, 2, 3, 128}
                                           : Policy{128, 1, 3, 128};

template <int K, bool Zeros, bool Aligned>
__global__ void __launch_bounds__(block_threads, policy<K>.blocks)
    separable_f32_kernel(const __grid_constant__ Request q,
                         const __grid_constant__ Factors<K> taps) {
  constexpr int Lanes = policy<K>.lanes, Ahead = policy<K>.ahead;
  using S = Shape<K, Lanes>;
  constexpr int teams = block_threads / Lanes;
  __shared__ float4 sums[2][teams][Lanes];
  const int lane = threadIdx.x % Lanes, in_block = threadIdx.x / Lanes;
  const int32_t team = int32_t(blockIdx.x) * teams + in_block;
  if (team >= q.groups * q.strips) return;  // whole warps, or the whole block
  const int32_t x0 = team % q.groups * S::columns + (lane - S::lent) * lane_columns - q.shift;
  const int32_t y0 = team / q.groups * q.rows, y1 = min(y0 + q.rows, q.src.height);
  const bool inside = x0 >= 0 && x0 + lane_columns <= q.src.width;
  const bool makes =
      lane >= S::lent && lane < Lanes - S::lent && x0 < q.src.width && x0 > -lane_columns;
  // Whole pieces of the last rows could end past the picture.
  const bool whole = inside && (Aligned || x0 + 2 * lane_columns <= q.src.width);
  int32_t map[lane_columns];
#pragma unroll
  for (int i = 0; i < lane_columns; ++i) map[i] = q.place(x0 + i);

  Samples<Aligned> ahead[Ahead];
  int32_t y = y0 - S::reach;
  const int32_t last_row = y1 - 1 + S::reach;
  const auto fetch = [&](Samples<Aligned>& row) {
    const int32_t sy = q.place_row(min(y, last_row));
    ++y;
    if (sy < 0) return row.set(q.outside, q.outside, q.outside, q.outside);
    const float* from = q.src.row(sy);
    if (whole) return row.load(from + x0);
    float v[lane_columns];
#pragma unroll
    for (int i = 0; i < lane_columns; ++i) {
      const float inside = __ldg(from + max(map[i], 0));  // no branch: all loads at once
      v[i] = map[i] < 0 ? q.outside : inside;
    }
    row.set(v[0], v[1], v[2], v[3]);
  };
  const auto across = [&](int parity, int32_t at) {
    float out[lane_columns] = {};
    const float4* from = sums[parity][in_block] + lane - S::lent;
#pragma unroll
    for (int m = 0; m <= 2 * S::lent; ++m) {
      const float4 v = from[m];
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float sum = e == 0 ? v.x : e == 1 ? v.y : e == 2 ? v.z : v.w;
#pragma unroll
        for (int c = 0; c < lane_columns; ++c) {
          const int i = 4 * (m - S::lent) + e - c + S::reach;
          if (i < 0 || i >= K || (Zeros && !(taps.row_used >> i & 1))) continue;
          out[c] = __fmaf_rn(taps.row[i], sum, out[c]);
        }
      }
    }
    if (q.changes) {
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) {
        out[c] = q.is_void_row(at) || q.is_void_sample(x0 + c)
                     ? 0.0f
                     : q.finish.template sample<float>(out[c]);
      }
    }
    return make_uint4(__float_as_uint(out[0]), __float_as_uint(out[1]), __float_as_uint(out[2]),
                      __float_as_uint(out[3]));
  };
  const auto store = [&](uint4 v, int32_t at) {
    float* to = q.dst.row(at) + x0;
    if (Aligned && inside) {
      if (makes) *reinterpret_cast<uint4*>(to) = v;
      return;
    }
    const uint32_t words[4] = {v.x, v.y, v.z, v.w};
    if constexpr (!Aligned) {
      store_run<4>(to, words, threadIdx.x % 32 == 0 || lane == S::lent || x0 <= 0,
                   threadIdx.x % 32 == 31 || lane == Lanes - S::lent - 1 ||
                       x0 + 2 * lane_columns > q.src.width,
                   makes && inside);
    }
    if (!makes || inside) return;
#pragma unroll
    for (int i = 0; i < lane_columns; ++i)
      if (x0 + i >= 0 && x0 + i < q.src.width) to[i] = __uint_as_float(words[i]);
  };

#pragma unroll
  for (auto& row : ahead) fetch(row);
  float sum[K][lane_columns] = {};
  int parity = 0;
  for (int32_t at = y0 - 2 * S::reach; at < y1; at += Ahead) {
#pragma unroll
    for (int n = 0; n < Ahead; ++n) {
      float v[lane_columns], whole_sum[lane_columns];
      ahead[n].get(v);
      fetch(ahead[n]);
#pragma unroll
      for (int j = K - 1; j >= 0; --j) {
        const bool used = !Zeros || taps.column_used >> j & 1;
#pragma unroll
        for (int c = 0; c < lane_columns; ++c) {
          float s = j ? sum[j][c] : 0.0f;
          if (used) s = __fmaf_rn(taps.column[j], v[c], s);
          (j == K - 1 ? whole_sum[c] : sum[j + 1 < K ? j + 1 : 0][c]) = s;
        }
      }
      if (at + n < y0 || at + n >= y1) continue;
      sums[parity][in_block][lane] =
          make_float4(whole_sum[0], whole_sum[1], whole_sum[2], whole_sum[3]);
      if constexpr (Lanes > 32)
        __syncthreads();
      else
        __syncwarp();
      uint4 out = {};
      if (lane >= S::lent && lane < Lanes - S::lent) out = across(parity, at + n);
      store(out, at + n);
      parity ^= 1;
    }
  }
}

/// Divides the picture among teams.
template <int K, bool Aligned>
void divide(Request& q, int32_t rows) {
  q.shift = Aligned ? int32_t(reinterpret_cast<uintptr_t>(q.src.data) % piece_bytes / 4) : 0;
  q.groups = int32_t(cuda::blocks(q.src.width + q.shift, Shape<K, policy<K>.lanes>::columns));
  q.rows = std::min(rows, q.src.height);
  q.strips = int32_t(cuda::blocks(q.src.height, q.rows));
}

template <int K, bool Zeros, bool Aligned>
void run(Request q, const Factors<K>& taps, Call& call) {
  constexpr int teams = block_threads / policy<K>.lanes;
  // Fewer rows while the GPU is not full: the rows around a strip are read and summed twice.
  int32_t rows = policy<K>.rows;
  const int64_t resident = int64_t(cuda::multiprocessors()) * policy<K>.blocks * teams;
  divide<K, Aligned>(q, rows);
  while (rows > 16 && int64_t(q.groups) * q.strips < resident) divide<K, Aligned>(q, rows /= 2);
  const int64_t all = int64_t(q.groups) * q.strips;
  cuda::launch("convolve", separable_f32_kernel<K, Zeros, Aligned>,
               dim3(unsigned((all + teams - 1) / teams)), dim3(block_threads), 0,
               cuda::stream_of(call), q, taps);
}

template <int K>
void run_window(const ConvolveArgs& args, Call& call) {
  const Request q(args);
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
  constexpr uint32_t all = uint32_t((uint64_t(1) << K) - 1);
  const auto with = [&](auto zeros) {
    q.is_aligned() ? run<K, zeros(), true>(q, taps, call) : run<K, zeros(), false>(q, taps, call);
  };
  (taps.row_used & taps.column_used) == all ? with(std::false_type()) : with(std::true_type());
}

}  // namespace

std::string_view convolve_cuda::separable_f32_takes(const ConvolveArgs& args, const Parameters&) {
  if (args.src.type != PixelType::f32 || args.dst.type != PixelType::f32)
    return "types other than f32 to f32";
  if (!args.floats.separable()) return "stencils without factors";
  if (reach_of(args) > 15) return "windows that reach more than 15 samples";
  return flat_rows_take(args);
}

void convolve_cuda::separable_f32(const ConvolveArgs& args, Call& call) {
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
