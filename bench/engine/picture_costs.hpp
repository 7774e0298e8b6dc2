// What pictures cost a user beside the kernels: memory for them, and moving them.
#pragma once

#include <cstdint>

#include "bench/engine/result.hpp"
#include "core/pinned_picture.hpp"

namespace cuesta::bench {

enum class HostMemory : uint8_t { pageable, pinned };

/// Makes both pictures on host and device, moves and releases them, `times` times again; the median
/// of each step. Every step ends when `stream` has done its part.
PictureCosts time_pictures(const PictureShape& source, const PictureShape& result,
                           HostMemory memory, int times, void* stream);

}  // namespace cuesta::bench
