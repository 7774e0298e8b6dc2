// The requests that every strategy of boundaries is checked on.
#include <fmt/format.h>

#include "ops/boundaries/args.hpp"
#include "ops/boundaries/options.hpp"
#include "verify/verify.hpp"

namespace cuesta {

std::vector<verify::Case<BoundariesArgs>> BoundariesArgs::cases(verify::Level level) {
  using namespace verify;
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise,
                                         Pattern::blobs,   Pattern::gradient, Pattern::sparse,
                                         Pattern::constant};
  // Noise has strengths of few times its surround; 0 takes every maximum, 10000 none.
  static constexpr double thresholds[] = {9, 4, 0, 2.25, 13.7, 10000};
  std::vector<Case<BoundariesArgs>> out;
  uint64_t seed = 1;
  auto all = shapes(8, level);
  if (level == Level::full) {
    all.insert(all.end(), {{1100, 40}, {70, 600}, {2050, 9}});
    // Around the tiles of the device's row, 128 × 64.
    all.insert(all.end(), {{127, 65}, {128, 64}, {129, 63}, {257, 131}, {1, 300}, {300, 1}});
  }
  for (const auto& [width, height] : all) {
    for (int i = 0; i < (level == Level::full ? 9 : 6); ++i) {
      // Options take turns with numbers of cases that share no factor.
      ++seed;
      const Pattern pattern = patterns[seed % 7];
      const PixelType type = seed % 11 < 3 ? PixelType::u16 : PixelType::u8;
      const int32_t channels = seed % 13 < 9 ? 3 : 1;
      const auto quality = seed % 5 < 2 ? BoundaryQuality::high : BoundaryQuality::fast;
      const BoundaryOptions options{thresholds[seed % 17 % 6], quality};
      const PixelType to = seed % 4 == 0 ? PixelType::u16 : PixelType::u8;
      out.push_back({fmt::format("{}x{} {}x{} to {} threshold={} {} {} seed={}", width, height,
                                 name_of(type), channels, name_of(to), options.threshold,
                                 name_in(quality), name_of(pattern), seed),
                     [=, w = width, h = height](Harness& harness) {
                       BoundariesArgs args;
                       args.src = harness.input(type, w, h, channels, pattern, seed);
                       args.dst = harness.output("edges", to, w, h);
                       args.options = options;
                       return args;
                     },
                     {}});
    }
  }
  return out;
}

}  // namespace cuesta
