// Where Canny's thresholds come from, and what they are compared with.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "ops/canny/args.hpp"
#include "ops/canny/threshold_rules.hpp"
#include "ops/shared/gradient.hpp"

namespace cuesta {

/// The limits for thresholds in gradient units, low <= high. Never below −1: magnitudes start at 0.
CannyLimits canny_limits(const CannyArgs& args, const CannyResult& thresholds);
/// The same for magnitudes M, int32_t, int64_t or of f32 pictures double, whose limits are the
/// thresholds.
template <class M>
BasicCannyLimits<M> canny_limits_in(const CannyArgs& args, const CannyResult& thresholds);

/// The thresholds the caller gave, in order.
CannyResult canny_given(const CannyOptions& options);

/// The bin of a magnitude.
CUESTA_HOST_DEVICE constexpr int32_t canny_bin(int64_t magnitude, Norm norm) {
  const int64_t size = norm == Norm::l1 ? magnitude : gradient::floor_sqrt(magnitude);
  return size < canny_bins ? int32_t(size) : canny_bins - 1;
}
/// Of f32 pictures a bin is the first 16 bits behind the sign of the magnitude as a float, l2's of
/// its root: the same share of it wide, 1/256 to 1/512, whatever a level of the picture means. −1
/// of what is not finite, which is counted nowhere.
CUESTA_HOST_DEVICE inline int32_t canny_bin(double magnitude, Norm norm) {
  const auto size = float(norm == Norm::l1 ? magnitude : std::sqrt(magnitude));
  const auto bin = int32_t(std::bit_cast<uint32_t>(size) << 1 >> 16);
  return bin < canny_float_bins ? bin : -1;
}

/// What options.thresholds (Automatic) asks of the magnitudes of a picture of this type, counted in
/// `bins` bins.
ThresholdRule canny_rule(const CannyOptions& options, PixelType type, int32_t bins);

/// The thresholds that options.thresholds (Automatic) finds in the histogram of the magnitudes
/// inside the mask, of a picture of this type. Trailing empty bins may be left out.
CannyResult canny_automatic(const CannyOptions& options, PixelType type,
                            std::span<const uint64_t> bins);

}  // namespace cuesta
