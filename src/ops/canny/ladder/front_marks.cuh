// The production front end for rungs that are about hysteresis: its bit masks as marks.
#pragma once

#include "ops/canny/ladder/stages.cuh"

namespace cuesta::canny_ladder {

/// Everything before hysteresis, thresholds found.
Marks front_marks(const CannyArgs& args, Call& call);

}  // namespace cuesta::canny_ladder
