// The public entry of the background models: check, choose a strategy, run.
#include <cmath>
#include <vector>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "cuesta/device.hpp"
#include "ops/background/options.hpp"
#include "ops/background/reference.hpp"
#include "ops/shared/background_access.hpp"

namespace cuesta {

std::string_view name_of(BackgroundModel model) { return name_in(model); }

BackgroundModel background_model_from(std::string_view name) {
  if (const auto model = value_named<BackgroundModel>(name)) return *model;
  throw_invalid(std::string(name), "background is '{}'; it must be {}", name,
                either_name_of<BackgroundModel>());
}

void check_taken(const BackgroundOptions& options, std::string_view what) {
  const auto refuse = [&](std::string_view name, int value, std::string_view takers) {
    throw_invalid(std::to_string(value), "{}: {} is {} and the background is {}; only {} it", what,
                  name, value, name_of(options.model), takers);
  };
  if (options.rate_shift != 0 && !has_rate_shift(options.model))
    refuse("rate_shift", options.rate_shift, "mean and mixture take");
  if (options.absorb != 0 && !has_absorb(options.model))
    refuse("absorb", options.absorb, "samples takes");
}

struct BackgroundSubtractor::State {
  BackgroundOptions options;
  int32_t radius = background::sampled::max_radius;  // of samples
  int64_t frames = 0;
  int32_t width = 0, height = 0;
  AnyImage model;                     // the model's state
  std::vector<BackgroundStep> steps;  // of a batch

  PixelType type = PixelType::u8;  // of the frames
  int gpu = 0;                     // that holds the model, where it is on the device

  bool fits(ConstAnyView frame) const {
    return frame.width == width && frame.height == height && frame.space == model.space() &&
           frame.type == type && (frame.space == Space::host || gpu == current_device());
  }

  /// How frame i from now on is learned.
  BackgroundStep step(int64_t i) const {
    return background::with_model(options.model, [&](auto of) {
      return background::step_of(of, options.rate_shift, uint64_t(frames + i), options.absorb,
                                 radius);
    });
  }

  void check_follows(ConstAnyView frame) const;
  /// Room for the first frame's state.
  void make_room(ConstAnyView frame) {
    if (!fits(frame)) allocate(frame);
  }

 private:
  void allocate(ConstAnyView frame) {
    const auto layout = background::layout_of(options.model, frame.type);
    width = height = 0;
    // Rows of the state are counted in 32 bits.
    if (int64_t(frame.height) * layout.planes > INT32_MAX) {
      throw_invalid(std::to_string(frame.height),
                    "background: frame has {} rows, which exceeds the limit of model {}",
                    frame.height, name_of(options.model));
    }
    model.create({frame.width, frame.height * layout.planes}, 1, layout.type, frame.space);
    width = frame.width, height = frame.height, type = frame.type;
    if (frame.space == Space::device) gpu = current_device();
  }
};

void BackgroundSubtractor::State::check_follows(ConstAnyView frame) const {
  if (frames == 0) return;
  if (frame.width != width || frame.height != height) {
    throw Error(ErrorCode::input,
                fmt::format("background: frame is {} x {} after frames of {} x {}; call reset() "
                            "before changing the size",
                            frame.width, frame.height, width, height),
                fmt::format("{} x {}", frame.width, frame.height));
  }
  if (frame.space != model.space()) {
    throw Error(ErrorCode::input,
                fmt::format("background: frame is on the {} after frames on the {}; call reset() "
                            "before changing memory",
                            name_of(frame.space), name_of(model.space())),
                std::string(name_of(frame.space)));
  }
  if (frame.type != type) {
    throw Error(
        ErrorCode::input,
        fmt::format(
            "background: frame is {} after frames of {}; call reset() before changing the type",
            name_of(frame.type), name_of(type)),
        std::string(name_of(frame.type)));
  }
  if (frame.space == Space::device) check_same_gpu("background", gpu);
}

AnyView BackgroundAccess::state_for(BackgroundSubtractor& background, ConstAnyView frame) {
  BackgroundSubtractor::State& state = *background.state_;
  state.check_follows(frame);
  state.make_room(frame);
  return state.model;
}
void BackgroundAccess::set_radius(BackgroundSubtractor& background, int32_t radius) {
  background.state_->radius = radius;
}
void BackgroundAccess::learned(BackgroundSubtractor& background, int64_t frames) {
  background.state_->frames += frames;
}

BackgroundSubtractor::BackgroundSubtractor(BackgroundOptions options)
    : state_(std::make_unique<State>()) {
  check_options(options, "background");
  check_taken(options, "background");
  state_->options = options;
}
BackgroundSubtractor::~BackgroundSubtractor() = default;
BackgroundSubtractor::BackgroundSubtractor(BackgroundSubtractor&&) noexcept = default;
BackgroundSubtractor& BackgroundSubtractor::operator=(BackgroundSubtractor&&) noexcept = default;

void BackgroundSubtractor::reset() { state_->frames = 0; }
int64_t BackgroundSubtractor::frames() const { return state_->frames; }
const BackgroundOptions& BackgroundSubtractor::options() const { return state_->options; }

void BackgroundSubtractor::push(ConstAnyView frame, const BackgroundOutputs& out, double limit,
                                const Exec& exec) {
  push(ConstBatch(frame, 1, 0),
       {Batch(out.background, 1, 0), Batch(out.difference, 1, 0), Batch(out.mask, 1, 0)}, limit,
       exec);
}

void BackgroundSubtractor::push(const ConstBatch& frames, const BackgroundBatchOutputs& out,
                                double limit, const Exec& exec) {
  BackgroundAccess::push(*this, frames, out, {}, limit, exec);
}

void BackgroundAccess::push(BackgroundSubtractor& background, const ConstBatch& frames,
                            const BackgroundBatchOutputs& out, const UnmatchedOutput& unmatched,
                            double limit, const Exec& exec) {
  BackgroundSubtractor::State& state = *background.state_;
  const ConstAnyView frame = frames.first;
  check_view(frame, "background: frame", {PixelType::u8, PixelType::u16});
  check_batch(frames, "background: frame");
  if (std::isnan(limit)) throw_invalid("nan", "background: limit is NaN; it must be a number");
  const auto check_output = [&](const Batch& planes, std::string_view what,
                                std::initializer_list<PixelType> types) {
    if (!planes.first) return;
    check_view(planes.first, what, types);
    check_same_size(frame, planes.first, "background: frame", what);
    check_batches({{frames, "background: frame"}}, {{planes, what}});
  };
  check_output(out.background, "background: background", {frame.type});
  check_output(out.difference, "background: difference", {frame.type});
  check_output(out.mask, "background: mask", {PixelType::u8, PixelType::bit});
  state.check_follows(frame);
  const bool only_chooses = exec.choices != nullptr;
  if (!only_chooses) state.make_room(frame);

  BackgroundArgs args;
  args.model = state.options.model;
  args.founds = state.frames == 0;
  args.now = state.step(0);
  args.count = frames.count;
  if (args.count > 1) {
    state.steps.clear();
    for (int32_t i = 0; i < args.count; ++i) state.steps.push_back(state.step(i));
    args.steps = state.steps;
    args.frame_step = frames.step_bytes;
    args.out_step = {out.background.step_bytes, out.difference.step_bytes, out.mask.step_bytes};
    args.unmatched_step = unmatched.bits.step_bytes;
  }
  args.limit = limit * background::gray_level_of(frame.type);
  args.frame = frame;
  args.state = state.model;
  args.out = {out.background.first, out.difference.first, out.mask.first};
  args.unmatched = unmatched.bits.first;
  args.displacement = unmatched.displacement;
  dispatch(args, exec);
  if (!only_chooses) state.frames += frames.count;
}

}  // namespace cuesta
