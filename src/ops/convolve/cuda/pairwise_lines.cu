// Strategy `pairwise`, windows past 31 × 31: sums down into a picture of them, then sums of those
// across.
//
// Both kernels take lines of 512 or 1,024 positions along the window into shared memory: columns,
// or a channel's pixels of rows. A warp sums a line; its lanes have 16 or 32 neighbouring positions
// each in registers. A window of n costs an exchange and an addition for each doubling and for each
// further power of two in n: 14 of each for 255 (pairwise.cuh).
#include "cuda/instructions.cuh"
#include "ops/convolve/cuda.hpp"
#include "ops/convolve/cuda/pairwise.cuh"

namespace cuesta {
namespace {

using namespace convolve_cuda;

constexpr int warps = 8, threads = 32 * warps;
constexpr int batch = 8;  // loads of a thread before their uses

/// A block's lines, whose lanes have `Items` positions each. Lanes' parts are an odd number of
/// banks apart; neighbouring columns, and a row's neighbouring samples, are in banks of their own.
template <int Items, int Channels>
struct Lines {
  static constexpr int positions = 32 * Items, count = 512 / Items;
  static constexpr int pitch = positions + 32 + (Channels == 2 ? 16 : Channels == 4 ? 8 : 11);
  static constexpr size_t bytes = size_t(count) * pitch * sizeof(float);

  static __device__ constexpr int place(int line, int position) {
    return line * pitch + position + position / Items;
  }
  /// Results of a line of windows of n.
  static constexpr int results(int32_t n) { return positions - (n - 1); }
};

/// Each line's positions become the sums of the n from them on. Positions of the last n − 1 mean
/// nothing then.
template <int Items, class Lines>
__device__ __forceinline__ void sum_lines(float* tile, int lines, int32_t n) {
  const int lane = int(threadIdx.x) % 32;
#pragma unroll 1
  for (int line = int(threadIdx.x) / 32; line < lines; line += warps) {
    float* const own = tile + Lines::place(line, lane * Items);
    float sum[Items], all[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) sum[i] = own[i];
    sum_along<1, 7>(n, sum, all);
#pragma unroll
    for (int i = 0; i < Items; ++i) own[i] = all[i];
  }
}

// ---- down

/// A thread's part of a column: positions `first`, `first` + step and so on.
template <int Items>
struct ColumnPart {
  using L = Lines<Items, 1>;
  static constexpr int step = Items / 2;
  static_assert(step * L::count == threads);
  int column = int(threadIdx.x) % L::count, first = int(threadIdx.x) / L::count;
  float* tile;

  explicit __device__ ColumnPart(float* tile_) : tile(tile_ + L::place(column, first)) {}
  /// Position first + t · step.
  __device__ float& at(int t) const { return tile[t * step + t / 2]; }
};

/// The samples of a column from row y0 on, and what stands for those outside.
template <int Items>
__device__ void fill(const FlatRequest<float>& q, const ColumnPart<Items>& part, int64_t x,
                     int32_t y0, int32_t rows) {
  constexpr int step = ColumnPart<Items>::step;
  if (y0 >= 0 && y0 + Lines<Items, 1>::positions <= q.src.height) {
    const float* from = q.src.row(y0 + part.first) + x;
    const ptrdiff_t stride = q.src.stride_bytes / ptrdiff_t(sizeof(float)) * step;
#pragma unroll 1
    for (int t = 0; t < Lines<Items, 1>::positions / step; t += batch) {
      float v[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k, from += stride) v[k] = *from;
#pragma unroll
      for (int k = 0; k < batch; ++k) part.at(t + k) = v[k];
    }
    return;
  }
#pragma unroll 4
  for (int t = 0; part.first + t * step < rows; ++t) {
    int32_t y = y0 + part.first + t * step;
    if (uint32_t(y) >= uint32_t(q.src.height)) y = q.place_row(y);
    part.at(t) = y < 0 ? q.outside : q.src.row(y)[x];
  }
}

template <int Items>
__global__ void __launch_bounds__(threads, 3)
    pairwise_down(const __grid_constant__ FlatRequest<float> q) {
  using L = Lines<Items, 1>;
  CUESTA_DYNAMIC_SHARED(__align__(16) float, tile);
  const int64_t top = int64_t(cuda::block_row()) * L::results(q.height);
  if (top >= q.src.height) return;
  const ColumnPart<Items> part(tile);
  const int64_t x = int64_t(blockIdx.x) * L::count + part.column;
  const auto results = int(min(int64_t(L::results(q.height)), q.src.height - top));
  if (x < q.src.width) fill(q, part, x, int32_t(top) - q.anchor_y, results + q.height - 1);
  __syncthreads();
  sum_lines<Items, L>(tile, L::count, q.height);
  __syncthreads();
  if (x >= q.src.width) return;
#pragma unroll 8
  for (int t = 0; part.first + t * part.step < results; ++t)
    q.dst.row(int32_t(top) + part.first + t * part.step)[x] = part.at(t);
}

// ---- across

/// Each 32 pixels of a row are `Channels` samples of a lane: of the j-th of those, lane + 32 j.
template <int Items, int Channels>
struct RowPart {
  using L = Lines<Items, Channels>;
  static constexpr int blocks = batch / Channels;  // of 32 pixels at a time
  float* tile[Channels];
  int pixel[Channels];

  __device__ RowPart(float* lines, int row) {
    const int lane = int(threadIdx.x) % 32;
#pragma unroll
    for (int j = 0; j < Channels; ++j) {
      pixel[j] = (lane + 32 * j) / Channels;
      tile[j] = lines + L::place(row * Channels + (lane + 32 * j) % Channels, pixel[j]);
    }
  }
  /// The j-th sample of the m-th 32 pixels.
  __device__ float& at(int m, int j) const { return tile[j][m * (32 + 32 / Items)]; }
};

/// The sums of a row from pixel x0 on, and what stands for those outside.
template <int Items, int Channels, class Out>
__device__ void fill(const PairwiseRequest<Out>& q, const RowPart<Items, Channels>& part,
                     const float* row, int32_t x0, int32_t pixels) {
  constexpr int blocks = RowPart<Items, Channels>::blocks;
  const int lane = int(threadIdx.x) % 32;
  if (x0 >= 0 && int64_t(x0 + Lines<Items, Channels>::positions) * Channels <= q.src.width) {
    const float* from = row + int64_t(x0) * Channels + lane;
#pragma unroll 1
    for (int m = 0; m < Items; m += blocks, from += blocks * 32 * Channels) {
      float v[blocks][Channels];
#pragma unroll
      for (int k = 0; k < blocks; ++k)
#pragma unroll
        for (int j = 0; j < Channels; ++j) v[k][j] = from[32 * (Channels * k + j)];
#pragma unroll
      for (int k = 0; k < blocks; ++k)
#pragma unroll
        for (int j = 0; j < Channels; ++j) part.at(m + k, j) = v[k][j];
    }
    return;
  }
#pragma unroll 2
  for (int m = 0; 32 * m < pixels; ++m) {
#pragma unroll
    for (int j = 0; j < Channels; ++j) {
      if (part.pixel[j] + 32 * m >= pixels) continue;
      int32_t x = (x0 + 32 * m) * Channels + 32 * j + lane;
      if (uint32_t(x) >= uint32_t(q.src.width)) x = q.place(x);
      part.at(m, j) = x < 0 ? q.outside_sum : row[x];
    }
  }
}

/// `results` pixels of row y from pixel x0 on.
template <int Items, int Channels, class Out>
__device__ void store(const PairwiseRequest<Out>& q, const RowPart<Items, Channels>& part,
                      int32_t x0, int32_t y, int results) {
  constexpr int blocks = RowPart<Items, Channels>::blocks, samples = 32 * Channels * blocks;
  const int32_t x = x0 * Channels + int(threadIdx.x) % 32;
  const float* from = q.src.row(y) + x;
  Out* to = q.dst.row(y) + x;
#pragma unroll 1
  for (int m = 0; 32 * m < results; m += blocks, from += samples, to += samples) {
    float centre[blocks][Channels] = {};
    const auto each = [&](auto&& body) {
#pragma unroll
      for (int k = 0; k < blocks; ++k)
#pragma unroll
        for (int j = 0; j < Channels; ++j)
          if (part.pixel[j] + 32 * (m + k) < results) body(k, j, 32 * (Channels * k + j));
    };
    if (q.taps.extra != 0) each([&](int k, int j, int i) { centre[k][j] = from[i]; });
    each([&](int k, int j, int i) {
      to[i] = q.result(part.at(m + k, j), centre[k][j], x + 32 * m * Channels + i, y);
    });
  }
}

template <int Items, int Channels, class Out>
__global__ void __launch_bounds__(threads, 3)
    pairwise_across(const __grid_constant__ PairwiseRequest<Out> q,
                    ImageView<const float, Space::device> sums) {
  using L = Lines<Items, Channels>;
  constexpr int rows = L::count / Channels;
  CUESTA_DYNAMIC_SHARED(__align__(16) float, tile);
  const int64_t top = int64_t(cuda::block_row()) * rows;
  if (top >= q.src.height) return;
  const int warp = int(threadIdx.x) / 32;
  const int32_t left = int32_t(blockIdx.x) * L::results(q.width);
  const auto here = int(min(int64_t(rows), q.src.height - top));
  const int results = min(L::results(q.width), q.src.width / Channels - left);
  for (int r = warp; r < here; r += warps)
    fill(q, RowPart<Items, Channels>(tile, r), sums.row(int32_t(top) + r), left - q.anchor_x,
         results + q.width - 1);
  __syncthreads();
  sum_lines<Items, L>(tile, here * Channels, q.width);
  __syncthreads();
  for (int r = warp; r < here; r += warps)
    store(q, RowPart<Items, Channels>(tile, r), left, int32_t(top) + r, results);
}

// ---- both

template <int Items>
void run_down(const ConvolveArgs& args, Call& call) {
  using L = Lines<Items, 1>;
  const FlatRequest<float> q(args);
  const auto kernel = pairwise_down<Items>;
  cuda::allow_shared(kernel, L::bytes, "convolve");
  cuda::launch("convolve", kernel,
               cuda::grid_of(cuda::blocks(q.src.width, L::count),
                             cuda::blocks(q.src.height, L::results(q.height))),
               dim3(threads), L::bytes, cuda::stream_of(call), q);
}

template <int Items, int Channels, class Out>
void run_across(const ConvolveArgs& args, ConstAnyView down, Call& call) {
  using L = Lines<Items, Channels>;
  const PairwiseRequest<Out> q(args);
  const auto all = down.as<float, Space::device>();
  const ImageView<const float, Space::device> sums{all.data, q.src.width, all.height, 1,
                                                   all.stride_bytes};
  const auto kernel = pairwise_across<Items, Channels, Out>;
  cuda::allow_shared(kernel, L::bytes, "convolve");
  cuda::launch("convolve", kernel,
               cuda::grid_of(cuda::blocks(args.src.width, L::results(q.width)),
                             cuda::blocks(q.src.height, L::count / Channels)),
               dim3(threads), L::bytes, cuda::stream_of(call), q, sums);
}

/// Lines of 512 positions serve windows up to here: longer ones would leave too few results.
constexpr int32_t max_of_short_lines = 64;

template <int Channels, class Out>
void run(const ConvolveArgs& args, Call& call) {
  ConvolveArgs down = args;
  down.dst = call.scratch().image<float, Space::device>(args.src.width, args.src.height, Channels);
  args.height <= max_of_short_lines ? run_down<16>(down, call) : run_down<32>(down, call);
  args.width <= max_of_short_lines ? run_across<16, Channels, Out>(args, down.dst, call)
                                   : run_across<32, Channels, Out>(args, down.dst, call);
}

template <class Out>
void run_for_channels(const ConvolveArgs& args, Call& call) {
  switch (args.src.channels) {
    case 1: return run<1, Out>(args, call);
    case 2: return run<2, Out>(args, call);
    case 3: return run<3, Out>(args, call);
    default: return run<4, Out>(args, call);
  }
}

}  // namespace

void convolve_cuda::pairwise_lines(const ConvolveArgs& args, Call& call) {
  args.dst.type == PixelType::s16 ? run_for_channels<int16_t>(args, call)
                                  : run_for_channels<float>(args, call);
}

}  // namespace cuesta
