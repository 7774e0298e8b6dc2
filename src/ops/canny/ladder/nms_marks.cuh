// The production gradient and suppression for rungs that are about hysteresis: its bit masks become
// marks.
#pragma once

#include "ops/canny/ladder/stages.cuh"

namespace cuesta::canny_ladder {

/// Everything before hysteresis, thresholds found; then `hysteresis`.
void behind_nms(const CannyArgs& args, Call& call, decltype(hysteresis_by_steps)* hysteresis);

}  // namespace cuesta::canny_ladder
