// Strategy `blocks`: windows of any rank, type and number of channels that no other row takes, with
// sums in registers.
//
// A lane has 8 rows of 4 columns, 32 samples apart. Tiles in shared memory hold samples as floats,
// or as integers where sums need more than 24 bits; sums past 31 bits have 64. For each row of the
// tile and column of the window there are 4 samples and the 8 taps by which the lane's rows take
// them, in a table of their own: 32 products for 6 loads. Taps of 0 are left out, as the definition
// of f32 does, and so are those of rows that the window does not have.
//
// Windows whose tile and table exceed shared memory are taken some rows and columns at a time: a
// part of `rows` rows costs rows + 7 rows of products. Sums of f32 keep their order, row by row, so
// they take whole rows, or parts of a single one.
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/flat_rows.cuh"

#include <vector>

#include "cuda/instructions.cuh"
#include "cuda/kept.cuh"
#include "cuda/limits.hpp"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int lane_rows = 8, lane_columns = 4, block_columns = 32 * lane_columns, max_warps = 8;
constexpr int few_taps = 31 * 31;  // that a launch takes by value

/// Taps as an argument, or in device memory.
template <class Item>
struct TapsByValue {
  Item tap[few_taps];
};
template <class Item>
struct TapsInMemory {
  const Item* tap;
};

/// How much of the window is taken at a time, and the row pitch of the tile.
struct Chunk {
  int32_t rows, columns, pitch;

  Chunk(int32_t rows_, int32_t columns_, int32_t channels)
      : rows(rows_), columns(columns_), pitch(block_columns + (columns_ - 1) * channels) {}
  /// About what a warp's 8 rows cost with a window of width × height, in steps of 32 products a
  /// lane. The weights of filling were estimated from instruction counts.
  double cost(int32_t width, int32_t height, int warps) const {
    const int64_t down = (height + rows - 1) / rows, across = (width + columns - 1) / columns;
    const double tile = double(tile_rows(warps)) * pitch / (32 * warps) * 0.2,
                 table = double(table_rows()) * columns * lane_rows / (32 * warps) * 0.2;
    return double(down * table_rows() * width) + double(down * across) * (tile + table);
  }
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
template <class Sum>
__device__ __forceinline__ void multiply_add(int32_t tap, const int32_t (&v)[lane_columns],
                                             Sum (&sum)[lane_columns]) {
#pragma unroll
  for (int c = 0; c < lane_columns; ++c) sum[c] += Sum(tap) * v[c];
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

template <class T, class Out, class Item, class Sum, class Window>
__global__ void __launch_bounds__(32 * max_warps, 2)
    block_sums(const __grid_constant__ BlockRequest<T, Out> q,
               const __grid_constant__ Window window) {
  CUESTA_DYNAMIC_SHARED(__align__(16) uint8_t, memory);
  const int warps = int(blockDim.x) / 32, lane = int(threadIdx.x) % 32,
            warp = int(threadIdx.x) / 32;
  const Chunk& chunk = q.chunk;
  const int64_t top = int64_t(cuda::block_row()) * warps * lane_rows;
  if (top >= q.src.height) return;
  const int64_t left = int64_t(blockIdx.x) * block_columns;
  const Item* const taps = cuda::opaque(window.tap);
  auto* const table = reinterpret_cast<Item*>(memory);
  Item* const tile = table + chunk.table_rows() * chunk.columns * lane_rows;
  Sum sum[lane_rows][lane_columns] = {};
  for (int32_t j0 = 0; j0 < q.height; j0 += chunk.rows) {
    for (int32_t i0 = 0; i0 < q.width; i0 += chunk.columns) {
      __syncthreads();
      const int across = min(chunk.columns, q.width - i0), down = min(chunk.rows, q.height - j0);
      fill_table(taps, q.width, i0, j0, across, down, table);
      fill_tile(q, left + (int64_t(i0) - q.anchor_x) * q.channels, top + j0 - q.anchor_y,
                warps * lane_rows + down - 1, tile);
      __syncthreads();
      const Item* tap = table;
#pragma unroll 1
      for (int r = 0; r < lane_rows + down - 1; ++r) {
        const Item* at = tile + (warp * lane_rows + r) * chunk.pitch + lane;
#pragma unroll 4
        for (int k = 0; k < across; ++k, at += q.channels, tap += lane_rows) {
          using Four = std::conditional_t<std::is_same_v<Item, float>, float4, int4>;
          const Four low = reinterpret_cast<const Four*>(tap)[0],
                     high = reinterpret_cast<const Four*>(tap)[1];
          Item v[lane_columns];
#pragma unroll
          for (int c = 0; c < lane_columns; ++c) v[c] = at[32 * c];
          const Item t[lane_rows] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
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

/// The part of the window that costs least, for as many warps a block.
Chunk chunk_of(const ConvolveArgs& args, int warps) {
  const size_t most = cuda::shared_limit();
  const bool ordered = args.src.type == PixelType::f32;
  Chunk best(1, 1, args.src.channels);
  double least = 1e30;
  for (int32_t parts = 1; parts <= args.width; parts *= 2) {
    const int32_t columns = (args.width + parts - 1) / parts;
    for (int32_t rows = ordered && parts > 1 ? 1 : args.height; rows > 0;
         rows = rows > 32 ? rows / 2 : rows - 1) {
      const Chunk chunk(rows, columns, args.src.channels);
      const size_t bytes = chunk.bytes(warps) + 1024;  // a block's own
      if (bytes > most) continue;
      // Two blocks share a multiprocessor where both have room.
      const double cost = chunk.cost(args.width, args.height, warps) * (2 * bytes > most ? 1.4 : 1);
      if (cost < least) least = cost, best = chunk;
    }
  }
  return best;
}

template <class T, class Item>
void copy_taps(const ConvolveArgs& args, Item* to) {
  for (int32_t j = 0; j < args.height; ++j) {
    for (int32_t i = 0; i < args.width; ++i) {
      if constexpr (std::is_same_v<T, float>)
        *to++ = args.floats.at(i, j, args.width);
      else
        *to++ = Item(args.integers.at(i, j, args.width));
    }
  }
}

template <class T, class Out, class Item, class Sum, class Window>
void launch(const ConvolveArgs& args, const Window& window, Call& call) {
  const unsigned across = cuda::blocks(args.src.width * args.src.channels, block_columns);
  // Fewer rows where the GPU would not be full.
  int warps = max_warps;
  while (warps > 1 && int64_t(across) * cuda::blocks(args.src.height, warps * lane_rows) <
                          2 * cuda::multiprocessors())
    warps /= 2;
  const BlockRequest<T, Out> q(args, chunk_of(args, warps));
  const auto kernel = block_sums<T, Out, Item, Sum, Window>;
  const size_t shared = q.chunk.bytes(warps);
  cuda::allow_shared(kernel, shared, "convolve");
  cuda::launch("convolve", kernel,
               cuda::grid_of(across, cuda::blocks(args.src.height, warps * lane_rows)),
               dim3(unsigned(32 * warps)), shared, cuda::stream_of(call), q, window);
}

template <class T, class Out, class Item, class Sum>
void run(const ConvolveArgs& args, Call& call) {
  const size_t taps = size_t(args.width) * size_t(args.height);
  if (taps <= few_taps) {
    TapsByValue<Item> window{};
    copy_taps<T>(args, window.tap);
    launch<T, Out, Item, Sum>(args, window, call);
  } else {
    std::vector<Item> values(taps);
    copy_taps<T>(args, values.data());
    const TapsInMemory<Item> window{
        cuda::upload_once<Item>(values, call, "convolve: uploading taps")};
    launch<T, Out, Item, Sum>(args, window, call);
  }
}

template <class T, class Out>
void run_integers(const ConvolveArgs& args, Call& call) {
  const int64_t largest = largest_sum(args);
  if (largest < 1 << 24) return run<T, Out, float, float>(args, call);
  largest < int64_t(1) << 31 ? run<T, Out, int32_t, int32_t>(args, call)
                             : run<T, Out, int32_t, int64_t>(args, call);
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
  const auto why = floats ? ordered_sums_take(args) : std::string_view();
  return why.empty() ? flat_rows_take(args) : why;
}

void convolve_cuda::blocks(const ConvolveArgs& args, Call& call) {
  switch (args.src.type) {
    case PixelType::u8: return run_for_output<uint8_t>(args, call);
    case PixelType::u16: return run_for_output<uint16_t>(args, call);
    default: return run<float, float, float, float>(args, call);
  }
}

}  // namespace cuesta
