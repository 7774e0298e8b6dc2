// Strategy `tiles`: f32, every aperture and output, from tiles in shared memory
// (cuda/tensor_tile.cuh), which bring what is outside the picture.
//
// A lane marches down four columns of its block's tile and adds each row, read once, to the sums
// down the columns that it belongs to. Those stay in registers, of the columns beside its own too;
// the ones that a row completes are summed across. So every operation is the definition's, in its
// order.
#include "cuda/float_tiles.cuh"
#include "cuda/instructions.cuh"
#include "cuda/row_words.cuh"
#include "cuda/tensor_tile.cuh"
#include "cuda/tile_rows.hpp"
#include "ops/sobel/cuda.hpp"
#include "ops/sobel/outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

constexpr int warps = 4, lane_columns = 4, margin = 4, max_rows = 16;
constexpr int block_columns = 32 * warps * lane_columns;

using Tile = cuda::tensor::Tile<float, block_columns, margin, 16, warps>;

struct TileRequest : cuda::tensor::StencilRequest<float, float> {
  SobelOutputs out;
  Norm norm;

  explicit TileRequest(const SobelArgs& args)
      : StencilRequest{args.src.as<float, Space::device>(),
                       {},
                       args.options.border.mode,
                       border_sample<float>(args.options.border)},
        out(args.out),
        norm(args.options.norm) {}
};

/// Sums down the columns of a lane and `K / 2` beside them, of rows that more will follow.
template <int K>
struct ColumnSums {
  static constexpr int columns = lane_columns + K / 2 * 2;
  float smooth[K - 1][columns] = {}, derive[K - 1][columns] = {};

  /// Adds a row to the sums that it belongs to, and returns the gradients that it completes.
  __device__ __forceinline__ void take(const float (&row)[columns], float (&gx)[lane_columns],
                                       float (&gy)[lane_columns]) {
    constexpr auto taps = gradient::taps(K);
    float smoothed[columns], derived[columns];
#pragma unroll
    for (int j = K - 1; j >= 0; --j) {
#pragma unroll
      for (int i = 0; i < columns; ++i) {
        const int before = j > 0 ? j - 1 : 0, own = j < K - 1 ? j : 0;
        const float s = add_tap(j ? smooth[before][i] : 0.0f, taps.smoothing[j], row[i]);
        const float d = add_tap(j ? derive[before][i] : 0.0f, taps.derivative[j], row[i]);
        (j == K - 1 ? smoothed[i] : smooth[own][i]) = s;
        (j == K - 1 ? derived[i] : derive[own][i]) = d;
      }
    }
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      gx[c] = gy[c] = 0;
#pragma unroll
      for (int i = 0; i < K; ++i) {
        gx[c] = add_tap(gx[c], taps.derivative[i], smoothed[c + i]);
        gy[c] = add_tap(gy[c], taps.smoothing[i], derived[c + i]);
      }
    }
  }
};

/// Writes whatever is wanted of the gradients of a lane's columns, from (x, y) on.
template <bool Aligned>
__device__ __forceinline__ void store_columns(const TileRequest& q, int32_t x, int32_t y,
                                              const float (&gx)[lane_columns],
                                              const float (&gy)[lane_columns]) {
  const auto put = [&](const AnyView& out, auto&& value) {
    float values[lane_columns];
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) values[c] = value(gx[c], gy[c]);
    cuda::store_samples<Aligned>(out.as<float, Space::device>().row(y) + x, values,
                                 q.src.width - x);
  };
  if (q.out.gx.data) put(q.out.gx, [](float own, float) { return with_one_nan(own); });
  if (q.out.gy.data) put(q.out.gy, [](float, float own) { return with_one_nan(own); });
  if (q.out.magnitude.data)
    put(q.out.magnitude, [&](float a, float b) { return magnitude(q.norm, a, b); });
  if (q.out.direction.data) put(q.out.direction, [](float a, float b) { return angle_of(a, b); });
}

template <int K, bool Aligned>
__global__ void __launch_bounds__(32 * warps, K == 7 ? 3 : 4)
    sobel_tiles(const __grid_constant__ TileRequest q, int rows) {
  constexpr int reach = K / 2, pitch = Tile::pitch;
  CUESTA_DYNAMIC_SHARED(__align__(128) uint8_t, tile);
  __shared__ Tile in;
  const int32_t left = int32_t(blockIdx.x) * block_columns;
  const int64_t first = int64_t(cuda::block_row()) * rows;
  if (first >= q.src.height) return;
  const auto top = int32_t(first), here = min(rows, q.src.height - top);
  in.init();
  in.template fetch<Aligned>(q, tile, left, top - reach, here + 2 * reach);
  __syncthreads();
  in.wait(0);
  const int32_t own = lane_columns * int32_t(threadIdx.x), x = left + own;
  // Whole warps leave, since lanes side by side store together.
  if (x - lane_columns * int32_t(threadIdx.x % 32) >= q.src.width) return;
  ColumnSums<K> sums;
#pragma unroll 1
  for (int r = 0; r < here + 2 * reach; ++r) {
    float row[ColumnSums<K>::columns], gx[lane_columns], gy[lane_columns];
    cuda::load_samples<lane_columns, reach, margin, Aligned>(
        tile + r * pitch + int(sizeof(float)) * own, Aligned ? 0 : in.shift[r] & 12, row);
    sums.take(row, gx, gy);
    if (r < 2 * reach) continue;
    const int32_t y = top + r - 2 * reach;
    if (q.mode == BorderMode::ignore) {
      const bool no_row = y < reach || y + reach >= q.src.height;
#pragma unroll
      for (int c = 0; c < lane_columns; ++c)
        if (no_row || x + c < reach || x + c + reach >= q.src.width) gx[c] = gy[c] = 0;
    }
    store_columns<Aligned>(q, x, y, gx, gy);
  }
}

template <int K, bool Aligned>
void launch(const SobelArgs& args, Call& call) {
  // Fewer rows where the GPU would not be full.
  const unsigned across = cuda::blocks(args.src.width, block_columns);
  int rows = max_rows;
  while (rows > 4 && int64_t(across) * cuda::blocks(args.src.height, rows) <
                         int64_t(4) * cuda::multiprocessors())
    rows /= 2;
  const size_t shared = size_t(rows + K - 1) * Tile::pitch;
  const auto kernel = sobel_tiles<K, Aligned>;
  cuda::allow_shared(kernel, shared, "sobel");
  cuda::launch("sobel", kernel, cuda::grid_of(across, cuda::blocks(args.src.height, rows)),
               dim3(32 * warps), shared, cuda::stream_of(call), TileRequest(args), rows);
}

}  // namespace

std::string_view sobel_cuda::tiles_support(const SobelArgs& args, const Parameters&) {
  if (args.src.type != PixelType::f32) return "sources but f32";
  return cuda::tiles_take(args.src);
}

void sobel_cuda::tiles(const SobelArgs& args, Call& call) {
  bool aligned = cuda::has_word_rows(args.src, 16);
  for (const ConstAnyView out : {args.out.gx, args.out.gy, args.out.magnitude, args.out.direction})
    aligned = aligned && cuda::has_word_rows(out, 16);
  for_aperture(args, [&](auto k) {
    aligned ? launch<k(), true>(args, call) : launch<k(), false>(args, call);
  });
}

}  // namespace cuesta
