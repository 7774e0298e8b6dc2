// What the rungs share: the window sum over anything that yields samples, and the launch of square
// blocks.
#pragma once

#include "ops/sobel/ladder/ladder.hpp"
#include "ops/sobel/outputs.cuh"

namespace cuesta::sobel_ladder {

using namespace sobel_cuda;

/// Sums the K × K window; at(i, j) is the sample at offset (i − r, j − r).
template <int K, class At>
__device__ void window(At at, int32_t& gx, int32_t& gy) {
  constexpr auto taps = gradient::taps(K);
  gx = gy = 0;
#pragma unroll
  for (int j = 0; j < K; ++j) {
#pragma unroll
    for (int i = 0; i < K; ++i) {
      const int32_t v = at(i, j);
      gx += v * taps.derivative[i] * taps.smoothing[j];
      gy += v * taps.smoothing[i] * taps.derivative[j];
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
