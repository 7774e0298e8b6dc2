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

}  // namespace cuesta::bench
