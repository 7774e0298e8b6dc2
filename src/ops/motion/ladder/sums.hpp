// The blur as one sum of products of two taps. A product has at most 16 bits, a sum with its half
// stays below 2^24. As floats all are 2^16 times smaller, so a float holds each of them exactly:
// the order of additions and fused multiply-adds change no bit.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuesta/border.hpp"

namespace cuesta::motion_ladder {

/// A product of two taps of Q8, or what is added for rounding, as a tap of the sum.
template <class Tap>
CUESTA_HOST_DEVICE constexpr Tap tap_of(int32_t product) {
  if constexpr (std::is_floating_point_v<Tap>)
    return Tap(product) / (1 << 16);
  else
    return product;
}

/// The sample of a sum that began with half: rounded down.
CUESTA_HOST_DEVICE constexpr uint8_t sample_of(int32_t sum) { return uint8_t(sum >> 16); }
CUESTA_HOST_DEVICE constexpr uint8_t sample_of(float sum) { return uint8_t(sum); }

inline constexpr int32_t half = 1 << 15;

}  // namespace cuesta::motion_ladder
