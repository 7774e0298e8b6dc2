// The kernels of `mma-march`, by the file that compiles them. No CUDA type.
#pragma once

#include "core/strategy.hpp"
#include "ops/convolve/args.hpp"

namespace cuesta::convolve_mma {

/// Windows that reach further across, in samples, than down: those of several channels.
void march_oblong(int across, const ConvolveArgs& args, Call& call);
/// Boxes of many rows.
void march_running(int across, const ConvolveArgs& args, Call& call);

}  // namespace cuesta::convolve_mma
