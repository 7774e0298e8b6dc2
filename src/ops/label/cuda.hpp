// The strategies of label on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/label/args.hpp"

namespace cuesta::label_cuda {

/// Strategy `plain`, on the device; it takes every request.
void plain(const LabelArgs& args, Call& call);
/// Strategy `tiles`, on the device; it takes every request.
void tiles(const LabelArgs& args, Call& call);

}  // namespace cuesta::label_cuda
