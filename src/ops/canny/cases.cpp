// The requests every Canny strategy is checked on.
#include <fmt/format.h>

#include "ops/canny/args.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

struct Smoothing {
  double sigma;
  int ksize;  // resolved, as the public entry leaves it
};

// In units of the largest sample, so that they suit u8 and u16.
Thresholds thresholds_of(uint64_t number, double largest) {
  const auto given = [&](double low, double high) {
    return Thresholds::given(low * largest, high * largest);
  };
  switch (number % 9) {
    case 0: return given(0.2, 0.6);
    case 1: return given(0.9013, 0.3007);  // to be swapped, no integers
    case 2: return given(0, 0);
    case 3: return given(-7, 1.1);
    case 4: return given(0.05, 1e6);  // nothing is strong
    case 5: return given(4, 12);
    case 6: return Thresholds::automatic(AutoThreshold::otsu);
    case 7: return Thresholds::automatic(AutoThreshold::median);
    default: return Thresholds::automatic(AutoThreshold::percentile, 70.5);
  }
}

}  // namespace

template <>
std::vector<Case<CannyArgs>> cases(Level level) {
  static constexpr Smoothing smoothings[] = {{0, 0},    {1.4, 5}, {0.8, 3}, {0, 0},
                                             {2.6, 15}, {3, 1},   {9, 33}};
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise,
                                         Pattern::blobs, Pattern::gradient};
  static constexpr int apertures[] = {3, 5, 7};
  std::vector<Case<CannyArgs>> out;
  uint64_t seed = 1;
  auto all = shapes(3, level);
  if (level == Level::full) all.insert(all.end(), {{1100, 40}, {70, 600}, {2050, 9}});
  const int rounds = level == Level::full ? 11 : 8;
  for (const auto& shape : all) {
    const int32_t width = shape.first, height = shape.second;
    for (int i = 0; i < rounds; ++i) {
      // Options take turns with numbers of cases that share no factor.
      ++seed;
      const Smoothing smoothing = smoothings[seed % 7];
      const int aperture = apertures[seed % 13 % 3];
      const Norm norm = seed % 17 < 7 ? Norm::l2 : Norm::l1;
      const PixelType type = seed % 11 < 3 ? PixelType::u16 : PixelType::u8;
      const Pattern pattern = patterns[seed % 5];
      const bool masked = seed % 19 < 4;
      const Thresholds thresholds =
          thresholds_of(seed % 23, type == PixelType::u16 ? 65535.0 : 255.0);
      const std::string_view rule = !thresholds.is_automatic                   ? "given"
                                    : thresholds.rule == AutoThreshold::otsu   ? "otsu"
                                    : thresholds.rule == AutoThreshold::median ? "median"
                                                                               : "percentile";
      out.push_back({fmt::format("{}x{} {} sigma={} aperture={} norm={} {}({}, {}){} {} seed={}",
                                 width, height, name_of(type), smoothing.sigma, aperture,
                                 norm == Norm::l1 ? "l1" : "l2", rule, thresholds.low,
                                 thresholds.high, masked ? " masked" : "", name_of(pattern), seed),
                     [=](Harness& h) {
                       CannyArgs args;
                       args.src = h.input(type, width, height, 1, pattern, seed);
                       args.dst = h.output("edges", PixelType::u8, width, height);
                       args.options.sigma = smoothing.sigma;
                       args.options.ksize = smoothing.ksize;
                       args.options.aperture = aperture;
                       args.options.norm = norm;
                       args.options.thresholds = thresholds;
                       if (masked)
                         args.options.mask =
                             h.input(PixelType::u8, width, height, 1, Pattern::blobs, seed + 1);
                       args.result = &h.keep<CannyResult>();
                       return args;
                     },
                     [](const CannyArgs& args, Harness& h) {
                       h.value("thresholds",
                               fmt::format("{} {}", args.result->low, args.result->high));
                     }});
    }
  }
  return out;
}

}  // namespace cuesta::verify
