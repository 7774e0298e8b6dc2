// The requests every clean strategy is checked on.
#include <fmt/format.h>

#include "ops/clean/args.hpp"
#include "verify/verify.hpp"

namespace cuesta {

std::vector<verify::Case<CleanArgs>> CleanArgs::cases(verify::Level level) {
  using namespace verify;
  using enum PixelType;
  auto all_shapes = shapes(8, level);
  all_shapes.insert(all_shapes.end(), {{70, 200}, {200, 130}, {3, 400}});
  static constexpr Pattern patterns[] = {Pattern::extremes, Pattern::blobs, Pattern::sparse,
                                         Pattern::constant, Pattern::bands};
  static constexpr std::pair<PixelType, PixelType> types[] = {
      {u8, u8}, {u8, bit}, {bit, u8}, {bit, bit}};
  std::vector<Case<CleanArgs>> out;
  uint64_t seed = 1;
  for (const auto& shape : all_shapes) {
    const int32_t width = shape.first, height = shape.second;
    for (const Pattern pattern : patterns) {
      for (const auto& [from, to] : types) {
        // Options take turns with numbers of cases that share no factor.
        const bool fills = seed % 2 == 0;
        const int connectivity = seed % 3 == 0 ? 8 : 4;
        constexpr int64_t areas[] = {0, 1, 2, 5, 12, 40, 400};
        const int64_t max_area = areas[seed % std::size(areas)];
        ++seed;
        out.push_back({fmt::format("{}x{} {} {} to {} {} of at most {} connectivity={} seed={}",
                                   width, height, name_of(pattern), name_of(from), name_of(to),
                                   fills ? "holes" : "components", max_area, connectivity, seed),
                       [=, from = from, to = to](Harness& h) {
                         CleanArgs args;
                         args.mask = h.input(from, width, height, 1, pattern, seed);
                         args.dst = h.output("dst", to, width, height);
                         args.fills = fills;
                         args.connectivity = connectivity;
                         args.max_area = max_area;
                         return args;
                       },
                       {}});
      }
    }
  }
  return out;
}

}  // namespace cuesta
