// The requests every measure strategy is checked on.
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "ops/measure/args.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

// How labels are spread over a picture.
enum class Spread : uint8_t {
  noise,    // every pixel another label: outlines everywhere
  cells,    // squares that touch each other
  stripes,  // whole rows of one label
  discs,    // rings around the middle
};
constexpr std::string_view spread_names[] = {"noise", "cells", "stripes", "discs"};
constexpr int32_t label_count = 37;

int32_t label_at(Spread spread, int32_t x, int32_t y, Size size, Random& random) {
  switch (spread) {
    case Spread::noise: return int32_t(random.below(label_count + 4)) - 1;
    case Spread::cells: return (x / 5 * 3 + y / 5 * 7) % (label_count + 3);
    case Spread::stripes: return y / 3 % 4 == 3 ? -7 : 1 + y / 3 % label_count;
    case Spread::discs: break;
  }
  const int32_t dx = 2 * x - size.width, dy = 2 * y - size.height;
  return (dx * dx + dy * dy) / 300 % 5 * 4;
}

// Samples of all sizes, none and infinite ones among them.
float odd_sample(Random& random) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float odd[] = {0,       -0.0f,          1,        -1,        1e-45f,   -3e-39f,
                           3.4e38f, -3.4e38f,       infinity, -infinity, 16777216, 0.1f,
                           -0.1f,   1.17549435e-38f};
  if (random.below(400) == 0) return std::numeric_limits<float>::quiet_NaN();
  return odd[random.below(random.below(20) == 0 ? 14 : 8)];
}

template <class T>
void add_text(std::string& text, const T& values) {
  for (const auto& value : values) text += fmt::format(" {}", value);
}

std::string text_of(std::span<const measuring::Sums> all) {
  std::string text;
  for (const auto& s : all) {
    text += fmt::format("{} {},{},{},{}", s.area, s.left, s.top, s.right, s.bottom);
    for (const auto& sum : s.coordinates) text += fmt::format(" {:x}:{:x}", sum.high, sum.low);
    add_text(text, s.steps);
    add_text(text, s.samples);
    text += fmt::format(" {} {} {} {:x} {:x};", s.nan, s.positive, s.negative, s.lowest, s.highest);
  }
  return text;
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<MeasureArgs>> MeasureArgs::cases(verify::Level level) {
  using namespace verify;
  using enum PixelType;
  auto all_shapes = shapes(8, level);
  all_shapes.insert(all_shapes.end(), {{70, 200}, {200, 130}, {3, 400}});
  std::vector<Case<MeasureArgs>> out;
  uint64_t seed = 1;
  for (const auto& shape : all_shapes) {
    const int32_t width = shape.first, height = shape.second;
    for (const Spread spread : {Spread::noise, Spread::cells, Spread::stripes, Spread::discs}) {
      for (const int with : {0, 1, 2, 3}) {
        const PixelType type = with == 1 ? u8 : with == 2 ? u16 : f32;
        ++seed;
        const bool part = seed % 5 == 0 && height > 2;
        out.push_back(
            {fmt::format("{}x{} {}{}{} seed={}", width, height, spread_names[size_t(spread)],
                         with == 0 ? "" : fmt::format(" with {}", name_of(type)),
                         part ? " some rows" : "", seed),
             [=](Harness& h) {
               MeasureArgs args;
               args.labels = h.input(s32, width, height, 1, [&](AnyView picture) {
                 Random random(seed);
                 for (int32_t y = 0; y < height; ++y)
                   for (int32_t x = 0; x < width; ++x)
                     picture.as<int32_t>().at(x, y) =
                         label_at(spread, x, y, {width, height}, random);
               });
               if (with == 3) {
                 args.intensity = h.input(f32, width, height, 1, [&](AnyView picture) {
                   Random random(seed + 1);
                   for (int32_t y = 0; y < height; ++y)
                     for (int32_t x = 0; x < width; ++x)
                       picture.as<float>().at(x, y) = odd_sample(random);
                 });
               } else if (with != 0) {
                 args.intensity = h.input(type, width, height, 1, Pattern::noise, seed + 1);
               }
               args.first = part ? 1 : 0;
               args.end = part ? height - 1 : height;
               args.top = part ? 40'000 : 0;
               args.sums = h.keep(std::vector<measuring::Sums>(label_count));
               return args;
             },
             [](const MeasureArgs& args, Harness& h) { h.value("sums", text_of(args.sums)); }});
      }
    }
  }
  return out;
}

}  // namespace cuesta
