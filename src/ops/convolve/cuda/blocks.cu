// Strategy `blocks`: windows of any rank, type and number of channels that no other row takes, with
// sums in registers.
//
// A lane has 8 rows of 4 columns, 32 samples apart. Tiles in shared memory hold samples as floats,
// or as integers where sums need more than 24 bits. For each row of the tile and column of the
// window there are 4 samples and the 8 taps by which the lane's rows take them, in a table of their
// own: 32 products for 6 loads. Taps of 0 are left out, as the definition of f32 does, and so are
// those of rows that the window does not have.
//
// Windows whose tile and table exceed shared memory are taken some rows at a time, and those wider
// than that also some columns at a time; the order of the additions stays row by row.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/flat_rows.cuh"

#include "cuda/instructions.cuh"
#include "cuda/limits.hpp"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int lane_rows = 8, lane_columns = 4, block_columns = 32 * lane_columns, max_warps = 8;
constexpr int max_taps = 7936;  // of 4 bytes, with the rest of a launch's arguments
constexpr size_t shared_bytes =
    100 * 1024;  // of a block where it can be: two share a multiprocessor

template <class Sum, int Count>
struct Taps32 {
  Sum tap[Count];
};

/// How much of the window is taken at a time, and the row pitch of the tile.
struct Chunk {
  int32_t rows, columns, pitch;

  Chunk(int32_t rows_, int32_t columns_, int32_t channels)
      : rows(rows_), columns(columns_), pitch(block_columns + (columns_ - 1) * channels) {}
  __host__ __device__ int tile_rows(int warps) const { return warps * lane_rows + rows - 1; }
  __host__ __device__ int table_rows() const { return lane_rows + rows - 1; }
  size_t bytes(int warps) const {
    return 4 * (size_t(table_rows()) * size_t(columns) * lane_rows +
                size_t(tile_rows(warps)) * size_t(pitch));
  }
};

template <class T, class Out>
struct BlockRequest : FlatRequest<T, Out> {
  convolution::Finish finish;
  Chunk chunk;

  BlockRequest(const ConvolveArgs& args, Chunk chunk_)
      : FlatRequest<T, Out>(args), finish(args), chunk(chunk_) {}
};

__device__ __forceinline__ void multiply_add(float tap, const float (&v)[lane_columns],
                                             float (&sum)[lane_columns]) {
  if (tap == 0) return;
#pragma unroll
  for (int c = 0; c < lane_columns; ++c) sum[c] = __fmaf_rn(tap, v[c], sum[c]);
}
__device__ __forceinline__ void multiply_add(int32_t tap, const int32_t (&v)[lane_columns],
                                             int32_t (&sum)[lane_columns]) {
#pragma unroll
  for (int c = 0; c < lane_columns; ++c) sum[c] += tap * v[c];
}

/// The taps of a chunk at (i0, j0) by which a lane's rows take each of the tile's rows: 8 for each
/// column of the window, 0 where a row does not take it.
template <class Sum>
__device__ void fill_table(const Sum* taps, int32_t width, int32_t i0, int32_t j0, int across,
                           int down, Sum* table) {
  for (int n = int(threadIdx.x); n < (lane_rows + down - 1) * across * lane_rows;
       n += int(blockDim.x)) {
    const int i = n % lane_rows, k = n / lane_rows % across, j = n / (lane_rows * across) - i;
    table[n] = uint32_t(j) < uint32_t(down) ? taps[(j0 + j) * width + i0 + k] : Sum(0);
  }
}

/// Samples from (x0, y0) on, and what stands for those outside; a row a warp at a time.
template <class T, class Out, class Sum>
__device__ void fill_tile(const BlockRequest<T, Out>& q, int64_t x0, int64_t y0, int rows,
                          Sum* tile) {
  const int lane = int(threadIdx.x) % 32;
  for (int r = int(threadIdx.x) / 32; r < rows; r += int(blockDim.x) / 32) {
    // Rows past those of any result have no place.
    auto y = int32_t(min(y0 + r, int64_t(q.src.height) + q.height));
    if (uint32_t(y) >= uint32_t(q.src.height)) y = q.place_row(y);
    const T* const row = q.src.row(max(y, 0));
    for (int n = lane; n < q.chunk.pitch; n += 32) {
      auto x = int32_t(min(x0 + n, int64_t(q.src.width) + 256 * q.channels));
      if (uint32_t(x) >= uint32_t(q.src.width)) x = q.place(x);
      tile[r * q.chunk.pitch + n] = Sum(x < 0 || y < 0 ? q.outside : row[x]);
    }
  }
}

template <class T, class Out, class Sum>
__device__ void store_sums(const BlockRequest<T, Out>& q, const Sum (&sum)[lane_rows][lane_columns],
                           int64_t x0, int64_t y0) {
#pragma unroll
  for (int i = 0; i < lane_rows; ++i) {
    const int64_t y = y0 + i;
    if (y >= q.src.height) break;
    Out* const to = q.dst.row(int32_t(y));
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      const int64_t x = x0 + 32 * c;
      if (x >= q.src.width) break;
      using Exact = std::conditional_t<std::is_same_v<T, float>, float, int64_t>;
      to[x] = q.is_void_row(int32_t(y)) || q.is_void_sample(int32_t(x))
                  ? Out(0)
                  : q.finish.template sample<Out>(Exact(sum[i][c]));
    }
  }
}

template <class T, class Out, class Sum, int Count>
__global__ void __launch_bounds__(32 * max_warps, 2)
    block_sums(const __grid_constant__ BlockRequest<T, Out> q,
               const __grid_constant__ Taps32<Sum, Count> window) {
  CUESTA_DYNAMIC_SHARED(__align__(16) uint8_t, memory);
  const int warps = int(blockDim.x) / 32, lane = int(threadIdx.x) % 32,
            warp = int(threadIdx.x) / 32;
  const Chunk& chunk = q.chunk;
  const int64_t top = (int64_t(blockIdx.z) * gridDim.y + blockIdx.y) * warps * lane_rows;
  if (top >= q.src.height) return;
  const int64_t left = int64_t(blockIdx.x) * block_columns;
  const Sum* const taps = cuda::opaque(window.tap);
  auto* const table = reinterpret_cast<Sum*>(memory);
  Sum* const tile = table + chunk.table_rows() * chunk.columns * lane_rows;
  Sum sum[lane_rows][lane_columns] = {};
  for (int32_t j0 = 0; j0 < q.height; j0 += chunk.rows) {
    for (int32_t i0 = 0; i0 < q.width; i0 += chunk.columns) {
      __syncthreads();
      const int across = min(chunk.columns, q.width - i0), down = min(chunk.rows, q.height - j0);
      fill_table(taps, q.width, i0, j0, across, down, table);
      fill_tile(q, left + (int64_t(i0) - q.anchor_x) * q.channels, top + j0 - q.anchor_y,
                warps * lane_rows + down - 1, tile);
      __syncthreads();
      const Sum* tap = table;
#pragma unroll 1
      for (int r = 0; r < lane_rows + down - 1; ++r) {
        const Sum* at = tile + (warp * lane_rows + r) * chunk.pitch + lane;
#pragma unroll 4
        for (int k = 0; k < across; ++k, at += q.channels, tap += lane_rows) {
          using Four = std::conditional_t<std::is_same_v<Sum, float>, float4, int4>;
          const Four low = reinterpret_cast<const Four*>(tap)[0],
                     high = reinterpret_cast<const Four*>(tap)[1];
          Sum v[lane_columns];
#pragma unroll
          for (int c = 0; c < lane_columns; ++c) v[c] = at[32 * c];
          const Sum t[lane_rows] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
          for (int i = 0; i < lane_rows; ++i) multiply_add(t[i], v, sum[i]);
        }
      }
    }
  }
  store_sums(q, sum, left + lane, top + warp * lane_rows);
}

// The largest sum of the source's samples, without its sign.
int64_t largest_sum(const ConvolveArgs& args) {
  const int64_t sample = args.src.type == PixelType::u8 ? 255 : 65535;
  int64_t positive = 0, negative = 0;
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      const int64_t tap = args.integers.at(i, j, args.width);
      (tap < 0 ? negative : positive) += std::abs(tap);
    }
  }
  return sample * std::max(positive, negative);
}

Chunk chunk_of(const ConvolveArgs& args, int warps) {
  const size_t limit = std::min(shared_bytes, cuda::shared_limit());
  int32_t rows = args.height, columns = args.width;
  while (rows > 1 && Chunk(rows, columns, args.src.channels).bytes(warps) > limit)
    rows = (rows + 1) / 2;
  while (columns > 1 && Chunk(rows, columns, args.src.channels).bytes(warps) > limit)
    columns = (columns + 1) / 2;
  return {rows, columns, args.src.channels};
}

template <class T, class Out, class Sum, int Count>
void run(const ConvolveArgs& args, Call& call) {
  const unsigned across = cuda::blocks(args.src.width * args.src.channels, block_columns);
  // Fewer rows where the GPU would not be full.
  int warps = max_warps;
  while (warps > 1 && int64_t(across) * cuda::blocks(args.src.height, warps * lane_rows) <
                          2 * cuda::multiprocessors())
    warps /= 2;
  const BlockRequest<T, Out> q(args, chunk_of(args, warps));
  Taps32<Sum, Count> window{};
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      if constexpr (std::is_same_v<T, float>)
        window.tap[j * args.width + i] = args.floats.at(i, j, args.width);
      else
        window.tap[j * args.width + i] = Sum(args.integers.at(i, j, args.width));
    }
  }
  const unsigned strips = cuda::blocks(args.src.height, warps * lane_rows),
                 high = std::min(strips, cuda::max_grid_y);
  const auto kernel = block_sums<T, Out, Sum, Count>;
  const size_t shared = q.chunk.bytes(warps);
  cuda::allow_shared(kernel, shared, "convolve");
  cuda::launch("convolve", kernel, dim3(across, high, (strips + high - 1) / high),
               dim3(unsigned(32 * warps)), shared, cuda::stream_of(call), q, window);
}

template <class T, class Out, class Sum>
void run_of(const ConvolveArgs& args, Call& call) {
  constexpr int few = 961;  // 31 x 31
  args.width* args.height <= few ? run<T, Out, Sum, few>(args, call)
                                 : run<T, Out, Sum, max_taps>(args, call);
}

template <class T, class Out>
void run_integers(const ConvolveArgs& args, Call& call) {
  largest_sum(args) < 1 << 24 ? run_of<T, Out, float>(args, call)
                              : run_of<T, Out, int32_t>(args, call);
}

template <class T>
void run_for_output(const ConvolveArgs& args, Call& call) {
  switch (args.dst.type) {
    case PixelType::s16: return run_integers<T, int16_t>(args, call);
    case PixelType::f32: return run_integers<T, float>(args, call);
    default: return run_integers<T, T>(args, call);
  }
}

}  // namespace

std::string_view convolve_cuda::blocks_take(const ConvolveArgs& args, const Parameters&) {
  const bool floats = args.src.type == PixelType::f32;
  if (floats && args.floats.separable()) return "f32 stencils with factors";
  if (floats && args.dst.type != PixelType::f32) return "types other than f32 to f32";
  if (args.width * args.height > max_taps) return "windows of more than 7,936 taps";
  if (!floats && largest_sum(args) >= int64_t(1) << 31) return "sums above 31 bits";
  return flat_rows_take(args);
}

void convolve_cuda::blocks(const ConvolveArgs& args, Call& call) {
  switch (args.src.type) {
    case PixelType::u8: return run_for_output<uint8_t>(args, call);
    case PixelType::u16: return run_for_output<uint16_t>(args, call);
    default: return run_of<float, float, float>(args, call);
  }
}

}  // namespace cuesta
