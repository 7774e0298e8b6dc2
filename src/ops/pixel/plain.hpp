// The device row of the point operations.
#pragma once

#include "ops/pixel/args.hpp"

namespace cuesta {

/// Strategy `plain` of the device; it takes every request.
void pixel_cuda_plain(const PixelArgs& args, Call& call);

}  // namespace cuesta
