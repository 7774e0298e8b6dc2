// The video of the motion experiment: the same bytes on every machine.
#pragma once

#include <vector>

#include "cuesta/image.hpp"

namespace cuesta::bench {

/// RGB frames of a still, dim scene with noise of a few grey levels in each, and one bright object,
/// an ellipse of 61 x 37, that crosses it whole from the second frame to the last. The first frame
/// is the empty scene. At least 160 x 120.
std::vector<Image<uint8_t>> moving_object_video(int32_t width, int32_t height, int frames);

}  // namespace cuesta::bench
