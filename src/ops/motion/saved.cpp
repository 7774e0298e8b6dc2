// MotionDetector: what is saved, and continued from.
#include "ops/motion/saved.hpp"

#include <memory>
#include <utility>

#include "ops/motion/state.hpp"

namespace cuesta {

motion::SavedHead MotionDetector::State::head() const {
  motion::SavedHead head = motion::SavedHead::of(options, radius());
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
  head.check(state_->options, state_->radius());
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
  made->thresholds = std::move(state_->thresholds);
  made->lowest = state_->lowest;
  made->use_radius();
  state_ = std::move(made);
}

std::optional<int64_t> MotionDetector::initialised_by() const {
  const MotionOptions& options = state_->options;
  if (options.background.model != BackgroundModel::first || options.relearn > 0 ||
      options.steady > 0)
    return std::nullopt;
  return motion::kept_of(options.warm_up) > 1 ? options.warm_up : 1;
}

}  // namespace cuesta
