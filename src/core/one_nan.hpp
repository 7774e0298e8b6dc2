// The one NaN that f32 results hold. Processors differ in the NaN they make and in the one of two
// that they hand on; NVIDIA GPUs make this one of every sum, difference and product, so only what
// runs elsewhere has to write it. Host and device.
#pragma once

#include <bit>
#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta {

inline constexpr uint32_t nan_bits = 0x7FFFFFFF;

/// Every NaN as the same one.
CUESTA_HOST_DEVICE inline float with_one_nan(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7FFFFFFF) > 0x7F800000 ? std::bit_cast<float>(nan_bits) : value;
}

}  // namespace cuesta
