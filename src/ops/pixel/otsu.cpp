// Otsu's threshold of a histogram (Otsu 1979).
#include <algorithm>
#include <numeric>

#include "core/check.hpp"
#include "cuesta/objects.hpp"

namespace cuesta {
namespace {

// Classes lighter than this share of all pixels are passed over: FLT_EPSILON, as in cv::threshold.
constexpr double min_weight = 1.1920928955078125e-07;

// Maximises the variance between the two classes, q1 q2 (m1 − m2)², over the last bin of the lower
// class; 0 where the bins are empty. Empty bins between two peaks tie in exact arithmetic; which of
// them wins is decided by rounding, so the doubles run in the order of cv::threshold's: a running
// mean of the lower class, the upper one from the mean of all. Empty bins cost next to nothing:
// they leave weight and mean as they are, but for the rounding of mean · weight / weight, which
// comes to rest after a bin or two.
size_t otsu_class(std::span<const uint64_t> bins) {
  const auto pixels = std::accumulate(bins.begin(), bins.end(), uint64_t{0});
  if (pixels == 0) return 0;
  const double scale = 1.0 / double(pixels);
  double mean = 0;
  size_t end = 0;  // past the last bin that is not empty
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i] == 0) continue;
    mean += double(i) * double(bins[i]);
    end = i + 1;
  }
  mean *= scale;

  double lower_weight = 0, lower_mean = 0, best_variance = 0;
  size_t best = 0;
  bool rests = false;  // another empty bin changes nothing, and its variance is no larger
  for (size_t i = 0; i < end; ++i) {
    rests = bins[i] == 0 && rests;
    if (rests) continue;
    const double before = lower_mean;
    const double weight = double(bins[i]) * scale;
    lower_mean *= lower_weight;
    lower_weight += weight;
    const double upper_weight = 1.0 - lower_weight;
    if (std::min(lower_weight, upper_weight) < min_weight ||
        std::max(lower_weight, upper_weight) > 1.0 - min_weight)
      continue;
    lower_mean = (lower_mean + double(i) * weight) / lower_weight;
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

}  // namespace

int32_t otsu_threshold(std::span<const uint64_t> bins) {
  if (bins.empty())
    throw_invalid("0", "otsu_threshold: the histogram has no bins; it must have at least 1");
  return int32_t(otsu_class(bins));
}

}  // namespace cuesta
