// Masks of bits against the moves of the camera.
#pragma once

#include <cstdint>

#include "cuesta/image.hpp"

namespace cuesta::motion {

/// Moves a mask by dx columns and dy rows; pixels that come in are 0.
void move_mask(BitView mask, int32_t dx, int32_t dy);

}  // namespace cuesta::motion
