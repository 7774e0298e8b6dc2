// The parts of strategy `tiles-f32`, by the window's reach and by channels. No CUDA type.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta::convolve_cuda::float_tiles {

/// Samples that a window of rows of samples reaches at most; columns of 3 and 4 channels.
inline constexpr int max_reach = 7, max_reach_of_many = 4;

/// Windows that reach 5 to 7 samples.
void wide(const ConvolveArgs& args, Call& call);
void of_3_channels(const ConvolveArgs& args, Call& call);
void of_4_channels(const ConvolveArgs& args, Call& call);

}  // namespace cuesta::convolve_cuda::float_tiles
