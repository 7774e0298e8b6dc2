// Strategy `rolling-f32`: f32 windows up to 9 x 9, not separated, in the definition's order of
// sums.
//
// A thread owns 4 or 8 samples of a row and walks down. A row, loaded once, is added to the K rows
// of results it belongs to: K − 1 partial sums a column stay in registers, and the last sum of a
// row is written where the next row's was, so that nothing moves.  Taps are operands from the
// constant bank. Smaller and even windows lie in the next odd square; where that has taps of 0,
// which the definition leaves out (it shows where a sample is infinite or a sum −0), a kernel of
// its own skips them by a mask.
//
// Columns whose window leaves the picture sideways belong to warps of their own, which read sample
// by sample; rows are mapped. 3 x 3 and 5 x 5 are bound by memory, 9 x 9 by FFMA: 81 a pixel.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/any_alignment.cuh"
#include "ops/convolve/cuda/flat_rows.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int block_warps = 4;
/// Rows of an edge warp's strip: few, since it is slow.
constexpr int edge_rows = 8;

template <int K>
struct Window {
  float taps[K * K];
  uint32_t used[(K * K + 31) / 32];  // a bit a tap that is not 0

  __device__ __forceinline__ bool uses(int i) const { return used[i / 32] >> i % 32 & 1; }
};

struct Request : FloatRequest {
  // Samples begin .. end − 1 of a row belong to the warps that need no map, the others, 64 at most,
  // to edge warps, two a lane.
  int32_t begin, end;
  int32_t groups, rows, strips, edge_strips;  // warps side by side, rows of a strip, strips

  using FloatRequest::FloatRequest;
};

/// Samples x0 − K / 2 .. x0 + C + K / 2 − 1 of a row, loaded but not yet brought into place.
template <int K, int C>
struct AlignedRow {
  static constexpr int reach = K / 2, side = reach <= 2 ? 2 : 4, wide = C + 2 * reach;
  float sample[C + 2 * side];

  __device__ __forceinline__ void load(const float* at) {
#pragma unroll
    for (int i = 0; i < C; i += 4) {
      const float4 v = __ldg(reinterpret_cast<const float4*>(at + i));
      sample[side + i] = v.x, sample[side + i + 1] = v.y;
      sample[side + i + 2] = v.z, sample[side + i + 3] = v.w;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float* to = sample + i * (C + side);
      const float* from = at + (i ? C : -side);
      if constexpr (side == 2) {
        const float2 v = __ldg(reinterpret_cast<const float2*>(from));
        to[0] = v.x, to[1] = v.y;
      } else {
        const float4 v = __ldg(reinterpret_cast<const float4*>(from));
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
      }
    }
  }
  __device__ __forceinline__ void samples(float (&to)[wide]) const {
#pragma unroll
    for (int i = 0; i < wide; ++i) to[i] = sample[side - reach + i];
  }
  __device__ __forceinline__ void fill(float value) {
#pragma unroll
    for (float& v : sample) v = value;
  }
};

template <int K, int C>
struct AnyRow {
  static constexpr int wide = C + K - 1;
  Pieces<wide> pieces;

  __device__ __forceinline__ void load(const float* at) { pieces.load(at - K / 2); }
  __device__ __forceinline__ void samples(float (&to)[wide]) const {
    uint32_t words[wide];
    pieces.template words<false>(words);
#pragma unroll
    for (int i = 0; i < wide; ++i) to[i] = __uint_as_float(words[i]);
  }
  __device__ __forceinline__ void fill(float value) {
    const uint32_t word = __float_as_uint(value);
    pieces.offset = 0;
#pragma unroll
    for (uint4& piece : pieces.piece) piece = make_uint4(word, word, word, word);
  }
};

/// Sample by sample.
template <int K, int C>
struct MappedRow {
  static constexpr int wide = C + K - 1;
  float sample[wide];

  __device__ __forceinline__ void load(const float* row, const int32_t (&map)[wide],
                                       float outside) {
#pragma unroll
    for (int i = 0; i < wide; ++i) {
      const float inside =
          __ldg(row + max(map[i], 0));  // no branch: all loads are under way at once
      sample[i] = map[i] < 0 ? outside : inside;
    }
  }
  __device__ __forceinline__ void samples(float (&to)[wide]) const {
#pragma unroll
    for (int i = 0; i < wide; ++i) to[i] = sample[i];
  }
  __device__ __forceinline__ void fill(float value) {
#pragma unroll
    for (float& v : sample) v = value;
  }
};

/// Adds a row to the sums of the K rows of results it belongs to; the one that is then whole is
/// `out`. sum[j] has its first j rows of taps.
template <int K, int C, bool Zeros>
__device__ __forceinline__ void add_row(const Window<K>& window, const float (&row)[C + K - 1],
                                        float (&sum)[K][C], float (&out)[C]) {
#pragma unroll
  for (int j = K - 1; j >= 0; --j) {
    float s[C];
#pragma unroll
    for (int c = 0; c < C; ++c) s[c] = j ? sum[j][c] : 0.0f;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (Zeros && !window.uses(j * K + k)) continue;
#pragma unroll
      for (int c = 0; c < C; ++c) s[c] = __fmaf_rn(window.taps[j * K + k], row[c + k], s[c]);
    }
#pragma unroll
    for (int c = 0; c < C; ++c) (j == K - 1 ? out[c] : sum[j + 1 < K ? j + 1 : 0][c]) = s[c];
  }
}

/// Walks down a strip. x0 .. x1 − 1 are the lane's columns. `Ahead`: rows loaded before they are
/// used.
template <int K, int C, int Ahead, bool Zeros, bool Aligned, bool Edge>
__device__ __forceinline__ void walk(const Request& q, const Window<K>& window, int lane,
                                     int32_t x0, int32_t x1, int32_t y0, int32_t y1) {
  using Row = std::conditional_t<Edge, MappedRow<K, C>,
                                 std::conditional_t<Aligned, AlignedRow<K, C>, AnyRow<K, C>>>;
  constexpr int R = K / 2;
  const bool active = x0 < x1;
  if (!Edge && !active) x0 = q.end - C;
  int32_t map[C + K - 1];
  if constexpr (Edge) {
#pragma unroll
    for (int i = 0; i < C + K - 1; ++i) map[i] = q.place(x0 - R + i);
  }
  Row ahead[Ahead];
  int32_t y = y0 - R;
  const int32_t last_row = min(y1, q.src.height) - 1 + R;
  const auto fetch = [&](Row& row) {
    const int32_t sy = q.place_row(min(y, last_row));
    ++y;
    if (sy < 0) return row.fill(q.outside);
    if constexpr (Edge)
      row.load(q.src.row(sy), map, q.outside);
    else
      row.load(q.src.row(sy) + x0);
  };
  const auto store = [&](float(&out)[C], int32_t at) {
    if (q.changes) {
#pragma unroll
      for (float& v : out) v = q.is_void_row(at) ? 0.0f : q.finish.template sample<float>(v);
    }
    float* to = q.dst.row(at) + x0;
    if constexpr (Edge) {
#pragma unroll
      for (int i = 0; i < C; ++i)
        if (x0 + i < x1) to[i] = q.is_void_sample(x0 + i) ? 0.0f : out[i];
    } else if constexpr (Aligned) {
      if (active) {
#pragma unroll
        for (int i = 0; i < C; i += 4)
          *reinterpret_cast<float4*>(to + i) =
              make_float4(out[i], out[i + 1], out[i + 2], out[i + 3]);
      }
    } else {
      uint32_t words[C];
#pragma unroll
      for (int i = 0; i < C; ++i) words[i] = __float_as_uint(out[i]);
      store_run<C>(to, words, lane == 0, lane == 31 || x0 + C == q.end, active);
    }
  };
#pragma unroll
  for (Row& row : ahead) fetch(row);
  float sum[K][C] = {};
  for (int32_t at = y0 - 2 * R; at < y1; at += Ahead) {
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      float row[C + K - 1], out[C];
      ahead[i].samples(row);
      fetch(ahead[i]);
      add_row<K, C, Zeros>(window, row, sum, out);
      if (at + i >= y0 && at + i < y1) store(out, at + i);
    }
  }
}

/// What was best of those tried for a window: columns of a lane, rows loaded before they are used,
/// blocks of a multiprocessor, rows of a strip in pictures that fill the GPU. (H200, 2026-11-22,
/// 8192²: 1.11, 1.34, 1.62 and 2.03 f32 copies; strips of 16 rows take 1.17, 1.39, 1.79 and 2.55.)
struct Policy {
  int columns, ahead, blocks, rows;
};
template <int K>
inline constexpr Policy policy = K == 3   ? Policy{4, 2, 8, 8}
                                 : K == 5 ? Policy{4, 1, 8, 32}
                                 : K == 7 ? Policy{8, 1, 4, 64}
                                          : Policy{8, 1, 3, 128};

template <int K, bool Zeros, bool Aligned>
__global__ void __launch_bounds__(32 * block_warps, policy<K>.blocks)
    rolling_f32_kernel(const __grid_constant__ Request q,
                       const __grid_constant__ Window<K> window) {
  constexpr int C = policy<K>.columns;
  const int lane = threadIdx.x % 32;
  int32_t warp = int32_t(blockIdx.x) * block_warps + int32_t(threadIdx.x) / 32;
  if (warp < q.edge_strips) {
    const int left = (q.begin + 1) / 2;  // lanes
    const int32_t x0 = lane < left ? 2 * lane : q.end + 2 * (lane - left);
    const int32_t x1 = min(x0 + 2, lane < left ? q.begin : q.src.width);
    if (x0 >= x1) return;
    walk<K, 2, K == 3 ? 2 : 1, Zeros, Aligned, true>(q, window, lane, x0, x1, warp * edge_rows,
                                                     min((warp + 1) * edge_rows, q.src.height));
    return;
  }
  warp -= q.edge_strips;
  if (warp >= q.groups * q.strips) return;
  const int32_t x0 = q.begin + warp % q.groups * 32 * C + lane * C, y0 = warp / q.groups * q.rows;
  walk<K, C, policy<K>.ahead, Zeros, Aligned, false>(q, window, lane, x0, min(x0 + C, q.end), y0,
                                                     min(y0 + q.rows, q.src.height));
}

/// Divides the picture among warps of 32 · C samples.
template <int C>
void divide(Request& q, int32_t rows) {
  const int32_t w = q.src.width;
  // A warp's results then fill whole lines.
  const auto past = int32_t(reinterpret_cast<uintptr_t>(q.dst.data) / sizeof(float) % 32);
  constexpr int32_t margin = 8;  // the window's reach and what whole pieces read past it
  q.begin = q.end = 0;
  if (w > 64) {
    q.begin = C + (64 - past - C) % 32;
    q.end = q.begin + (w - margin - q.begin) / C * C;
  }
  q.groups = int32_t(cuda::blocks(q.end - q.begin, 32 * C));
  q.rows = std::min(rows, q.src.height);
  q.strips = int32_t(cuda::blocks(q.src.height, q.rows));
  q.edge_strips = int32_t(cuda::blocks(q.src.height, edge_rows));
}

template <int K, bool Zeros, bool Aligned>
void run(Request q, const Window<K>& window, Call& call) {
  // Fewer rows while the GPU is not full: the rows around a strip are read twice.
  int32_t rows = policy<K>.rows;
  const int64_t resident = int64_t(cuda::multiprocessors()) * policy<K>.blocks * block_warps;
  divide<policy<K>.columns>(q, rows);
  while (rows > 8 && int64_t(q.groups) * q.strips < resident)
    divide<policy<K>.columns>(q, rows /= 2);
  const int64_t warps = q.edge_strips + int64_t(q.groups) * q.strips;
  cuda::launch("convolve", rolling_f32_kernel<K, Zeros, Aligned>,
               dim3(unsigned((warps + block_warps - 1) / block_warps)), dim3(32 * block_warps), 0,
               cuda::stream_of(call), q, window);
}

template <int K>
void run_window(const ConvolveArgs& args, Call& call) {
  const Request q(args);
  Window<K> window{};
  bool zeros = false;
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      const int at =
          (j + K / 2 - args.anchor_y) * K + (i - args.anchor_x) * args.src.channels + K / 2;
      window.taps[at] = args.floats.at(i, j, args.width);
      if (window.taps[at] != 0) window.used[at / 32] |= 1u << at % 32;
    }
  }
  for (const float tap : window.taps) zeros |= tap == 0;
  const auto with = [&](auto some) {
    q.is_aligned() ? run<K, some(), true>(q, window, call) : run<K, some(), false>(q, window, call);
  };
  zeros ? with(std::true_type()) : with(std::false_type());
}

}  // namespace

std::string_view convolve_cuda::rolling_f32_takes(const ConvolveArgs& args, const Parameters&) {
  if (args.src.type != PixelType::f32 || args.dst.type != PixelType::f32)
    return "types other than f32 to f32";
  if (args.floats.separable()) return "stencils with factors";
  if (reach_of(args) > 4) return "windows that reach more than 4 samples";
  return flat_rows_take(args);
}

void convolve_cuda::rolling_f32(const ConvolveArgs& args, Call& call) {
  switch (reach_of(args)) {
    case 0:
    case 1: return run_window<3>(args, call);
    case 2: return run_window<5>(args, call);
    case 3: return run_window<7>(args, call);
    default: return run_window<9>(args, call);
  }
}

}  // namespace cuesta
