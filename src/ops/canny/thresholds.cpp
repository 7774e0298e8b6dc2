#include "ops/canny/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cuesta/objects.hpp"

namespace cuesta {
namespace {

// The smallest magnitude that at least `share` of the counted pixels do not exceed.
int32_t quantile(std::span<const uint64_t> bins, double share) {
  const auto all = double(std::accumulate(bins.begin(), bins.end(), uint64_t{0}));
  uint64_t below = 0;
  for (size_t m = 0; m < bins.size(); ++m) {
    below += bins[m];
    if (double(below) >= share * all) return int32_t(m);
  }
  return int32_t(bins.size()) - 1;
}

// The median, by straight lines between the middles of the bins' pixels.
double smooth_median(std::span<const uint64_t> bins, uint64_t all) {
  const double half = double(all) / 2;
  double below = 0, last_middle = 0, last = 0;
  for (size_t m = 0; m < bins.size(); ++m) {
    if (bins[m] == 0) continue;
    const double middle = below + double(bins[m]) / 2;
    if (middle >= half)
      return last + (double(m) - last) * (half - last_middle) / (middle - last_middle);
    below += double(bins[m]);
    last_middle = middle, last = double(m);
  }
  return last;
}

// What noise alone, as strong as the median says, exceeds in fewer than one picture of a hundred;
// and no less than what the rounding of a smoothed picture leaves (README, "noise").
double noise_reaches(const CannyOptions& options, std::span<const uint64_t> bins, uint64_t all) {
  const bool l1 = options.norm == Norm::l1;
  const double median = smooth_median(bins, all);
  const double deviation = l1 ? median / 1.4874640 : (median + 0.5) / 1.1774100;
  const double least = l1 ? 2 * deviation * std::sqrt(std::log(200.0 * double(all)))
                          : deviation * std::sqrt(2 * std::log(100.0 * double(all)));
  const double two_levels = options.aperture == 3 ? 8 : options.aperture == 5 ? 96 : 40;
  return std::floor(options.sigma > 0 ? std::max(least, two_levels) : least);
}

// Whether all but a few things in the picture is noise, which does not exceed `most`. What the last
// bin holds may be larger than anything.
bool is_noise(std::span<const uint64_t> bins, uint64_t all, double most) {
  uint64_t above = 0;
  for (size_t m = 0; m < bins.size(); ++m)
    if (double(m) > most || m + 1 == size_t(canny_bins)) above += bins[m];
  return above * 1000 < all;
}

double high_from(const CannyOptions& options, std::span<uint64_t> bins) {
  const Automatic& automatic = std::get<Automatic>(options.thresholds);
  if (automatic.rule == AutoThreshold::percentile) return quantile(bins, automatic.percent / 100);
  const auto all = std::accumulate(bins.begin(), bins.end(), uint64_t{0});
  double floor = 0;
  if (automatic.rule == AutoThreshold::noise && all > 0) {
    const double most = noise_reaches(options, bins, all);
    if (is_noise(bins, all, most)) floor = most;
  }
  bins[0] = 0;
  if (std::all_of(bins.begin(), bins.end(), [](uint64_t n) { return n == 0; })) return floor;
  if (automatic.rule == AutoThreshold::median) return 1.33 * quantile(bins, 0.5);
  return std::max(floor, double(otsu_threshold(bins)));
}

// Aperture 7 divides gradients by 16, and thresholds with them.
double gradient_scale(const CannyOptions& options) { return options.aperture == 7 ? 16.0 : 1.0; }

}  // namespace

CannyResult canny_given(const CannyOptions& options) {
  const Given given = std::get<Given>(options.thresholds);
  return {std::min(given.low, given.high), std::max(given.low, given.high)};
}

CannyResult canny_automatic(const CannyOptions& options, std::span<uint64_t> bins) {
  const double high = high_from(options, bins) * gradient_scale(options);
  return {high / 2, high};
}

CannyLimits canny_limits(const CannyArgs& args, const CannyResult& thresholds) {
  // 2^62 stands for everything larger; no magnitude reaches it. cv::Canny caps l2 thresholds so
  // that their squares fit 32 bits; on u16 they must fit 62.
  const double cap = args.src.type == PixelType::u8 ? 32767.0 : 2147483647.0;
  const auto limit = [&](double t) {
    t /= gradient_scale(args.options);
    if (args.options.norm == Norm::l2) {
      t = std::min(t, cap);
      if (t > 0) t *= t;
    }
    return int64_t(std::clamp(std::floor(t), -1.0, 0x1p62));
  };
  return {limit(thresholds.low), limit(thresholds.high)};
}

}  // namespace cuesta
