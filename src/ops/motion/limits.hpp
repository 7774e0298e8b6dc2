// A threshold of each pixel (MotionDetector::set_thresholds): differences at or below it become 0
// before the comparison that is the same for all.
#pragma once

#include "ops/motion/args.hpp"

namespace cuesta {

namespace motion {

/// The threshold that is the same for all pixels, in gray levels: no pixel has a lower one.
inline double base_level(const MotionArgs& args) {
  return args.limits ? args.lowest : args.options->threshold.level;
}

/// Throws Error{invalid_argument} unless these can be thresholds of pixels: f32, one channel, on
/// the host, finite, 0 or more.
void check_thresholds(ConstAnyView levels);
/// Thresholds in gray levels as samples of frames of this type, on the host. A difference exceeds t
/// if and only if it exceeds floor(t).
AnyImage limits_from(ConstAnyView thresholds, PixelType frames);

/// Sets differences to 0 that do not exceed args.limits, in place; both in the frame's space.
void keep_above(const MotionArgs& args, AnyView difference, Call& call);

}  // namespace motion

namespace motion_cuda {

void keep_above(const MotionArgs& args, AnyView difference, Call& call);
/// A copy of a picture on the GPU in use.
AnyImage on_device(ConstAnyView host, void* stream);

}  // namespace motion_cuda

}  // namespace cuesta
