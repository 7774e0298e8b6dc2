// Frames N times smaller, as cuesta/downscale.hpp defines them.
#pragma once

#include "cuesta/image.hpp"

namespace cuesta::motion {

/// The largest N: sums of N x N samples of u8 fit 16 bits, and those of u16 the 24 of a float.
inline constexpr int32_t max_downscale = 16;

constexpr Size downscaled(Size frame, int32_t factor) {
  return {(frame.width + factor - 1) / factor, (frame.height + factor - 1) / factor};
}

/// Rows [first, end) of `small`: means of `frame`, of one channel and its type, both on the host.
/// The definition in code.
void means_reference(ConstAnyView frame, AnyView small, int32_t factor, int32_t first, int32_t end);
/// The same bytes, in vector registers.
void means_simd(ConstAnyView frame, AnyView small, int32_t factor, int32_t first, int32_t end);

}  // namespace cuesta::motion
