// Boxes around objects, drawn into the planes of a video frame.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "cuesta/image.hpp"
#include "cuesta/io/frames.hpp"
#include "cuesta/io/overlap.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/tracking.hpp"

namespace cuesta::cli {

class BoxPainter {
 public:
  /// Bright green, as the stream's range and matrix write it; white in a stream without color.
  explicit BoxPainter(const io::StreamFormat& format);

  /// Frames each box on its outside; at the picture's edge, on its inside. Lines begin and end on
  /// even samples, so that subsampled color ends where luma does.
  void draw(io::FrameBuffer& frame, std::span<const Detection> objects) const;

  /// The same of objects with their ids.
  void draw(io::FrameBuffer& frame, std::span<const TrackedObject> objects) const;

  /// Counting lines, each with an arrow from its middle to its right: the first of its ways.
  void draw(io::FrameBuffer& frame, std::span<const CountingLine> lines) const;

  /// A time, in digits and the signs between them, in the upper left corner; without its date where
  /// both do not fit.
  void stamp(io::FrameBuffer& frame, std::string_view text) const;

  /// Samples across a line: 2 for every 480 of the picture's shorter side, at least 2.
  int32_t line_width() const { return line_; }

 private:
  using Color = std::array<uint8_t, 3>;
  void fill(io::FrameBuffer& frame, const Rect& rect, const Color& color) const;
  void draw_box(io::FrameBuffer& frame, const Rect& box) const;
  void draw_segment(io::FrameBuffer& frame, Point a, Point b) const;
  // Digits and the like (font.hpp) on black, its upper left corner at (x, y), moved into the frame.
  void write(io::FrameBuffer& frame, int32_t x, int32_t y, std::string_view text) const;

  io::StreamFormat format_;
  int32_t line_;
  Color color_, black_;
};

}  // namespace cuesta::cli
