// The production gradient and suppression for rungs that are about hysteresis: its bit masks become
// marks.
#pragma once

#include "ops/canny/ladder/hysteresis.cuh"

namespace cuesta::canny_ladder {

/// Everything before hysteresis, thresholds found; then `hysteresis`.
void behind_nms(const CannyArgs& args, Call& call, Hysteresis* hysteresis);

}  // namespace cuesta::canny_ladder
