// The requests every background strategy is checked on: one frame upon a state. States are drawn at
// random over all of their bits, so that a strategy must agree also where no video leads.
#include <fmt/format.h>

#include "ops/background/args.hpp"
#include "ops/background/reference.hpp"
#include "ops/shared/background_models.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

// Writes the state that some frames of a picture that changes lead to. `state` is on the host.
void learn_some_frames(BackgroundArgs args, AnyView state, int32_t frames, uint64_t seed) {
  AnyImage frame(args.frame.width, args.frame.height, 1, args.frame.type);
  args.state = state;
  for (int32_t t = 0; t < frames; ++t) {
    fill(frame, t % 3 == 2 ? Pattern::noise : Pattern::natural, seed + uint64_t(t % 4));
    BackgroundArgs step = args;
    step.out = {};
    step.frame = frame;
    step.founds = t == 0;
    step.count = 1;
    step.steps = {};
    step.now.dither = background::dither_of(uint64_t(t), args.now.rate);
    step.now.frame = uint64_t(t);
    background_reference_rows(step, 0, step.frame.height);
  }
}

// None, those of a pixel that is absorbed after 250 frames, and others up to the largest.
int32_t ages_of(uint64_t seed) {
  constexpr int32_t drawn[] = {1, 0, 1, 7, 130, 250};
  return drawn[seed % std::size(drawn)];
}

int32_t radius_of(uint64_t seed) {
  constexpr int32_t drawn[] = {16, 16, 5, 1, 9};
  return drawn[seed % std::size(drawn)];
}

// The first of `count` pictures that are below each other, and how far they are apart.
template <class View>
View first_of(View all, int32_t count, ptrdiff_t& step) {
  all.height /= count;
  step = count > 1 ? all.height * all.stride_bytes : 0;
  return all;
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
                             BackgroundModel::mixture, BackgroundModel::samples}) {
      for (const int wanted : {1, 2, 4, 7}) {
        const bool founds = seed % 11 == 0;
        const auto rate = int32_t(1 + seed % 12);
        const bool keeps_much =
            model == BackgroundModel::mixture || model == BackgroundModel::samples;
        const int32_t frames = keeps_much ? int32_t(seed % 3) * 6 : 0;
        const PixelType type = seed % 11 % 3 == 1 ? PixelType::u16 : PixelType::u8;
        const double limit =
            limits[seed % 5 ? seed % std::size(limits) : 0] * background::gray_level_of(type);
        const Pattern pattern = patterns[seed % 4 % 3];
        // A batch is below each other; more frames than a launch takes once in a while.
        const int32_t count = seed % 3 ? 1 : seed % 97 == 0 ? 70 : int32_t(2 + seed % 2);
        ++seed;
        out.push_back(
            {fmt::format("{} {} {}x{} {}{}rate={} frames={} limit={} wanted={} {} seed={}",
                         cuesta::name_of(model), cuesta::name_of(type), width, height,
                         count == 1 ? std::string() : fmt::format("x {} ", count),
                         founds ? "founds " : "", rate, frames, limit, wanted, name_of(pattern),
                         seed),
             [=](Harness& h) {
               BackgroundArgs args;
               args.model = model;
               args.founds = founds;
               args.now = {rate, int32_t(seed * 2654435761u % (uint64_t(1) << rate)),
                           seed * 0x9E3779B97F4A7C15u, ages_of(seed), radius_of(seed)};
               args.limit = limit;
               args.frame = first_of(h.input(type, width, height * count, 1, pattern, seed), count,
                                     args.frame_step);
               args.count = count;
               auto& kept = h.keep(std::vector<BackgroundStep>(size_t(count)));
               for (size_t t = 0; t < kept.size(); ++t) {
                 const auto its = int32_t(1 + (size_t(rate) + t) % 12);
                 kept[t] = {its, int32_t((seed + t) * 2654435761u % (uint64_t(1) << its)), seed + t,
                            ages_of(seed + t), radius_of(seed)};
               }
               if (count > 1) args.steps = kept;
               const auto layout = background::layout_of(model, type);
               args.state = h.in_out("state", layout.type, width, height * layout.planes, 1,
                                     [&](AnyView held) {
                                       fill(held, Pattern::noise, seed + 1);
                                       learn_some_frames(args, held, frames, seed);
                                     });
               const auto output = [&](const char* name, PixelType as, ptrdiff_t& step) {
                 return first_of(h.output(name, as, width, height * count), count, step);
               };
               if (wanted & 1)
                 args.out.mask =
                     output("mask", seed % 4 ? PixelType::bit : PixelType::u8, args.out_step.mask);
               if (wanted & 2)
                 args.out.difference = output("difference", type, args.out_step.difference);
               if (wanted & 4)
                 args.out.background = output("background", type, args.out_step.background);
               if (model == BackgroundModel::samples && args.out.mask.type == PixelType::bit) {
                 args.unmatched = output("unmatched", PixelType::bit, args.unmatched_step);
                 args.displacement = int32_t(seed % 5 ? seed % 5 : 7);
               }
               return args;
             },
             {}});
      }
    }
  }
  return out;
}

}  // namespace cuesta
