// Strategy `mma-separable`: any window up to 17 x 17, edges by a threshold, zero crossings and
// responses, of u8 and u16, by two products of matrices of bytes (gaussian_sums.cuh) whose results
// stay on the chip (laplacian_march.cuh).
//
// A block copies a tile of samples into shared memory; its warps march down it without waiting for
// each other, 16 rows a step. Where taps allow it (signed bytes; Gaussians from sigma 0.85 or so)
// edges come from g sᵀ + s gᵀ, s = g ∗ (1 −2 1), both sums across and both down: the responses of
// 64 columns, none of which needs a neighbour. Everything else sums g gᵀ alone over 128 columns,
// writes the sums to the warp's 16 rows of shared memory and reads them back row by row, four
// columns a lane, for the Laplacian and the rule: 8 columns in 128 and two to four rows of a block
// are there for their neighbours.
//
// What a warp keeps of the 16 rows before takes 32 registers of u8, 48 of u16: 16 and 12 warps a
// multiprocessor, and so bound by latency and by the integer pipe, which has half the rate of the
// others.
#include <limits>

#include "core/border_sample.hpp"
#include "cuda/instructions.cuh"
#include "cuda/row_words.cuh"
#include "cuda/shifted_words.cuh"
#include "cuda/tensor_cores.hpp"
#include "cuda/tensor_tile.cuh"
#include "cuda/tile_rows.hpp"
#include "ops/log/cuda.hpp"
#include "ops/log/gaussian_sums.cuh"
#include "ops/log/laplacian_march.cuh"
#include "ops/log/window.hpp"

namespace cuesta {
namespace {

using namespace log_cuda;

template <class T, class Out>
struct ProductRequest : cuda::tensor::StencilRequest<T, Out> {
  int32_t radius;     // of the whole window where the border is `ignore`, else 0
  int32_t parameter;  // of the rule
};

template <class T, class Rows, int Warps>
using TileOf = cuda::tensor::Tile<T, Rows::own_columns * Warps, 16, 16 * int(sizeof(T)), Warps>;

/// Four results, those that the picture has.
__device__ __forceinline__ void store_some(uint8_t* to, uint32_t word, int count) {
#pragma unroll
  for (int i = 0; i < lane_columns; ++i)
    if (i < count) to[i] = uint8_t(word >> 8 * i);
}
__device__ __forceinline__ void store_some(int32_t* to, const int4& v, int count) {
  if (count > 0) to[0] = v.x;
  if (count > 1) to[1] = v.y;
  if (count > 2) to[2] = v.z;
  if (count > 3) to[3] = v.w;
}

/// A lane of a warp that marches down: its columns, and the result that the next row completes.
template <class T, class Rows, bool Aligned>
struct ProductLane {
  using Out = typename Rows::Out;
  static constexpr int apron = Rows::apron, side = Rows::side, own_columns = Rows::own_columns;
  // Lanes that have a row of results, and rows that a warp has at once.
  static constexpr int row_lanes = (own_columns + 2 * side) / lane_columns,
                       at_once = 32 / row_lanes;
  const ProductRequest<T, Out>& q;
  Rows& made;
  int32_t top, here;  // rows of the block
  int32_t x, own_x;   // in the picture, and among the warp's own
  bool own;           // it has results
  int row;
  uint8_t* to;
  ptrdiff_t down;

  /// The results of the sums that are there. All lanes of the warp call it. `Rim`: some of what
  /// they see may be no response, or be none to write.
  template <bool Rim>
  __device__ void descend() {
    constexpr int unrolled = (Rim ? 2 : 4) * at_once;
    uint32_t inner = ~0u;
    int count = lane_columns;
    if constexpr (Rim) {
      inner = 0;
#pragma unroll
      for (int i = 0; i < lane_columns; ++i)
        if (x + i >= q.radius && x + i < q.src.width - q.radius) inner |= 0xFFu << 8 * i;
      count = own ? min(q.src.width - x, lane_columns) : 0;
    }
#pragma unroll 1
    for (int part = 0; part < sum_rows; part += unrolled)
#pragma unroll
      for (int r = 0; r < unrolled; r += at_once) {
        uint32_t keep = inner;
        if constexpr (Rim) {
          const int32_t y = top + row + (apron ? apron - 1 : 0);  // of the response
          if (y < q.radius || y >= q.src.height - q.radius) keep = 0;
        }
        const auto results = made.row(part, r, keep);
        const bool wanted = uint32_t(row) < uint32_t(here);
        auto* at = reinterpret_cast<Out*>(to);
        if constexpr (Rim) {
          if (wanted) store_some(at, results, count);
        } else if constexpr (Aligned) {
          if (wanted && own) *reinterpret_cast<typename Rows::Results*>(at) = results;
        } else if constexpr (sizeof(Out) == 1) {
          const uint32_t word[1] = {results};
          const uint32_t before = __shfl_up_sync(0xFFFFFFFF, results, 1);
          if (wanted && own)
            cuda::store_shifted(at, word, before, own_x == 0, own_x == own_columns - lane_columns);
        } else {
          if (wanted && own) store_some(at, results, lane_columns);
        }
        to += down;
        row += at_once;
      }
  }
};

template <class T, class Rows, bool Aligned, int Warps, int Blocks>
__global__ void __launch_bounds__(32 * Warps, Blocks)
    log_products(const __grid_constant__ ProductRequest<T, typename Rows::Out> q, int rows,
                 int steps, const __grid_constant__ log::Bands bands) {
  using Tile = TileOf<T, Rows, Warps>;
  constexpr int apron = Rows::apron, side = Rows::side, own_columns = Rows::own_columns;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ Tile in;
  const int32_t left = int32_t(blockIdx.x) * (own_columns * Warps);
  const int64_t first = int64_t(cuda::block_row()) * rows;
  if (first >= q.src.height) return;
  const auto top = int32_t(first), here = min(rows, q.src.height - top);
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
  Rows made(q.parameter, reinterpret_cast<int32_t*>(tile + sum_rows * (steps + 1) * Tile::pitch) +
                             warp * Rows::chunk_words);
  steps = (here + 2 * apron + sum_rows - 1) / sum_rows;
  made.load(bands);
  in.init();
  in.template fetch<Aligned>(q, tile, left, top - apron - log::band_reach, sum_rows * (steps + 1));
  __syncthreads();
  in.wait(0);
  const int32_t x0 = left + own_columns * warp;  // the first of the warp's own
  if (x0 >= q.src.width) return;
  using Lane = ProductLane<T, Rows, Aligned>;
  const int32_t x = x0 - side + lane_columns * (lane % Lane::row_lanes), own_x = x - x0;
  const bool has_results = uint32_t(own_x) < uint32_t(own_columns);
  const bool rim =
      __any_sync(~0u, q.radius > 0 || x0 == 0 || top == 0 || top + here == q.src.height ||
                          x0 + own_columns + side > q.src.width);
  // Of the result that the next row completes.
  const int row = lane / Lane::row_lanes - 2 * apron;
  auto* to = reinterpret_cast<uint8_t*>(q.dst.row(top) + x) + row * q.dst.stride_bytes;
  const ptrdiff_t down = Lane::at_once * q.dst.stride_bytes;
  Lane own{q, made, top, here, x, own_x, has_results, row, to, down};
  const auto samples = [&](int step, int upper) {
    const int r = sum_rows * step + 8 * upper + g;
    const int shift = Aligned ? ((left - 16) * int(sizeof(T))) & 15 : in.shift[r];
    return RowSamples<T, Aligned>(tile + r * Tile::pitch + shift +
                                  (own_columns * warp + 8 - side + 4 * t) * int(sizeof(T)));
  };
  made.template take<true>(samples(0, 0), samples(0, 1));
#pragma unroll 1
  for (int step = 1; step <= steps; ++step) {
    made.template take<false>(samples(step, 0), samples(step, 1));
    __syncwarp();
    rim ? own.template descend<true>() : own.template descend<false>();
    __syncwarp();
  }
}

/// Steps of 16 rows that a block makes: few, where the picture is small, so that it fills the GPU;
/// more, where it is large, since what is around is read and summed again. H200, 2026-11-22,
/// squares of 512 to 8192 a side, 1 to 4 steps (at 8192 to 8): those of the fastest, or within 0.06
/// copies of it.
template <class Rows>
int steps_of(int64_t pixels) {
  if (pixels < 1 << 21) return 1;                         // 1024 x 1024 and less
  if (pixels < 1 << 23) return 2;                         // 2048 x 2048
  if (pixels < 1 << 25) return Rows::apron == 0 ? 3 : 2;  // 4096 x 4096
  return Rows::apron == 0 ? 4 : 3;
}

template <class T, class Rows, bool Aligned, int Warps, int Blocks>
void launch(const ProductRequest<T, typename Rows::Out>& q, const log::Bands& bands, Call& call) {
  using Tile = TileOf<T, Rows, Warps>;
  const int steps = steps_of<Rows>(int64_t(q.dst.width) * q.dst.height);
  const int rows = sum_rows * steps - 2 * Rows::apron;
  const dim3 grid = cuda::grid_of(cuda::blocks(q.src.width, Rows::own_columns * Warps),
                                  cuda::blocks(q.src.height, rows));
  const size_t shared = size_t(sum_rows) * size_t(steps + 1) * Tile::pitch +
                        size_t(Warps) * Rows::chunk_words * sizeof(int32_t);
  const auto kernel = log_products<T, Rows, Aligned, Warps, Blocks>;
  cuda::allow_shared(kernel, shared, "log");
  cuda::launch("log", kernel, grid, dim3(32 * Warps), shared, cuda::stream_of(call), q, rows, steps,
               bands);
}

template <class T, class Rows>
void run(const LogArgs& args, const log::ByteTaps& taps, int64_t parameter, Call& call) {
  using Out = typename Rows::Out;
  const Border& border = args.options.border;
  const ProductRequest<T, Out> q{
      {args.src.as<T, Space::device>(), args.dst.as<Out, Space::device>(), border.mode,
       border_sample<T>(border)},
      border.mode == BorderMode::ignore ? log::window(args.options).radius() : 0,
      int32_t(parameter)};
  const log::Bands bands = log::bands_of(taps);
  const bool aligned =
      cuda::has_word_rows(args.src, 16) && cuda::has_word_rows(args.dst, sizeof(Out) == 4 ? 16 : 4);
  constexpr int blocks = sizeof(T) == 1 ? 4 : 3;
  aligned ? launch<T, Rows, true, 4, blocks>(q, bands, call)
          : launch<T, Rows, false, 4, blocks>(q, bands, call);
}

template <class T>
void run(const LogArgs& args, Call& call) {
  constexpr bool far = sizeof(T) == 2;
  const log::Window window = log::window(args.options);
  const log::ByteTaps taps = log::byte_taps(window);
  const int64_t shared = int64_t(taps.factor) * taps.factor;
  const int64_t threshold = window.threshold / shared;
  const int64_t most = taps.most * std::numeric_limits<T>::max();
  if (args.dst.type == PixelType::s32)
    return run<T, LaplacianMarch<T, ResponseRule>>(args, taps, shared, call);
  // No two responses are further apart than 2 · most.
  if (args.options.mode == LogMode::zero_crossings)
    return run<T, LaplacianMarch<T, CrossingRule<far>>>(args, taps, std::min(threshold, 2 * most),
                                                        call);
  if (taps.bends)
    run<T, EdgeRows<T>>(args, taps, std::min(threshold, most), call);
  else
    run<T, LaplacianMarch<T, EdgeRule<far>>>(args, taps, std::min(threshold, most), call);
}

}  // namespace

void log_cuda::mma_separable(const LogArgs& args, Call& call) {
  args.src.type == PixelType::u8 ? run<uint8_t>(args, call) : run<uint16_t>(args, call);
}

std::string_view log_cuda::mma_separable_takes(const LogArgs& args, const Parameters&) {
  if (!cuda::multiplies_bytes()) return "GPUs below compute capability 8.0";
  if (const auto why = cuda::tiles_take(args.src); !why.empty()) return why;
  const log::ByteTaps taps = log::byte_taps(log::window(args.options));
  if (taps.size == 0) return "windows past 17 x 17";
  if (args.src.type == PixelType::u8) return {};
  constexpr int64_t end = int64_t(1) << 31;
  const int64_t shared = int64_t(taps.factor) * taps.factor, most = taps.most * 65535;
  if (most * (args.dst.type == PixelType::s32 ? shared : 1) >= end)
    return "u16 sources whose responses pass 31 bits";
  // Two responses are as far apart as twice the largest.
  return args.options.mode == LogMode::zero_crossings && 2 * most >= end &&
                 log::window(args.options).threshold / shared >= end
             ? "u16 sources with zero crossings whose threshold passes 31 bits"
             : std::string_view();
}

}  // namespace cuesta
