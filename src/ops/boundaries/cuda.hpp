// The strategies of boundaries on CUDA. No CUDA type: the table reads it.
#pragma once

#include "ops/boundaries/args.hpp"

namespace cuesta::boundary_cuda {

/// Strategy `plain`, on the device; it takes every picture.
void plain(const BoundariesArgs& args, Call& call);
/// Strategy `tiles`.
void tiles(const BoundariesArgs& args, Call& call);

}  // namespace cuesta::boundary_cuda
