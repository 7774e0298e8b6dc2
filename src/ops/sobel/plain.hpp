// The device row that takes every request.
#pragma once

#include "ops/sobel/args.hpp"

namespace cuesta {

/// Strategy `plain` of the device.
void sobel_cuda_plain(const SobelArgs& args, Call& call);

}  // namespace cuesta
