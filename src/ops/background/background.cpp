// The public entry of the background models: check, choose a strategy, run.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/check.hpp"
#include "ops/background/models.hpp"
#include "ops/background/reference.hpp"
#include "ops/tables.hpp"

namespace cuesta {

template <>
std::span<const Strategy<BackgroundArgs>> strategies<BackgroundArgs>(Space space) {
  static constexpr Strategy<BackgroundArgs> host[] = {
      {.name = "serial",
       .tier = Tier::reference,
       .idea = "the recurrences, one pixel after the other",
       .paper = "004",
       .run = background_serial},
      {.name = "rows",
       .tier = Tier::baseline,
       .idea = "plain loops, rows over threads",
       .paper = "004",
       .run = background_rows},
      {.name = "simd",
       .tier = Tier::production,
       .idea = "a vector of pixels at a time, all branches taken; the mask packed row by row",
       .run = background_simd},
  };
  return space == Space::host ? host : cuda_tables().background;
}

std::string_view name_of(BackgroundModel model) {
  switch (model) {
    case BackgroundModel::first: return "first";
    case BackgroundModel::mean: return "mean";
    case BackgroundModel::median: return "median";
    case BackgroundModel::mixture: return "mixture";
  }
  return "?";
}

BackgroundModel background_model_from(std::string_view name) {
  for (const auto model : {BackgroundModel::first, BackgroundModel::mean, BackgroundModel::median,
                           BackgroundModel::mixture}) {
    if (name == name_of(model)) return model;
  }
  throw_invalid(std::string(name), "background '{}': choose one of first, mean, median, mixture",
                name);
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
  if (options.rate_shift < 0 || options.rate_shift > 12) {
    throw_invalid(std::to_string(options.rate_shift),
                  "background: rate_shift is {}; it must be 1 to 12, or 0 for the model's own",
                  options.rate_shift);
  }
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
  if (!state.fits(frame)) state.allocate(frame);

  BackgroundArgs args;
  args.model = state.options.model;
  args.founds = state.frames == 0;
  // Frame t of a young mean weighs 2^-floor(log2(t + 1)), so that the mean is of all frames so far,
  // not of the founding one. A mixture's weights must not: what passes by at once would be taken
  // for background.
  const auto young = int32_t(std::bit_width(uint64_t(state.frames) + 1)) - 1;
  const int own_rate = args.model == BackgroundModel::mean ? 6 : 9;
  const int rate = state.options.rate_shift ? state.options.rate_shift : own_rate;
  args.rate = args.model == BackgroundModel::mean ? std::clamp(young, 1, rate) : rate;
  args.dither = background::dither_of(uint64_t(state.frames), args.rate);
  args.limit = limit;
  args.frame = frame;
  args.state = state.model;
  args.out = out;
  dispatch(args, exec);
  ++state.frames;
}

}  // namespace cuesta
