// Where Canny's thresholds come from, and what they are compared with.
#pragma once

#include <cstdint>
#include <span>

#include "ops/canny/args.hpp"

namespace cuesta {

/// A candidate's magnitude is > low, a strong pixel's > high; both floored. The magnitude is |gx| +
/// |gy| for l1, gx² + gy² for l2, of gradients divided by 16 for aperture 7.
struct CannyLimits {
  int64_t low = 0, high = 0;
};

/// The limits for thresholds in gradient units, low <= high. Never below −1: magnitudes start at 0.
CannyLimits canny_limits(const CannyArgs& args, const CannyResult& thresholds);

/// The thresholds the caller gave, in order.
CannyResult canny_given(const CannyOptions& options);

/// Bins of the magnitude histogram: l2 magnitudes are counted by their floored root, and everything
/// from 65,535 on falls into the last bin.
inline constexpr int32_t canny_bins = 65536;

/// The thresholds that options.thresholds (Automatic) finds in the histogram of the magnitudes
/// inside the mask. Trailing empty bins may be left out.
CannyResult canny_automatic(const CannyOptions& options, std::span<uint64_t> bins);

}  // namespace cuesta
