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

double high_from(const Automatic& automatic, std::span<uint64_t> bins) {
  if (automatic.rule == AutoThreshold::percentile) return quantile(bins, automatic.percent / 100);
  bins[0] = 0;
  if (std::all_of(bins.begin(), bins.end(), [](uint64_t n) { return n == 0; })) return 0;
  if (automatic.rule == AutoThreshold::median) return 1.33 * quantile(bins, 0.5);
  return otsu_threshold(bins);
}

// Aperture 7 divides gradients by 16, and thresholds with them.
double gradient_scale(const CannyOptions& options) { return options.aperture == 7 ? 16.0 : 1.0; }

}  // namespace

CannyResult canny_given(const CannyOptions& options) {
  const Given given = std::get<Given>(options.thresholds);
  return {std::min(given.low, given.high), std::max(given.low, given.high)};
}

CannyResult canny_automatic(const CannyOptions& options, std::span<uint64_t> bins) {
  const double high =
      high_from(std::get<Automatic>(options.thresholds), bins) * gradient_scale(options);
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
