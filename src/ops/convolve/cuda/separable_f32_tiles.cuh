// Strategy `separable-f32`, square windows of 1, 3 or 4 channels whose factors have no tap of 0:
// from tiles in shared memory (cuda/tensor_tile.cuh).
//
// A thread a column makes 16 sums down at a time: a sample is read once for all of them, and they
// take the place of the samples above, which nothing needs any more. Then a thread sums across for
// eight columns of a row, for twelve of more channels, whose taps are as many samples apart. All
// taps of a factor are in uniform registers, so that an FFMA brings nothing else. Rows around a
// block are read by the next one again, and sums of 30 columns of 254 made there again; nothing
// else is done twice.
//
// Bound by FFMA, 2 K a pixel, and by what shared memory delivers. Lanes meet in no bank: rows are
// an odd number of 16 bytes apart, and lanes of eight columns read two rows together; twelve
// columns are an odd number of 16 bytes.
#pragma once

#include "cuda/any_alignment.cuh"
#include "cuda/instructions.cuh"
#include "cuda/row_words.cuh"
#include "cuda/tensor_tile.cuh"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/separable_f32.hpp"

namespace cuesta::convolve_cuda::separable_tiles {

constexpr int warps = 8, threads = 32 * warps;
constexpr int rows_at_once = 16;  // of a thread going down
/// (H200, 2026-11-22, 8192², 31 taps, times an f32 copy: 32 rows, three blocks a multiprocessor
/// 1.75, 64 rows and two blocks 1.83.)
constexpr int block_rows = 32, resident = 3;

/// A window of K × K pixels: how far it reaches to a side, in samples; the columns of a thread
/// going across, and of a block; its tile.
template <int K, int Channels>
struct Shape {
  static constexpr bool pairs_rows = Channels == 1;  // lanes of two rows read together
  static constexpr int reach = K / 2 * Channels;
  static constexpr int margin = Channels > 1 ? (reach + 3) / 4 * 4 : K > 31 ? 32 : 16;
  static constexpr int lane_columns = Channels == 1 ? 8 : 12;
  static constexpr int own_columns = (threads - 2 * margin) / lane_columns * lane_columns;
  static_assert(reach <= margin && own_columns > 2 * lane_columns);
  using Tile = cuda::tensor::Tile<float, own_columns, margin, 16, warps>;
};

template <int K>
struct Factors {
  float column[K], row[K];
};

/// The first phase, a thread a column: sums down of rows [0, here), which take the place of
/// samples.
template <int K, int Channels, bool Aligned>
__device__ __forceinline__ void sum_columns(const uint8_t* row_shift, uint8_t* tile, int here,
                                            const Factors<K>& taps) {
  using S = Shape<K, Channels>;
  constexpr int pitch = S::Tile::pitch;
  const int column = int(threadIdx.x);
  const bool summed =
      column >= S::margin - S::reach && column < S::own_columns + S::margin + S::reach;
#pragma unroll 1
  for (int y = 0; y < here; y += rows_at_once) {
    uint8_t* at = tile + y * pitch + 4 * column;
    float sum[rows_at_once] = {};
    if (summed) {
#pragma unroll
      for (int r = 0; r < rows_at_once + K - 1; ++r) {
        // Rows past the last have no shift: whatever is there, in whole samples.
        const int shift = Aligned ? 0 : row_shift[y + r] & 12;
        const float v = *reinterpret_cast<const float*>(at + r * pitch + shift);
#pragma unroll
        for (int i = 0; i < rows_at_once; ++i)
          if (r >= i && r - i < K) sum[i] = __fmaf_rn(taps.column[r - i], v, sum[i]);
      }
    }
    // Samples that are not in their own place are other threads'.
    if (!Aligned) __syncthreads();
    if (summed) {
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) *reinterpret_cast<float*>(at + i * pitch) = sum[i];
    }
  }
}

/// The second phase's sums across, of the columns that begin at `at`.
template <int K, int Channels, int Columns>
__device__ __forceinline__ void sum_across(const float4* at, const Factors<K>& taps,
                                           float (&sum)[Columns]) {
  using S = Shape<K, Channels>;
#pragma unroll
  for (int m = (S::margin - S::reach) / 4; m <= (S::margin + Columns - 1 + S::reach) / 4; ++m) {
    const float4 four = at[m];
    const float v[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int e = 0; e < 4; ++e) {
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        const int apart = 4 * m + e - S::margin - c + S::reach, k = apart / Channels;
        if (apart >= 0 && apart % Channels == 0 && k < K)
          sum[c] = __fmaf_rn(taps.row[k], v[e], sum[c]);
      }
    }
  }
}

/// What the picture's border and the request make of results at (x, y) and on.
template <int Columns>
__device__ __forceinline__ void finish(const FloatRequest& q, int32_t x, int32_t y,
                                       float (&sum)[Columns]) {
  if (!q.changes) return;
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    sum[c] = q.is_void_row(y) || q.is_void_sample(x + c) ? 0.0f
                                                         : q.finish.template sample<float>(sum[c]);
}

template <int K, int Channels, bool Aligned>
__global__ void __launch_bounds__(threads, resident)
    separable_f32_tiles_kernel(const __grid_constant__ FloatRequest q, int rows,
                               const __grid_constant__ Factors<K> taps) {
  using S = Shape<K, Channels>;
  constexpr int rows_above = K / 2, pitch = S::Tile::pitch, lane_columns = S::lane_columns;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ typename S::Tile in;
  const int32_t left = int32_t(blockIdx.x) * S::own_columns;
  const int64_t y0 = int64_t(cuda::block_row()) * rows;
  if (y0 >= q.src.height) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  in.init();
  in.template fetch<Aligned>(q, tile, left, top - rows_above, here + 2 * rows_above);
  __syncthreads();
  in.wait(0);
  sum_columns<K, Channels, Aligned>(in.shift, tile, here, taps);
  __syncthreads();

  constexpr int groups = S::own_columns / lane_columns;
  constexpr bool in_pairs = Aligned && S::pairs_rows;  // where lanes store alone
  const int tasks = (here + 1) / 2 * 2 * groups, lane = int(threadIdx.x) % 32;
  // Whole warps, since lanes side by side store together.
#pragma unroll 1
  for (int i = int(threadIdx.x); i - lane < tasks; i += threads) {
    const int y = in_pairs ? i / (2 * groups) * 2 + i % 2 : i / groups;
    const int group = in_pairs ? i % (2 * groups) / 2 : i % groups;
    float sum[lane_columns] = {};
    sum_across<K, Channels>(
        reinterpret_cast<const float4*>(tile + y * pitch) + lane_columns / 4 * group, taps, sum);
    const int32_t x = left + lane_columns * group, room = q.src.width - x;
    const bool wanted = i < tasks && y < here, whole = wanted && room >= lane_columns;
    const int32_t to_row = top + (wanted ? y : 0);
    finish(q, x, to_row, sum);
    float* to = q.dst.row(to_row) + x;
    if constexpr (Aligned) {
      if (whole) {
#pragma unroll
        for (int c = 0; c < lane_columns; c += 4)
          *reinterpret_cast<float4*>(to + c) =
              make_float4(sum[c], sum[c + 1], sum[c + 2], sum[c + 3]);
      }
    } else {
      uint32_t words[lane_columns];
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) words[c] = __float_as_uint(sum[c]);
      cuda::store_run<lane_columns>(to, words, lane == 0 || group == 0,
                                    lane == 31 || group == groups - 1 || room < 2 * lane_columns,
                                    whole);
    }
    if (!wanted || whole) continue;
#pragma unroll
    for (int c = 0; c < lane_columns; ++c)
      if (c < room) to[c] = sum[c];
  }
}

template <int K, int Channels, bool Aligned>
void launch(const FloatRequest& q, const Factors<K>& taps, Call& call) {
  using S = Shape<K, Channels>;
  // Fewer rows where the GPU would not be full.
  int rows = block_rows;
  const unsigned across = cuda::blocks(q.src.width, S::own_columns);
  while (rows > 16 && int64_t(across) * cuda::blocks(q.src.height, rows) <
                          int64_t(resident) * cuda::multiprocessors())
    rows /= 2;
  const size_t shared =
      size_t((rows + rows_at_once - 1) / rows_at_once * rows_at_once + K - 1) * S::Tile::pitch;
  const auto kernel = separable_f32_tiles_kernel<K, Channels, Aligned>;
  cuda::allow_shared(kernel, shared, "convolve");
  cuda::launch("convolve", kernel, cuda::grid_of(across, cuda::blocks(q.src.height, rows)),
               dim3(threads), shared, cuda::stream_of(call), q, rows, taps);
}

template <int K, int Channels>
void run(const ConvolveArgs& args, Call& call) {
  const FloatRequest q(args);
  Factors<K> taps;
  std::copy_n(args.floats.column.begin(), K, taps.column);
  std::copy_n(args.floats.row.begin(), K, taps.row);
  if (cuda::has_word_rows(args.src, 16) && cuda::has_word_rows(args.dst, 16))
    launch<K, Channels, true>(q, taps, call);
  else
    launch<K, Channels, false>(q, taps, call);
}

/// Windows of 3 to max_taps_of_many taps.
template <int Channels>
void run_of_channels(const ConvolveArgs& args, Call& call) {
  switch (args.width) {
    case 3: return run<3, Channels>(args, call);
    case 5: return run<5, Channels>(args, call);
    case 7: return run<7, Channels>(args, call);
    case 9: return run<9, Channels>(args, call);
    case 11: return run<11, Channels>(args, call);
    case 13: return run<13, Channels>(args, call);
    case 15: return run<15, Channels>(args, call);
    case 17: return run<17, Channels>(args, call);
    case 19: return run<19, Channels>(args, call);
    case 21: return run<21, Channels>(args, call);
    case 23: return run<23, Channels>(args, call);
    default: return run<25, Channels>(args, call);
  }
}

}  // namespace cuesta::convolve_cuda::separable_tiles
