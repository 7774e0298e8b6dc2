// The one argument of every strategy of the background models. The public entry has checked all of
// it.
#pragma once

#include <span>

#include "core/strategy.hpp"
#include "cuesta/motion.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta {

using BackgroundStep = background::Step;

/// A frame, or a batch whose frames each meet what those before them left: then `frame` and `out`
/// are the first one's.
struct BackgroundArgs {
  static constexpr std::string_view operation = "background";
  static constexpr std::string_view summary = "models of the background of a video";
  static std::span<const Strategy<BackgroundArgs>> strategies();                // strategies.cpp
  static std::vector<verify::Case<BackgroundArgs>> cases(verify::Level level);  // cases.cpp

  BackgroundModel model = BackgroundModel::first;
  bool founds = false;   // the frame initialises the state, whatever it holds
  BackgroundStep now{};  // of the first frame
  double limit = 0;      // not NaN; in units of the samples
  ConstAnyView frame{};  // u8 or u16
  // background::layout_of(model, frame.type): plane p of row y is row y · planes + p
  AnyView state{};
  BackgroundOutputs out{};  // of the frame's size, background and difference of its type
  // Bits, of samples, where out.mask is bits: the pixels of the mask that match no pixel within
  // `displacement` (BasicSampled::matches_near). None in the frame that initialises the state.
  AnyView unmatched{};
  int32_t displacement = 0;

  int32_t count = 1;                             // frames
  std::span<const BackgroundStep> steps{};       // of each; none needed for one frame
  ptrdiff_t frame_step = 0;                      // bytes from one to the next
  BasicBackgroundOutputs<ptrdiff_t> out_step{};  // the same
  ptrdiff_t unmatched_step = 0;                  // the same

  Space space() const { return frame.space; }
  PixelType type() const { return frame.type; }

  BackgroundStep step(int32_t i) const { return steps.empty() ? now : steps[size_t(i)]; }
  /// Frame i of the batch alone.
  BackgroundArgs one(int32_t i) const {
    BackgroundArgs alone = *this;
    alone.founds = founds && i == 0;
    alone.now = step(i);
    alone.frame = ConstBatch(frame, count, frame_step)[i];
    const auto at = [&](AnyView first, ptrdiff_t step) {
      return first ? Batch(first, count, step)[i] : first;
    };
    alone.out = {at(out.background, out_step.background), at(out.difference, out_step.difference),
                 at(out.mask, out_step.mask)};
    alone.unmatched = at(unmatched, unmatched_step);
    alone.count = 1;
    alone.steps = {};
    return alone;
  }
};

/// A strategy for one frame as one for batches: frame after frame.
template <void (*Run)(const BackgroundArgs&, Call&)>
void each_frame(const BackgroundArgs& args, Call& call) {
  if (args.count == 1) return Run(args, call);
  for (int32_t i = 0; i < args.count; ++i) {
    const Scratch scope(call.nested(), args.space());  // the next one takes the same memory
    Run(args.one(i), call);
  }
}

}  // namespace cuesta
