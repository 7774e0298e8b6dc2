// Detection on frames reduced by N: for video with more pixels than its moving objects need.
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

/// Options of Downscale.
struct DownscaleOptions {
  /// Side of the square of pixels that the detector sees as one: 1 to 16.
  int downscale = 1;
};

/// Reduces frames for a detector and scales its results back.
/// The detector sees ceil(width / N) x ceil(height / N) pixels. Its pixel (x, y) is the mean of the
/// frame's pixels with column in [N x, N x + N) and row in [N y, N y + N), rounded:
/// floor((2 sum + count) / (2 count)). The count is N², less in the last column and row where N
/// leaves a remainder. Samples stay u8 or u16. Colors become gray first (to_gray). With N = 1 the
/// detector sees the frames.
///
/// Results are in pixels of the frame: boxes (cut off at its border), centroids
/// (N c + (N − 1) / 2), areas (N² for each pixel, at most the box's), shifts and the mask. Options
/// are given in pixels of the frame as well; options_for() converts them. Each cell of `close` and
/// `open` goes to the nearest reduced pixel, halves towards the anchor. Half of `blur`'s window,
/// (k − 1) / 2, and `steady` are divided and rounded up; `blur_sigma` is divided.
class Downscale {
 public:
  /// Throws Error{invalid_argument} for a factor outside 1..16.
  explicit Downscale(DownscaleOptions options);
  explicit Downscale(int factor) : Downscale(DownscaleOptions{factor}) {}

  /// Returns the factor N.
  int factor() const { return factor_; }
  /// Returns the options of the detector; keeps `min_area` for detections().
  MotionOptions options_for(MotionOptions of_frames);

  /// Returns the reduced frame for the detector.
  /// What the detector is to see of this frame: u8 or u16, 1, 3 or 4 channels, on the host; valid
  /// until the next call. Nothing allocates after the first. Throws Error{input} for another size
  /// than before, Error{unsupported} for frames on the GPU.
  ConstAnyView look(ConstAnyView frame, const Exec& exec = {});

  /// Returns the thresholds of the reduced pixels: of each the lowest of its pixels.
  /// `of_frames`: f32, of the frames' size, one channel, on the host. For
  /// MotionDetector::set_thresholds(). Throws Error{invalid_argument} for other pictures.
  Image<float> thresholds(ConstAnyView of_frames) const;

  // Of the frame that was looked at last; valid until the next call.
  /// Converts detections, a state or a mask of the reduced frame to the pixels of the frame.
  /// They belong to the last look(). Valid until the next call.
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
