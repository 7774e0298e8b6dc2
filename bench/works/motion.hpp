// A video with one moving object, the same bytes on every machine, and the request to find it.
#pragma once

#include <string>
#include <vector>

#include "bench/engine/session.hpp"
#include "cuesta/motion.hpp"

namespace cuesta::bench {

/// Sides of a video below this have no room for an object that opening with 15 x 15 leaves.
inline constexpr int32_t smallest_video = 160;

/// RGB frames of a still, dim scene with noise of a few gray levels in each, and one bright
/// ellipse, a tenth of the scene wide and high, that crosses it from the second frame to the last
/// and is whole in all of them. The first frame is the empty scene.
std::vector<Image<uint8_t>> moving_object_video(int32_t width, int32_t height, int frames);

/// Paper 004's chain with OpenCV's ellipse of 15, so that OpenCV finds the same boxes.
MotionOptions motion_options();

/// A call is a frame, to a detector of each strategy and setting that was initialised on the
/// video's first; the frames from `first` on in steps of `step` are the sources. OpenCV is left
/// out, and the difference noted, where it finds other boxes in a frame; so is a frame in which
/// production does not find the one object. The video stays the caller's.
Work motion_work(Session& session, std::string experiment, std::string parameters,
                 const MotionOptions& options, const std::vector<Image<uint8_t>>& video, int step,
                 int first = 1);
/// A call is `count` frames that are below each other in one picture, to detectors initialised on
/// `first`.
Work motion_batch_work(std::string experiment, std::string parameters, const MotionOptions& options,
                       const Image<uint8_t>& first, const Image<uint8_t>& frames, int count);

/// A call is a frame of each of `count` cameras, which are below each other in one picture, to as
/// many detectors initialised on `first`.
Work motion_cameras_work(std::string experiment, std::string parameters,
                         const MotionOptions& options, const Image<uint8_t>& first,
                         const Image<uint8_t>& frames, int count);

/// A mask of bits of what differs from the background by more than 25, and learning it; frames of
/// one channel go round; the first initialises it. A model of each strategy and setting.
Work background_work(std::string experiment, std::string parameters,
                     const BackgroundOptions& options, const std::vector<ConstAnyView>& frames);

}  // namespace cuesta::bench
