// The requests every morphology strategy is checked on.
#include <fmt/format.h>

#include "ops/morphology/args.hpp"
#include "ops/morphology/options.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

// Any shape with at least one cell, anchor often outside of it.
StructuringElement random_element(uint64_t seed) {
  Random random(seed);
  const int width = 1 + int(random.below(9)), height = 1 + int(random.below(7));
  std::vector<uint8_t> cells(size_t(width) * size_t(height));
  for (auto& cell : cells) cell = random.below(3) == 0;
  cells[random.below(uint32_t(cells.size()))] = 1;
  return {width, height, cells};
}

struct NamedElement {
  std::string name;
  StructuringElement element;
};

std::vector<NamedElement> elements(Level level, uint64_t seed) {
  std::vector<NamedElement> all;
  for (const auto text : {"disk:15", "ellipse:15", "rect:3", "cross:5", "disk:5", "rect:4x1",
                          "rect:1x6", "rect:5x4", "ellipse:6x9", "rect:1", "cross:2x4"})
    all.push_back({text, StructuringElement::parse(text)});
  for (int i = 0; i < 3; ++i)
    all.push_back(
        {fmt::format("custom:{}", seed + uint64_t(i)), random_element(seed + uint64_t(i))});
  if (level == Level::full) {
    for (const auto text : {"disk:31", "rect:17x2", "rect:2x19", "ellipse:21x7", "rect:150x2",
                            "rect:2x140", "cross:255x3"})
      all.push_back({text, StructuringElement::parse(text)});
  }
  return all;
}

// Those for which the device has kernels that march down a picture, which meet nothing of its sides
// in large ones alone.
std::vector<NamedElement> marched_elements() {
  std::vector<NamedElement> all;
  for (const auto text : {"disk:7", "disk:9", "disk:11", "disk:13", "disk:15", "rect:3", "rect:5",
                          "rect:7", "rect:15", "rect:9x6"})
    all.push_back({text, StructuringElement::parse(text)});
  return all;
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<MorphologyArgs>> MorphologyArgs::cases(verify::Level level) {
  using namespace verify;
  using enum PixelType;
  static constexpr std::pair<PixelType, Pattern> pictures[] = {
      {bit, Pattern::blobs},   {u8, Pattern::blobs},     {u8, Pattern::natural},
      {bit, Pattern::sparse},  {u16, Pattern::noise},    {bit, Pattern::extremes},
      {u8, Pattern::extremes}, {u8, Pattern::noise},     {u16, Pattern::natural},
      {u8, Pattern::sparse},   {bit, Pattern::constant}, {bit, Pattern::bands}};
  static constexpr std::string_view names[] = {"erode", "dilate", "open", "close"};
  static constexpr double values[] = {255, 77, 0};
  auto all_shapes = shapes(7, level);
  if (level == Level::full) all_shapes.push_back({700, 45});
  const auto ordinary = all_shapes.size();
  // Several strips side by side and marches one below another, of whole words and of others.
  for (const auto& shape : {std::pair<int32_t, int32_t>{2176, 70}, {70, 90}, {2011, 63}}) {
    if (level == Level::full || shape.first < 100) all_shapes.insert(all_shapes.end(), 5, shape);
  }
  std::vector<Case<MorphologyArgs>> out;
  uint64_t seed = 1;
  for (size_t i = 0; i < all_shapes.size(); ++i) {
    const int32_t width = all_shapes[i].first, height = all_shapes[i].second;
    for (const NamedElement& named : i < ordinary ? elements(level, seed) : marched_elements()) {
      // Options and pictures take turns with numbers of cases that share no factor.
      const auto picture = pictures[seed % std::size(pictures)];
      const PixelType type = picture.first;
      const Pattern pattern = picture.second;
      const auto what = Morph(seed % 13 % 4);
      MorphologyOptions options;
      if (seed % 7 >= 2) options.border = {BorderMode(seed % 17 % 6), values[seed % 3]};
      const bool in_place = seed % 5 == 0;
      ++seed;
      out.push_back({fmt::format("{}x{} {} {} {} element={} border={}{} seed={}", width, height,
                                 name_of(type), name_of(pattern), names[size_t(what)], named.name,
                                 text_of(options.border), in_place ? " in place" : "", seed),
                     [=, element = named.element](Harness& h) {
                       MorphologyArgs args;
                       if (in_place) {
                         args.dst = h.in_out("dst", type, width, height, 1, pattern, seed);
                         args.src = args.dst;
                       } else {
                         args.src = h.input(type, width, height, 1, pattern, seed);
                         args.dst = h.output("dst", type, width, height);
                       }
                       args.what = what;
                       args.element = &h.keep<StructuringElement>(element);
                       args.options = options;
                       return args;
                     },
                     {}});
    }
  }
  return out;
}

}  // namespace cuesta
