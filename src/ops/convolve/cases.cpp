// The requests every convolve strategy is checked on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "cuesta/stencil.hpp"
#include "ops/convolve/args.hpp"
#include "ops/shared/stencil_factors.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

enum class Kind : uint8_t {
  gaussian,  // cv::GaussianBlur's taps and rounding
  box,       // ones over n²
  small,     // sums that fit 16 bits on u8
  byte,      // any taps of a signed byte
  bytes,     // any taps of two
  edge,      // Σ|tap| of 255..257: the last sums that 16 bits tell apart
  medium,    // sums below 2^24 on u8
  wide,      // sums beyond 32 bits
  huge,      // sums beyond 2^53
  outer,     // rank 1 with both signs
  zero,      // no tap at all
  q16,       // what float taps on u8 and u16 become
  whole,     // rank 1, of floats no tap 0
  raised,    // one value, another one at the anchor: sharpening
  floats,    // of floats, no factors
  equal,     // of floats, many of one value, but perhaps at the anchor
};
constexpr std::string_view names[] = {"gaussian", "box",    "small",  "byte",  "bytes", "edge",
                                      "medium",   "wide",   "huge",   "outer", "zero",  "q16",
                                      "whole",    "raised", "floats", "equal"};

struct Window {
  Kind kind;
  int32_t width, height;
};

// Sizes that are even, odd, one-sided, and past a vector.
constexpr Window windows[] = {
    {Kind::gaussian, 3, 3}, {Kind::gaussian, 5, 5},   {Kind::gaussian, 15, 15},
    {Kind::box, 3, 3},      {Kind::box, 5, 5},        {Kind::box, 6, 6},
    {Kind::small, 3, 3},    {Kind::small, 5, 5},      {Kind::small, 9, 9},
    {Kind::small, 4, 2},    {Kind::small, 2, 5},      {Kind::small, 1, 1},
    {Kind::edge, 3, 3},     {Kind::edge, 6, 4},       {Kind::medium, 3, 3},
    {Kind::medium, 7, 7},   {Kind::medium, 4, 9},     {Kind::wide, 3, 4},
    {Kind::huge, 14, 13},   {Kind::outer, 3, 3},      {Kind::outer, 7, 4},
    {Kind::outer, 1, 6},    {Kind::zero, 3, 2},       {Kind::q16, 3, 3},
    {Kind::q16, 5, 4},      {Kind::gaussian, 1, 1},   {Kind::box, 2, 2},
    {Kind::box, 1, 1},      {Kind::gaussian, 13, 13}, {Kind::edge, 9, 1},
    {Kind::gaussian, 7, 7}, {Kind::gaussian, 21, 21}, {Kind::small, 7, 7},
    {Kind::box, 15, 15},    {Kind::box, 31, 4},       {Kind::box, 2, 70}};

// Half the taps of a larger window are 0, so that its sums stay where the kind wants them.
int32_t drawn_tap(Kind kind, Random& random) {
  const auto within = [&](int64_t n) {
    return int32_t(int64_t(random.next() % uint64_t(2 * n + 1)) - n);
  };
  switch (kind) {
    case Kind::small: return random.below(2) ? within(4) : 0;
    case Kind::byte: return int32_t(random.below(256)) - 128;
    case Kind::bytes: return int32_t(random.below(65280)) - 128 * 257;
    case Kind::medium: return within(900);
    case Kind::wide: return within(1 << 28);
    case Kind::huge: return within(0x7FFFFFFF);
    case Kind::outer: return within(5);
    case Kind::q16: return within(3 << 15);
    default: return 0;
  }
}

std::vector<int32_t> drawn_window(const Window& w, Random& random) {
  std::vector<int32_t> taps(size_t(w.width) * size_t(w.height));
  if (w.kind == Kind::edge) {
    // Spread 255 + 0, 1 or 2 over the window, one sign or both.
    const bool both = random.below(2);
    for (uint32_t left = 255 + random.below(3); left > 0; --left) {
      const uint32_t at = random.below(uint32_t(taps.size()));
      taps[at] += both && at % 2 ? -1 : 1;
    }
    return taps;
  }
  for (int32_t& t : taps) t = drawn_tap(w.kind, random);
  return taps;
}

struct Drawn {
  PixelType src, dst;
  int32_t channels;
  Window window;
  BorderMode border;
  bool absolute;
  int32_t offset;
  int64_t divisor;
  uint64_t seed;
  bool odd_floats;  // among the samples: no tap is 0 then, since the rungs multiply such taps too
};

// One value, and another one at the anchor: as sharpening has them, or any.
void raise(std::vector<int32_t>& taps, const ConvolveArgs& args, Random& random) {
  const bool sharpens = random.below(2);
  const auto far = int32_t(random.next() % (1u << 30));
  std::fill(taps.begin(), taps.end(), sharpens ? -1 : random.below(3) ? 3 : far);
  taps[size_t(args.anchor_y) * size_t(args.width) + size_t(args.anchor_x)] =
      sharpens ? args.width * args.height : int32_t(random.below(2001)) - 1000;
}

// Gives `args` its taps as the public entries do.
void set_integers(ConvolveArgs& args, const Drawn& d, Harness& h, Random& random) {
  const Window& w = d.window;
  const auto kept = [&](size_t count) -> std::vector<int32_t>& {
    return h.keep(std::vector<int32_t>(count));
  };
  auto &column = kept(size_t(w.height)), &row = kept(size_t(w.width));
  args.divisor = d.divisor;
  if (w.kind == Kind::gaussian) {
    fill_gaussian_q8(column, d.seed % 3 ? 0 : 0.3 + double(d.seed % 40) * 0.13);
    row = column;
    args.divisor = 65536;
    args.rounding = Rounding::half_up;
  } else if (w.kind == Kind::box) {
    std::fill(column.begin(), column.end(), 1);
    std::fill(row.begin(), row.end(), 1);
    args.divisor = int64_t(w.width) * w.height;
  } else {
    auto& taps = kept(size_t(w.width) * size_t(w.height));
    taps = drawn_window(w, random);
    if (w.kind == Kind::outer) {
      for (int32_t j = 0; j < w.height; ++j) {
        const int32_t c = drawn_tap(Kind::outer, random);
        for (int32_t i = 0; i < w.width; ++i)
          taps[size_t(j) * size_t(w.width) + size_t(i)] = c * taps[size_t(i)];
      }
    }
    if (w.kind == Kind::q16) args.divisor = 65536;
    if (w.kind == Kind::raised) raise(taps, args, random);
    args.integers.window = taps;
    if (!factor(taps, column, row)) return;
  }
  args.integers.column = column, args.integers.row = row;
}

bool has_factors(Kind kind) {
  return kind == Kind::gaussian || kind == Kind::box || kind == Kind::outer || kind == Kind::whole;
}

// A box, sharpening, or any values.
EqualTaps equal_taps(const Window& w, Random& random) {
  const auto taps = float(w.width * w.height);
  switch (random.below(3)) {
    case 0: return {1, 0, taps};
    case 1: return {-1, taps + 1, 1};
    default: return {float(random.below(2000)) / 700 - 1.4f, float(random.below(9)) - 4, 3};
  }
}

void set_floats(ConvolveArgs& args, const Drawn& d, Harness& h, Random& random) {
  const Window& w = d.window;
  if (w.kind == Kind::equal) {
    args.equal = equal_taps(w, random);
    return;
  }
  const auto draw = [&](size_t count) -> std::vector<float>& {
    auto& taps = h.keep(std::vector<float>(count));
    for (float& t : taps) {
      t = random.below(5) ? float(random.below(2001)) / 700 - 1.3f : 0;
      if ((d.odd_floats || w.kind == Kind::whole) && t == 0) t = 0.5f;
    }
    return taps;
  };
  if (has_factors(w.kind)) {
    args.floats.column = draw(size_t(w.height));
    args.floats.row = draw(size_t(w.width));
  } else {
    args.floats.window = draw(size_t(w.width) * size_t(w.height));
    if (w.kind == Kind::zero) args.floats.window = h.keep(std::vector<float>(6));
  }
}

// What a strategy that sums a float window of rank 1 in another order may differ by: 2e-5 of the
// largest sum. Patterns of floats stay within 2.
double bound(const ConvolveArgs& args) {
  if (!args.floats.separable()) return 0;
  double column = 0, row = 0;
  for (const float tap : args.floats.column) column += std::abs(double(tap));
  for (const float tap : args.floats.row) row += std::abs(double(tap));
  return 2e-5 * (2 * column * row + std::abs(double(args.offset)));
}

ConvolveArgs arguments(const Drawn& d, int32_t width, int32_t height, Pattern pattern, Harness& h) {
  Random random(d.seed);
  ConvolveArgs args;
  args.src = h.input(d.src, width, height, d.channels, [&](AnyView picture) {
    fill(picture, pattern, d.seed);
    // Rows that sum factors in another order meet the same infinities, but not the same overflow.
    if (d.odd_floats) scatter_odd_floats(picture, 48, d.seed, !has_factors(d.window.kind));
  });
  args.width = d.window.width, args.height = d.window.height;
  // A turned window of even size has its anchor on the other side of the middle.
  args.anchor_x = d.seed % 2 ? args.width / 2 : (args.width - 1) / 2;
  args.anchor_y = d.seed % 4 < 2 ? args.height / 2 : (args.height - 1) / 2;
  if (d.src == PixelType::f32)
    set_floats(args, d, h, random);
  else
    set_integers(args, d, h, random);
  args.border = {d.border, d.src == PixelType::f32 ? -0.7 : 77.5};
  args.absolute = d.absolute, args.offset = d.offset;
  args.dst = h.output("dst", d.dst, width, height, d.channels, bound(args));
  return args;
}

std::string label(const Drawn& d, int32_t width, int32_t height, Pattern pattern) {
  return fmt::format("{}x{}x{} {}->{} {} {}x{} /{} border={} {}offset={} {}{} seed={}", width,
                     height, d.channels, name_of(d.src), name_of(d.dst),
                     names[size_t(d.window.kind)], d.window.width, d.window.height, d.divisor,
                     cuesta::name_of(d.border), d.absolute ? "absolute " : "", d.offset,
                     name_of(pattern), d.odd_floats ? " odd floats" : "", d.seed);
}

// Each request in turn by a number of its own, so that no two options always meet.
Drawn drawn(const Window& window, uint64_t seed) {
  using enum PixelType;
  static constexpr PixelType sources[] = {u8, u8, u8, u16, f32, u8, u16};
  static constexpr int32_t channels[] = {1, 3, 1, 2, 1, 4, 1, 1, 3, 1, 1};
  static constexpr int64_t divisors[] = {
      1, 16, 7, 1, 12, 64, 1, 289, 1, 3, 1, (int64_t(1) << 54) + 1, 2};
  static constexpr int32_t offsets[] = {0, 200000, 128, 0, -100, 0, 0, 70000, 0,
                                        0, 0,      7,   0, -3,   0, 0, 0};
  Random random(seed);  // mixes, so that cycles of options do not lock to cycles of windows
  const uint64_t mixed = random.next() >> 8;
  Drawn d;
  d.src = sources[mixed % 7];
  d.channels = channels[mixed % 11];
  d.divisor = divisors[mixed % 13];
  d.offset = offsets[mixed % 17];
  const PixelType outputs[] = {d.src, s16, d.src, f32, d.src};
  d.dst = outputs[mixed / 7 % 5];
  d.absolute = mixed % 19 < 5;
  d.border = BorderMode(mixed / 11 % 6);
  d.window = window;
  d.seed = seed;
  if (window.kind == Kind::gaussian) {
    d.dst = d.src;
    d.absolute = false;
    d.offset = 0;
  }
  if (d.src == f32 && d.dst != f32) d.dst = s16;
  d.odd_floats = d.src == f32 && window.kind != Kind::zero && mixed / 5 % 3 == 0;
  return d;
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<ConvolveArgs>> ConvolveArgs::cases(verify::Level level) {
  using namespace verify;
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise,
                                         Pattern::impulse, Pattern::extremes, Pattern::gradient};
  std::vector<Case<ConvolveArgs>> out;
  uint64_t seed = 1;
  // `channels`: of whole numbers; 0: as drawn.
  const auto add = [&](const Window& window, int32_t wide, int32_t high, int32_t channels = 0) {
    Drawn d = drawn(window, ++seed);
    if (channels != 0) {
      const bool same = d.dst == d.src;
      d.channels = channels, d.odd_floats = false;
      if (d.src == PixelType::f32) d.src = PixelType::u8;
      if (same || d.dst == PixelType::f32) d.dst = d.src;
    }
    if (window.kind == Kind::whole || window.kind == Kind::floats) {
      d.src = d.dst = PixelType::f32, d.channels = std::max(channels, 1);
      d.odd_floats = window.kind == Kind::floats && seed % 4 == 0;
    }
    if (window.kind == Kind::equal) {
      d.src = PixelType::f32, d.channels = std::max(channels, 1);
      d.dst = seed % 3 ? PixelType::f32 : PixelType::s16;
      d.odd_floats = seed % 4 == 0;
    }
    const Pattern pattern = patterns[seed % 6];
    out.push_back({label(d, wide, high, pattern),
                   [=](Harness& h) { return arguments(d, wide, high, pattern, h); },
                   {}});
  };
  for (const Window& window : windows) {
    for (const auto& shape : shapes(std::max(window.width, window.height) / 2, level))
      add(window, shape.first, shape.second);
  }
  // Windows larger than the picture, and the largest there are.
  for (const Window& window : {Window{Kind::gaussian, 31, 31},
                               {Kind::box, 33, 33},
                               {Kind::small, 21, 17},
                               {Kind::medium, 19, 33},
                               {Kind::box, 63, 63},
                               {Kind::outer, 63, 63},
                               {Kind::small, 63, 63}}) {
    for (const auto& shape : {std::pair{1, 1}, {17, 9}, {70, 5}})
      add(window, shape.first, shape.second);
  }
  for (const Window& window : {Window{Kind::gaussian, 255, 255}, {Kind::small, 255, 255}})
    add(window, 9, 5);
  // Wider than a tile.
  for (const Window& window : {Window{Kind::gaussian, 5, 5},
                               {Kind::gaussian, 15, 15},
                               {Kind::small, 3, 3},
                               {Kind::small, 5, 5},
                               {Kind::medium, 3, 3},
                               {Kind::outer, 5, 5}}) {
    for (int i = 0; i < (level == Level::full ? 8 : 2); ++i) add(window, 5000 + 331 * i, 3 + i);
  }
  // Of several blocks each way.
  for (const Window& window : {Window{Kind::byte, 3, 3},
                               {Kind::byte, 5, 5},
                               {Kind::byte, 9, 9},
                               {Kind::byte, 8, 3},
                               {Kind::byte, 2, 6},
                               {Kind::small, 7, 7},
                               {Kind::byte, 15, 15},
                               {Kind::byte, 16, 11},
                               {Kind::small, 13, 14},
                               {Kind::bytes, 5, 5},
                               {Kind::bytes, 7, 9},
                               {Kind::medium, 5, 4},
                               {Kind::gaussian, 5, 5},
                               {Kind::gaussian, 15, 15},
                               {Kind::gaussian, 31, 31}}) {
    for (int i = 0; i < (level == Level::full ? 30 : 3); ++i)
      add(window, i % 3 ? 500 + 37 * i : 512 + 16 * i, 20 + 7 * i % 97);
  }
  // Factors with signs, whose sums of u16 take doubles.
  for (int i = 0; i < 24; ++i) add({Kind::outer, 5, 4}, 33 + 9 * i, 11);
  // Interleaved channels: what reaches farther across than down, in one block and in several.
  for (const Window& window : {Window{Kind::byte, 3, 3},
                               {Kind::byte, 5, 5},
                               {Kind::byte, 7, 7},
                               {Kind::byte, 9, 9},
                               {Kind::small, 10, 12},
                               {Kind::bytes, 5, 4},
                               {Kind::bytes, 9, 9},
                               {Kind::gaussian, 13, 13},
                               {Kind::gaussian, 31, 31},
                               {Kind::box, 4, 4},
                               {Kind::box, 16, 16}}) {
    for (int32_t channels = 2; channels <= 4; ++channels) {
      for (const auto& shape : {std::pair{3, 2}, {90 + window.width, 37}, {512 / channels, 20}})
        add(window, shape.first, shape.second, channels);
    }
  }
  // Windows whose sums across are in shared memory: one strip and several, short and long ones.
  for (const Window& window : {Window{Kind::gaussian, 49, 49},
                               {Kind::gaussian, 61, 61},
                               {Kind::gaussian, 121, 121},
                               {Kind::box, 34, 34},
                               {Kind::box, 131, 131},
                               {Kind::box, 255, 255}}) {
    for (const auto& shape : {std::pair{1, 70}, {256, 33}, {290, 60}}) {
      // The definition of the largest takes a second for these 33 rows.
      const bool largest = window.width > 130;
      if (largest && shape.first == 290) continue;
      add(window, shape.first, largest ? shape.second / 3 : shape.second,
          window.width > 64 ? 1 : 1 + int32_t(seed % 4));
    }
  }
  // Windows of one value and another one: below, at and past those of a block.
  for (const Window& window : {Window{Kind::raised, 11, 11},
                               {Kind::raised, 12, 15},
                               {Kind::raised, 63, 31},
                               {Kind::box, 12, 11},
                               {Kind::box, 1, 40}}) {
    for (int32_t channels = 1; channels <= 4; ++channels) {
      for (const auto& shape : {std::pair{2, 70}, {300 + window.width, 37}, {4400 / channels, 9}})
        add(window, shape.first, shape.second, channels);
    }
  }
  add({Kind::raised, 255, 255}, 40, 5, 4);
  // Windows that are taken in parts.
  for (const Window& window : {Window{Kind::medium, 70, 41}, {Kind::wide, 40, 90}}) {
    for (int32_t channels = 1; channels <= 4; channels += 2) add(window, 150, 21, channels);
  }
  // Floats, a window's every odd side: less than a block, some, one column more.
  for (int32_t n = 3; n <= 65; n += 2) {
    for (const auto& shape : {std::pair{n - 2, 7}, {131, 33}, {225, 17}, {1021, 3}, {1024, 5}})
      add({Kind::whole, n, n}, shape.first, shape.second);
    for (int32_t channels = 3; channels <= 4 && n <= 27; ++channels) {
      for (const auto& shape : {std::pair{n - 2, 7}, {79, 35}, {85, 17}, {341, 3}})
        add({Kind::whole, n, n}, shape.first, shape.second, channels);
    }
  }
  // Floats without factors, every side from tiles and one more.
  for (int32_t n = 3; n <= 17; ++n) {
    for (int32_t channels = 1; channels <= 4; ++channels) {
      for (const auto& shape : {std::pair{n - 2, 7}, {131, 19}, {512 / channels, 17}})
        add({Kind::floats, n, n}, shape.first, shape.second, channels);
    }
  }
  // Floats of one value: every number of doublings and of further pieces, one-sided windows, one
  // line in shared memory and several, short and long.
  for (const Window& window : {Window{Kind::equal, 82, 1},
                               {Kind::equal, 1, 82},
                               {Kind::equal, 255, 1},
                               {Kind::equal, 1, 255},
                               {Kind::equal, 128, 2},
                               {Kind::equal, 3, 64}}) {
    for (int32_t channels = 1; channels <= 4; ++channels) {
      for (const auto& shape : {std::pair{2, 3}, {1300 / channels, 5}, {5, 1100}})
        add(window, shape.first, shape.second, channels);
    }
  }
  for (const Window& window : {Window{Kind::equal, 10, 9},
                               {Kind::equal, 11, 11},
                               {Kind::equal, 16, 16},
                               {Kind::equal, 17, 31}}) {
    for (int32_t channels = 1; channels <= 4; ++channels) {
      for (const auto& shape : {std::pair{1, 1}, {90, 33}, {520 / channels, 3}, {3, 480}})
        add(window, shape.first, shape.second, channels);
    }
    add({Kind::equal, 63, 65}, 90 + window.width, 3, 1 + window.width % 4);
  }
  for (const auto& shape : {std::pair{30, 9}, {9, 30}})
    add({Kind::equal, 255, 255}, shape.first, shape.second);
  return out;
}

}  // namespace cuesta
