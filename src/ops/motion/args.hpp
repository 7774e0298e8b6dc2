// The one argument of every strategy of the moving-object chain. The public entry has checked all
// of it.
#pragma once

#include "core/strategy.hpp"
#include "cuesta/motion.hpp"

namespace cuesta {

/// Which rows of a mask in page-locked memory have set pixels, for a device row that writes no
/// others; true after this many frames of the background.
struct ShownRows {
  Image<uint8_t, Space::device> rows{};
  int64_t frames = -1;
};

/// What rows of the device keep of a camera from one frame to the next.
struct MotionMemory {
  Image<uint8_t, Space::device> first_frame{};  // as it came, where a row needs it again
  ShownRows shown{};                            // of the mask
};

/// A frame, or a batch of frames that follow each other: then `frame` is the first. Frames of other
/// cameras may go with them.
struct MotionArgs {
  static constexpr std::string_view operation = "motion";
  static constexpr std::string_view summary =
      "moving objects: the whole chain from a frame to boxes";
  static std::span<const Strategy<MotionArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<MotionArgs>> cases(verify::Level level);  // cases.cpp

  ConstAnyView frame{};                        // u8 or u16; 1 (gray), 3 or 4 channels (RGB order)
  const MotionOptions* options = nullptr;      // lives as long as the call
  BackgroundSubtractor* background = nullptr;  // of smoothed gray frames; learns this one
  ConstAnyView limits{};  // of each pixel, of the frame's type and space; or none
  double lowest = 0;      // of the thresholds that they come from, gray levels
  BitView mask{};         // of the last frame, always on the host
  std::vector<Component>* components = nullptr;  // of each frame's mask all, in raster order
  double* threshold = nullptr;                   // the one used for the last frame
  MotionMemory* memory = nullptr;                // of this camera; null on the host

  int32_t count = 1;         // frames
  ptrdiff_t frame_step = 0;  // bytes from one to the next

  // Of other cameras, in the same space: each with options, background and results of its own, and
  // none with others.
  std::span<const MotionArgs> others{};

  Space space() const { return frame.space; }
  PixelType type() const { return frame.type; }

  /// Frames [begin, begin + n) of this camera's batch.
  MotionArgs part(int32_t begin, int32_t n) const {
    MotionArgs some = *this;
    some.frame = ConstBatch(frame, count, frame_step)[begin];
    some.components = components + begin;
    some.count = n;
    some.others = {};
    return some;
  }
};

/// A strategy for one frame as one for batches and cameras: frame after frame.
template <void (*Run)(const MotionArgs&, Call&)>
void each_frame(const MotionArgs& args, Call& call) {
  for (int32_t i = 0; i < args.count; ++i) {
    const Scratch scope(call.nested(), args.space());  // the next one takes the same memory
    Run(args.part(i, 1), call);
  }
  for (const MotionArgs& other : args.others) each_frame<Run>(other, call);
}

}  // namespace cuesta
