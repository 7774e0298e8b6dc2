// Strategy `fused`: one pass over memory. The paper's window
// with a threshold marches down columns of registers; everything else makes tiles in shared memory.
#include "cuda/instructions.cuh"
#include "cuda/row_words.cuh"
#include "ops/log/cuda.hpp"
#include "ops/log/kernels.cuh"

namespace cuesta {
namespace {

using namespace log_cuda;

// -- The paper's window, |L| against a threshold
// ---------------------------------------------------
//
// A thread owns four columns and marches down. All sums are integers below 2^24, so f32 holds them
// exactly at twice the rate of integer multiply-adds. g = 2 4 5 4 2 = 2 (1 0 1) * (1 1) * (1 1) +
// d, across and down: four operations a sample each way.
//
// Tuning (H200, 2026-11-21, 8192 x 8192): eight columns take fewer instructions (38 a pixel) but
// that many registers that too few warps hide the latency: 0.170 ms against 0.166.
constexpr int thread_columns = 4;
constexpr int block_threads = 128;

// 0xFF in byte 0 or 1 where the first or the second value is negative.
__device__ uint32_t signs(float first, float second) {
  return cuda::permute_bytes<0x00FB>(__float_as_uint(first), __float_as_uint(second));
}

// What the sums down `Columns` + 2 columns remember of earlier rows; even and odd rows take turns
// with what two rows back is requested, so that nothing moves between registers.
template <int Columns>
struct March {
  static constexpr int wide = Columns + 2;  // the Laplacian looks one to each side
  float across[2][wide] = {}, pair[wide] = {}, triple[2][wide] = {};
  float smooth[2][wide] = {}, step[Columns] = {};

  /// Takes row y; returns the edges of row y − 3.
  template <int Parity>
  __device__ void take(const cuda::RowWords<Columns>& row, float threshold,
                       uint32_t (&edges)[Columns / 4]) {
    constexpr int source = wide + 4;
    float v[source], sums[source];
#pragma unroll
    for (int i = 0; i < source; ++i) v[i] = row.biased(i - 3);
#pragma unroll
    for (int i = 0; i + 1 < source; ++i) sums[i] = v[i] + v[i + 1];
#pragma unroll
    for (int i = 0; i + 2 < source; ++i) sums[i] += sums[i + 1];
    float lower[wide];
#pragma unroll
    for (int i = 0; i < wide; ++i) {
      const float h = fmaf(2.0f, sums[i] + sums[i + 2], v[i + 2]);
      const float two = h + across[1 - Parity][i], three = two + pair[i];
      lower[i] = fmaf(2.0f, three + triple[Parity][i], across[Parity][i]);  // row y − 2, smoothed
      across[Parity][i] = h, pair[i] = two, triple[Parity][i] = three;
    }
    const float(&centre)[wide] = smooth[1 - Parity];
    float slack[Columns];
#pragma unroll
    for (int i = 0; i < Columns; ++i) {
      const float down = lower[i + 1] - centre[i + 1];
      const float response =
          (down - step[i]) + ((centre[i + 2] - centre[i + 1]) - (centre[i + 1] - centre[i]));
      step[i] = down;
      slack[i] = threshold - fabsf(response);
    }
#pragma unroll
    for (int i = 0; i < Columns / 4; ++i) {
      edges[i] = __byte_perm(signs(slack[4 * i], slack[4 * i + 1]),
                             signs(slack[4 * i + 2], slack[4 * i + 3]), 0x5410);
    }
#pragma unroll
    for (int i = 0; i < wide; ++i) smooth[Parity][i] = lower[i];
  }
};

template <bool Aligned, int Columns>
__global__ void __launch_bounds__(block_threads, Aligned ? 6 : 4)
    log_march(LogRequest q, int32_t rows) {
  const auto dst = q.dst.as<uint8_t, Space::device>();
  const float threshold = float(q.threshold);
  March<Columns> march;
  uint32_t edges[Columns / 4];
  const auto take = [&](auto parity, const cuda::RowWords<Columns>& row) {
    march.template take<parity()>(row, threshold, edges);
  };
  const auto store = [&](int32_t x0, int32_t y) {
    if (q.mode == BorderMode::ignore) {
#pragma unroll
      for (int i = 0; i < Columns; ++i)
        if (q.is_void(x0 + i, y)) edges[i / 4] &= ~(0xFFu << (i % 4 * 8));
    }
    cuda::store_bytes<Aligned, Columns>(dst, x0, y, edges);
  };
  cuda::march_down<cuda::Marching<Aligned, 3, block_threads, Columns>>(q, rows, take, store);
}

// -- Any window, any result -----------------------------------------------------------------------
//
// A block sums the taps down the columns of its tile and two samples around it from global memory
// (the cache holds what neighbours share), then across, then takes the Laplacian and the rule.
constexpr int tile_x = 32, tile_y = block_rows, apron = 2;

/// Sums of u16 samples pass 32 bits.
template <class T>
using Sum = std::conditional_t<sizeof(T) == 1, int32_t, int64_t>;

template <class T>
__global__ void log_tiles(LogRequest q, const __grid_constant__ log::Window window) {
  constexpr int wide = tile_x + 2 * apron, high = tile_y + 2 * apron;
  CUESTA_DYNAMIC_SHARED(int32_t, down);  // high rows of wide + size − 1
  __shared__ Sum<T> smooth[high][wide];
  const int32_t left = int32_t(blockIdx.x) * tile_x - apron;
  const int32_t top = int32_t(blockIdx.y) * tile_y - apron;
  const int size = window.size, half = size / 2, row = wide + size - 1;
  const int thread = int(threadIdx.y * tile_x + threadIdx.x), threads = tile_x * tile_y;
  for (int at = thread; at < high * row; at += threads) {
    const int32_t x = left - half + at % row, y = top - half + at / row;
    int32_t sum = 0;
    for (int j = 0; j < size; ++j) sum += window.taps[j] * q.sample<T>(x, y + j);
    down[at] = sum;
  }
  __syncthreads();
  for (int at = thread; at < high * wide; at += threads) {
    Sum<T> sum = 0;
    const int32_t* from = down + at / wide * row + at % wide;
    for (int i = 0; i < size; ++i) sum += Sum<T>(window.taps[i]) * from[i];
    smooth[at / wide][at % wide] = sum;
  }
  __syncthreads();
  const int32_t x = left + apron + int(threadIdx.x), y = top + apron + int(threadIdx.y);
  if (!q.inside(x, y)) return;
  const int i = threadIdx.x + apron, j = threadIdx.y + apron;
  q.store(x, y, [&](int dx, int dy) {
    const int cx = i + dx, cy = j + dy;
    return smooth[cy - 1][cx] + smooth[cy + 1][cx] + smooth[cy][cx - 1] + smooth[cy][cx + 1] -
           4 * smooth[cy][cx];
  });
}

}  // namespace

void log_cuda::fused(const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  const LogRequest q = request_of(args, window);
  const auto stream = cuda::stream_of(call);
  const bool marches = log::is_papers_window(args.options) && !q.crossings &&
                       args.src.type == PixelType::u8 && args.dst.type == PixelType::u8;
  if (marches) {
    const bool aligned = cuda::has_word_rows(args.src) && cuda::has_word_rows(args.dst);
    const int32_t rows = cuda::rows_to_march(args.src, block_threads * thread_columns, 8);
    cuda::launch("log",
                 aligned ? log_march<true, thread_columns> : log_march<false, thread_columns>,
                 cuda::tiles(args.src, block_threads * thread_columns, rows), dim3(block_threads),
                 0, stream, q, rows);
    return;
  }
  const size_t shared =
      size_t(tile_y + 2 * apron) * size_t(tile_x + 2 * apron + window.size - 1) * sizeof(int32_t);
  cuda::launch("log", args.src.type == PixelType::u8 ? log_tiles<uint8_t> : log_tiles<uint16_t>,
               cuda::tiles(args.src, tile_x, tile_y), dim3(tile_x, tile_y), shared, stream, q,
               window);
}

}  // namespace cuesta
