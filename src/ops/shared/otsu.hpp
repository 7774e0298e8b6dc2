// Otsu's choice among the bins of a histogram, whatever they count.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cuesta/border.hpp"

namespace cuesta {

/// Classes lighter than this share of all pixels are passed over: FLT_EPSILON, as in cv::threshold.
inline constexpr double otsu_least_weight = 1.1920928955078125e-07;

/// Maximises the variance between the two classes, q1 q2 (m1 − m2)², over the last bin of the lower
/// class; value(bin) is what a bin counts. 0 where the bins are empty. Empty bins between two peaks
/// tie in exact arithmetic; which of them wins is decided by rounding, so the doubles run in the
/// order of cv::threshold's: a running mean of the lower class, the upper one from the mean of all.
/// Classes lighter than FLT_EPSILON of all pixels are passed over, as there. Empty bins cost next
/// to nothing: they leave weight and mean as they are, but for the rounding of mean · weight /
/// weight, which comes to rest after a bin or two. Where they are
/// passed over they cannot win. Source: Otsu 1979.
enum class EmptyBins { may_win, passed_over };
template <class Value>
size_t otsu_class(std::span<const uint64_t> bins, Value&& value,
                  EmptyBins empty = EmptyBins::may_win) {
  constexpr double least = otsu_least_weight;
  uint64_t pixels = 0;
  double mean = 0;
  size_t end = 0;  // past the last bin that is not empty
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i] == 0) continue;
    pixels += bins[i];
    mean += value(i) * double(bins[i]);
    end = i + 1;
  }
  if (pixels == 0) return 0;
  const double scale = 1.0 / double(pixels);
  mean *= scale;

  double lower_weight = 0, lower_mean = 0, best_variance = 0;
  size_t best = 0;
  bool rests = false;  // another empty bin changes nothing, and its variance is no larger
  for (size_t i = 0; i < end; ++i) {
    rests = bins[i] == 0 && (rests || empty == EmptyBins::passed_over);
    if (rests) continue;
    const double before = lower_mean;
    const double weight = double(bins[i]) * scale;
    lower_mean *= lower_weight;
    lower_weight += weight;
    const double upper_weight = 1.0 - lower_weight;
    if (std::min(lower_weight, upper_weight) < least ||
        std::max(lower_weight, upper_weight) > 1.0 - least)
      continue;
    lower_mean = (lower_mean + value(i) * weight) / lower_weight;
    rests = bins[i] == 0 && lower_mean == before;
    const double upper_mean = (mean - lower_weight * lower_mean) / upper_weight;
    const double variance =
        lower_weight * upper_weight * (lower_mean - upper_mean) * (lower_mean - upper_mean);
    if (variance > best_variance) {
      best_variance = variance;
      best = i;
    }
  }
  return best;
}

/// Bounds of what otsu_class() computes for the variance of a bin that is not empty. `least` is −1
/// where it may pass over the bin, and `most` where it does.
struct OtsuRange {
  double least, most;
};
/// Where the lower class, the first `steps` bins, has `lower` of `all` pixels and `lower_sum` of
/// their `sum`, with values of 0 and more. `sum_steps` are the roundings in otsu_class()'s own
/// `sum`: 0 of whole numbers, otherwise the number of bins. Up to a bin the product of its running
/// mean and weight takes three roundings a step, the weight one; what they miss is missing in the
/// upper class. All of it counts twice.
CUESTA_HOST_DEVICE inline OtsuRange otsu_range(double lower, double lower_sum, double all,
                                               double sum, int steps, int sum_steps) {
  constexpr double twice = 2 * 1.1102230246251565e-16, doubt = 0x1p-10;
  const double low = lower / all, high = (all - lower) / all, light = low < high ? low : high;
  if (!(light > otsu_least_weight * (1 - doubt))) return {-1, -1};
  const double lower_mean = lower_sum / lower, upper_mean = (sum - lower_sum) / (all - lower);
  const double apart = upper_mean - lower_mean, a_step = steps + 8;
  const double missing =
      (sum_steps + 8) * (sum / all) + 4 * a_step * low * lower_mean + a_step * low * upper_mean;
  const double off = twice * (4 * a_step * lower_mean + missing / high);
  const double nearest = apart > off ? apart - off : 0,
               relative = twice * a_step * (1 + low / high);
  const double least = low * high * nearest * nearest * (1 - relative);
  return {light > otsu_least_weight * (1 + doubt) && relative < 1 ? least : -1,
          low * high * (apart + off) * (apart + off) * (1 + relative)};
}

}  // namespace cuesta
