// The requests every Sobel strategy is checked on.
#include <fmt/format.h>

#include <algorithm>

#include "ops/sobel/args.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

struct Wanted {
  PixelType src, gradient, magnitude, direction;
};

// One sample in sixteen, so that most windows end in numbers: among others, or alone in the dark.
void fill_with_odd_floats(AnyView picture, uint64_t seed) {
  fill(picture, Pattern::noise, seed);
  if (seed % 8 == 2) {
    for (int32_t y = 0; y < picture.height; ++y)
      std::fill_n(picture.as<float>().row(y), picture.width, 0.0f);
  }
  scatter_odd_floats(picture, 16, seed);
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<SobelArgs>> SobelArgs::cases(verify::Level level) {
  using namespace verify;
  using enum PixelType;
  static constexpr Wanted wanted[] = {
      {u8, s16, none, none},  {u8, none, u8, none},   {u8, none, u16, u8},  {u8, s16, u16, u8},
      {u8, s32, u8, none},    {u8, none, f32, f32},   {u16, s32, u16, u8},  {u16, s16, u16, none},
      {u8, none, f32, none},  {u16, none, f32, none}, {u8, s16, none, u8},  {f32, f32, none, none},
      {f32, none, f32, none}, {f32, f32, f32, none},  {f32, f32, f32, f32}, {f32, none, none, f32},
      {f32, none, f32, f32}};
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise,
                                         Pattern::impulse, Pattern::gradient};
  std::vector<Case<SobelArgs>> out;
  uint64_t seed = 1;
  for (const int aperture : {3, 5, 7}) {
    auto all = shapes(aperture / 2, level);
    // Wide enough for warps that meet no border.
    if (level != Level::sizes) all.push_back({1300, 37});
    for (const auto& shape : all) {
      const int32_t width = shape.first, height = shape.second;
      for (const Wanted& w : wanted) {
        // Borders, norms and patterns take turns with numbers of cases that share no factor.
        const auto border = BorderMode(seed % 6);
        const Norm norm = seed % 5 < 2 ? Norm::l2 : Norm::l1;
        const Pattern pattern = patterns[seed % 7 % 5];
        const bool odd = w.src == f32 && seed % 4 == 1;
        ++seed;
        out.push_back({fmt::format("{}x{} {} aperture={} border={} norm={} {} seed={}", width,
                                   height, name_of(w.src), aperture, cuesta::name_of(border),
                                   norm == Norm::l1 ? "l1" : "l2",
                                   odd ? "odd floats" : name_of(pattern), seed),
                       [=](Harness& h) {
                         SobelArgs args;
                         args.src = odd ? h.input(w.src, width, height, 1,
                                                  [=](AnyView p) { fill_with_odd_floats(p, seed); })
                                        : h.input(w.src, width, height, 1, pattern, seed);
                         if (w.gradient != none)
                           args.out.gx = h.output("gx", w.gradient, width, height);
                         if (w.gradient != none && seed % 3)
                           args.out.gy = h.output("gy", w.gradient, width, height);
                         if (w.magnitude != none)
                           args.out.magnitude = h.output("magnitude", w.magnitude, width, height);
                         if (w.direction != none)
                           args.out.direction =
                               h.output("direction", w.direction, width, height, 1);
                         args.options = {aperture, norm, {border, 77.0}};
                         return args;
                       },
                       {}});
      }
    }
  }
  return out;
}

}  // namespace cuesta
