#include "ops/canny/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/shared/otsu.hpp"

namespace cuesta {
namespace {

// The histogram of a picture of some type.
struct Counted {
  std::span<uint64_t> bins;
  bool of_floats;

  // The smallest magnitude of a bin; of whole numbers the one that it counts.
  double value(size_t bin) const {
    return of_floats ? double(std::bit_cast<float>(uint32_t(bin) << 15)) : double(bin);
  }
  // What the last bin of whole numbers holds may be larger than anything.
  bool is_open(size_t bin) const { return !of_floats && bin + 1 == size_t(canny_bins); }
  uint64_t all() const { return std::accumulate(bins.begin(), bins.end(), uint64_t{0}); }
};

// The smallest magnitude that at least `share` of the counted pixels do not exceed.
double quantile(const Counted& counted, double share) {
  const auto all = double(counted.all());
  uint64_t below = 0;
  for (size_t m = 0; m < counted.bins.size(); ++m) {
    below += counted.bins[m];
    if (double(below) >= share * all) return counted.value(m);
  }
  return counted.value(counted.bins.size() - 1);
}

// The median, by straight lines between the middles of the bins' pixels.
double smooth_median(const Counted& counted, uint64_t all) {
  const double half = double(all) / 2;
  double below = 0, last_middle = 0, last = 0;
  for (size_t m = 0; m < counted.bins.size(); ++m) {
    const auto here = double(counted.bins[m]);
    if (here == 0) continue;
    const double middle = below + here / 2;
    if (middle >= half)
      return last + (counted.value(m) - last) * (half - last_middle) / (middle - last_middle);
    below += here;
    last_middle = middle, last = counted.value(m);
  }
  return last;
}

// What noise alone, as strong as the median says, exceeds in fewer than one picture of a hundred;
// and no less than what the rounding of a smoothed picture leaves (README, "noise").
double noise_reaches(const CannyOptions& options, const Counted& counted, uint64_t all) {
  const bool l1 = options.norm == Norm::l1;
  const double floored = counted.of_floats ? 0 : 0.5;
  const double median = smooth_median(counted, all);
  const double deviation = l1 ? median / 1.4874640 : (median + floored) / 1.1774100;
  const double least = l1 ? 2 * deviation * std::sqrt(std::log(200.0 * double(all)))
                          : deviation * std::sqrt(2 * std::log(100.0 * double(all)));
  if (counted.of_floats) return least;
  const double two_levels = options.aperture == 3 ? 8 : options.aperture == 5 ? 96 : 40;
  return std::floor(options.sigma > 0 ? std::max(least, two_levels) : least);
}

// Whether all but a few things in the picture is noise, which does not exceed `most`.
bool is_noise(const Counted& counted, uint64_t all, double most) {
  uint64_t above = 0;
  for (size_t m = 0; m < counted.bins.size(); ++m)
    if (counted.value(m) > most || counted.is_open(m)) above += counted.bins[m];
  return above * 1000 < all;
}

double high_from(const CannyOptions& options, const Counted& counted) {
  const Automatic& automatic = std::get<Automatic>(options.thresholds);
  if (automatic.rule == AutoThreshold::percentile)
    return quantile(counted, automatic.percent / 100);
  const std::span<uint64_t> bins = counted.bins;
  const uint64_t all = counted.all();
  double floor = 0;
  if (automatic.rule == AutoThreshold::noise && all > 0) {
    const double most = noise_reaches(options, counted, all);
    if (is_noise(counted, all, most)) floor = most;
  }
  bins[0] = 0;
  if (std::all_of(bins.begin(), bins.end(), [](uint64_t n) { return n == 0; })) return floor;
  if (automatic.rule == AutoThreshold::median) return 1.33 * quantile(counted, 0.5);
  const size_t lower = otsu_class(bins, [&](size_t bin) { return counted.value(bin); });
  return std::max(floor, counted.value(lower));
}

// Aperture 7 divides whole gradients by 16, and thresholds with them.
double gradient_scale(const CannyOptions& options, PixelType type) {
  return options.aperture == 7 && type != PixelType::f32 ? 16.0 : 1.0;
}

}  // namespace

CannyResult canny_given(const CannyOptions& options) {
  const Given given = std::get<Given>(options.thresholds);
  return {std::min(given.low, given.high), std::max(given.low, given.high)};
}

CannyResult canny_automatic(const CannyOptions& options, PixelType type, std::span<uint64_t> bins) {
  const bool of_floats = type == PixelType::f32;
  if (of_floats) bins = bins.first(std::min(bins.size(), size_t(canny_float_bins)));
  const double high = high_from(options, {bins, of_floats}) * gradient_scale(options, type);
  return {high / 2, high};
}

CannyLimits canny_limits(const CannyArgs& args, const CannyResult& thresholds) {
  // 2^62 stands for everything larger; no magnitude reaches it. cv::Canny caps l2 thresholds so
  // that their squares fit 32 bits; on u16 they must fit 62.
  const double cap = args.src.type == PixelType::u16 ? 2147483647.0 : 32767.0;
  const auto limit = [&](double t) {
    t /= gradient_scale(args.options, args.src.type);
    if (args.options.norm == Norm::l2) {
      t = std::min(t, cap);
      if (t > 0) t *= t;
    }
    return int64_t(std::clamp(std::floor(t), -1.0, 0x1p62));
  };
  return {limit(thresholds.low), limit(thresholds.high)};
}

template <>
BasicCannyLimits<int32_t> canny_limits_in(const CannyArgs& args, const CannyResult& thresholds) {
  const CannyLimits limits = canny_limits(args, thresholds);
  const auto cut = [](int64_t t) { return int32_t(std::min<int64_t>(t, INT32_MAX)); };
  return {cut(limits.low), cut(limits.high)};
}
template <>
BasicCannyLimits<int64_t> canny_limits_in(const CannyArgs& args, const CannyResult& thresholds) {
  return canny_limits(args, thresholds);
}
template <>
BasicCannyLimits<double> canny_limits_in(const CannyArgs& args, const CannyResult& thresholds) {
  const auto limit = [&](double t) { return args.options.norm == Norm::l2 && t > 0 ? t * t : t; };
  return {limit(thresholds.low), limit(thresholds.high)};
}

}  // namespace cuesta
