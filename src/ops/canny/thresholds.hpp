// Where Canny's thresholds come from, and what they are compared with.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "ops/canny/args.hpp"
#include "ops/shared/gradient.hpp"

namespace cuesta {

/// A candidate's magnitude is > low, a strong pixel's > high; both floored where magnitudes are
/// whole numbers. The magnitude is |gx| + |gy| for l1, gx² + gy² for l2; of whole gradients for
/// aperture 7, these were divided by 16.
template <class M>
struct BasicCannyLimits {
  M low = 0, high = 0;
};
using CannyLimits = BasicCannyLimits<int64_t>;

/// The limits for thresholds in gradient units, low <= high. Never below −1: magnitudes start at 0.
CannyLimits canny_limits(const CannyArgs& args, const CannyResult& thresholds);
/// The same for magnitudes M, int32_t, int64_t or of f32 pictures double, whose limits are the
/// thresholds.
template <class M>
BasicCannyLimits<M> canny_limits_in(const CannyArgs& args, const CannyResult& thresholds);

/// The thresholds the caller gave, in order.
CannyResult canny_given(const CannyOptions& options);

/// Bins of the magnitude histogram: l2 magnitudes are counted by their floored root, and everything
/// from 65,535 on falls into the last bin.
inline constexpr int32_t canny_bins = 65536;
/// Of them floats fill these; the rest would be infinity and NaNs.
inline constexpr int32_t canny_float_bins = 0xFF00;

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

/// What the automatic rules take from a histogram of magnitudes; a rule reads what it needs. Bins
/// are the first ones that satisfy what is written beside them.
struct MagnitudeSummary {
  uint64_t all, zeros;  // pixels, those in bin 0
  // Median: half of all pixels come before the middle of this bin's; the last bin before it that
  // has pixels, or −1.
  int32_t middle, before_middle;
  uint64_t middle_begin, middle_count, before_count;  // pixels before it, in it, in the other
  int32_t share;         // the percentile's share of all pixels is in it or below
  int32_t half_nonzero;  // half of the pixels above 0
  int32_t few_above;     // less than a pixel in a thousand is above it
  int32_t otsu;          // otsu_class() of the pixels above 0, empty bins passed over
};

/// The share of all pixels that MagnitudeSummary::share asks for.
double canny_share(const CannyOptions& options);
/// Whether the rule reads MagnitudeSummary::otsu.
bool canny_takes_otsu(const CannyOptions& options);

/// The thresholds that options.thresholds (Automatic) finds in the histogram of the magnitudes
/// inside the mask, of a picture of this type. Trailing empty bins may be left out. Bin 0 is
/// cleared.
CannyResult canny_automatic(const CannyOptions& options, PixelType type, std::span<uint64_t> bins);
/// The same from what is known of a histogram of `bins` bins.
CannyResult canny_automatic(const CannyOptions& options, PixelType type, int32_t bins,
                            const MagnitudeSummary& known);

}  // namespace cuesta
