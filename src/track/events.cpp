#include "track/events.hpp"

#include <algorithm>

namespace cuesta::track {
namespace {

// Twice the area, or once where the object may continue outside the picture.
int64_t score_of(const Detection& detection, Size size) {
  const Rect& b = detection.box;
  const bool cut =
      b.x <= 0 || b.y <= 0 || b.x + b.width >= size.width || b.y + b.height >= size.height;
  return cut ? detection.area : 2 * detection.area;
}

}  // namespace

std::optional<Event> EventBuilder::end() {
  std::optional<Event> ended = std::exchange(event_, std::nullopt);
  before_ = ended->last;
  if (ended->id == 0) return std::nullopt;  // too short
  ended->clip_end = std::min(ended->last.seconds + options_.post_roll, now_.seconds);
  return ended;
}

// An object is reported when it has been seen for a while; its part begins when it was first seen,
// unless an event before this one had it already.
FrameTime EventBuilder::beginning_of(const TrackedObject& object, FrameTime at) const {
  return before_ && object.first.index <= before_->index ? at : object.first;
}

void EventBuilder::add(FrameTime at, const TrackedObject& object, Change& change) {
  Event& event = *event_;
  auto part = std::ranges::lower_bound(event.objects, object.id, {}, &EventObject::id);
  if (part == event.objects.end() || part->id != object.id)
    part = event.objects.insert(part, {.id = object.id, .first = beginning_of(object, at)});
  part->last = at;
  part->zones |= object.zones;
  part->moved = object.moved;
  part->max_speed = std::max(part->max_speed, object.speed());
  if (object.detection.area > part->max_area) {
    part->max_area = object.detection.area;
    part->largest = object.detection.box;
  }
  if (part->first.index < event.first.index) event.first = part->first;
  if (const int64_t score = score_of(object.detection, size_); score > best_score_) {
    best_score_ = score;
    event.best = at;
    event.best_id = object.id;
    event.best_box = object.detection.box;
    change.is_best = true;
  }
}

EventBuilder::Change EventBuilder::push(FrameTime at, std::span<const TrackedObject> objects,
                                        std::span<const Crossing> crossings) {
  Change change;
  now_ = at;
  if (event_) {
    const double gap = at.seconds - event_->last.seconds;
    const bool is_over = at.index > event_->last.index + 1 &&
                         gap >= std::max(options_.merge_window, options_.post_roll);
    if (is_over || at.seconds - event_->first.seconds >= options_.max_event) change.ended = end();
  }
  if (objects.empty()) return change;
  if (!event_) {
    event_ = Event{.first = at};
    best_score_ = -1;
  }
  for (const TrackedObject& object : objects) add(at, object, change);
  Event& event = *event_;
  event.last = at;
  event.max_at_once = std::max(event.max_at_once, int64_t(objects.size()));
  event.crossings.insert(event.crossings.end(), crossings.begin(), crossings.end());
  event.clip_start = std::max(0.0, event.first.seconds - options_.pre_roll);
  event.clip_end = at.seconds;
  if (event.id == 0 && at.seconds - event.first.seconds >= options_.min_event) {
    event.id = next_id_++;
    change.began = true;
  }
  return change;
}

std::optional<Event> EventBuilder::finish() { return event_ ? end() : std::nullopt; }

}  // namespace cuesta::track
