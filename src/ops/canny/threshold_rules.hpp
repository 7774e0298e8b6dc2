// The arithmetic of Canny's automatic thresholds: from what is known of a histogram to the
// thresholds, and from these to what magnitudes are compared with. Host and device find the same
// bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cuesta/edges.hpp"
#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta {

/// A candidate's magnitude is > low, a strong pixel's > high; both floored where magnitudes are
/// whole numbers. The magnitude is |gx| + |gy| for l1, gx² + gy² for l2; of whole gradients for
/// aperture 7, these were divided by 16.
template <class M>
struct BasicCannyLimits {
  M low = 0, high = 0;
};
using CannyLimits = BasicCannyLimits<int64_t>;

/// Limits that the device found: of magnitudes that are whole numbers, and of floats.
struct FoundLimits {
  CannyLimits whole;
  BasicCannyLimits<double> floats;

  /// Of magnitudes M, as canny_limits_in() has them.
  template <class M>
  CUESTA_HOST_DEVICE BasicCannyLimits<M> in() const {
    if constexpr (std::is_same_v<M, double>) {
      return floats;
    } else {
      constexpr auto most = int64_t{std::numeric_limits<M>::max()};
      return {M(whole.low < most ? whole.low : most), M(whole.high < most ? whole.high : most)};
    }
  }
  CUESTA_HOST_DEVICE bool operator==(const FoundLimits& other) const {
    return whole.low == other.whole.low && whole.high == other.whole.high &&
           floats.low == other.floats.low && floats.high == other.floats.high;
  }
};

/// Bins of the magnitude histogram: l2 magnitudes are counted by their floored root, and everything
/// from 65,535 on falls into the last bin.
inline constexpr int32_t canny_bins = 65536;
/// Of them floats fill these; the rest would be infinity and NaNs.
inline constexpr int32_t canny_float_bins = 0xFF00;

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
  int32_t otsu;          // canny_otsu::choose()
};

/// What the rules read of a request, as a kernel's argument.
struct ThresholdRule {
  AutoThreshold rule;
  Norm norm;
  bool of_floats, smooths;  // magnitudes are floats; the picture was smoothed
  int32_t bins, aperture;
  double share;     // of `percentile`
  double scale;     // of whole gradients: these were divided by it
  double l2_limit;  // the largest threshold of whole numbers that is squared
};

namespace canny_rules {

/// ln(v) for v >= 1, within 4e-16 of it. Libraries and devices round theirs differently; this one
/// is sums, products and a quotient in a fixed order. With v = m 2^e, ln m is 2 artanh((m − 1) / (m
/// + 1)).
CUESTA_HOST_DEVICE inline double logarithm(double v) {
  using pixel::product;
  constexpr double ln_2 = 0.6931471805599453, root_2 = 1.4142135623730951;
  const auto bits = std::bit_cast<uint64_t>(v);
  int exponent = int(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1023} << 52);
  if (m > root_2) m /= 2, ++exponent;
  const double s = (m - 1) / (m + 1), square = product(s, s);
  double sum = 1.0 / 23;
  for (int k = 21; k > 0; k -= 2) sum = product(sum, square) + 1.0 / k;
  return product(double(exponent), ln_2) + product(2 * s, sum);
}

/// The smallest magnitude of a bin; of whole numbers the one that it counts.
CUESTA_HOST_DEVICE inline double value_of(const ThresholdRule& rule, int32_t bin) {
  return rule.of_floats ? double(std::bit_cast<float>(uint32_t(bin) << 15)) : double(bin);
}

/// The last bin that counts nothing above `most`, which is at least 0. What the last bin of whole
/// numbers holds may be larger than anything.
CUESTA_HOST_DEVICE inline int32_t last_below(const ThresholdRule& rule, double most) {
  int32_t first = 0, end = rule.bins;
  if (!rule.of_floats && rule.bins == canny_bins) --end;
  while (end - first > 1) {
    const int32_t middle = first + (end - first) / 2;
    (value_of(rule, middle) > most ? end : first) = middle;
  }
  return first;
}

/// The median, by straight lines between the middles of the bins' pixels.
CUESTA_HOST_DEVICE inline double smooth_median(const ThresholdRule& rule,
                                               const MagnitudeSummary& known) {
  const double middle = double(known.middle_begin) + double(known.middle_count) / 2;
  const double before_middle =
      double(known.middle_begin - known.before_count) + double(known.before_count) / 2;
  const double before = known.before_middle < 0 ? 0 : value_of(rule, known.before_middle);
  return before + (value_of(rule, known.middle) - before) *
                      (double(known.all) / 2 - before_middle) / (middle - before_middle);
}

/// What noise alone, as strong as the median says, exceeds in fewer than one picture of a hundred;
/// and no less than what the rounding of a smoothed picture leaves (README, "noise").
CUESTA_HOST_DEVICE inline double noise_reaches(const ThresholdRule& rule,
                                               const MagnitudeSummary& known) {
  const bool l1 = rule.norm == Norm::l1;
  const double floored = rule.of_floats ? 0 : 0.5;
  const double median = smooth_median(rule, known);
  const double deviation = l1 ? median / 1.4874640 : (median + floored) / 1.1774100;
  const auto all = double(known.all);
  const double least = l1 ? 2 * deviation * std::sqrt(logarithm(200.0 * all))
                          : deviation * std::sqrt(2 * logarithm(100.0 * all));
  if (rule.of_floats) return least;
  const double two_levels = rule.aperture == 3 ? 8 : rule.aperture == 5 ? 96 : 40;
  return std::floor(rule.smooths && two_levels > least ? two_levels : least);
}

CUESTA_HOST_DEVICE inline double high_from(const ThresholdRule& rule,
                                           const MagnitudeSummary& known) {
  if (rule.rule == AutoThreshold::percentile) return value_of(rule, known.share);
  double floor = 0;
  if (rule.rule == AutoThreshold::noise && known.all > 0) {
    const double most = noise_reaches(rule, known);
    // All but a few things in the picture is noise.
    if (last_below(rule, most) >= known.few_above) floor = most;
  }
  if (known.all == known.zeros) return floor;
  if (rule.rule == AutoThreshold::median) return 1.33 * value_of(rule, known.half_nonzero);
  const double otsu = value_of(rule, known.otsu);
  return otsu > floor ? otsu : floor;
}

/// The thresholds that a rule finds.
CUESTA_HOST_DEVICE inline CannyResult thresholds_from(const ThresholdRule& rule,
                                                      const MagnitudeSummary& known) {
  const double high = high_from(rule, known) * rule.scale;
  return {high / 2, high};
}

/// The limit of magnitudes that are whole numbers for a threshold in gradient units.
CUESTA_HOST_DEVICE inline int64_t whole_limit(double threshold, Norm norm, double scale,
                                              double l2_limit) {
  double t = threshold / scale;
  if (norm == Norm::l2) {
    if (t > l2_limit) t = l2_limit;
    if (t > 0) t *= t;
  }
  // 2^62 stands for everything larger; no magnitude reaches it.
  t = std::floor(t);
  return int64_t(t < -1 ? -1.0 : t > 0x1p62 ? 0x1p62 : t);
}
/// The same of floats.
CUESTA_HOST_DEVICE inline double float_limit(double threshold, Norm norm) {
  return norm == Norm::l2 && threshold > 0 ? threshold * threshold : threshold;
}

/// The limits for thresholds in gradient units, low <= high.
CUESTA_HOST_DEVICE inline FoundLimits limits_for(const ThresholdRule& rule,
                                                 const CannyResult& thresholds) {
  const auto whole = [&](double t) { return whole_limit(t, rule.norm, rule.scale, rule.l2_limit); };
  return {{whole(thresholds.low), whole(thresholds.high)},
          {float_limit(thresholds.low, rule.norm), float_limit(thresholds.high, rule.norm)}};
}

}  // namespace canny_rules
}  // namespace cuesta
