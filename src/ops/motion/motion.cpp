// MotionDetector: check, choose a strategy, run, keep what is large enough.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "core/bits.hpp"
#include "core/check_batch.hpp"
#include "core/pinned_picture.hpp"
#include "cuesta/device.hpp"
#include "ops/motion/check_frame.hpp"
#include "ops/motion/move_mask.hpp"
#include "ops/motion/options.hpp"
#include "ops/motion/parts.hpp"
#include "ops/motion/reference.hpp"
#include "ops/motion/saved.hpp"
#include "ops/motion/specks.hpp"
#include "ops/motion/steady.hpp"
#include "ops/motion/steady_cuda.hpp"
#include "ops/shared/background_access.hpp"

namespace cuesta {

namespace {

bool is_alike(ConstAnyView a, ConstAnyView b) {
  return a.channels == b.channels && a.type == b.type;
}

}  // namespace

struct MotionDetector::State {
  MotionOptions options;
  Workspace workspace;
  BackgroundSubtractor background;
  Space space = Space::host;  // of the frames
  int gpu = 0;                // that holds all of this where they are on the device
  int32_t channels = 1;       // the same
  PixelType type = PixelType::u8;
  // Of the last frame: the GPU writes to page-locked memory beside the host.
  BitImage on_host;
  PinnedPicture pinned;
  BitView mask;
  MotionMemory memory;
  std::vector<std::vector<Component>> components;  // of each frame
  std::vector<Detection> detections;
  std::vector<std::vector<Detection>> of_each;  // frame of a batch, or camera
  std::vector<MotionArgs> cameras;              // of one call
  std::vector<ConstAnyView> seen_of_each;       // the same
  double threshold = 0;
  // Before objects are looked for.
  motion::Steady steady;
  motion::Parts parts;
  motion::Specks specks;
  bool begun = false;               // since reset()
  std::vector<uint8_t> luma;        // of the windows of each frame of a call
  PinnedPicture pinned_luma;        // the same of frames on the GPU
  std::vector<motion::Plan> plans;  // of each frame of a call
  std::vector<FrameState> states;   // the same
  std::vector<AnyImage> kept;       // frames of the warm-up
  AnyImage median;                  // of them
  AnyImage held;                    // the frame with the camera's moves taken back
  bool holds = false;               // held has been a frame since the background was initialised

  explicit State(MotionOptions o)
      : options(std::move(o)), background(options.background), steady(options) {}

  bool fits(const ConstBatch& frames) const {
    const ConstAnyView frame = frames.first;
    return frame.width == mask.width && frame.height == mask.height &&
           (frame.space == Space::device) == bool(pinned.view()) &&
           (frame.space == Space::host || gpu == current_device()) &&
           components.size() >= size_t(frames.count) &&
           (options.steady == 0 || is_alike(held.view(), frame)) &&
           (kept.size() == 1 || is_alike(kept[0].view(), frame));
  }

  void allocate(const ConstBatch& frames) {
    const int32_t width = frames.first.width, height = frames.first.height;
    on_host = {};
    pinned = {};
    memory.shown = {};
    if (frames.first.space == Space::device) {
      if (const int used = current_device(); used != gpu) {
        gpu = used;
        memory.first_frame = {};
        workspace.release_memory();
      }
      pinned = PinnedPicture({PixelType::bit, {width, height}});
      mask = bits_of(pinned.view());
    } else {
      on_host = BitImage(width, height);
      mask = on_host.view();
    }
    // Room for as many components as an opened mask can hold: each covers the element about some
    // pixel; the picture's corner leaves at least a quarter of them. A frame with more than the
    // cap, of what is not opened, lets the lists grow once more; so do those of batches, whose
    // frames share the cap.
    constexpr int64_t cap = 1 << 16;
    const int64_t smallest = std::max(options.open.count() / 4, 2);
    const auto room = size_t(std::min(int64_t(width) * height / smallest + 1, cap));
    if (components.size() < size_t(frames.count)) components.resize(size_t(frames.count));
    components[0].reserve(room);
    detections.reserve(room);
    const auto make = [&](AnyImage& picture) {
      picture.create({width, height}, frames.first.channels, frames.first.type, frames.first.space);
    };
    kept.resize(size_t(motion::kept_of(options.warm_up)));
    if (kept.size() > 1) {
      for (AnyImage& picture : kept) make(picture);
      make(median);
    }
    if (options.steady > 0) make(held);
  }

  void check(const ConstBatch& frames) const;
  MotionArgs prepare(const ConstBatch& frames);
  void plan(const ConstBatch& frames, const Exec& exec);
  std::optional<ConstAnyView> prepared(int32_t i, ConstAnyView frame, const Exec& exec);
  void look(int32_t i, ConstAnyView seen, const Exec& exec) {
    parts.look(plans[size_t(i)], seen, options, background, mask, components[size_t(i)], exec);
  }
  void finish(int32_t last);
  void find(const ConstBatch& frames, const Exec& wanted);
  motion::SavedHead head() const;
  template <class Visit>
  void each_part(const motion::SavedHead& head, AnyView model, Visit&& visit);

  /// Of the components of frame i those that are large enough.
  void collect(int32_t i, std::vector<Detection>& into) {
    into.clear();
    const FrameState& state = states[size_t(i)];
    if (state.warming_up) return;
    const int64_t least = motion::finds_specks(options)
                              ? specks.min_area(components[size_t(i)], {mask.width, mask.height})
                              : options.min_area;
    for (const Component& c : components[size_t(i)]) {
      if (c.area < least) continue;
      // In the frame's coordinates: what the camera does not see of an object is left out.
      Rect box = c.box;
      box.x += state.shift_x, box.y += state.shift_y;
      const int32_t right = std::min(box.x + box.width, mask.width);
      const int32_t bottom = std::min(box.y + box.height, mask.height);
      box.x = std::max(box.x, 0), box.y = std::max(box.y, 0);
      box.width = right - box.x, box.height = bottom - box.y;
      if (box.width <= 0 || box.height <= 0) continue;
      into.push_back({box, c.area, c.centroid_x() + state.shift_x, c.centroid_y() + state.shift_y});
    }
  }
};

void MotionDetector::State::check(const ConstBatch& frames) const {
  const ConstAnyView frame = frames.first;
  motion::check_frame(frame);
  check_batch(frames, "motion: frame");
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
  return args;
}

/// What is to be done with each of these frames.
void MotionDetector::State::plan(const ConstBatch& frames, [[maybe_unused]] const Exec& exec) {
  if (!fits(frames)) allocate(frames);
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

motion::SavedHead MotionDetector::State::head() const {
  motion::SavedHead head = motion::SavedHead::of(options);
  head.begun = begun;
  if (!begun) return head;
  head.width = mask.width, head.height = mask.height;
  head.channels = channels;
  head.deep = type == PixelType::u16;
  head.learned = background.frames();
  if (!steady.is_warm()) head.keeps = uint8_t(steady.kept());
  head.holds = holds;
  return head;
}

/// All that a saved state has after its head, in its order. `model` is the background's.
template <class Visit>
void MotionDetector::State::each_part(const motion::SavedHead& head, AnyView model, Visit&& visit) {
  if (!head.begun) return;
  steady.each_part(visit);
  parts.each_part(visit);
  specks.each_part(visit);
  if (head.learned > 0) visit(model);
  for (size_t i = 0; i < head.keeps; ++i) visit(kept[i].view());
  if (head.holds) visit(held.view());
}

std::vector<uint8_t> MotionDetector::save() const {
  State& state = *state_;
  if (state.begun && state.space == Space::device) {
    throw Error(
        ErrorCode::unsupported,
        "motion: the state is on the GPU and cannot be saved; use a detector of host frames",
        "device");
  }
  const motion::SavedHead head = state.head();
  AnyView model;
  if (head.learned > 0) model = BackgroundAccess::state_for(state.background, head.frame());
  motion::SavedSize size;
  size(head);
  state.each_part(head, model, size);
  motion::SavedWriter writer(size.bytes);
  writer(head);
  state.each_part(head, model, writer);
  return writer.finish();
}

void MotionDetector::load(std::span<const uint8_t> saved) {
  motion::SavedReader reader(saved);
  motion::SavedHead head;
  reader(head);
  head.check(state_->options);
  auto made = std::make_unique<State>(state_->options);
  AnyView model;
  if (head.begun) {
    const ConstAnyView frame = head.frame();
    head.check_size(int64_t(saved.size()));
    if (head.keeps > motion::kept_of(head.warm_up)) motion::throw_saved("is damaged");
    made->allocate(ConstBatch(frame, 1, 0));
    made->begun = true;
    made->channels = head.channels;
    made->type = frame.type;
    made->holds = head.holds;
    if (head.learned > 0) {
      model = BackgroundAccess::state_for(made->background, frame);
      BackgroundAccess::learned(made->background, head.learned);
    }
  }
  made->each_part(head, model, reader);
  reader.finish();
  const motion::Steady& steady = made->steady;
  if (!steady.is_possible() ||
      (head.begun && ((steady.is_warm() ? 0 : steady.kept()) != head.keeps ||
                      (steady.is_warm() || steady.holds()) != (head.learned > 0))))
    motion::throw_saved("is damaged");
  state_ = std::move(made);
}

std::optional<int64_t> MotionDetector::initialised_by() const {
  const MotionOptions& options = state_->options;
  if (options.background.model != BackgroundModel::first || options.relearn > 0 ||
      options.steady > 0)
    return std::nullopt;
  return motion::kept_of(options.warm_up) > 1 ? options.warm_up : 1;
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
