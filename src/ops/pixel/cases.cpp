// The requests every strategy of the point operations is checked on.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ops/pixel/args.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

using enum PixelType;

struct Wanted {
  PixelOp op;
  PixelType src;
  int32_t channels;
  PixelType dst;
  int32_t kept = 1;  // channels that keep_channels keeps
};

constexpr Wanted wanted[] = {
    {PixelOp::gray, u8, 1, u8},
    {PixelOp::gray, u8, 3, u8},
    {PixelOp::gray, u8, 4, u8},
    {PixelOp::gray, u16, 1, u16},
    {PixelOp::gray, u16, 3, u16},
    {PixelOp::gray, u16, 4, u16},
    {PixelOp::gray, u8, 2, u8},
    {PixelOp::gray, u16, 2, u16},
    {PixelOp::gray, f32, 1, f32},
    {PixelOp::gray, f32, 2, f32},
    {PixelOp::gray, f32, 3, f32},
    {PixelOp::gray, f32, 4, f32},
    {PixelOp::scale, u8, 1, u8},
    {PixelOp::scale, u8, 3, u16},
    {PixelOp::scale, u8, 4, f32},
    {PixelOp::scale, u16, 2, u8},
    {PixelOp::scale, u16, 1, u16},
    {PixelOp::scale, u16, 1, f32},
    {PixelOp::scale, f32, 1, u8},
    {PixelOp::scale, f32, 3, u16},
    {PixelOp::scale, f32, 1, f32},
    {PixelOp::keep_channels, u8, 4, u8, 3},
    {PixelOp::keep_channels, u8, 2, u8, 1},
    {PixelOp::keep_channels, u8, 3, u8, 2},
    {PixelOp::keep_channels, u8, 4, u8, 1},
    {PixelOp::keep_channels, u16, 4, u16, 3},
    {PixelOp::keep_channels, u16, 4, u16, 2},
    {PixelOp::keep_channels, u16, 3, u16, 1},
    {PixelOp::keep_channels, u16, 3, u16, 3},
    {PixelOp::keep_channels, f32, 4, f32, 3},
    {PixelOp::keep_channels, f32, 2, f32, 1},
    {PixelOp::keep_channels, f32, 3, f32, 2},
    {PixelOp::absdiff, u8, 1, u8},
    {PixelOp::absdiff, u8, 3, u8},
    {PixelOp::absdiff, u16, 2, u16},
    {PixelOp::absdiff, f32, 1, f32},
    {PixelOp::absdiff, f32, 4, f32},
    {PixelOp::threshold, u8, 1, u8},
    {PixelOp::threshold, u8, 1, bit},
    {PixelOp::threshold, u16, 1, u8},
    {PixelOp::threshold, u16, 1, bit},
    {PixelOp::threshold, f32, 1, u8},
    {PixelOp::threshold, f32, 1, bit},
    {PixelOp::absdiff_threshold, u8, 1, u8},
    {PixelOp::absdiff_threshold, u8, 1, bit},
    {PixelOp::absdiff_threshold, u16, 1, u8},
    {PixelOp::absdiff_threshold, u16, 1, bit},
    {PixelOp::histogram, u8, 1, none},
    {PixelOp::histogram, u16, 1, none},
    {PixelOp::pack, u8, 1, bit},
    {PixelOp::unpack, bit, 1, u8},
};

// Limits at, between and beyond the samples of a type.
double limit_for(PixelType type, uint64_t seed) {
  static constexpr double of_u8[] = {127.5, -1, 0, 25, 254, 255, 24.999, 1e300, -0.5, -1e300, 128};
  static constexpr double of_u16[] = {32767.5, -1,    0,     6400,  65534, 65535,
                                      65534.5, 1e300, -0.25, 32768, -7,    1};
  static constexpr double of_f32[] = {0.1, 0, -3, 3, 1.5, -0.1, 1e300, -1e300};
  if (type == u8) return of_u8[seed % std::size(of_u8)];
  if (type == u16) return of_u16[seed % std::size(of_u16)];
  return of_f32[seed % std::size(of_f32)];
}

// Factors that reach both ends of a result's range, tie between integers, overflow and underflow.
double factor_for(uint64_t seed) {
  static constexpr double factors[] = {0.5,   1, 255,   65535, 1.0 / 257, 257,  1.0 / 3, 0,
                                       -0.25, 4, 1e300, -255,  1e-310,    0.25, 1e36};
  return factors[seed % std::size(factors)];
}

int32_t result_channels(const Wanted& w) {
  switch (w.op) {
    case PixelOp::absdiff:
    case PixelOp::scale: return w.channels;
    case PixelOp::keep_channels: return w.kept;
    default: return 1;
  }
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<PixelArgs>> PixelArgs::cases(verify::Level level) {
  using namespace verify;
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise,
                                         Pattern::gradient, Pattern::sparse};
  std::vector<Case<PixelArgs>> out;
  uint64_t seed = 1;
  for (const auto& shape : shapes(32, level)) {
    const int32_t width = shape.first, height = shape.second;
    for (const Wanted& w : wanted) {
      const Pattern pattern = patterns[seed % 7 % 5];
      const double limit = limit_for(w.src, seed / 3);
      const double factor = factor_for(seed / 3);
      const bool odd = w.src == f32 && seed % 2;
      const ColorOrder order = seed % 2 ? ColorOrder::rgb : ColorOrder::bgr;
      ++seed;
      out.push_back({fmt::format("{} {}x{} {}x{} to {}x{} {}{} limit={} factor={} order={} seed={}",
                                 cuesta::name_of(w.op), width, height, name_of(w.src), w.channels,
                                 name_of(w.dst), result_channels(w), name_of(pattern),
                                 odd ? " odd floats" : "", limit, factor,
                                 order == ColorOrder::rgb ? "rgb" : "bgr", seed),
                     [=](Harness& h) {
                       PixelArgs args{.op = w.op, .order = order, .limit = limit, .factor = factor};
                       const auto input = [&](uint64_t of) {
                         return h.input(w.src, width, height, w.channels, [=](AnyView picture) {
                           fill(picture, pattern, of);
                           if (odd) scatter_odd_floats(picture, 4, of);
                         });
                       };
                       args.a = input(seed);
                       if (w.op == PixelOp::absdiff || w.op == PixelOp::absdiff_threshold)
                         args.b = input(seed + 1000);
                       if (w.op == PixelOp::histogram)
                         args.bins = h.keep(std::vector<uint64_t>(w.src == u8 ? 256 : 65536, seed));
                       else
                         args.dst = h.output("dst", w.dst, width, height, result_channels(w));
                       return args;
                     },
                     [](const PixelArgs& args, Harness& h) {
                       std::string text;
                       for (size_t i = 0; i < args.bins.size(); ++i)
                         if (args.bins[i]) text += fmt::format(" {}:{}", i, args.bins[i]);
                       h.value("bins", text);
                     }});
    }
  }
  return out;
}

}  // namespace cuesta
