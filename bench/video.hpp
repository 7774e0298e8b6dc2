// The video of the motion experiment: the same bytes on every machine.
#pragma once

#include <vector>

#include "cuesta/image.hpp"

namespace cuesta::bench {

/// Sides of a video below this have no room for an object that opening with 15 x 15 leaves.
inline constexpr int32_t smallest_video = 160;

/// RGB frames of a still, dim scene with noise of a few gray levels in each, and one bright
/// ellipse, a tenth of the scene wide and high, that crosses it from the second frame to the last
/// and is whole in all of them. The first frame is the empty scene.
std::vector<Image<uint8_t>> moving_object_video(int32_t width, int32_t height, int frames);

}  // namespace cuesta::bench
