// The one argument of every strategy of the moving-object chain: one frame. The public entry has
// checked all of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/motion.hpp"

namespace cuesta {

struct MotionArgs {
  static constexpr std::string_view operation = "motion";
  static constexpr std::string_view summary =
      "moving objects: the whole chain from a frame to boxes";
  static std::span<const Strategy<MotionArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<MotionArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView frame{};                          // u8; 1 (gray), 3 or 4 channels (RGB order)
  const MotionOptions* options = nullptr;        // lives as long as the call
  BackgroundSubtractor* background = nullptr;    // of smoothed gray frames; learns this one
  BitView mask{};                                // of the frame's size; always on the host
  std::vector<Component>* components = nullptr;  // every component of the mask, in raster order
  double* threshold = nullptr;                   // the one used
  // Where a device row that needs it again keeps the first frame as it came; may be null.
  Image<uint8_t, Space::device>* first_frame = nullptr;

  Space space() const { return frame.space; }
  PixelType type() const { return frame.type; }
};

}  // namespace cuesta
