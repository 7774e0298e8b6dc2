// Strategy `separable-f32`, whole windows of one channel whose factors have no tap of 0: from tiles
// in shared memory (cuda/tensor_tile.cuh).
//
// A thread a column makes 16 sums down at a time: a sample is read once for all of them, and they
// take the place of the samples above, which nothing needs any more. Then a thread sums across for
// eight columns of a row. All taps of a factor are in uniform registers, so that an FFMA brings
// nothing else. Rows around a block are read by the next one again, and sums of 30 columns of 254
// made there again; nothing else is done twice.
//
// Bound by FFMA, 2 K a pixel, and by what shared memory delivers: rows are an odd number of 16
// bytes apart, and lanes of two rows read together, so that they meet in no bank.
#include "cuda/any_alignment.cuh"
#include "cuda/instructions.cuh"
#include "cuda/row_words.cuh"
#include "cuda/tensor_tile.cuh"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/flat_rows.cuh"
#include "ops/convolve/cuda/separable_f32.hpp"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int warps = 8, threads = 32 * warps, own_columns = 224, margin = 16;
static_assert(own_columns + 2 * margin == threads);
constexpr int rows_at_once = 16, lane_columns = 8;  // of a thread going down, and across
/// (H200, 2026-11-22, 8192², 31 taps, times an f32 copy: 32 rows, three blocks a multiprocessor
/// 1.75, 64 rows and two blocks 1.83.)
constexpr int block_rows = 32, resident = 3;

using Tile = cuda::tensor::Tile<float, own_columns, margin, 16, warps>;

template <int K>
struct Factors {
  float column[K], row[K];
};

/// The first phase, a thread a column: sums down of rows [0, here), which take the place of
/// samples.
template <int K, bool Aligned>
__device__ __forceinline__ void sum_columns(const Tile& in, uint8_t* tile, int here,
                                            const Factors<K>& taps) {
  constexpr int reach = K / 2, pitch = Tile::pitch;
  const int column = int(threadIdx.x);
  const bool summed = column >= margin - reach && column < own_columns + margin + reach;
#pragma unroll 1
  for (int y = 0; y < here; y += rows_at_once) {
    uint8_t* at = tile + y * pitch + 4 * column;
    float sum[rows_at_once] = {};
    if (summed) {
#pragma unroll
      for (int r = 0; r < rows_at_once + K - 1; ++r) {
        // Rows past the last have no shift: whatever is there, in whole samples.
        const int shift = Aligned ? 0 : in.shift[y + r] & 12;
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
template <int K>
__device__ __forceinline__ void sum_across(const float4* at, const Factors<K>& taps,
                                           float (&sum)[lane_columns]) {
  constexpr int reach = K / 2;
#pragma unroll
  for (int m = (margin - reach) / 4; m <= (margin + lane_columns - 1 + reach) / 4; ++m) {
    const float4 four = at[m];
    const float v[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int e = 0; e < 4; ++e) {
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) {
        const int k = 4 * m + e - margin - c + reach;
        if (k >= 0 && k < K) sum[c] = __fmaf_rn(taps.row[k], v[e], sum[c]);
      }
    }
  }
}

/// What the picture's border and the request make of results at (x, y) and on.
__device__ __forceinline__ void finish(const FloatRequest& q, int32_t x, int32_t y,
                                       float (&sum)[lane_columns]) {
  if (!q.changes) return;
#pragma unroll
  for (int c = 0; c < lane_columns; ++c)
    sum[c] = q.is_void_row(y) || q.is_void_sample(x + c) ? 0.0f
                                                         : q.finish.template sample<float>(sum[c]);
}

template <int K, bool Aligned>
__global__ void __launch_bounds__(threads, resident)
    separable_tiles(const __grid_constant__ FloatRequest q, int rows,
                    const __grid_constant__ Factors<K> taps) {
  constexpr int reach = K / 2, pitch = Tile::pitch;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ Tile in;
  const int32_t left = int32_t(blockIdx.x) * own_columns;
  const int64_t y0 = int64_t(cuda::block_row()) * rows;
  if (y0 >= q.src.height) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  in.init();
  in.template fetch<Aligned>(q, tile, left, top - reach, here + 2 * reach);
  __syncthreads();
  in.wait(0);
  sum_columns<K, Aligned>(in, tile, here, taps);
  __syncthreads();

  constexpr int groups = own_columns / lane_columns;
  const int tasks = (here + 1) / 2 * 2 * groups, lane = int(threadIdx.x) % 32;
  // Whole warps, since lanes side by side store together.
#pragma unroll 1
  for (int i = int(threadIdx.x); i - lane < tasks; i += threads) {
    // Where lanes store alone, those of two rows read in turn.
    const int y = Aligned ? i / (2 * groups) * 2 + i % 2 : i / groups;
    const int group = Aligned ? i % (2 * groups) / 2 : i % groups;
    float sum[lane_columns] = {};
    sum_across<K>(reinterpret_cast<const float4*>(tile + y * pitch) + lane_columns / 4 * group,
                  taps, sum);
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

template <int K, bool Aligned>
void launch(const FloatRequest& q, const Factors<K>& taps, Call& call) {
  // Fewer rows where the GPU would not be full.
  int rows = block_rows;
  const unsigned across = cuda::blocks(q.src.width, own_columns);
  while (rows > 16 && int64_t(across) * cuda::blocks(q.src.height, rows) <
                          int64_t(resident) * cuda::multiprocessors())
    rows /= 2;
  const size_t shared =
      size_t((rows + rows_at_once - 1) / rows_at_once * rows_at_once + K - 1) * Tile::pitch;
  const auto kernel = separable_tiles<K, Aligned>;
  cuda::allow_shared(kernel, shared, "convolve");
  cuda::launch("convolve", kernel, cuda::grid_of(across, cuda::blocks(q.src.height, rows)),
               dim3(threads), shared, cuda::stream_of(call), q, rows, taps);
}

template <int K>
void run(const ConvolveArgs& args, Call& call) {
  const FloatRequest q(args);
  Factors<K> taps;
  std::copy_n(args.floats.column.begin(), K, taps.column);
  std::copy_n(args.floats.row.begin(), K, taps.row);
  if (cuda::has_word_rows(args.src, 16) && cuda::has_word_rows(args.dst, 16))
    launch<K, true>(q, taps, call);
  else
    launch<K, false>(q, taps, call);
}

}  // namespace

bool convolve_cuda::separable_f32_tiles_takes(const ConvolveArgs& args) {
  const auto whole = [](std::span<const float> taps, int32_t anchor) {
    const size_t n = taps.size();
    return n % 2 == 1 && n >= min_tiled_taps && n <= 31 && anchor == int32_t(n) / 2 &&
           std::none_of(taps.begin(), taps.end(), [](float tap) { return tap == 0; });
  };
  return args.src.channels == 1 && args.width == args.height && tiled_rows_take(args).empty() &&
         whole(args.floats.row, args.anchor_x) && whole(args.floats.column, args.anchor_y);
}

void convolve_cuda::separable_f32_tiles(const ConvolveArgs& args, Call& call) {
  switch (args.width) {
    case 5: return run<5>(args, call);
    case 7: return run<7>(args, call);
    case 9: return run<9>(args, call);
    case 11: return run<11>(args, call);
    case 13: return run<13>(args, call);
    case 15: return run<15>(args, call);
    case 17: return run<17>(args, call);
    case 19: return run<19>(args, call);
    case 21: return run<21>(args, call);
    case 23: return run<23>(args, call);
    case 25: return run<25>(args, call);
    case 27: return run<27>(args, call);
    case 29: return run<29>(args, call);
    default: return run<31>(args, call);
  }
}

}  // namespace cuesta
