// Strategy `mma-separable`: factors without signs (Gaussians, boxes) as two int8 tensor-core
// products, from tiles in shared memory (cuda/tensor_tile.cuh); sums across never leave registers.
//
//   H (16 columns x 8 rows)   = band of taps (16 x 32 or 48) . samples (32 or 48 of a row x 8 rows)
//   out (16 rows x 8 columns) = band of taps (16 x 32 or 48) . H, its bytes apart: low, high
//
// A sum of u8 across is at most 65,280 and so two bytes; of 256 . high + low + 2^15 the third byte
// is a Gaussian's result. (u16 samples are two planes of bytes; their sums have three bytes.) The
// first product's columns are dealt so that lane t of four makes 8 neighbouring ones of a warp's 32
// by two of them; both take the same words of a row, K = 48 or 64 samples of it. H comes out with
// rows in a lane's registers, which is the second product's B with K dealt in that order. A warp
// marches down 16 rows a step and keeps H of the last one or two. More channels are wider rows and
// taps further apart.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/factors.hpp"
#include "ops/convolve/cuda/mma_lane.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;
using namespace convolve_mma;

/// Two copies of the bands to shared memory, by all threads of the block.
template <int Threads>
__device__ __forceinline__ void copy_twice(const Bands& bands, Bands (&taps)[2]) {
  constexpr int count = sizeof bands / 4;
  for (int i = int(threadIdx.x); i < 2 * count; i += Threads)
    reinterpret_cast<uint32_t*>(taps)[i] = reinterpret_cast<const uint32_t*>(&bands)[i % count];
}

template <class T, class K>
__global__ void __launch_bounds__(32 * K::warps, K::blocks)
    mma_separable_kernel(const __grid_constant__ SeparableRequest<T> q, int rows, int stage_at,
                         const __grid_constant__ Bands bands) {
  using S = Shape<K::before>;
  using Tile = typename K::template Tile<T>;
  constexpr int size = sizeof(T);
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ Tile in;
  __shared__ Bands taps[2];
  const int32_t left = int32_t(blockIdx.x) * K::columns;
  const uint32_t y0 = cuda::block_row() * uint32_t(rows);
  if (y0 >= uint32_t(q.src.height)) return;
  const auto top = int32_t(y0), here = min(rows, q.src.height - top);
  in.init();
  // Of the rows that H wants, those that results need; taps of others are 0.
  const int above = q.anchor_y, below = q.height - 1 - above, skipped = K::before - above;
  in.template fetch<K::aligned>(q, tile + skipped * Tile::pitch, left, top - above,
                                here + above + below, skipped);
  copy_twice<32 * K::warps>(bands, taps);
  __syncthreads();
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  Fragments<K::before> band;
  band.fill(taps[0], taps[1], g, t);
  in.wait(0);
  const int32_t warp_left = left + warp_columns * warp;
  if (!K::staged && warp_left >= q.src.width) return;
  uint8_t* stage = tile + stage_at;
  // A row's samples from K::before to the left of the warp's on; a lane's are every fourth four.
  const uint8_t* from = tile + g * Tile::pitch + (warp_columns * warp + 4 * t) * size +
                        (K::aligned ? (16 - K::before * size % 16) % 16 : 0);
  const bool whole = q.src.width - warp_left >= warp_columns;
  Lane<T, K> own{{q, stage, top, here, warp_left, warp, g, t, whole}, in, band, from, g};
  Sums<T, S::groups> sums;
#pragma unroll
  for (int i = 0; i + 1 < S::groups; ++i) own.take(sums, i);
#pragma unroll 1
  for (int32_t at = 0; at < here; at += S::groups * step_rows) {
#pragma unroll
    for (int turn = 0; turn < S::groups; ++turn) {
      if (turn && at + turn * step_rows >= here) break;
      own.take(sums, (turn + S::groups - 1) % S::groups);
      own.emit(sums, turn, at + turn * step_rows);
    }
  }
  if constexpr (K::staged) {
    static_assert(size == 1);
    __syncthreads();
    Stage<T, K::columns>::template leave<K::warps>(stage, q.dst, left, top, here);
  }
}

template <class T, class K>
void launch(const SeparableRequest<T>& q, const Bands& bands, int rows, cudaStream_t stream) {
  const auto kernel = mma_separable_kernel<T, K>;
  const dim3 grid =
      cuda::grid_of(cuda::blocks(q.src.width, K::columns), cuda::blocks(q.src.height, rows));
  const int whole_rows = (rows + step_rows - 1) / step_rows * step_rows;
  const int stage_at = (whole_rows + 2 * K::before) * K::template Tile<T>::pitch;
  const size_t shared =
      size_t(stage_at) + (K::staged ? whole_rows * Stage<T, K::columns>::pitch : 0);
  // Also below 48 KB, which what the kernel declares itself counts into.
  cuda::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
      "convolve");
  cuda::launch("convolve", kernel, grid, dim3(32 * K::warps), shared, stream, q, rows, stage_at,
               bands);
}

/// Rows that a block makes, as in cuda/tensor_stencil.cuh. H200, 2026-11-22, 16 to 128 rows tried
/// at 1024 x 1024 and 8192 x 8192: those of the fastest; between, by the number of blocks.
int rows_of_block(int64_t pixels) {
  if (pixels < 3 << 19) return 16;  // 1024 x 1024 and less
  if (pixels < 1 << 23) return 32;  // 2048 x 2048
  return pixels < 1 << 25 ? 64 : 96;
}

template <class T>
void run(const ConvolveArgs& args, Call& call) {
  const SeparableRequest<T> q(args);
  Bands bands{};
  for (int32_t i = 0; i < args.width; ++i) {
    bands.across[Bands::centre + (i - args.anchor_x) * q.channels] =
        uint8_t(args.integers.row[size_t(i)]);
  }
  for (int32_t j = 0; j < args.height; ++j)
    bands.down[Bands::centre + j - args.anchor_y] = uint8_t(args.integers.column[size_t(j)]);
  const auto with = [&](auto q16) {
    const auto with_reach = [&](auto before) {
      // H200, 2026-11-22, 8192 x 8192: Gaussian 15 x 15 of u8 takes 1.49 copies with three blocks
      // and 1.61 with four, whose registers spill.
      constexpr int blocks = sizeof(T) == 1 ? 3 : 2;
      const int rows = rows_of_block(int64_t(q.src.width) * q.src.height);
      const auto stream = cuda::stream_of(call);
      // Pictures may be beside multiples of 16 bytes alike; bulk copies want the multiples.
      const bool aligned = q.is_aligned() && reinterpret_cast<uintptr_t>(q.src.data) % 16 == 0;
      if (aligned)
        return launch<T, Kind<before(), q16(), Leaving::vectors, 8, blocks>>(q, bands, rows,
                                                                             stream);
      // H200, 2026-11-24, u8 at 8189 x 8192, times as long as aligned rows: 15 x 15 takes 2.38 by
      // words and 1.82 staged, 31 x 31 2.02 and 1.67; with 32 rows a block 2.15 and 2.10. At 1021 x
      // 1024 31 x 31 takes 1.30 and 1.50. u16 has no room for it: 1.52 and 2.42.
      if constexpr (sizeof(T) == 1) {
        if (rows >= 64)
          return launch<T, Kind<before(), q16(), Leaving::staged, 8, blocks>>(q, bands, rows,
                                                                              stream);
      }
      launch<T, Kind<before(), q16(), Leaving::words, 8, blocks>>(q, bands, rows, stream);
    };
    reach_of(args) <= 8 ? with_reach(std::integral_constant<int, 8>())
                        : with_reach(std::integral_constant<int, 16>());
  };
  is_q16(args) ? with(std::true_type()) : with(std::false_type());
  clear_void(q, call);
}

}  // namespace

std::string_view convolve_cuda::mma_separable_takes(const ConvolveArgs& args, const Parameters&) {
  if (reach_of(args) > 16) return "windows that reach more than 16 samples";
  if (const auto why = factors_take(args); !why.empty()) return why;
  return tiled_rows_take(args);
}

void convolve_cuda::mma_separable(const ConvolveArgs& args, Call& call) {
  args.src.type == PixelType::u8 ? run<uint8_t>(args, call) : run<uint16_t>(args, call);
}

}  // namespace cuesta
