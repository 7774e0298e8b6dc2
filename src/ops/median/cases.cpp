// The requests every median strategy is checked on.
#include <fmt/format.h>

#include "ops/median/args.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

struct Drawn {
  PixelType type;
  int32_t width, height, channels;
  Pattern pattern;
  MedianOptions options;
  bool special;  // floats that have no order by value
  uint64_t seed;
};

std::string label(const Drawn& d) {
  return fmt::format("{}x{}x{} {} {}{} ksize={} border={} value={} seed={}", d.width, d.height,
                     d.channels, name_of(d.type), name_of(d.pattern), d.special ? " special" : "",
                     d.options.ksize, cuesta::name_of(d.options.border.mode),
                     d.options.border.value, d.seed);
}

MedianArgs arguments(const Drawn& d, Harness& h) {
  MedianArgs args;
  if (d.special) {
    args.src = h.input(d.type, d.width, d.height, d.channels, [&](AnyView picture) {
      fill(picture, d.pattern, d.seed);
      scatter_odd_floats(picture, 2, d.seed);
    });
  } else {
    args.src = h.input(d.type, d.width, d.height, d.channels, d.pattern, d.seed);
  }
  args.dst = h.output("dst", d.type, d.width, d.height, d.channels);
  args.options = d.options;
  return args;
}

// Options take turns with numbers of cases that share no factor.
Drawn drawn(PixelType type, int ksize, int32_t width, int32_t height, uint64_t seed) {
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise,
                                         Pattern::blobs,   Pattern::gradient, Pattern::sparse,
                                         Pattern::constant};
  static constexpr int32_t channels[] = {1, 3, 1, 2, 4};
  static constexpr double values[] = {77.5, 0, 1, -3, 70000};
  Random random(seed);
  const uint64_t mixed = random.next() >> 8;
  Drawn d{type, width, height, 1, patterns[mixed % 7], {}, false, seed};
  if (type != PixelType::bit) d.channels = channels[mixed % 5];
  // The default border every third time.
  const auto mode = mixed / 7 % 9;
  d.options = {ksize,
               {mode < 6 ? BorderMode(mode) : BorderMode::replicate, values[mixed % 11 % 5]}};
  d.special = type == PixelType::f32 && mixed % 13 < 6;
  return d;
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<MedianArgs>> MedianArgs::cases(verify::Level level) {
  using namespace verify;
  using enum PixelType;
  std::vector<Case<MedianArgs>> out;
  uint64_t seed = 1;
  const auto add = [&](PixelType type, int ksize, int32_t width, int32_t height) {
    const Drawn d = drawn(type, ksize, width, height, seed++);
    out.push_back({label(d), [=](Harness& h) { return arguments(d, h); }, {}});
  };
  for (const int ksize : {3, 5}) {
    for (const auto& [width, height] : shapes(ksize / 2, level))
      for (const PixelType type : {u8, u16, f32, bit, u8}) add(type, ksize, width, height);
  }
  for (const int ksize : {7, 9, 11, 13, 15, 17}) {
    for (const auto& [width, height] : shapes(ksize / 2, level))
      for (const PixelType type : {u8, u16, bit}) add(type, ksize, width, height);
  }
  if (level == Level::sizes) return out;
  // Every border and number of channels, over several tiles and marches.
  const auto add_borders = [&](int ksize, int32_t width, int32_t height) {
    for (int mode = 0; mode < 6; ++mode)
      for (int32_t channels = 1; channels <= 4; ++channels) {
        const PixelType type = (mode + channels) % 3 ? u16 : u8;
        Drawn d = drawn(type, ksize, width + mode, height + channels, seed++);
        d.channels = channels;
        d.options.border.mode = BorderMode(mode);
        out.push_back({label(d), [=](Harness& h) { return arguments(d, h); }, {}});
      }
  };
  for (const int ksize : {3, 5, 7, 9, 11}) add_borders(ksize, 267, 18);
  for (const int ksize : {13, 15, 19, 31, 35}) add_borders(ksize, 65, 18);
  // Every other size, among them those larger than the picture, and the largest.
  for (const int ksize : {1, 19, 21, 31, 33, 63, 65, 67, 127, 129, 131, 255}) {
    for (const PixelType type : {u8, u16, bit, u8}) {
      add(type, ksize, 5, 3);
      if (ksize <= 65) add(type, ksize, 40, 37);
    }
    if (ksize == 1) add(f32, ksize, 33, 5);
    if (ksize == 63 || ksize == 65) add(u16, ksize, 131, 66);  // more than one tile
  }
  // Wider than a tile of columns, and many words.
  for (const int ksize : {3, 5, 7, 15, 17, 31}) {
    for (int i = 0; i < (level == Level::full ? 4 : 1); ++i)
      for (const PixelType type : {u8, bit, u16, u8}) add(type, ksize, 700 + 331 * i, 3 + i);
  }
  return out;
}

}  // namespace cuesta
