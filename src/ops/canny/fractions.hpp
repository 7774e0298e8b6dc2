// What a wide Gaussian needs: f32 copies where rounding would show, and thinning by length.
#pragma once

#include "ops/canny/args.hpp"

namespace cuesta {

/// The largest sigma without a ksize: that of the windows that gaussian() takes.
constexpr double canny_max_sigma = 42;

/// Whether suppression compares the gradients' lengths where thresholds are compared with the l1
/// norm (README, step 4). Options are resolved.
bool canny_thins_by_length(const CannyArgs& args);
/// The norm of the magnitudes that suppression compares.
inline Norm canny_thinning_norm(const CannyArgs& args) {
  return canny_thins_by_length(args) ? Norm::l2 : args.options.norm;
}

/// What thresholds compare of a pixel that is thinned by length: |gx| + |gy|, 0 where a mask left
/// no magnitude. Host and device.
template <class G>
CUESTA_HOST_DEVICE constexpr double canny_sum_of(double magnitude, G gx, G gy) {
  const double x = gx < 0 ? -gx : gx, y = gy < 0 ? -gy : gy;
  return magnitude == 0 ? 0.0 : x + y;
}

/// dispatch() of a picture or batch whose options are resolved: of f32 copies where fractions are
/// kept, and of pictures smoothed by gaussian() where the border is not reflect101.
void canny_dispatch(const CannyArgs& args, const Exec& exec);

}  // namespace cuesta
