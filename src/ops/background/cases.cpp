// The requests every background strategy is checked on: one frame upon a state. States are drawn at
// random over all of their bits, so that a strategy must agree also where no video leads.
#include <fmt/format.h>

#include "ops/background/args.hpp"
#include "ops/background/models.hpp"
#include "ops/background/reference.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

// Writes the state that some frames of a picture that changes lead to. `state` is on the host.
void learn_some_frames(BackgroundArgs args, AnyView state, int32_t frames, uint64_t seed) {
  Image<uint8_t> frame(args.frame.width, args.frame.height);
  args.state = state;
  for (int32_t t = 0; t < frames; ++t) {
    fill(frame, t % 3 == 2 ? Pattern::noise : Pattern::natural, seed + uint64_t(t % 4));
    BackgroundArgs step = args;
    step.out = {};
    step.frame = frame;
    step.founds = t == 0;
    step.dither = background::dither_of(uint64_t(t), args.rate);
    background_reference_rows(step, 0, frame.height());
  }
}

}  // namespace

}  // namespace cuesta::verify

namespace cuesta {

std::vector<verify::Case<BackgroundArgs>> BackgroundArgs::cases(verify::Level level) {
  using namespace verify;
  static constexpr double limits[] = {25, 0, 24.5, 254, -1, 255, 254.999};
  static constexpr Pattern patterns[] = {Pattern::natural, Pattern::extremes, Pattern::noise};
  std::vector<Case<BackgroundArgs>> out;
  uint64_t seed = 1;
  for (const auto& shape : shapes(32, level)) {
    const int32_t width = shape.first, height = shape.second;
    for (const auto model : {BackgroundModel::first, BackgroundModel::mean, BackgroundModel::median,
                             BackgroundModel::mixture}) {
      for (const int wanted : {1, 2, 4, 7}) {
        const bool founds = seed % 11 == 0;
        const auto rate = int32_t(1 + seed % 12);
        const int32_t frames = model == BackgroundModel::mixture ? int32_t(seed % 3) * 6 : 0;
        const double limit = limits[seed % 5 ? seed % std::size(limits) : 0];
        const Pattern pattern = patterns[seed % 4 % 3];
        ++seed;
        out.push_back(
            {fmt::format("{} {}x{} {}rate={} frames={} limit={} wanted={} {} seed={}",
                         cuesta::name_of(model), width, height, founds ? "founds " : "", rate,
                         frames, limit, wanted, name_of(pattern), seed),
             [=](Harness& h) {
               BackgroundArgs args;
               args.model = model;
               args.founds = founds;
               args.rate = rate;
               args.dither = int32_t(seed * 2654435761u % (uint64_t(1) << rate));
               args.limit = limit;
               args.frame = h.input(PixelType::u8, width, height, 1, pattern, seed);
               const auto layout = background::layout_of(model);
               args.state = h.in_out("state", layout.type, width, height * layout.planes, 1,
                                     [&](AnyView held) {
                                       fill(held, Pattern::noise, seed + 1);
                                       learn_some_frames(args, held, frames, seed);
                                     });
               if (wanted & 1)
                 args.out.mask =
                     h.output("mask", seed % 3 ? PixelType::bit : PixelType::u8, width, height);
               if (wanted & 2)
                 args.out.difference = h.output("difference", PixelType::u8, width, height);
               if (wanted & 4)
                 args.out.background = h.output("background", PixelType::u8, width, height);
               return args;
             },
             {}});
      }
    }
  }
  return out;
}

}  // namespace cuesta
