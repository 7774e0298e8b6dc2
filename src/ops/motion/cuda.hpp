// The strategies of motion on CUDA, those of ladder/ aside. No CUDA type: the table reads it.
#pragma once

#include "ops/motion/args.hpp"

namespace cuesta::motion_cuda {

/// Strategy `plain`, on the device; it takes every request.
void plain(const MotionArgs& args, Call& call);
/// Strategy `fused`.
void fused(const MotionArgs& args, Call& call);
std::string_view fused_supports(const MotionArgs& args, const Parameters&);
/// Strategy `stacked`; it takes every request.
void stacked(const MotionArgs& args, Call& call);

}  // namespace cuesta::motion_cuda
