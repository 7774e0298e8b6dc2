// The strategies of morphology on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/morphology/args.hpp"

namespace cuesta::morphology_cuda {

/// The definition, a thread a pixel; takes every request.
void plain(const MorphologyArgs& args, Call& call);

}  // namespace cuesta::morphology_cuda
