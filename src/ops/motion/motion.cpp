// MotionDetector: check, choose a strategy, run, keep what is large enough.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "core/check_batch.hpp"
#include "cuesta/device.hpp"
#include "cuesta/strategies.hpp"
#include "ops/motion/check_frame.hpp"
#include "ops/motion/limits.hpp"
#include "ops/motion/move_mask.hpp"
#include "ops/motion/options.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/state.hpp"
#include "ops/motion/steady_cuda.hpp"

namespace cuesta {

void MotionDetector::State::check(const ConstBatch& frames) const {
  const ConstAnyView frame = frames.first;
  motion::check_frame(frame);
  check_batch(frames, "motion: frame");
  if (!thresholds.empty() && thresholds.size() != frame.size()) {
    throw Error(ErrorCode::input,
                fmt::format("motion: frame is {} x {} and the thresholds are of {} x {}; they must "
                            "have the frame's size",
                            frame.width, frame.height, thresholds.width(), thresholds.height()),
                fmt::format("{} x {}", frame.width, frame.height));
  }
  if (!begun) return;
  motion::check_same_as_before(frame, {mask.width, mask.height});
  if (frame.space != space) {
    throw Error(ErrorCode::input,
                fmt::format("motion: frame is on the {} after frames on the {}; call reset() "
                            "before changing memory",
                            name_of(frame.space), name_of(space)),
                std::string(name_of(frame.space)));
  }
  if (frame.type != type) {
    throw Error(
        ErrorCode::input,
        fmt::format("motion: frame is {} after frames of {}; call reset() before changing the type",
                    name_of(frame.type), name_of(type)),
        std::string(name_of(frame.type)));
  }
  if (frame.space == Space::device) check_same_gpu("motion", gpu);
}

/// What strategies get of these frames, which have been checked.
MotionArgs MotionDetector::State::prepare(const ConstBatch& frames) {
  MotionArgs args;
  args.frame = frames.first;
  args.count = frames.count;
  args.frame_step = frames.step_bytes;
  args.options = &options;
  args.background = &background;
  args.mask = mask;
  args.components = components.data();
  args.threshold = &threshold;
  args.memory = &memory;
  if (!thresholds.empty()) {
    const ConstAnyView frame = frames.first;
    args.limits = limits.view() ? ConstAnyView(limits)  // else only a strategy is chosen
                                : placeholder(frame.width, frame.height, frame.type);
    args.lowest = lowest;
  }
  return args;
}

/// The thresholds of pixels as the frames have their samples, and where the frames are.
void MotionDetector::State::make_limits(ConstAnyView frame, [[maybe_unused]] const Exec& exec) {
  const ConstAnyView made = limits.view();
  if (thresholds.empty() || (made && made.type == frame.type && made.space == frame.space)) return;
  limits = motion::limits_from(thresholds, frame.type);
#if CUESTA_HAS_CUDA
  if (frame.space == Space::device) limits = motion_cuda::on_device(limits, exec.stream);
#endif
}

/// What is to be done with each of these frames.
void MotionDetector::State::plan(const ConstBatch& frames, [[maybe_unused]] const Exec& exec) {
  if (!fits(frames)) allocate(frames);
  make_limits(frames.first, exec);
  const auto count = size_t(frames.count);
  const Size size = frames.first.size();
  const uint8_t* windows = nullptr;
  if (steady.reads(size)) {
    const auto bytes = size_t(motion::Windows::bytes);
    const auto where = motion::Windows::of(size);
#if CUESTA_HAS_CUDA
    if (frames.first.space == Space::device) {
      if (size_t(pinned_luma.view().height) < count)
        pinned_luma = PinnedPicture({PixelType::u8, {motion::Windows::bytes, frames.count}});
      motion_cuda::read_windows(frames, where, pinned_luma.view(), exec.stream);
      windows = static_cast<const uint8_t*>(pinned_luma.view().data);
    }
#endif
    if (!windows) {
      if (luma.size() < count * bytes) luma.resize(count * bytes);
      for (size_t i = 0; i < count; ++i)
        motion::read_windows(frames[int32_t(i)], where, luma.data() + i * bytes);
      windows = luma.data();
    }
  }
  plans.resize(count);
  states.resize(count);
  for (size_t i = 0; i < count; ++i) {
    plans[i] = steady.plan(size, windows ? windows + i * size_t(motion::Windows::bytes) : nullptr);
    states[i] = plans[i].state;
  }
  begun = true;
  space = frames.first.space;
  channels = frames.first.channels;
  type = frames.first.type;
}

namespace {
void copy_picture(ConstAnyView from, AnyView to, [[maybe_unused]] const Exec& exec) {
#if CUESTA_HAS_CUDA
  if (from.space == Space::device) return motion_cuda::copy(from, to, exec.stream);
#endif
  const auto bytes =
      size_t(from.width) * size_t(from.channels) * size_t(bytes_per_sample(from.type));
  for (int32_t y = 0; y < from.height; ++y)
    std::memcpy(static_cast<uint8_t*>(to.data) + ptrdiff_t(y) * to.stride_bytes,
                static_cast<const uint8_t*>(from.data) + ptrdiff_t(y) * from.stride_bytes, bytes);
}
}  // namespace

/// The picture that the chain is to see of frame i: none while it is only kept; of a camera that
/// has moved the part it has in common with its place, about which stays what was seen there last.
std::optional<ConstAnyView> MotionDetector::State::prepared(int32_t i, ConstAnyView frame,
                                                            const Exec& exec) {
  const motion::Plan& plan = plans[size_t(i)];
  components[size_t(i)].clear();
  if (plan.forgets) background.reset();
  if (plan.state.changed) memory.shown.frames = -1, holds = false;
  const int32_t dx = plan.state.shift_x, dy = plan.state.shift_y;
  ConstAnyView seen = frame;
  if (dx != 0 || dy != 0) {
    if (!holds) copy_picture(frame, held.view(), exec);
    holds = true;
    const Rect common{std::max(-dx, 0), std::max(-dy, 0), frame.width - std::abs(dx),
                      frame.height - std::abs(dy)};
    copy_picture(frame.region({common.x + dx, common.y + dy, common.width, common.height}),
                 held.view().region(common), exec);
    seen = held.view();
  } else if (options.steady > 0 && !holds && plan.finds) {
    copy_picture(frame, held.view(), exec);  // what is about the first frame that is off
    holds = true;
  }
  if (plan.finds) return seen;
  if (kept.size() == 1) return plan.founds ? std::optional(seen) : std::nullopt;
  if (plan.keep >= 0) copy_picture(seen, kept[size_t(plan.keep)].view(), exec);
  if (!plan.founds) return std::nullopt;
#if CUESTA_HAS_CUDA
  if (frame.space == Space::device) {
    motion_cuda::median_of(kept, median.view(), exec.stream);
    return median.view();
  }
#endif
  motion::median_of(kept, median.view());
  return median.view();
}

/// The mask of the last frame as it is returned.
void MotionDetector::State::finish(int32_t last) {
  const FrameState& state = states[size_t(last)];
  if (state.warming_up || state.shift_x != 0 || state.shift_y != 0) memory.shown.frames = -1;
  if (state.warming_up) {
    for (int32_t y = 0; y < mask.height; ++y) std::fill_n(mask.row(y), mask.words(), uint64_t(0));
  } else if (state.shift_x != 0 || state.shift_y != 0) {
    motion::move_mask(mask, state.shift_x, state.shift_y);
  }
}

void MotionDetector::State::find(const ConstBatch& frames, const Exec& wanted) {
  check(frames);
  Exec exec = wanted;
  if (!exec.workspace) exec.workspace = &workspace;
  if (exec.choices) return dispatch(prepare(frames), exec);
  plan(frames, exec);
  const auto goes_with_others = [this](int32_t i) {
    const motion::Plan& p = plans[size_t(i)];
    return p.finds && p.state.shift_x == 0 && p.state.shift_y == 0;
  };
  for (int32_t i = 0; i < frames.count;) {
    int32_t n = 1;
    const auto seen = prepared(i, frames[i], exec);
    if (goes_with_others(i))
      while (i + n < frames.count && !plans[size_t(i + n - 1)].looks && goes_with_others(i + n))
        components[size_t(i) + size_t(n++)].clear();
    if (seen) {
      MotionArgs args = prepare(ConstBatch(*seen, n, n > 1 ? frames.step_bytes : 0));
      args.components = components.data() + i;
      dispatch(args, exec);
      look(i + n - 1, n > 1 ? frames[i + n - 1] : *seen, exec);
    }
    i += n;
  }
  finish(frames.count - 1);
}

MotionDetector::MotionDetector(MotionOptions options) {
  check_options(options, "motion");
  check_taken(options.background, "motion");
  state_ = std::make_unique<State>(std::move(options));
}
MotionDetector::~MotionDetector() = default;
MotionDetector::MotionDetector(MotionDetector&&) noexcept = default;
MotionDetector& MotionDetector::operator=(MotionDetector&&) noexcept = default;

std::span<const Detection> MotionDetector::push(ConstAnyView frame, const Exec& exec) {
  State& state = *state_;
  state.find(ConstBatch(frame, 1, 0), exec);
  if (exec.choices) return {};
  state.collect(0, state.detections);
  return state.detections;
}

std::span<const std::vector<Detection>> MotionDetector::push(const ConstBatch& frames,
                                                             const Exec& exec) {
  State& state = *state_;
  state.find(frames, exec);
  if (exec.choices) return {};
  state.of_each.resize(size_t(frames.count));
  for (int32_t i = 0; i < frames.count; ++i) state.collect(i, state.of_each[size_t(i)]);
  return state.of_each;
}

std::span<const std::vector<Detection>> MotionDetector::push(
    std::span<MotionDetector* const> detectors, std::span<const ConstAnyView> frames,
    const Exec& wanted) {
  if (detectors.size() != frames.size() || detectors.empty()) {
    throw_invalid(
        std::to_string(frames.size()),
        "motion: there are {} detectors and {} frames; the counts must match and be at least 1",
        detectors.size(), frames.size());
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    const auto before = detectors.first(i);
    if (!detectors[i] || !detectors[i]->state_)
      throw_invalid("null", "motion: detectors[{}] is null; each frame requires a detector", i);
    if (std::find(before.begin(), before.end(), detectors[i]) != before.end()) {
      throw_invalid(
          std::to_string(i),
          "motion: detectors[{}] is listed twice; pass consecutive frames of one camera as a batch",
          i);
    }
    detectors[i]->state_->check(ConstBatch(frames[i], 1, 0));
    if (frames[i].space != frames[0].space) {
      throw_invalid(std::string(name_of(frames[i].space)),
                    "motion: frame {} is on the {} and frame 0 on the {}; all frames must be in "
                    "the same memory",
                    i, name_of(frames[i].space), name_of(frames[0].space));
    }
  }
  State& first = *detectors[0]->state_;
  Exec exec = wanted;
  if (!exec.workspace) exec.workspace = &first.workspace;
  first.cameras.clear();
  std::vector<ConstAnyView>& seen = first.seen_of_each;
  seen.assign(frames.size(), {});
  for (size_t i = 0; i < frames.size(); ++i) {
    State& state = *detectors[i]->state_;
    ConstBatch frame(frames[i], 1, 0);
    if (!exec.choices) {
      state.plan(frame, exec);
      seen[i] = state.prepared(0, frames[i], exec).value_or(ConstAnyView());
      if (!seen[i]) continue;
      frame = ConstBatch(seen[i], 1, 0);
    }
    first.cameras.push_back(state.prepare(frame));
  }
  if (!first.cameras.empty()) {
    MotionArgs args = first.cameras[0];
    args.others = std::span<const MotionArgs>(first.cameras).subspan(1);
    dispatch(args, exec);
  }
  if (exec.choices) return {};
  first.of_each.resize(frames.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    if (seen[i]) detectors[i]->state_->look(0, seen[i], exec);
    detectors[i]->state_->finish(0);
    detectors[i]->state_->collect(0, first.of_each[i]);
  }
  return first.of_each;
}

ConstBitView MotionDetector::mask() const { return state_->mask; }
double MotionDetector::threshold() const { return state_->threshold; }
void MotionDetector::set_thresholds(ConstAnyView levels) {
  State& state = *state_;
  Image<float> made;
  double lowest = 0;
  if (levels) {
    motion::check_thresholds(levels);
    made = Image<float>(levels.size());
    copy(levels, made);
    lowest = std::numeric_limits<double>::infinity();
    for (int32_t y = 0; y < made.height(); ++y)
      lowest = std::min(lowest, double(*std::min_element(made.row(y), made.row(y) + made.width())));
  }
  state.thresholds = std::move(made);
  state.lowest = lowest;
  state.limits = {};
  state.use_radius();
}
std::span<const FrameState> MotionDetector::states() const { return state_->states; }
void MotionDetector::reset() {
  state_->background.reset();
  state_->memory.shown.frames = -1;
  state_->steady.reset();
  state_->specks.forget();
  state_->begun = state_->holds = false;
}
const MotionOptions& MotionDetector::options() const { return state_->options; }

}  // namespace cuesta
