// Strategy `fused`: one pass over memory, and the table of log's device rows. The paper's window
// with a threshold walks down columns of registers; everything else makes tiles in shared memory.
#include "ops/log/kernels.cuh"
#include "ops/log/ladder/ladder.hpp"

namespace cuesta {
namespace {

using namespace log_cuda;

// -- The paper's window, |L| against a threshold
// ---------------------------------------------------
//
// A thread owns eight columns and walks down. All sums are integers below 2^24, so f32 holds them
// exactly at twice the rate of integer multiply-adds. g = 2 4 5 4 2 = 2 (1 0 1) * (1 1) * (1 1) +
// d, across and down: four operations a sample each way.
//
// Tuning: 32 rows a thread repeat 6 rows of loads (19 %, from L1 and L2) and keep the grid large
// enough for every multiprocessor from about 1024 x 1024 on.
constexpr int columns = 8, walkers = 128, walk_rows = 32;
constexpr int smooth_columns = columns + 2;  // the Laplacian looks one to each side
constexpr int source_columns = smooth_columns + 4;

// Samples x0 − 4 .. x0 + 11 of a row; the first and the last are not used.
template <bool Aligned>
__device__ uint4 load_row(const Request& q, int32_t x0, int32_t y, bool interior) {
  const int32_t sy = map_index(q.mode, y, q.src.height);
  const uint8_t* row = sy < 0 ? nullptr : q.src.as<uint8_t, Space::device>().row(sy);
  if (Aligned && interior && row) {
    const uint2 own = *reinterpret_cast<const uint2*>(row + x0);
    return {*reinterpret_cast<const uint32_t*>(row + x0 - 4), own.x, own.y,
            *reinterpret_cast<const uint32_t*>(row + x0 + columns)};
  }
  uint32_t words[4] = {};
#pragma unroll
  for (int i = 1; i <= source_columns; ++i) {
    const int32_t sx = interior ? x0 - 4 + i : map_index(q.mode, x0 - 4 + i, q.src.width);
    const uint32_t v = !row || sx < 0 ? uint32_t(q.outside) : row[sx];
    words[i / 4] |= v << (i % 4 * 8);
  }
  return {words[0], words[1], words[2], words[3]};
}

// Byte `i` as a float: into the low mantissa of 2^23, which is then taken away.
__device__ float byte_of(uint32_t word, int i) {
  return __uint_as_float(__byte_perm(word, 0x4B000000u, 0x7540 + i)) - 8388608.0f;
}

template <bool Aligned>
__global__ void __launch_bounds__(walkers) log_walk(Request q) {
  const int32_t x0 = int32_t(blockIdx.x * walkers + threadIdx.x) * columns;
  const int32_t y0 = int32_t(blockIdx.y) * walk_rows;
  const int32_t width = q.src.width;
  if (x0 >= width) return;
  const int32_t end = min(y0 + walk_rows, q.src.height);
  const bool interior = x0 >= 4 && x0 + columns + 4 <= width;
  const float threshold = float(q.threshold);
  const bool ignore = q.mode == BorderMode::ignore;

  // What the sums down the columns remember of earlier rows.
  float h1[smooth_columns] = {}, h2[smooth_columns] = {};  // weighted across
  float pair1[smooth_columns] = {}, triple1[smooth_columns] = {}, triple2[smooth_columns] = {};
  float upper[smooth_columns] = {}, centre[smooth_columns] = {};  // smoothed
  uint4 next = load_row<Aligned>(q, x0, y0 - 3, interior);
#pragma unroll 2
  for (int32_t y = y0 - 3; y < end + 3; ++y) {
    const uint4 raw = next;
    if (y + 1 < end + 3) next = load_row<Aligned>(q, x0, y + 1, interior);
    const uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
    float v[source_columns], sums[source_columns];
#pragma unroll
    for (int i = 0; i < source_columns; ++i) v[i] = byte_of(words[(i + 1) / 4], (i + 1) % 4);
#pragma unroll
    for (int i = 0; i + 1 < source_columns; ++i) sums[i] = v[i] + v[i + 1];
#pragma unroll
    for (int i = 0; i + 2 < source_columns; ++i) sums[i] += sums[i + 1];
    float lower[smooth_columns];
#pragma unroll
    for (int i = 0; i < smooth_columns; ++i) {
      const float h = fmaf(2.0f, sums[i] + sums[i + 2], v[i + 2]);
      const float pair = h + h1[i], triple = pair + pair1[i];
      lower[i] = fmaf(2.0f, triple + triple2[i], h2[i]);  // smoothed row y − 2
      h2[i] = h1[i], h1[i] = h, pair1[i] = pair, triple2[i] = triple1[i], triple1[i] = triple;
    }
    const int32_t out = y - 3;
    if (out >= y0) {
      uint32_t edges[2] = {};
#pragma unroll
      for (int i = 0; i < columns; ++i) {
        const float response =
            fmaf(-4.0f, centre[i + 1], upper[i + 1] + lower[i + 1]) + (centre[i] + centre[i + 2]);
        bool edge = fabsf(response) > threshold;
        if (ignore) edge = edge && !q.is_void(x0 + i, out);
        edges[i / 4] |= (edge ? 0xFFu : 0u) << (i % 4 * 8);
      }
      uint8_t* to = q.dst.as<uint8_t, Space::device>().row(out) + x0;
      if (Aligned && x0 + columns <= width) {
        *reinterpret_cast<uint2*>(to) = {edges[0], edges[1]};
      } else {
        for (int i = 0; i < columns && x0 + i < width; ++i)
          to[i] = uint8_t(edges[i / 4] >> (i % 4 * 8));
      }
    }
#pragma unroll
    for (int i = 0; i < smooth_columns; ++i) upper[i] = centre[i], centre[i] = lower[i];
  }
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
__global__ void log_tiles(Request q, const __grid_constant__ log::Window window) {
  constexpr int wide = tile_x + 2 * apron, high = tile_y + 2 * apron;
  extern __shared__ int32_t down[];  // high rows of wide + size − 1
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

bool is_aligned(const void* data, ptrdiff_t stride) {
  return reinterpret_cast<uintptr_t>(data) % 8 == 0 && stride % 8 == 0;
}

void fused(const LogArgs& args, Call& call) {
  const log::Window window = log::window(args.options);
  const Request q = request_of(args, window);
  const auto stream = cuda::stream_of(call);
  const bool walks = log::is_papers_window(args.options) && !q.crossings &&
                     args.src.type == PixelType::u8 && args.dst.type == PixelType::u8;
  if (walks) {
    const bool aligned = is_aligned(args.src.data, args.src.stride_bytes) &&
                         is_aligned(args.dst.data, args.dst.stride_bytes);
    cuda::launch("log", aligned ? log_walk<true> : log_walk<false>,
                 cuda::tiles(args.src, walkers * columns, walk_rows), dim3(walkers), 0, stream, q);
    return;
  }
  const size_t shared =
      size_t(tile_y + 2 * apron) * size_t(tile_x + 2 * apron + window.size - 1) * sizeof(int32_t);
  cuda::launch("log", args.src.type == PixelType::u8 ? log_tiles<uint8_t> : log_tiles<uint16_t>,
               cuda::tiles(args.src, tile_x, tile_y), dim3(tile_x, tile_y), shared, stream, q,
               window);
}

std::string_view supports(const LogArgs& args, const Parameters&) {
  return args.src.height > most_rows ? "pictures higher than 524,280" : std::string_view();
}

std::string_view papers_window(const LogArgs& args, const Parameters& parameters) {
  if (!log::is_papers_window(args.options)) return "windows other than the paper's";
  if (args.src.type != PixelType::u8) return "u16 source";
  return supports(args, parameters);
}

std::string_view rolling_rows(const LogArgs& args, const Parameters& parameters) {
  // Five rows of the extended picture as f32, with the borders of the 5 x 5 pass.
  const size_t bytes = 5 * (size_t(args.src.width) + 6 + 4) * sizeof(float);
  return bytes > cuda::shared_limit() ? "pictures whose rolling rows exceed shared memory"
                                      : papers_window(args, parameters);
}

}  // namespace

std::span<const StrategyInfo<LogArgs>> log_cuda_rows() {
  using namespace log_ladder;
  constexpr auto rung = [](std::string_view name, std::string_view idea,
                           std::span<const ParameterInfo> parameters,
                           void (*run)(const LogArgs&, Call&), bool host_sync = false,
                           decltype(papers_window)* takes = papers_window) {
    return StrategyInfo<LogArgs>{.name = name,
                                 .space = Space::device,
                                 .tier = Tier::ladder,
                                 .idea = idea,
                                 .paper = "000",
                                 .parameters = parameters,
                                 .host_sync = host_sync,
                                 .supports = takes,
                                 .run = run};
  };
  static constexpr StrategyInfo<LogArgs> rows[] = {
      rung("naive", "Gaussian, then Laplacian, both convolve's naive", any_block, two_pass<naive>),
      rung("shared", "both passes convolve's shared", block_and_load, two_pass<shared>),
      rung("shared-constant", "both passes convolve's shared-constant", any_block,
           two_pass<shared_constant>),
      rung("constant", "both passes convolve's constant", any_block, two_pass<constant>),
      rung("texture", "both passes convolve's texture", any_block, two_pass<texture>, true),
      rung("texture-constant", "both passes convolve's texture-constant", any_block,
           two_pass<texture_constant>, true),
      rung("separable",
           "the Gaussian by its factors; the Laplacian, of rank 2, convolve's constant", block_only,
           two_pass<separable>),
      rung("tiled", "both passes convolve's tiled", block_and_tiles, two_pass<tiled>),
      rung("adaptive-tiled", "both passes convolve's adaptive-tiled", block_and_limit,
           two_pass<adaptive_tiled>),
      rung("separable-tiled", "the Gaussian convolve's separable-tiled, the Laplacian its tiled",
           block_and_transpose, two_pass<separable_tiled>),
      rung("row-cyclic", "both passes convolve's row-cyclic", {}, two_pass<row_cyclic>, false,
           rolling_rows),
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "one pass: both filters and the rule on registers rolling down eight columns",
       .supports = supports,
       .run = fused},
  };
  return rows;
}

}  // namespace cuesta
