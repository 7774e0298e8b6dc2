// Moving objects in frames that are looked at N times smaller: for video that is larger than what
// moves in it needs.
//
//     cuesta::Downscale small(2);
//     cuesta::MotionDetector detector(small.options_for(options));
//     for (...)
//       for (const cuesta::Detection& d : small.detections(detector.push(small.look(frame)))) ...
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"
#include "cuesta/motion.hpp"

namespace cuesta {

struct DownscaleOptions {
  /// 1 to 16: pixels a side that the detector sees as one.
  int downscale = 1;
};

/// Between frames and a detector of smaller ones. What the detector sees has ceil(width / N) x
/// ceil(height / N) pixels, and its pixel (x, y) is the mean of the frame's that have their column
/// in [N x, N x + N) and their row in [N y, N y + N), rounded: floor((2 sum + count) / (2 count)).
/// Their count is N², and less in the last column and row where N leaves a rest. Samples stay u8 or
/// u16; of colors the mean is that of the gray (to_gray). With N = 1 the detector sees the frames.
///
/// What is told is of the frame: boxes (cut off at its rim) and centroids (N c + (N − 1) / 2),
/// areas (N² each pixel, the box's at most), shifts, the mask. So is what options are given in:
/// options_for() makes of them the detector's own. Of `close` and `open` each cell goes to the
/// nearest pixel of what it sees, halves towards the anchor; half of `blur`'s window, (k − 1) / 2,
/// and `steady` are divided and rounded up, `blur_sigma` is divided.
class Downscale {
 public:
  /// Throws Error{invalid_argument} for a factor outside 1..16.
  explicit Downscale(DownscaleOptions options);
  explicit Downscale(int factor) : Downscale(DownscaleOptions{factor}) {}

  int factor() const { return factor_; }
  /// What the detector is to be made with; keeps `min_area` for detections().
  MotionOptions options_for(MotionOptions of_frames);

  /// What the detector is to see of this frame: u8 or u16, 1, 3 or 4 channels, on the host; valid
  /// until the next call. Nothing allocates after the first. Throws Error{input} for another size
  /// than before, Error{unsupported} for frames on the GPU.
  ConstAnyView look(ConstAnyView frame, const Exec& exec = {});

  // Of the frame that was looked at last; valid until the next call.
  std::span<const Detection> detections(std::span<const Detection> seen);
  FrameState state(FrameState seen) const;
  ConstBitView mask(ConstBitView seen);

  /// Forgets the frames' size.
  void reset();
  /// The detector's state (MotionDetector::save()) and the frames' size.
  std::vector<uint8_t> save(const MotionDetector& detector) const;
  /// Gives both back. Throws as MotionDetector::load(), also for a state of another factor.
  void load(MotionDetector& detector, std::span<const uint8_t> saved);

 private:
  int factor_ = 1;
  int64_t min_area_ = 0;
  Size size_{};
  AnyImage gray_, small_;
  std::vector<Detection> detections_;
  BitImage mask_;
};

}  // namespace cuesta
