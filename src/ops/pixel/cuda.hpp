// The strategies of pixel on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/pixel/args.hpp"

namespace cuesta::pixel_cuda {

/// The definition, a thread a pixel; takes every request.
void plain(const PixelArgs& args, Call& call);
/// 16-byte vectors of packed samples; the README lists what it refuses.
void vectors(const PixelArgs& args, Call& call);

}  // namespace cuesta::pixel_cuda
