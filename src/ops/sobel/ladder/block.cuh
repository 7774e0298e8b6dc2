// What the rungs share: the window sum over anything that yields samples, which pixels are theirs,
// and the launch of square blocks.
#pragma once

#include "ops/shared/window_gradient.cuh"
#include "ops/shared/window_sums.cuh"
#include "ops/sobel/ladder/ladder.hpp"
#include "ops/sobel/outputs.cuh"

namespace cuesta::sobel_ladder {

using namespace sobel_cuda;

/// Sums the K × K window; at(i, j) is the sample at offset (i − r, j − r).
template <int K, class At>
__device__ void window(At at, int32_t& gx, int32_t& gy) {
  cuda::window_sums<K>(at, gx, gy);
}
/// The same of floats, in the definition's order: down the columns, then across.
template <int K, class At>
__device__ void window(At at, float& gx, float& gy) {
  const auto g = cuda::window_gradient<K, float>(at);
  gx = g.x;
  gy = g.y;
}

/// Whether a rung's kernel makes the pixel: its whole window is inside the picture. Of the others
/// those of `ignore` become gradient 0 here, the rest are frame.cu's.
template <int K, class T>
__device__ bool makes(const SobelRequest<T>& q, int32_t x, int32_t y) {
  constexpr int r = K / 2;
  if (x >= r && y >= r && x + r < q.src.width && y + r < q.src.height) return true;
  if (q.mode == BorderMode::ignore && x < q.src.width && y < q.src.height)
    store(q, x, y, Sum<T>(0), Sum<T>(0));
  return false;
}

/// Whether there is a sample; outside is none that a rung's windows need.
template <class T>
__device__ bool inside(const SobelRequest<T>& q, int32_t x, int32_t y) {
  return uint32_t(x) < uint32_t(q.src.width) && uint32_t(y) < uint32_t(q.src.height);
}

/// Whether the load shifted by (dx, dy), each 0 or twice the radius, is this thread's alone: the
/// unshifted square has not that sample.
template <int K, int B>
__device__ bool alone(int dx, int dy) {
  constexpr int new_from = B - K / 2 * 2;
  return (!dx || int(threadIdx.x) >= new_from) && (!dy || int(threadIdx.y) >= new_from);
}

/// Loads a block's tile with its apron: up to four samples a thread, its own position (x, y)
/// shifted by ±r. B >= 2r makes the four squares cover the tile; at(i, j) is the tile's cell in
/// column i and row j. With Four every thread loads and stores all four, as the paper's do: several
/// write one cell, all of them the same sample, and a sample outside the picture becomes 0, which
/// no result reads. Without, what the first square has is not loaded again.
template <int K, int B, bool Four, class T, class At>
__device__ void load_with_apron(const SobelRequest<T>& q, int x, int y, At at) {
  constexpr int r = K / 2;
  static_assert(B >= 2 * r);
  const auto src = q.samples();
#pragma unroll
  for (int corner = 0; corner < 4; ++corner) {
    const int dx = corner & 1 ? 2 * r : 0, dy = corner & 2 ? 2 * r : 0;
    const int sx = x - r + dx, sy = y - r + dy;
    if constexpr (Four) {
      at(threadIdx.x + dx, threadIdx.y + dy) = inside(q, sx, sy) ? src.at(sx, sy) : T(0);
    } else if (alone<K, B>(dx, dy) && inside(q, sx, sy)) {
      at(threadIdx.x + dx, threadIdx.y + dy) = src.at(sx, sy);
    }
  }
}

/// Calls body(T{}, K, B, grid) for source type, aperture and the parameter `block`.
template <class Body>
void for_blocks(const SobelArgs& args, Call& call, Body&& body) {
  const int block = call.parameters().integer("block");
  for_type_and_aperture(args, [&](auto sample, auto k) {
    const dim3 grid(cuda::blocks(args.src.width, block), cuda::blocks(args.src.height, block));
    switch (block) {
      case 8: return body(sample, k, std::integral_constant<int, 8>(), grid);
      case 16: return body(sample, k, std::integral_constant<int, 16>(), grid);
      default: return body(sample, k, std::integral_constant<int, 32>(), grid);
    }
  });
}

}  // namespace cuesta::sobel_ladder
