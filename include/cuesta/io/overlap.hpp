// Reading, processing and writing the frames of a video concurrently.
#pragma once

#include <array>
#include <functional>

#include "cuesta/image.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::io {

/// A frame that may be drawn on.
/// Its planes are the reader's. They are copied when they are first drawn on.
class FrameBuffer {
 public:
  /// Takes a frame of the reader and releases the previous one; own memory is kept.
  void assign(Frame frame);
  /// Makes and returns a new luma plane of this size, with samples uninitialised.
  /// Without `keeps_color` the frame has no color then. The old luma remains readable through
  /// `old_luma` until the next assign(). To be called before anything is drawn.
  ImageView<uint8_t> replace_luma(int32_t width, int32_t height, bool keeps_color,
                                  ConstAnyView* old_luma = nullptr);

  /// Returns the frame with what was drawn.
  const Frame& frame() const { return frame_; }

  /// luma(), cb() and cr() return planes to draw on; without data if the frame has no such plane.
  AnyView luma() { return drawable(0, frame_.luma); }
  AnyView cb() { return drawable(1, frame_.cb); }
  AnyView cr() { return drawable(2, frame_.cr); }

 private:
  AnyView drawable(size_t plane, ConstAnyView& shown);
  Frame frame_;
  std::array<Image<uint8_t>, 3> planes_;
  std::array<bool, 3> drawn_{};  // whether the frame shows the own plane
};

/// How many frames exist at once by default.
constexpr int frames_at_once = 8;

/// Passes every frame of `source` through `work` to `write`; all three run concurrently.
/// Each takes one frame at a time, in order, on any thread. The source's frames must have owners,
/// as those of open_frames() have. With `at_once` above 1 this number of frames is worked on
/// concurrently, frame n on lane n % at_once with a thread of its own. They are written in order.
/// At most frames_at_once frames, or `at_once`, exist at once. The first error of any of the three
/// is thrown when all have stopped. Frames before an error of `source` or `work` are still worked
/// on and written.
void overlap(FrameSource& source, const std::function<void(FrameBuffer&, int lane)>& work,
             const std::function<void(const Frame&)>& write, int at_once = 1);

}  // namespace cuesta::io
