// Reading, working and writing at once, over a fixed number of frames.
#pragma once

#include <array>
#include <functional>

#include "cuesta/image.hpp"
#include "io/frames.hpp"

namespace cuesta::io {

/// A frame that may be drawn on. Its planes are the reader's, and copied when they are first drawn
/// on.
class FrameBuffer {
 public:
  /// Takes what the reader made, and lets go of what was here; own memory is kept.
  void assign(Frame frame);
  /// A new luma plane of this size, samples uninitialised; without `keeps_color` the frame has no
  /// color then. The old luma stays readable through `old_luma` until the next assign(). Comes
  /// before anything is drawn.
  ImageView<uint8_t> replace_luma(int32_t width, int32_t height, bool keeps_color,
                                  ConstAnyView* old_luma = nullptr);

  const Frame& frame() const { return frame_; }
  // To draw on; without data where the frame has no such plane.
  AnyView luma() { return drawable(0, frame_.luma); }
  AnyView cb() { return drawable(1, frame_.cb); }
  AnyView cr() { return drawable(2, frame_.cr); }

 private:
  AnyView drawable(size_t plane, ConstAnyView& shown);
  Frame frame_;
  std::array<Image<uint8_t>, 3> planes_;
  std::array<bool, 3> drawn_{};  // whether the frame shows the own plane
};

constexpr int frames_at_once = 8;

/// Passes every frame of `source`, which gives its frames owners, through `work` to `write`, all
/// three at once, each on one frame at a time and in order, on whichever thread (run_stages). With
/// `at_once` above 1 this many frames are worked on concurrently, frame n on lane n % at_once with
/// a thread of its own; they are written in order all the same. At most frames_at_once frames, or
/// `at_once`, exist at once. The first error of any of the three is thrown when all have stopped;
/// frames before an error of `source` or `work` are still worked on and written.
void overlap(FrameSource& source, const std::function<void(FrameBuffer&, int lane)>& work,
             const std::function<void(const Frame&)>& write, int at_once = 1);

}  // namespace cuesta::io
