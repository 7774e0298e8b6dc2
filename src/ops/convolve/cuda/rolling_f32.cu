// Strategy `rolling-f32`: f32 windows up to 9 x 9, not separated, in the definition's order of
// sums.
//
// A thread owns 4 or 8 samples of a row and walks down. A row, loaded once, is added to the K rows
// of results it belongs to: K − 1 partial sums a column stay in registers, and the last sum of a
// row is written where the next row's was, so that nothing moves. Taps are uniform registers,
// filled from the constant bank. Smaller and even windows lie in the next odd square; taps of 0,
// which the definition leaves out, are multiplied all the same where that does not show
// (zero_taps.hpp), and a strip where it may is made once more without them.
//
// Strips whose rows lie inside have a loop of their own, without a map of rows. Columns whose
// window leaves the picture sideways belong to warps of their own, which read sample by sample. 3 x
// 3 and 5 x 5 are bound by memory, 9 x 9 by FFMA: 81 a pixel, of some 95 instructions.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/any_alignment.cuh"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/zero_taps.hpp"

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
  uint32_t least = 0;                         // least_sample() of the taps

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
};

/// Sample by sample.
template <int K, int C>
struct MappedRow {
  static constexpr int wide = C + K - 1;
  float sample[wide];

  __device__ __forceinline__ void load(const float* row, const int32_t (&map)[wide]) {
#pragma unroll
    for (int i = 0; i < wide; ++i) sample[i] = __ldg(row + max(map[i], 0));
  }
  __device__ __forceinline__ void samples(float (&to)[wide], const int32_t (&map)[wide],
                                          float outside) const {
#pragma unroll
    for (int i = 0; i < wide; ++i) to[i] = map[i] < 0 ? outside : sample[i];
  }
};

/// Adds a row to the sums of the K rows of results it belongs to; the one that is then whole is
/// `out`. sum[j] has its first j rows of taps. `Trim`: rows of taps but first .. last need not be
/// added.
template <int K, int C, bool LeaveOut, bool Trim>
__device__ __forceinline__ void add_row(const Window<K>& window, const float (&row)[C + K - 1],
                                        float (&sum)[K][C], float (&out)[C], int32_t first,
                                        int32_t last) {
#pragma unroll
  for (int j = K - 1; j >= 0; --j) {
    if (Trim && (j < first || j > last)) continue;
    float s[C];
#pragma unroll
    for (int c = 0; c < C; ++c) s[c] = j ? sum[j][c] : 0.0f;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (LeaveOut && !window.uses(j * K + k)) continue;
#pragma unroll
      for (int c = 0; c < C; ++c) s[c] = __fmaf_rn(window.taps[j * K + k], row[c + k], s[c]);
    }
#pragma unroll
    for (int c = 0; c < C; ++c) (j == K - 1 ? out[c] : sum[j + 1 < K ? j + 1 : 0][c]) = s[c];
  }
}

/// What a lane has of its columns: where they begin, how many samples from there are its own (fewer
/// than it computes at the right of an edge warp), whether it writes.
struct Columns {
  int lane;
  int32_t x0, x1;
  bool active;
};

template <int C, bool Aligned>
__device__ __forceinline__ void store_columns(float* to, const float (&out)[C], const Columns& at,
                                              int32_t end) {
  if constexpr (Aligned) {
    if (at.active) {
#pragma unroll
      for (int i = 0; i < C; i += 4)
        *reinterpret_cast<float4*>(to + i) =
            make_float4(out[i], out[i + 1], out[i + 2], out[i + 3]);
    }
  } else {
    uint32_t words[C];
#pragma unroll
    for (int i = 0; i < C; ++i) words[i] = __float_as_uint(out[i]);
    store_run<C>(to, words, at.lane == 0, at.lane == 31 || at.x0 + C == end, at.active);
  }
}

/// Which of a strip's windows leave the picture, and how.
enum class Strip {
  edge,    // columns and rows may lie outside
  middle,  // rows may
  inside   // none, nor do 2 · Ahead rows more below them
};

/// Walks down rows y0 .. y1 − 1. `Ahead`: rows loaded before they are used; nothing waits for them,
/// since no branch ends in a choice between them and something else. Gives, of zeros multiplied,
/// whether a result may differ for it. It does where the sample is infinite or no number, which
/// makes the sum no number, and where the sum is −0, which only what is lost below the smallest
/// denormal leaves behind: nothing is where magnitudes are 0 or Request::least and more.
template <int K, int C, int Ahead, Zeros Z, bool Aligned, Strip S>
__device__ __forceinline__ bool walk(const Request& q, const Window<K>& window,
                                     const Columns& columns, int32_t y0, int32_t y1) {
  constexpr bool Edge = S == Strip::edge;
  using Row = std::conditional_t<Edge, MappedRow<K, C>,
                                 std::conditional_t<Aligned, AlignedRow<K, C>, AnyRow<K, C>>>;
  constexpr int R = K / 2;
  constexpr bool leaves_out = Z == Zeros::left_out, is_inside = S == Strip::inside;
  // Rows before and after the strip cost as much as it where windows are large and strips short.
  constexpr bool trims = K >= 7 && !Edge && !leaves_out;
  const int32_t x0 = columns.x0;
  int32_t map[C + K - 1];
  if constexpr (Edge) {
#pragma unroll
    for (int i = 0; i < C + K - 1; ++i) map[i] = q.place(x0 - R + i);
  }
  Row ahead[Ahead];
  bool is_outside[Ahead];
  int32_t y = y0 - R;
  const int32_t last_row = y1 - 1 + R;
  const float* next = q.src.row(max(y, 0)) + x0;
  const auto fetch = [&](int i) {
    if constexpr (is_inside) {
      ahead[i].load(next);
      next =
          reinterpret_cast<const float*>(reinterpret_cast<const char*>(next) + q.src.stride_bytes);
      return;
    }
    int32_t sy = min(y, last_row);
    ++y;
    if (uint32_t(sy) >= uint32_t(q.src.height)) sy = q.place_row(sy);
    is_outside[i] = sy < 0;
    const float* from = q.src.row(max(sy, 0));
    if constexpr (Edge)
      ahead[i].load(from, map);
    else
      ahead[i].load(from + x0);
  };
  const auto store = [&](float(&out)[C], int32_t at) {
    if (q.changes) {
#pragma unroll
      for (float& v : out)
        v = !is_inside && q.is_void_row(at) ? 0.0f : q.finish.template sample<float>(v);
    }
    float* to = q.dst.row(at) + x0;
    if constexpr (Edge) {
#pragma unroll
      for (int i = 0; i < C; ++i)
        if (x0 + i < columns.x1) to[i] = q.is_void_sample(x0 + i) ? 0.0f : out[i];
    } else {
      store_columns<C, Aligned>(to, out, columns, q.end);
    }
  };
#pragma unroll
  for (int i = 0; i < Ahead; ++i) fetch(i);
  float sum[K][C] = {};
  float nan = 0;
  uint32_t least = ~0u;
  const int32_t rows = y1 - y0;
  for (int32_t n = 0; n < rows + 2 * R; n += Ahead) {
#pragma unroll
    for (int i = 0; i < Ahead; ++i) {
      float row[C + K - 1], out[C];
      if constexpr (Edge)
        ahead[i].samples(row, map, q.outside);
      else
        ahead[i].samples(row);
      if (!is_inside && is_outside[i]) {
#pragma unroll
        for (float& v : row) v = q.outside;
      }
      fetch(i);
      if (Z == Zeros::multiplied && q.least) {
#pragma unroll
        for (const float v : row) least = min(least, 2 * __float_as_uint(v) - 1);
      }
      if (trims && (n + i < 2 * R || n + i >= rows))
        add_row<K, C, leaves_out, true>(window, row, sum, out, n + i - rows + 1, n + i);
      else
        add_row<K, C, leaves_out, false>(window, row, sum, out, 0, 0);
      if (n + i < 2 * R || n + i >= rows + 2 * R) continue;
      if constexpr (Z == Zeros::multiplied) {
#pragma unroll
        for (const float v : out) nan = __fmaf_rn(v, 0.0f, nan);
      }
      store(out, y0 + n + i - 2 * R);
    }
  }
  return Z == Zeros::multiplied && (nan != 0 || least < q.least);
}

/// What was best of those tried for a window: columns of a lane, rows loaded before they are used,
/// blocks of a multiprocessor, rows of a strip in pictures that fill the GPU. (H200, 2026-11-22,
/// 8192², with taps of 0, times an f32 copy: 3 x 3 1.13, with 16 rows 1.23; 5 x 5 1.25, with 4
/// columns 1.32; 9 x 9 1.97 with 32, 48 and 64 rows, 2.05 with 128.)
template <int Columns, int Ahead, int Blocks, int Rows>
struct Policy {
  static constexpr int columns = Columns, ahead = Ahead, blocks = Blocks, rows = Rows;
};
template <int K>
struct Chosen : Policy<8, 1, 4, 64> {};
template <>
struct Chosen<3> : Policy<4, 2, 8, 8> {};
template <>
struct Chosen<5> : Policy<8, 1, 6, 32> {};
template <>
struct Chosen<7> : Policy<8, 1, 4, 32> {};

template <int K, bool HasZeros, bool Aligned>
__global__ void __launch_bounds__(32 * block_warps, Chosen<K>::blocks)
    rolling_f32_kernel(const __grid_constant__ Request q,
                       const __grid_constant__ Window<K> window) {
  using P = Chosen<K>;
  constexpr int C = P::columns;
  constexpr Zeros exact = HasZeros ? Zeros::left_out : Zeros::none;
  const int lane = threadIdx.x % 32;
  int32_t warp = int32_t(blockIdx.x) * block_warps + int32_t(threadIdx.x) / 32;
  if (warp < q.edge_strips) {
    const int left = (q.begin + 1) / 2;  // lanes
    const int32_t x0 = lane < left ? 2 * lane : q.end + 2 * (lane - left);
    const int32_t x1 = min(x0 + 2, lane < left ? q.begin : q.src.width);
    if (x0 >= x1) return;
    const int32_t y0 = warp * edge_rows;
    walk<K, 2, K == 3 ? 2 : 1, exact, Aligned, Strip::edge>(q, window, {lane, x0, x1, true}, y0,
                                                            min(y0 + edge_rows, q.src.height));
    return;
  }
  warp -= q.edge_strips;
  if (warp >= q.groups * q.strips) return;
  const int32_t x0 = q.begin + warp % q.groups * 32 * C + lane * C, y0 = warp / q.groups * q.rows;
  const int32_t y1 = min(y0 + q.rows, q.src.height);
  const bool active = x0 < q.end;
  const Columns columns{lane, active ? x0 : q.end - C, q.end, active};
  constexpr Zeros first = HasZeros ? Zeros::multiplied : Zeros::none;
  const bool again =
      y0 >= K / 2 && y1 + K / 2 + 2 * P::ahead <= q.src.height
          ? walk<K, C, P::ahead, first, Aligned, Strip::inside>(q, window, columns, y0, y1)
          : walk<K, C, 1, first, Aligned, Strip::middle>(q, window, columns, y0, y1);
  if (HasZeros && __any_sync(~0u, again))
    walk<K, C, 1, exact, Aligned, Strip::middle>(q, window, columns, y0, y1);
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

template <int K, bool HasZeros, bool Aligned>
void run(Request q, const Window<K>& window, Call& call) {
  using P = Chosen<K>;
  // Fewer rows while the GPU is not full: the rows around a strip are read twice.
  int32_t rows = P::rows;
  const int64_t resident = int64_t(cuda::multiprocessors()) * P::blocks * block_warps;
  divide<P::columns>(q, rows);
  while (rows > 8 && int64_t(q.groups) * q.strips < resident) divide<P::columns>(q, rows /= 2);
  const int64_t warps = q.edge_strips + int64_t(q.groups) * q.strips;
  cuda::launch("convolve", rolling_f32_kernel<K, HasZeros, Aligned>,
               dim3(unsigned((warps + block_warps - 1) / block_warps)), dim3(32 * block_warps), 0,
               cuda::stream_of(call), q, window);
}

template <int K>
void run_window(const ConvolveArgs& args, Call& call) {
  Request q(args);
  Window<K> window{};
  bool zeros = false;
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      const int at =
          (j + K / 2 - args.anchor_y) * K + (i - args.anchor_x) * args.src.channels + K / 2;
      window.taps[at] = args.floats.at(i, j, args.width);
      if (window.taps[at] == 0) continue;
      window.used[at / 32] |= 1u << at % 32;
    }
  }
  for (const float tap : window.taps) zeros |= tap == 0;
  q.least = least_sample(lowest_bit(window.taps));
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
