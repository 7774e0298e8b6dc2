// The requests that every strategy of regions is checked on.
#include <fmt/format.h>

#include "ops/regions/args.hpp"
#include "verify/verify.hpp"

namespace cuesta {

std::vector<verify::Case<RegionsArgs>> RegionsArgs::cases(verify::Level level) {
  using namespace verify;
  using enum PixelType;
  static constexpr Pattern patterns[] = {Pattern::sparse,   Pattern::blobs, Pattern::noise,
                                         Pattern::constant, Pattern::bands, Pattern::gradient,
                                         Pattern::impulse};
  static constexpr double thresholds[] = {0.45, 0, 0.2, 1, 0.7};
  std::vector<Case<RegionsArgs>> out;
  uint64_t seed = 1;
  for (const auto& [width, height] : shapes(8, level)) {
    for (const Pattern pattern : patterns) {
      for (const PixelType to : {s32, u8, u16}) {
        const PixelType type = seed % 3 == 0 ? u8 : u16;
        const double threshold = thresholds[++seed % std::size(thresholds)];
        out.push_back({fmt::format("{}x{} {} {} to {} threshold={} seed={}", width, height,
                                   name_of(type), name_of(pattern), name_of(to), threshold, seed),
                       [=, w = width, h = height](Harness& harness) {
                         RegionsArgs args;
                         args.src = harness.input(type, w, h, 1, pattern, seed);
                         args.dst = harness.output("regions", to, w, h);
                         args.options.threshold = threshold;
                         return args;
                       },
                       {}});
      }
    }
  }
  return out;
}

}  // namespace cuesta
