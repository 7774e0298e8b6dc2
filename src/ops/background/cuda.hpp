// The strategies of background on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/background/args.hpp"

namespace cuesta::background_cuda {

/// Strategy `plain`, on the device; it takes every request.
void plain(const BackgroundArgs& args, Call& call);
/// One pass over the frames of a batch, the state in registers meanwhile.
void fused(const BackgroundArgs& args, Call& call);

}  // namespace cuesta::background_cuda
