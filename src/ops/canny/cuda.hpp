// The strategies of canny on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/canny/args.hpp"

namespace cuesta::canny_cuda {

/// One kernel to one-bit masks; hysteresis by sets of runs.
void fused(const CannyArgs& args, Call& call);

}  // namespace cuesta::canny_cuda
