// Strategy `fused`: one pass over memory. A thread makes `pixels_per_thread` neighbours of one row
// from a window in registers; gradients, magnitude and direction leave it together.
#include "ops/sobel/ladder/ladder.hpp"
#include "ops/sobel/outputs.cuh"

namespace cuesta {
namespace {

using namespace sobel_cuda;

constexpr int pixels_per_thread = 4;
constexpr int block_x = 32, block_y = 8;

template <class T, int K>
__global__ void sobel_fused(Request q) {
  constexpr int r = K / 2;
  constexpr auto taps = gradient::taps(K);
  const auto src = q.src.as<T, Space::device>();
  const int x0 = (blockIdx.x * block_x + threadIdx.x) * pixels_per_thread;
  const int y = blockIdx.y * block_y + threadIdx.y;
  if (x0 >= src.width || y >= src.height) return;

  // Column sums of the window of all the thread's pixels: smoothed and derived down the rows.
  int32_t smooth[pixels_per_thread + 2 * r] = {}, derive[pixels_per_thread + 2 * r] = {};
  const bool inside = x0 >= r && x0 + pixels_per_thread + r <= src.width;
#pragma unroll
  for (int j = 0; j < K; ++j) {
    const int sy = map_index(q.mode, y + j - r, src.height);
    const T* row = sy < 0 ? nullptr : src.row(sy);
#pragma unroll
    for (int i = 0; i < pixels_per_thread + 2 * r; ++i) {
      const int sx = inside ? x0 + i - r : map_index(q.mode, x0 + i - r, src.width);
      const int32_t v = !row || sx < 0 ? q.outside : row[sx];
      smooth[i] += v * taps.smoothing[j];
      derive[i] += v * taps.derivative[j];
    }
  }
#pragma unroll
  for (int p = 0; p < pixels_per_thread; ++p) {
    const int x = x0 + p;
    if (x >= src.width) return;
    int32_t gx = 0, gy = 0;
#pragma unroll
    for (int i = 0; i < K; ++i) {
      gx += smooth[p + i] * taps.derivative[i];
      gy += derive[p + i] * taps.smoothing[i];
    }
    if (leaves(q, x, y, r)) gx = gy = 0;
    store(q, x, y, gx, gy);
  }
}

void sobel_cuda_fused(const SobelArgs& args, Call& call) {
  for_type_and_aperture(args, [&](auto sample, auto k) {
    using T = decltype(sample);
    const dim3 grid(cuda::blocks(args.src.width, block_x * pixels_per_thread),
                    cuda::blocks(args.src.height, block_y));
    cuda::launch("sobel", sobel_fused<T, k()>, grid, dim3(block_x, block_y), 0,
                 cuda::stream_of(call), request_of<T>(args));
  });
}

}  // namespace

std::span<const StrategyInfo<SobelArgs>> sobel_cuda_rows() {
  static constexpr std::string_view exactness = "equal bytes; f32 direction within 5e-7";
  static constexpr StrategyInfo<SobelArgs> rows[] = {
      {.name = "global",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "a thread a pixel, its window read from global memory",
       .paper = "003",
       .exactness = exactness,
       .parameters = sobel_ladder::parameters,
       .supports = supports,
       .run = sobel_ladder::global},
      {.name = "shared-no-apron",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the block's own pixels in shared memory, the rest of the window from global memory",
       .paper = "003",
       .exactness = exactness,
       .parameters = sobel_ladder::parameters,
       .supports = supports,
       .run = sobel_ladder::shared_no_apron},
      {.name = "shared-apron",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the apron in shared memory too, four loads a thread",
       .paper = "003",
       .exactness = exactness,
       .parameters = sobel_ladder::parameters,
       .supports = supports,
       .run = sobel_ladder::shared_apron},
      {.name = "shared-1d",
       .space = Space::device,
       .tier = Tier::ladder,
       .idea = "the same tile as a one-dimensional array",
       .paper = "003",
       .exactness = exactness,
       .parameters = sobel_ladder::parameters,
       .supports = supports,
       .run = sobel_ladder::shared_1d},
      {.name = "fused",
       .space = Space::device,
       .tier = Tier::production,
       .idea = "one pass: window sums in registers, four pixels a thread, all outputs together",
       .exactness = exactness,
       .supports = supports,
       .run = sobel_cuda_fused},
  };
  return rows;
}

}  // namespace cuesta
