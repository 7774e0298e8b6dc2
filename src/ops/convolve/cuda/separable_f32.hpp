// What `separable-f32` has two kernels for. No CUDA type.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta::convolve_cuda {

/// Taps of windows that go to tiles: of one channel, and at most of 3 and 4.
inline constexpr size_t min_tiled_taps = 5, max_tiled_taps = 63, max_tiled_taps_of_many = 25;

/// Whether the factors are square windows without a tap of 0, as the tiles want them.
bool separable_f32_tiles_takes(const ConvolveArgs& args);
void separable_f32_tiles(const ConvolveArgs& args, Call& call);

namespace separable_tiles {
/// One channel, from 33 taps on.
void wide(const ConvolveArgs& args, Call& call);
void of_3_channels(const ConvolveArgs& args, Call& call);
void of_4_channels(const ConvolveArgs& args, Call& call);
}  // namespace separable_tiles

}  // namespace cuesta::convolve_cuda
