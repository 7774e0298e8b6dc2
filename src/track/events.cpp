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
  show(at, object.detection, object.id, change);
}

void EventBuilder::show(FrameTime at, const Detection& detection, int64_t id, Change& change) {
  const int64_t score = score_of(detection, size_);
  if (score <= best_score_) return;
  best_score_ = score;
  event_->best = at;
  event_->best_id = id;
  event_->best_box = detection.box;
  change.is_best = true;
}

// A visit continues while its zone is occupied, and was left where something was last in it.
void EventBuilder::add_visits(FrameTime at, std::span<const ZoneState> zones) {
  for (size_t i = 0; i < zones.size(); ++i) {
    if (!zones[i].occupied) continue;
    const auto last = std::find_if(event_->visits.rbegin(), event_->visits.rend(),
                                   [&](const ZoneVisit& visit) { return visit.zone == i; });
    const bool is_inside = zones[i].present;
    if (last == event_->visits.rend() || last->entered.index < zones[i].since.index) {
      if (is_inside) event_->visits.push_back({i, at, at});
    } else if (is_inside) {
      last->left = at;
    }
  }
}

EventBuilder::Change EventBuilder::push(FrameTime at, const Input& input) {
  const auto& objects = input.objects;
  Change change;
  now_ = at;
  if (event_) {
    const double gap = at.seconds - event_->last.seconds;
    const bool is_over = at.index > event_->last.index + 1 &&
                         gap >= std::max(options_.merge_window, options_.post_roll);
    if (is_over || at.seconds - event_->first.seconds >= options_.max_event) change.ended = end();
  }
  if (!input.moves) return change;
  if (!event_) {
    event_ = Event{.first = at};
    best_score_ = -1;
  }
  for (const TrackedObject& object : objects) add(at, object, change);
  if (objects.empty())
    for (const Detection& detection : input.detections) show(at, detection, 0, change);
  add_visits(at, input.zones);
  Event& event = *event_;
  event.last = at;
  event.max_at_once = std::max(event.max_at_once, int64_t(objects.size()));
  event.crossings.insert(event.crossings.end(), input.crossings.begin(), input.crossings.end());
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
