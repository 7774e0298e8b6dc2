// Masks that experiments of objects share.
#pragma once

#include "bench/session.hpp"

namespace cuesta::bench {

/// What a threshold leaves of a frame: discs, holes and specks; u8, 0 or 255.
Image<uint8_t> object_mask(int32_t side);

}  // namespace cuesta::bench
