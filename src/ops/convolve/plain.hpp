// The device row that takes every request.
#pragma once

#include "ops/convolve/args.hpp"

namespace cuesta {

/// Strategy `plain` of the device.
void convolve_cuda_plain(const ConvolveArgs& args, Call& call);

}  // namespace cuesta
