// The device row of morphology.
#pragma once

#include "ops/morphology/args.hpp"

namespace cuesta {

/// Strategy `plain` of the device; it takes every request.
void morphology_cuda_plain(const MorphologyArgs& args, Call& call);

}  // namespace cuesta
