// Detection with tracking, as every interface runs it.
#pragma once

#include <algorithm>

#include "cuesta/motion.hpp"
#include "cuesta/tracking.hpp"

namespace cuesta::recipes {

/// Makes one limit of `min_area` of both: the larger counts.
/// Parts of an object are joined (TrackingOptions::join) before the object is compared with it.
/// Specks are not joined.
inline void share_min_area(MotionOptions& motion, TrackingOptions& tracking) {
  tracking.min_area = std::max(tracking.min_area, motion.min_area);
  if (tracking.join > 0 && motion.min_area > 0) motion.min_area = 1;
}

}  // namespace cuesta::recipes
