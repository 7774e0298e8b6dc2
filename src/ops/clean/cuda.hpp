// The strategies of clean on CUDA. No CUDA type: the table reads it.
#pragma once

#include "ops/clean/args.hpp"

namespace cuesta::clean_cuda {

/// Strategy `list`, on the device; it takes every request.
void list(const CleanArgs& args, Call& call);

}  // namespace cuesta::clean_cuda
