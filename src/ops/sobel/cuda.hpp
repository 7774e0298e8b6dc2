// The strategies of sobel on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/sobel/args.hpp"

namespace cuesta::sobel_cuda {

/// The definition, a thread a pixel; takes every request.
void plain(const SobelArgs& args, Call& call);
/// One pass over memory, all outputs together.
void fused(const SobelArgs& args, Call& call);

}  // namespace cuesta::sobel_cuda
