// Strategy `tiles-f32`: f32 windows up to 9 x 9, not separated, in the definition's order of
// additions, from tiles in shared memory (cuda/tensor_tile.cuh), which bring what is outside the
// picture.
//
// A lane makes a few columns of a few rows: a row of samples, read from the tile once, is added to
// the sums of all of those rows, which stay in registers. Taps come by uniform registers, one for
// all columns. More channels are wider rows and taps further apart, so they and even windows are in
// the next odd square; taps of 0, which the definition leaves out, are multiplied all the same
// where that does not show (zero_taps.hpp), and rows where it may are made once more without them.
//
// 3 x 3 and 5 x 5 are bound by memory, 9 x 9 by FFMA: 81 a pixel, and as few instructions more as
// registers for more rows would make it, but then fewer warps are there: four rows 1.87 copies, two
// 1.67 (H200, 2026-11-22, 8192²).
#include "cuda/any_alignment.cuh"
#include "cuda/instructions.cuh"
#include "cuda/row_words.cuh"
#include "cuda/tensor_tile.cuh"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/zero_taps.hpp"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int warps = 4, margin = 4;

/// What was best of those tried for a window: columns and rows of a lane at a time, blocks of a
/// multiprocessor. (H200, 2026-11-22, 8192², times an f32 copy, rows of a block: 3 x 3 16 1.09, 48
/// 1.11; 5 x 5 16 1.11, 48 1.12; 7 x 7 16 1.22, 48 1.37; 9 x 9 16 1.67, 32 1.70.)
template <int Columns, int Rows, int Blocks>
struct Policy {
  static constexpr int columns = Columns, rows = Rows, blocks = Blocks;
};
template <int K>
struct Chosen : Policy<8, 2, 8> {};
template <>
struct Chosen<3> : Policy<4, 4, 8> {};
template <>
struct Chosen<5> : Policy<4, 4, 8> {};
template <>
struct Chosen<7> : Policy<8, 4, 5> {};
constexpr int block_rows = 16;

template <int C>
using Tile = cuda::tensor::Tile<float, 32 * C, margin, 16, warps>;

template <int K>
struct Window {
  float taps[K * K];
};

struct FloatTileRequest : FloatRequest {
  uint32_t least = 0;  // min_sample() of the taps

  using FloatRequest::FloatRequest;
};

/// Samples of a row from `Reach` before a lane's C columns to as many after them. `at`: `margin`
/// before its columns, were the row to begin at a multiple of 16 bytes; it is `shift` bytes on.
template <int C, int Reach, bool Aligned>
__device__ __forceinline__ void load_samples(const uint8_t* at, int shift,
                                             float (&to)[C + 2 * Reach]) {
  constexpr int pieces = (C + 2 * margin) / 4 + (Aligned ? 0 : 1), first = margin - Reach;
  uint32_t all[4 * pieces + 4];
#pragma unroll
  for (int i = 0; i < pieces; ++i) {
    const uint4 v = reinterpret_cast<const uint4*>(at)[i];
    all[4 * i] = v.x, all[4 * i + 1] = v.y, all[4 * i + 2] = v.z, all[4 * i + 3] = v.w;
  }
  constexpr int count = C + 2 * Reach;
  if constexpr (Aligned) {
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = __uint_as_float(all[first + i]);
  } else {
    uint32_t from[count + 3], words[count];
#pragma unroll
    for (int i = 0; i < count + 3; ++i) from[i] = all[first + i];
    cuda::select_words(from, shift / 4, words);
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = __uint_as_float(words[i]);
  }
}

/// Sums of a lane's columns of R rows, the first of whose windows begins in row `y` of the tile.
/// Gives, of zeros multiplied, whether a result may differ for it. It does where the sample is
/// infinite or no number, which makes the sum no number, and where the sum is −0, which only what
/// is lost below the smallest denormal leaves behind: nothing is where magnitudes are 0 or
/// FloatTileRequest::least and more.
template <int K, int C, int R, bool HasZeros, bool Aligned>
__device__ __forceinline__ bool sum_rows(const FloatTileRequest& q, const Window<K>& window,
                                         const Tile<C>& in, const uint8_t* tile, int y, int column,
                                         float (&sum)[R][C]) {
  constexpr int reach = K / 2, pitch = Tile<C>::pitch;
  const uint8_t* at = tile + y * pitch + 4 * column;
  uint32_t least = ~0u;
#pragma unroll
  for (int i = 0; i < R; ++i)
#pragma unroll
    for (int c = 0; c < C; ++c) sum[i][c] = 0;
#pragma unroll
  for (int r = 0; r < R + K - 1; ++r) {
    float row[C + 2 * reach];
    load_samples<C, reach, Aligned>(at + r * pitch, Aligned ? 0 : in.shift[y + r] & 12, row);
    if (HasZeros && q.least) {
#pragma unroll
      for (const float v : row) least = min(least, 2 * __float_as_uint(v) - 1);
    }
#pragma unroll
    for (int i = R - 1; i >= 0; --i) {
      if (r < i || r - i >= K) continue;
#pragma unroll
      for (int k = 0; k < K; ++k)
#pragma unroll
        for (int c = 0; c < C; ++c)
          sum[i][c] = __fmaf_rn(window.taps[(r - i) * K + k], row[c + k], sum[i][c]);
    }
  }
  float nan = 0;
  if constexpr (HasZeros) {
#pragma unroll
    for (int i = 0; i < R; ++i)
#pragma unroll
      for (int c = 0; c < C; ++c) nan = __fmaf_rn(sum[i][c], 0.0f, nan);
  }
  return HasZeros && (nan != 0 || least < q.least);
}

/// The same without taps of 0; in little code, as few pictures need it.
template <int K, int C, int R>
__device__ __forceinline__ void sum_rows_without_zeros(const Window<K>& window, const uint8_t* tile,
                                                       const uint8_t* shift, int y, int column,
                                                       float (&sum)[R][C]) {
#pragma unroll
  for (int i = 0; i < R; ++i) {
#pragma unroll
    for (int c = 0; c < C; ++c) sum[i][c] = 0;
#pragma unroll 1
    for (int j = 0; j < K; ++j) {
      const int r = y + i + j;
      const auto* row =
          reinterpret_cast<const float*>(tile + r * Tile<C>::pitch + (shift ? shift[r] & 12 : 0)) +
          column + margin - K / 2;
#pragma unroll 1
      for (int k = 0; k < K; ++k) {
        const float tap = window.taps[j * K + k];
        if (tap == 0) continue;
#pragma unroll
        for (int c = 0; c < C; ++c) sum[i][c] = __fmaf_rn(tap, row[c + k], sum[i][c]);
      }
    }
  }
}

template <int K, bool HasZeros, bool Aligned>
__global__ void __launch_bounds__(32 * warps, Chosen<K>::blocks)
    tiles_f32_kernel(const __grid_constant__ FloatTileRequest q, int rows,
                     const __grid_constant__ Window<K> window) {
  constexpr int C = Chosen<K>::columns, R = Chosen<K>::rows;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ Tile<C> in;
  const int32_t left = int32_t(blockIdx.x) * (32 * C);
  const int64_t y0 = int64_t(cuda::block_row()) * rows;
  if (y0 >= q.src.height) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  in.init();
  in.template fetch<Aligned>(q, tile, left, top - K / 2, here + K - 1);
  __syncthreads();
  in.wait(0);
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
  const int32_t x = left + C * lane, room = q.src.width - x;
  const bool whole = room >= C;
#pragma unroll 1
  for (int y = warp * R; y < here; y += warps * R) {
    float sum[R][C];
    const bool again = sum_rows<K, C, R, HasZeros, Aligned>(q, window, in, tile, y, C * lane, sum);
    if (HasZeros && again)
      sum_rows_without_zeros<K, C, R>(window, tile, Aligned ? nullptr : in.shift, y, C * lane, sum);
#pragma unroll
    for (int i = 0; i < R; ++i) {
      if (y + i >= here) break;
      const int32_t at = top + y + i;
      if (q.changes) {
#pragma unroll
        for (int c = 0; c < C; ++c)
          sum[i][c] = q.is_void_row(at) || q.is_void_sample(x + c)
                          ? 0.0f
                          : q.finish.template sample<float>(sum[i][c]);
      }
      float* to = q.dst.row(at) + x;
      if constexpr (Aligned) {
        if (whole) {
#pragma unroll
          for (int c = 0; c < C; c += 4)
            *reinterpret_cast<float4*>(to + c) =
                make_float4(sum[i][c], sum[i][c + 1], sum[i][c + 2], sum[i][c + 3]);
        }
      } else {
        uint32_t words[C];
#pragma unroll
        for (int c = 0; c < C; ++c) words[c] = __float_as_uint(sum[i][c]);
        cuda::store_run<C>(to, words, lane == 0, lane == 31 || room < 2 * C, whole);
      }
      if (whole) continue;
#pragma unroll
      for (int c = 0; c < C; ++c)
        if (c < room) to[c] = sum[i][c];
    }
  }
}

template <int K, bool HasZeros, bool Aligned>
void launch(const FloatTileRequest& q, const Window<K>& window, Call& call) {
  using P = Chosen<K>;
  // Fewer rows where the GPU would not be full.
  const unsigned across = cuda::blocks(q.src.width, 32 * P::columns);
  int rows = block_rows;
  while (rows > 4 && int64_t(across) * cuda::blocks(q.src.height, rows) <
                         int64_t(P::blocks) * cuda::multiprocessors())
    rows /= 2;
  const int whole_rows = (rows + P::rows - 1) / P::rows * P::rows;
  const size_t shared = size_t(whole_rows + K - 1) * Tile<P::columns>::pitch;
  cuda::launch("convolve", tiles_f32_kernel<K, HasZeros, Aligned>,
               cuda::grid_of(across, cuda::blocks(q.src.height, rows)), dim3(32 * warps), shared,
               cuda::stream_of(call), q, rows, window);
}

template <int K>
void run(const ConvolveArgs& args, Call& call) {
  FloatTileRequest q(args);
  Window<K> window{};
  bool zeros = false;
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      const int at =
          (j + K / 2 - args.anchor_y) * K + (i - args.anchor_x) * args.src.channels + K / 2;
      window.taps[at] = args.floats.at(i, j, args.width);
    }
  }
  for (const float tap : window.taps) zeros |= tap == 0;
  q.least = min_sample(lowest_bit(window.taps));
  const auto with = [&](auto some) {
    if (cuda::has_word_rows(args.src, 16) && cuda::has_word_rows(args.dst, 16))
      launch<K, some(), true>(q, window, call);
    else
      launch<K, some(), false>(q, window, call);
  };
  zeros ? with(std::true_type()) : with(std::false_type());
}

}  // namespace

std::string_view convolve_cuda::tiles_f32_takes(const ConvolveArgs& args, const Parameters&) {
  if (args.src.type != PixelType::f32 || args.dst.type != PixelType::f32)
    return "types other than f32 to f32";
  if (args.floats.separable()) return "stencils with factors";
  if (reach_of(args) > margin) return "windows that reach more than 4 samples";
  return tiled_rows_take(args);
}

void convolve_cuda::tiles_f32(const ConvolveArgs& args, Call& call) {
  switch (reach_of(args)) {
    case 0:
    case 1: return run<3>(args, call);
    case 2: return run<5>(args, call);
    case 3: return run<7>(args, call);
    default: return run<9>(args, call);
  }
}

}  // namespace cuesta
