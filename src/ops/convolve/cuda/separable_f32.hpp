// What `separable-f32` has two kernels for. No CUDA type.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta::convolve_cuda {

inline constexpr size_t min_tiled_taps = 5;

/// Whether the factors are whole windows of one channel without a tap of 0, as the tiles want them.
bool separable_f32_tiles_takes(const ConvolveArgs& args);
void separable_f32_tiles(const ConvolveArgs& args, Call& call);

}  // namespace cuesta::convolve_cuda
