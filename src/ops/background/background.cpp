// The public entry of the background models: check, choose a strategy, run.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/check.hpp"
#include "ops/background/options.hpp"
#include "ops/background/reference.hpp"

namespace cuesta {

std::string_view name_of(BackgroundModel model) { return name_in(model); }

BackgroundModel background_model_from(std::string_view name) {
  if (const auto model = value_named<BackgroundModel>(name)) return *model;
  throw_invalid(std::string(name), "background '{}': choose {}", name,
                either_name_of<BackgroundModel>());
}

struct BackgroundSubtractor::State {
  BackgroundOptions options;
  int64_t frames = 0;
  int32_t width = 0, height = 0;
  AnyImage model;  // the model's state

  bool fits(ConstAnyView frame) const {
    return frame.width == width && frame.height == height && frame.space == model.space();
  }

  void allocate(ConstAnyView frame) {
    const auto layout = background::layout_of(options.model);
    width = height = 0;
    // Rows of the state are counted in 32 bits.
    if (int64_t(frame.height) * layout.planes > INT32_MAX) {
      throw_invalid(std::to_string(frame.height),
                    "background: frame has {} rows, too many for model {}", frame.height,
                    name_of(options.model));
    }
    model.create({frame.width, frame.height * layout.planes}, 1, layout.type, frame.space);
    width = frame.width, height = frame.height;
  }
};

BackgroundSubtractor::BackgroundSubtractor(BackgroundOptions options)
    : state_(std::make_unique<State>()) {
  check_options(options, "background");
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
  State& state = *state_;
  check_view(frame, "background: frame", {PixelType::u8});
  if (std::isnan(limit)) throw_invalid("nan", "background: limit is not a number");
  const auto check_output = [&](ConstAnyView plane, std::string_view what,
                                std::initializer_list<PixelType> types) {
    if (!plane) return;
    check_view(plane, what, types);
    check_same_size(frame, plane, "background: frame", what);
    check_no_overlap(frame, plane, "background: frame", what);
  };
  check_output(out.background, "background: background", {PixelType::u8});
  check_output(out.difference, "background: difference", {PixelType::u8});
  check_output(out.mask, "background: mask", {PixelType::u8, PixelType::bit});
  if (state.frames > 0 && (frame.width != state.width || frame.height != state.height)) {
    throw Error(ErrorCode::input,
                fmt::format("background: frame is {} x {} after frames of {} x {}; reset() begins "
                            "anew",
                            frame.width, frame.height, state.width, state.height),
                fmt::format("{} x {}", frame.width, frame.height));
  }
  if (state.frames > 0 && frame.space != state.model.space()) {
    throw Error(ErrorCode::input,
                fmt::format("background: frame is on the {} after frames on the {}; reset() begins "
                            "anew",
                            name_of(frame.space), name_of(state.model.space())),
                std::string(name_of(frame.space)));
  }
  const bool only_chooses = exec.choices != nullptr;
  if (!only_chooses && !state.fits(frame)) state.allocate(frame);

  BackgroundArgs args;
  args.model = state.options.model;
  args.founds = state.frames == 0;
  args.rate = background::with_model(args.model, [&](auto model) {
    const int32_t rate =
        state.options.rate_shift ? state.options.rate_shift : int32_t(model.own_rate);
    // Frame t of a young mean weighs 2^-floor(log2(t + 1)), so that the mean is of all frames so
    // far, not of the founding one.
    const auto young = int32_t(std::bit_width(uint64_t(state.frames) + 1)) - 1;
    return model.young ? std::clamp(young, 1, rate) : rate;
  });
  args.dither = background::dither_of(uint64_t(state.frames), args.rate);
  args.limit = limit;
  args.frame = frame;
  args.state = state.model;
  args.out = out;
  dispatch(args, exec);
  if (!only_chooses) ++state.frames;
}

}  // namespace cuesta
