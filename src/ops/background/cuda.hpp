// The strategies of background on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/background/args.hpp"

namespace cuesta::background_cuda {

/// One pass, a thread a pixel; model `first`.
void fused(const BackgroundArgs& args, Call& call);

}  // namespace cuesta::background_cuda
