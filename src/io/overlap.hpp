// Reading, working and writing at once, each in a thread of its own, over a fixed number of frames.
#pragma once

#include <array>
#include <functional>

#include "cuesta/image.hpp"
#include "io/frames.hpp"

namespace cuesta::io {

/// A frame that owns its planes, and may be drawn on.
class FrameBuffer {
 public:
  /// Copies planes, number and time; memory of the same size is kept.
  void assign(const Frame& frame);
  /// A new luma plane of this size, samples uninitialised; the color planes are dropped. The old
  /// luma stays readable through `old_luma` until the next assign().
  ImageView<uint8_t> replace_luma(int32_t width, int32_t height, ConstAnyView* old_luma = nullptr);

  const Frame& frame() const { return frame_; }
  AnyView luma() { return writable(frame_.luma); }
  AnyView cb() { return writable(frame_.cb); }
  AnyView cr() { return writable(frame_.cr); }

 private:
  static AnyView writable(const ConstAnyView& p);
  Frame frame_;
  std::array<Image<uint8_t>, 4> planes_;  // luma, cb, cr, and luma's replacement
};

/// Passes every frame of `source` through `work`, on the caller's thread, to `write`, on another.
/// Frames keep their order. At most `buffers` frames exist at once. The first error of any of the
/// three is thrown when all have stopped; frames before an error of `source` are still worked on
/// and written.
void overlap(FrameSource& source, const std::function<void(FrameBuffer&)>& work,
             const std::function<void(const Frame&)>& write, int buffers = 8);

}  // namespace cuesta::io
