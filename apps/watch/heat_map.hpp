// Where it moved, and for how long: a picture.
#pragma once

#include <vector>

#include "cli/watch.hpp"
#include "cuesta/image.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::cli {

class HeatMap : public MotionSink {
 public:
  explicit HeatMap(const io::StreamFormat& format);

  /// One frame. `mask` is with its corner at (x, y) of the frame. The first frame's luma becomes
  /// the picture's background.
  void add(const io::Frame& frame, ConstBitView mask, int32_t x, int32_t y) override;
  void write(const std::string& path) const override;

  /// RGB of the frames' size: the background at a third of its brightness; over it, where something
  /// moved in n frames, the color of log(1 + n) / log(1 + largest n), from dark red over yellow to
  /// white, as far as it is there.
  Image<uint8_t> picture() const;
  /// Frames in which it moved, of each pixel.
  const Image<int32_t>& counts() const { return counts_; }

 private:
  io::StreamFormat format_;
  Image<int32_t> counts_;
  Image<uint8_t> background_;
};

}  // namespace cuesta::cli
