// The climb: five requests, each answered by every device strategy, from the papers' first step to
// production.
#pragma once

#include <vector>

#include "bench/engine/session.hpp"

namespace cuesta::bench {

/// Sources of climb_works(), u8.
struct ClimbPictures {
  ClimbPictures(Session& session, int32_t side);
  Image<uint8_t> photograph, mask;
};

/// A Gaussian of 5 x 5, Sobel's magnitude, Canny and labels; the pictures stay the caller's.
std::vector<Work> climb_works(Session& session, const ClimbPictures& pictures);

/// The fifth, moving objects, and the frames that it needs; they stay the caller's.
std::vector<Image<uint8_t>> climb_video(int32_t side);
Work climb_detector_work(Session& session, const std::vector<Image<uint8_t>>& video);

}  // namespace cuesta::bench
