// The strengths that thin edges have: what a threshold is compared with, as a number a caller can
// keep. Host and device.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "cuesta/border.hpp"
#include "cuesta/edges.hpp"
#include "ops/shared/gradient.hpp"

namespace cuesta {

/// The magnitude of a maximum in the units of thresholds; l2's is its root. Rounded up to a whole
/// number: it is above a whole threshold where the magnitude is above that threshold's limit.
/// `divided`: by 16, as gradients of aperture 7 are.
CUESTA_HOST_DEVICE constexpr int64_t canny_strength(int64_t magnitude, Norm norm, bool divided) {
  if (norm == Norm::l1) return divided ? 16 * magnitude : magnitude;
  const int64_t square = divided ? 256 * magnitude : magnitude;
  const int64_t root = gradient::floor_sqrt(square);
  return root + (root * root < square);
}
/// Of floats rounded up to the next float, so that the same holds for every threshold that is one.
CUESTA_HOST_DEVICE inline float canny_strength(double magnitude, Norm norm, bool) {
  const bool is_sum = norm == Norm::l1;
  const auto near = float(is_sum ? magnitude : std::sqrt(magnitude));
  const double there = is_sum ? double(near) : double(near) * near;
  return there < magnitude ? std::bit_cast<float>(std::bit_cast<uint32_t>(near) + 1) : near;
}

}  // namespace cuesta
