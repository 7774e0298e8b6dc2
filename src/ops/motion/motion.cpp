// MotionDetector: check, choose a strategy, run, keep what is large enough.
#include <algorithm>

#include "core/bits.hpp"
#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "core/pinned_picture.hpp"
#include "ops/motion/options.hpp"
#include "ops/motion/reference.hpp"

namespace cuesta {

struct MotionDetector::State {
  MotionOptions options;
  Workspace workspace;
  BackgroundSubtractor background;
  Image<uint8_t, Space::device> first_frame;
  Space space = Space::host;  // of the frames
  // Of the last frame: the GPU writes to page-locked memory beside the host.
  BitImage on_host;
  PinnedPicture pinned;
  BitView mask;
  std::vector<std::vector<Component>> components;  // of each frame
  std::vector<Detection> detections;
  std::vector<std::vector<Detection>> of_each;  // frame of a batch, or camera
  std::vector<MotionArgs> cameras;              // of one call
  double threshold = 0;

  explicit State(MotionOptions o) : options(std::move(o)), background(options.background) {}

  bool fits(const ConstBatch& frames) const {
    const ConstAnyView frame = frames.first;
    return frame.width == mask.width && frame.height == mask.height &&
           (frame.space == Space::device) == bool(pinned.view()) &&
           components.size() >= size_t(frames.count);
  }

  void allocate(const ConstBatch& frames) {
    const int32_t width = frames.first.width, height = frames.first.height;
    on_host = {};
    pinned = {};
    if (frames.first.space == Space::device) {
      pinned = PinnedPicture({PixelType::bit, {width, height}});
      mask = bits_of(pinned.view());
    } else {
      on_host = BitImage(width, height);
      mask = on_host.view();
    }
    // Room for as many components as an opened mask can hold: each covers the element about some
    // pixel, of which the picture's corner leaves at least a quarter. A frame with more than the
    // cap, of what is not opened, lets the lists grow once more; so do those of batches, whose
    // frames share the cap.
    constexpr int64_t cap = 1 << 16;
    const int64_t smallest = std::max(options.open.count() / 4, 2);
    const auto room = size_t(std::min(int64_t(width) * height / smallest + 1, cap));
    if (components.size() < size_t(frames.count)) components.resize(size_t(frames.count));
    components[0].reserve(room);
    detections.reserve(room);
  }

  void check(const ConstBatch& frames) const;
  MotionArgs prepare(const ConstBatch& frames, const Exec& exec);
  void find(const ConstBatch& frames, const Exec& wanted);

  /// Of the components of frame i those that are large enough.
  void collect(int32_t i, std::vector<Detection>& into) const {
    into.clear();
    for (const Component& c : components[size_t(i)]) {
      if (c.area >= options.min_area)
        into.push_back({c.box, c.area, c.centroid_x(), c.centroid_y()});
    }
  }
};

void MotionDetector::State::check(const ConstBatch& frames) const {
  const ConstAnyView frame = frames.first;
  check_view(frame, "motion: frame", {PixelType::u8}, 1, 4);
  if (frame.channels == 2)
    throw_invalid("2", "motion: frame has 2 channels; it takes 1 (gray), 3 or 4 (color, alpha)");
  check_batch(frames, "motion: frame");
  if (background.frames() == 0) return;
  if (frame.width != mask.width || frame.height != mask.height) {
    throw Error(ErrorCode::input,
                fmt::format("motion: frame is {} x {} after frames of {} x {}; reset() begins "
                            "anew",
                            frame.width, frame.height, mask.width, mask.height),
                fmt::format("{} x {}", frame.width, frame.height));
  }
  if (frame.space != space) {
    throw Error(ErrorCode::input,
                fmt::format("motion: frame is on the {} after frames on the {}; reset() begins "
                            "anew",
                            name_of(frame.space), name_of(space)),
                std::string(name_of(frame.space)));
  }
}

/// What strategies are told of these frames, which have been checked.
MotionArgs MotionDetector::State::prepare(const ConstBatch& frames, const Exec& exec) {
  if (!exec.choices && !fits(frames)) allocate(frames);
  MotionArgs args;
  args.frame = frames.first;
  args.count = frames.count;
  args.frame_step = frames.step_bytes;
  args.options = &options;
  args.background = &background;
  args.mask = mask;
  args.components = components.data();
  args.threshold = &threshold;
  args.first_frame = &first_frame;
  return args;
}

void MotionDetector::State::find(const ConstBatch& frames, const Exec& wanted) {
  check(frames);
  Exec exec = wanted;
  if (!exec.workspace) exec.workspace = &workspace;
  dispatch(prepare(frames, exec), exec);
  if (!wanted.choices) space = frames.first.space;
}

MotionDetector::MotionDetector(MotionOptions options) {
  check_options(options, "motion");
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
    throw_invalid(std::to_string(frames.size()),
                  "motion: {} detectors and {} frames; give each of one or more detectors a frame",
                  detectors.size(), frames.size());
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    const auto before = detectors.first(i);
    if (!detectors[i] || !detectors[i]->state_)
      throw_invalid("null", "motion: detector {} is none; give a detector for each frame", i);
    if (std::find(before.begin(), before.end(), detectors[i]) != before.end()) {
      throw_invalid(std::to_string(i),
                    "motion: detector {} stands there before; give a batch where frames of one "
                    "camera follow each other",
                    i);
    }
    detectors[i]->state_->check(ConstBatch(frames[i], 1, 0));
    if (frames[i].space != frames[0].space) {
      throw_invalid(std::string(name_of(frames[i].space)),
                    "motion: frame {} is on the {} and frame 0 on the {}; they must be in one "
                    "space",
                    i, name_of(frames[i].space), name_of(frames[0].space));
    }
  }
  State& first = *detectors[0]->state_;
  Exec exec = wanted;
  if (!exec.workspace) exec.workspace = &first.workspace;
  first.cameras.clear();
  for (size_t i = 0; i < frames.size(); ++i)
    first.cameras.push_back(detectors[i]->state_->prepare(ConstBatch(frames[i], 1, 0), exec));
  MotionArgs args = first.cameras[0];
  args.others = std::span<const MotionArgs>(first.cameras).subspan(1);
  dispatch(args, exec);
  if (exec.choices) return {};
  first.of_each.resize(frames.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    detectors[i]->state_->space = frames[i].space;
    detectors[i]->state_->collect(0, first.of_each[i]);
  }
  return first.of_each;
}

ConstBitView MotionDetector::mask() const { return state_->mask; }
double MotionDetector::threshold() const { return state_->threshold; }
void MotionDetector::reset() { state_->background.reset(); }
const MotionOptions& MotionDetector::options() const { return state_->options; }

}  // namespace cuesta
