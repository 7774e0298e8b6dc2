// What a detector takes, whether it looks at frames as they are or smaller.
#pragma once

#include "core/check.hpp"

namespace cuesta::motion {

inline void check_frame(ConstAnyView frame) {
  check_view(frame, "motion: frame", {PixelType::u8, PixelType::u16}, 1, 4);
  if (frame.channels == 2)
    throw_invalid(
        "2",
        "motion: frame has 2 channels; it must have 1 (gray), 3 (color) or 4 (color and alpha)");
}

/// Of frames after the first, which have `size`.
inline void check_same_as_before(ConstAnyView frame, Size size) {
  if (frame.size() == size) return;
  throw Error(
      ErrorCode::input,
      fmt::format(
          "motion: frame is {} x {} after frames of {} x {}; call reset() before changing the size",
          frame.width, frame.height, size.width, size.height),
      fmt::format("{} x {}", frame.width, frame.height));
}

}  // namespace cuesta::motion
