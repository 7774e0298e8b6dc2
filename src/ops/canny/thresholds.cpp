#include "ops/canny/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/shared/otsu.hpp"

namespace cuesta {
namespace {

// What the bins of a picture's histogram count.
struct Values {
  int32_t bins;
  bool of_floats;

  // The smallest magnitude of a bin; of whole numbers the one that it counts.
  double of(int32_t bin) const {
    return of_floats ? double(std::bit_cast<float>(uint32_t(bin) << 15)) : double(bin);
  }
  // The last bin that counts nothing above `most`, which is at least 0. What the last bin of whole
  // numbers holds may be larger than anything.
  int32_t last_below(double most) const {
    int32_t first = 0, end = bins;
    if (!of_floats && bins == canny_bins) --end;
    while (end - first > 1) {
      const int32_t middle = first + (end - first) / 2;
      (of(middle) > most ? end : first) = middle;
    }
    return first;
  }
};

AutoThreshold rule_of(const CannyOptions& options) {
  return std::get<Automatic>(options.thresholds).rule;
}

// The first bin, or the last one, up to which `enough` pixels are counted.
template <class Enough>
int32_t first_with(std::span<const uint64_t> bins, Enough&& enough) {
  uint64_t below = 0;
  for (size_t m = 0; m < bins.size(); ++m)
    if (enough(below += bins[m])) return int32_t(m);
  return int32_t(bins.size()) - 1;
}

void find_middle(std::span<const uint64_t> bins, MagnitudeSummary& known) {
  for (size_t m = 0; m < bins.size(); ++m) {
    if (bins[m] == 0) continue;
    known.middle = int32_t(m), known.middle_count = bins[m];
    if (double(known.middle_begin) + double(bins[m]) / 2 >= double(known.all) / 2) return;
    known.middle_begin += bins[m];
    known.before_middle = int32_t(m), known.before_count = bins[m];
  }
}

MagnitudeSummary summarise(const CannyOptions& options, const Values& values,
                           std::span<uint64_t> bins) {
  MagnitudeSummary known{};
  known.before_middle = -1;
  known.all = std::accumulate(bins.begin(), bins.end(), uint64_t{0});
  known.zeros = bins[0];
  const auto all = double(known.all);
  switch (rule_of(options)) {
    case AutoThreshold::percentile:
      known.share =
          first_with(bins, [&](uint64_t n) { return double(n) >= canny_share(options) * all; });
      return known;
    case AutoThreshold::median:
      bins[0] = 0;
      known.half_nonzero = first_with(
          bins, [&](uint64_t n) { return double(n) >= 0.5 * double(known.all - known.zeros); });
      return known;
    case AutoThreshold::noise:
      find_middle(bins, known);
      known.few_above =
          first_with(bins, [&](uint64_t n) { return (known.all - n) * 1000 < known.all; });
      break;
    case AutoThreshold::otsu: break;
  }
  bins[0] = 0;
  known.otsu = int32_t(otsu_class(
      bins, [&](size_t bin) { return values.of(int32_t(bin)); }, EmptyBins::passed_over));
  return known;
}

// The median, by straight lines between the middles of the bins' pixels.
double smooth_median(const Values& values, const MagnitudeSummary& known) {
  const double middle = double(known.middle_begin) + double(known.middle_count) / 2;
  const double before_middle =
      double(known.middle_begin - known.before_count) + double(known.before_count) / 2;
  const double before = known.before_middle < 0 ? 0 : values.of(known.before_middle);
  return before + (values.of(known.middle) - before) * (double(known.all) / 2 - before_middle) /
                      (middle - before_middle);
}

// What noise alone, as strong as the median says, exceeds in fewer than one picture of a hundred;
// and no less than what the rounding of a smoothed picture leaves (README, "noise").
double noise_reaches(const CannyOptions& options, const Values& values,
                     const MagnitudeSummary& known) {
  const bool l1 = options.norm == Norm::l1;
  const double floored = values.of_floats ? 0 : 0.5;
  const double median = smooth_median(values, known);
  const double deviation = l1 ? median / 1.4874640 : (median + floored) / 1.1774100;
  const double least = l1 ? 2 * deviation * std::sqrt(std::log(200.0 * double(known.all)))
                          : deviation * std::sqrt(2 * std::log(100.0 * double(known.all)));
  if (values.of_floats) return least;
  const double two_levels = options.aperture == 3 ? 8 : options.aperture == 5 ? 96 : 40;
  return std::floor(options.sigma > 0 ? std::max(least, two_levels) : least);
}

double high_from(const CannyOptions& options, const Values& values, const MagnitudeSummary& known) {
  const AutoThreshold rule = rule_of(options);
  if (rule == AutoThreshold::percentile) return values.of(known.share);
  double floor = 0;
  if (rule == AutoThreshold::noise && known.all > 0) {
    const double most = noise_reaches(options, values, known);
    // All but a few things in the picture is noise.
    if (values.last_below(most) >= known.few_above) floor = most;
  }
  if (known.all == known.zeros) return floor;
  if (rule == AutoThreshold::median) return 1.33 * values.of(known.half_nonzero);
  return std::max(floor, values.of(known.otsu));
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

double canny_share(const CannyOptions& options) {
  return std::get<Automatic>(options.thresholds).percent / 100;
}

bool canny_takes_otsu(const CannyOptions& options) {
  return rule_of(options) == AutoThreshold::noise || rule_of(options) == AutoThreshold::otsu;
}

CannyResult canny_automatic(const CannyOptions& options, PixelType type, int32_t bins,
                            const MagnitudeSummary& known) {
  const bool of_floats = type == PixelType::f32;
  const Values values{of_floats ? std::min(bins, canny_float_bins) : bins, of_floats};
  const double high = high_from(options, values, known) * gradient_scale(options, type);
  return {high / 2, high};
}

CannyResult canny_automatic(const CannyOptions& options, PixelType type, std::span<uint64_t> bins) {
  const bool of_floats = type == PixelType::f32;
  if (of_floats) bins = bins.first(std::min(bins.size(), size_t(canny_float_bins)));
  const auto n = int32_t(bins.size());
  return canny_automatic(options, type, n, summarise(options, {n, of_floats}, bins));
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
