// The requests every Laplacian-of-Gaussian strategy is checked on.
#include <fmt/format.h>

#include "ops/log/args.hpp"
#include "ops/log/options.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

struct Smoothing {
  std::optional<double> sigma;
  int ksize;
};
constexpr Smoothing papers{{}, 0};

/// Gaussians past 15 x 15, and short ones: less than a strip, a few, columns past a block.
template <class Visit>
void for_long_gaussians(Visit&& visit) {
  for (const Smoothing& smoothing : {Smoothing{1.0, 3}, {1.4, 0}, {0, 31}, {7, 63}, {40, 255}}) {
    for (const auto& shape : {std::pair{1, 1}, {3, 40}, {130, 19}, {515, 37}}) {
      if (smoothing.ksize == 255 && shape.first == 515) continue;  // takes seconds by definition
      visit(shape, smoothing);
    }
  }
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<LogArgs>> LogArgs::cases(verify::Level level) {
  using namespace verify;
  using enum PixelType;
  // The papers' window takes half of the cases.
  static constexpr Smoothing smoothings[] = {papers, {0.8, 0}, papers,   {1.4, 5}, papers,
                                             {0, 0}, papers,   {2.0, 7}, papers,   {0, 9}};
  // Below any response, the default, the last that 16 bits compare exactly, the first that they do
  // not, and beyond most.
  static constexpr double thresholds[] = {0, 5, 2.5, 20, 106.7, 106.8, 119};
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise,
                                         Pattern::blobs,   Pattern::impulse,  Pattern::gradient};
  std::vector<Case<LogArgs>> out;
  uint64_t seed = 1;
  const auto add = [&](int32_t width, int32_t height, PixelType from, PixelType to, LogMode mode,
                       Smoothing smoothing) {
    // Borders, thresholds and patterns take turns with numbers of cases that share no factor.
    const auto border = BorderMode(seed % 11 % 6);
    const double threshold = thresholds[seed % 7];
    const Pattern pattern = patterns[seed % 13 % 6];
    ++seed;
    out.push_back(
        {fmt::format("{}x{} {}->{} {} t={} sigma={} ksize={} border={} {} seed={}", width, height,
                     name_of(from), name_of(to),
                     mode == LogMode::threshold ? "threshold" : "zero_crossings", threshold,
                     text_of(smoothing.sigma), smoothing.ksize, cuesta::name_of(border),
                     name_of(pattern), seed),
         [=](Harness& h) {
           LogArgs args;
           args.src = h.input(from, width, height, 1, pattern, seed);
           args.dst = h.output(to == u8 ? "edges" : "response", to, width, height);
           args.options = {mode, threshold, smoothing.sigma, smoothing.ksize, {border, 77.0}};
           return args;
         },
         {}});
  };
  for (const auto& shape : shapes(3, level)) {
    for (int turn = 0; turn < 10; ++turn) {
      const Smoothing smoothing = smoothings[seed % std::size(smoothings)];
      const PixelType from = seed % 9 == 4 ? u16 : u8;
      const bool crossings = seed % 4 == 3;
      add(shape.first, shape.second, from, seed % 17 % 5 == 2 ? s32 : u8,
          crossings ? LogMode::zero_crossings : LogMode::threshold, smoothing);
    }
  }
  // Wide enough for columns that touch no edge on every instruction set, and a large window.
  for (int turn = 0; turn < (level == Level::full ? 42 : 7); ++turn)
    add(260 + 13 * turn, 40 + turn, u8, u8, LogMode::threshold, papers);
  for (const auto mode : {LogMode::threshold, LogMode::zero_crossings})
    add(40, 35, u8, u8, mode, {5.3, 0});
  add(40, 35, u8, s32, LogMode::threshold, {5.3, 0});
  for_long_gaussians([&](std::pair<int32_t, int32_t> shape, const Smoothing& smoothing) {
    for (const PixelType from : {u8, u16}) {
      for (const auto mode : {LogMode::threshold, LogMode::zero_crossings})
        add(shape.first, shape.second, from, u8, mode, smoothing);
      add(shape.first, shape.second, from, s32, LogMode::threshold, smoothing);
    }
  });
  return out;
}

}  // namespace cuesta
