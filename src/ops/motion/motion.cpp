// MotionDetector: check, choose a strategy, run, keep what is large enough.
#include <algorithm>

#include "core/check.hpp"
#include "core/check_batch.hpp"
#include "ops/motion/options.hpp"
#include "ops/motion/reference.hpp"

namespace cuesta {

struct MotionDetector::State {
  MotionOptions options;
  Workspace workspace;
  BackgroundSubtractor background;
  Image<uint8_t, Space::device> first_frame;
  Space space = Space::host;  // of the frames
  BitImage mask;
  std::vector<Component> components;
  std::vector<Detection> detections;
  std::vector<std::vector<Detection>> of_each;  // frame of a batch
  double threshold = 0;

  explicit State(MotionOptions o) : options(std::move(o)), background(options.background) {}

  void allocate(int32_t width, int32_t height) {
    mask = BitImage(width, height);
    // Room for as many components as an opened mask can hold: each covers the element about some
    // pixel, of which the picture's corner leaves at least a quarter. A frame with more than the
    // cap, of what is not opened, lets the lists grow once more.
    constexpr int64_t cap = 1 << 16;
    const int64_t smallest = std::max(options.open.count() / 4, 2);
    const auto room = size_t(std::min(int64_t(width) * height / smallest + 1, cap));
    components.reserve(room);
    detections.reserve(room);
  }
};

MotionDetector::MotionDetector(MotionOptions options) {
  check_options(options, "motion");
  state_ = std::make_unique<State>(std::move(options));
}
MotionDetector::~MotionDetector() = default;
MotionDetector::MotionDetector(MotionDetector&&) noexcept = default;
MotionDetector& MotionDetector::operator=(MotionDetector&&) noexcept = default;

std::span<const Detection> MotionDetector::push(ConstAnyView frame, const Exec& wanted) {
  State& state = *state_;
  check_view(frame, "motion: frame", {PixelType::u8}, 1, 4);
  if (frame.channels == 2)
    throw_invalid("2", "motion: frame has 2 channels; it takes 1 (gray), 3 or 4 (color, alpha)");
  const bool same_size = frame.width == state.mask.width() && frame.height == state.mask.height();
  if (!same_size) {
    if (state.background.frames() > 0) {
      throw Error(ErrorCode::input,
                  fmt::format("motion: frame is {} x {} after frames of {} x {}; reset() begins "
                              "anew",
                              frame.width, frame.height, state.mask.width(), state.mask.height()),
                  fmt::format("{} x {}", frame.width, frame.height));
    }
    if (!wanted.choices) state.allocate(frame.width, frame.height);
  }
  if (state.background.frames() > 0 && frame.space != state.space) {
    throw Error(ErrorCode::input,
                fmt::format("motion: frame is on the {} after frames on the {}; reset() begins "
                            "anew",
                            name_of(frame.space), name_of(state.space)),
                std::string(name_of(frame.space)));
  }
  Exec exec = wanted;
  if (!exec.workspace) exec.workspace = &state.workspace;
  dispatch(MotionArgs{frame, &state.options, &state.background, state.mask.view(),
                      &state.components, &state.threshold, &state.first_frame},
           exec);
  if (wanted.choices) return {};
  state.space = frame.space;
  state.detections.clear();
  for (const Component& c : state.components) {
    if (c.area >= state.options.min_area)
      state.detections.push_back({c.box, c.area, c.centroid_x(), c.centroid_y()});
  }
  return state.detections;
}

std::span<const std::vector<Detection>> MotionDetector::push(const ConstBatch& frames,
                                                             const Exec& exec) {
  check_batch(frames, "motion: frames");
  auto& found = state_->of_each;
  found.resize(size_t(frames.count));
  for (int32_t i = 0; i < frames.count; ++i) {
    const std::span<const Detection> detections = push(frames[i], exec);
    if (exec.choices) return {};
    found[size_t(i)].assign(detections.begin(), detections.end());
  }
  return found;
}

ConstBitView MotionDetector::mask() const { return state_->mask.view(); }
double MotionDetector::threshold() const { return state_->threshold; }
void MotionDetector::reset() { state_->background.reset(); }
const MotionOptions& MotionDetector::options() const { return state_->options; }

}  // namespace cuesta
