// The device row that takes every request.
#pragma once

#include "ops/log/args.hpp"

namespace cuesta {

/// Strategy `plain` of the device.
void log_cuda_plain(const LogArgs& args, Call& call);

}  // namespace cuesta
