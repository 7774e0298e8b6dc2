#include "ops/canny/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/canny/otsu.hpp"

namespace cuesta {
namespace {

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

MagnitudeSummary summarise(const ThresholdRule& rule, std::span<const uint64_t> bins) {
  MagnitudeSummary known{};
  known.before_middle = -1;
  known.all = std::accumulate(bins.begin(), bins.end(), uint64_t{0});
  known.zeros = bins[0];
  const auto all = double(known.all);
  switch (rule.rule) {
    case AutoThreshold::percentile:
      known.share = first_with(bins, [&](uint64_t n) { return double(n) >= rule.share * all; });
      return known;
    case AutoThreshold::median:
      known.half_nonzero = first_with(bins, [&](uint64_t n) {
        return double(n - known.zeros) >= 0.5 * double(known.all - known.zeros);
      });
      return known;
    case AutoThreshold::noise:
      find_middle(bins, known);
      known.few_above =
          first_with(bins, [&](uint64_t n) { return (known.all - n) * 1000 < known.all; });
      break;
    case AutoThreshold::otsu: break;
  }
  known.otsu = canny_otsu::choose(rule.of_floats, bins);
  return known;
}

// Aperture 7 divides whole gradients by 16, and thresholds with them.
double gradient_scale(int aperture, PixelType type) {
  return aperture == 7 && type != PixelType::f32 ? 16.0 : 1.0;
}
// cv::Canny caps l2 thresholds so that their squares fit 32 bits; on u16 they must fit 62.
double l2_limit(PixelType type) { return type == PixelType::u16 ? 2147483647.0 : 32767.0; }

}  // namespace

CannyResult canny_given(const CannyOptions& options) {
  const Given given = std::get<Given>(options.thresholds);
  return {std::min(given.low, given.high), std::max(given.low, given.high)};
}

ThresholdRule canny_rule(const CannyOptions& options, PixelType type, int32_t bins) {
  const auto& automatic = std::get<Automatic>(options.thresholds);
  const bool of_floats = type == PixelType::f32;
  return {.rule = automatic.rule,
          .norm = options.norm,
          .of_floats = of_floats,
          .smooths = options.sigma > 0,
          .bins = of_floats ? std::min(bins, canny_float_bins) : bins,
          .aperture = options.aperture,
          .share = automatic.percent / 100,
          .scale = gradient_scale(options.aperture, type),
          .l2_limit = l2_limit(type)};
}

CannyResult canny_automatic(const CannyOptions& options, PixelType type,
                            std::span<const uint64_t> bins) {
  const ThresholdRule rule = canny_rule(options, type, int32_t(bins.size()));
  return canny_rules::thresholds_from(rule, summarise(rule, bins.first(size_t(rule.bins))));
}

CannyLimits canny_limits(const CannyArgs& args, const CannyResult& thresholds) {
  const PixelType type = args.src.type;
  const auto limit = [&](double t) {
    return canny_rules::whole_limit(t, args.options.norm,
                                    gradient_scale(args.options.aperture, type), l2_limit(type));
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
  const Norm norm = args.options.norm;
  return {canny_rules::float_limit(thresholds.low, norm),
          canny_rules::float_limit(thresholds.high, norm)};
}

}  // namespace cuesta
