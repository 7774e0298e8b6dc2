// The strategies of morphology on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/morphology/args.hpp"

namespace cuesta::morphology_cuda {

/// The definition, a thread a pixel; takes every request.
void plain(const MorphologyArgs& args, Call& call);

/// The element's shape chooses the kernel; refuses elements of very many runs.
void fused(const MorphologyArgs& args, Call& call);
std::string_view fused_supports(const MorphologyArgs& args, const Parameters&);

}  // namespace cuesta::morphology_cuda
