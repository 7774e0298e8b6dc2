// The part of strategy `simd` that the 16-bit rows do not take.
#pragma once

#include "ops/canny/args.hpp"

namespace cuesta {

/// Whether the request takes it: u16 and f32 sources, f32 gradients, and the structure tensor of
/// s16 ones.
inline bool canny_takes_wide_rows(const CannyArgs& args) {
  if (args.src.type == PixelType::s16)
    return args.src.channels == 3 && args.options.color == ColorGradient::structure;
  return args.src.type != PixelType::u8;
}
void canny_wide_simd(const CannyArgs& args, Call& call);

}  // namespace cuesta
