// The strategies of measure on CUDA. No CUDA type: the table reads it.
#pragma once

#include "ops/measure/args.hpp"

namespace cuesta::measure_cuda {

/// Strategy `plain`, on the device; it takes every request.
void plain(const MeasureArgs& args, Call& call);

}  // namespace cuesta::measure_cuda
