// Strategy `tiles-f32`: f32 windows up to 15 x 15, of 3 and 4 channels up to 9 x 9, not separated,
// in the definition's order of additions, from tiles in shared memory (cuda/tensor_tile.cuh), which
// bring what is outside the picture.
//
// A lane makes a few columns of a few rows: a row of samples, read from the tile once, is added to
// the sums of all of those rows, which stay in registers. Taps come by uniform registers, one for
// all columns. Taps of 3 and 4 channels are that many samples apart; lanes of 12 columns read from
// different banks. Even windows, and two channels, are in the next odd square; taps of 0, which the
// definition leaves out, are multiplied all the same where that does not show (zero_taps.hpp), and
// rows where it may are made once more without them.
//
// 3 x 3 and 5 x 5 are bound by memory, 9 x 9 by FFMA: 81 a pixel, and as few instructions more as
// registers for more rows would make it, but then fewer warps are there: four rows 1.87 copies, two
// 1.67 (H200, 2026-11-22, 8192²).
#pragma once

#include "cuda/float_tiles.cuh"
#include "cuda/instructions.cuh"
#include "cuda/row_words.cuh"
#include "cuda/tensor_tile.cuh"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/tiles_f32.hpp"
#include "ops/convolve/cuda/zero_taps.hpp"

namespace cuesta::convolve_cuda::float_tiles {

constexpr int warps = 4;

/// What was best of those tried for a window: columns and rows of a lane at a time, blocks of a
/// multiprocessor. (H200, 2026-11-22, 8192², times an f32 copy, rows of a block: 3 x 3 16 1.09, 48
/// 1.11; 5 x 5 16 1.11, 48 1.12; 7 x 7 16 1.22, 48 1.37; 9 x 9 16 1.67, 32 1.70.)
template <int Columns, int Rows, int Blocks>
struct Policy {
  static constexpr int columns = Columns, rows = Rows, blocks = Blocks;
};
template <int K, int Channels>
struct Chosen : Policy<12, 2, 5> {};
template <int K>
struct Chosen<K, 1> : Policy<8, 2, 8> {};
template <>
struct Chosen<3, 1> : Policy<4, 4, 8> {};
template <>
struct Chosen<5, 1> : Policy<4, 4, 8> {};
template <>
struct Chosen<7, 1> : Policy<8, 4, 5> {};
constexpr int block_rows = 16;

/// A window of K × K pixels: how far it reaches to a side, in samples, and a block's tile.
template <int K, int Channels>
struct Shape {
  using Own = Chosen<K, Channels>;
  static constexpr int side = K, channels = Channels, rows = Own::rows, columns = Own::columns;
  static constexpr int reach = K / 2 * Channels;
  static constexpr int margin = (reach + 3) / 4 * 4;
  using Tile = cuda::tensor::Tile<float, 32 * columns, margin, 16, warps>;
};

template <int K>
struct Window {
  float taps[K * K];
};

struct FloatTileRequest : FloatRequest {
  uint32_t least = 0;  // min_sample() of the taps

  using FloatRequest::FloatRequest;
};

/// Sums of a lane's columns of R rows, the first of whose windows begins in row `y` of the tile.
/// Gives, of zeros multiplied, whether a result may differ for it. It does where the sample is
/// infinite or no number, which makes the sum no number, and where the sum is −0, which only what
/// is lost below the smallest denormal leaves behind: nothing is where magnitudes are 0 or
/// FloatTileRequest::least and more.
template <class S, bool HasZeros, bool Aligned>
__device__ __forceinline__ bool sum_rows(const FloatTileRequest& q, const Window<S::side>& window,
                                         const uint8_t* shift, const uint8_t* tile, int y,
                                         int column, float (&sum)[S::rows][S::columns]) {
  constexpr int K = S::side, R = S::rows, C = S::columns, pitch = S::Tile::pitch;
  const uint8_t* at = tile + y * pitch + 4 * column;
  uint32_t least = ~0u;
#pragma unroll
  for (int i = 0; i < R; ++i)
#pragma unroll
    for (int c = 0; c < C; ++c) sum[i][c] = 0;
#pragma unroll
  for (int r = 0; r < R + K - 1; ++r) {
    float row[C + 2 * S::reach];
    cuda::load_samples<C, S::reach, S::margin, Aligned>(at + r * pitch,
                                                        Aligned ? 0 : shift[y + r] & 12, row);
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
          sum[i][c] = __fmaf_rn(window.taps[(r - i) * K + k], row[c + S::channels * k], sum[i][c]);
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
template <class S>
__device__ __forceinline__ void sum_rows_without_zeros(const Window<S::side>& window,
                                                       const uint8_t* tile, const uint8_t* shift,
                                                       int y, int column,
                                                       float (&sum)[S::rows][S::columns]) {
  constexpr int K = S::side, R = S::rows, C = S::columns;
#pragma unroll
  for (int i = 0; i < R; ++i) {
#pragma unroll
    for (int c = 0; c < C; ++c) sum[i][c] = 0;
#pragma unroll 1
    for (int j = 0; j < K; ++j) {
      const int r = y + i + j;
      const auto* row =
          reinterpret_cast<const float*>(tile + r * S::Tile::pitch + (shift ? shift[r] & 12 : 0)) +
          column + S::margin - S::reach;
#pragma unroll 1
      for (int k = 0; k < K; ++k) {
        const float tap = window.taps[j * K + k];
        if (tap == 0) continue;
#pragma unroll
        for (int c = 0; c < C; ++c) sum[i][c] = __fmaf_rn(tap, row[c + S::channels * k], sum[i][c]);
      }
    }
  }
}

template <int K, int Channels, bool HasZeros, bool Aligned>
__global__ void __launch_bounds__(32 * warps, Chosen<K, Channels>::blocks)
    tiles_f32_kernel(const __grid_constant__ FloatTileRequest q, int rows,
                     const __grid_constant__ Window<K> window) {
  using S = Shape<K, Channels>;
  constexpr int C = S::columns, R = S::rows;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ typename S::Tile in;
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
#pragma unroll 1
  for (int y = warp * R; y < here; y += warps * R) {
    float sum[R][C];
    const bool again = sum_rows<S, HasZeros, Aligned>(q, window, in.shift, tile, y, C * lane, sum);
    if (HasZeros && again)
      sum_rows_without_zeros<S>(window, tile, Aligned ? nullptr : in.shift, y, C * lane, sum);
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
      cuda::store_samples<Aligned>(q.dst.row(at) + x, sum[i], room);
    }
  }
}

template <int K, int Channels, bool HasZeros, bool Aligned>
void launch(const FloatTileRequest& q, const Window<K>& window, Call& call) {
  using S = Shape<K, Channels>;
  using P = typename S::Own;
  // Fewer rows where the GPU would not be full.
  const unsigned across = cuda::blocks(q.src.width, 32 * P::columns);
  int rows = block_rows;
  while (rows > 4 && int64_t(across) * cuda::blocks(q.src.height, rows) <
                         int64_t(P::blocks) * cuda::multiprocessors())
    rows /= 2;
  const int whole_rows = (rows + P::rows - 1) / P::rows * P::rows;
  const size_t shared = size_t(whole_rows + K - 1) * S::Tile::pitch;
  const auto kernel = tiles_f32_kernel<K, Channels, HasZeros, Aligned>;
  cuda::allow_shared(kernel, shared, "convolve");
  cuda::launch("convolve", kernel, cuda::grid_of(across, cuda::blocks(q.src.height, rows)),
               dim3(32 * warps), shared, cuda::stream_of(call), q, rows, window);
}

/// A window that reaches at most K / 2 columns of `Channels` samples, and as many rows.
template <int K, int Channels>
void run(const ConvolveArgs& args, Call& call) {
  FloatTileRequest q(args);
  Window<K> window{};
  bool zeros = false;
  const int32_t apart = args.src.channels / Channels;
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      const int at = (j + K / 2 - args.anchor_y) * K + (i - args.anchor_x) * apart + K / 2;
      window.taps[at] = args.floats.at(i, j, args.width);
    }
  }
  for (const float tap : window.taps) zeros |= tap == 0;
  q.least = min_sample(lowest_bit(window.taps));
  const auto with = [&](auto some) {
    if (cuda::has_word_rows(args.src, 16) && cuda::has_word_rows(args.dst, 16))
      launch<K, Channels, some(), true>(q, window, call);
    else
      launch<K, Channels, some(), false>(q, window, call);
  };
  zeros ? with(std::true_type()) : with(std::false_type());
}

/// 3 or 4 channels.
template <int Channels>
void run_of_channels(const ConvolveArgs& args, Call& call) {
  switch (columns_of(args)) {
    case 0:
    case 1: return run<3, Channels>(args, call);
    case 2: return run<5, Channels>(args, call);
    case 3: return run<7, Channels>(args, call);
    default: return run<9, Channels>(args, call);
  }
}

}  // namespace cuesta::convolve_cuda::float_tiles
