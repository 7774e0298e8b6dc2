// When something happened: frames with objects, gathered into events.
#pragma once

#include <optional>
#include <span>

#include "cuesta/tracking.hpp"

namespace cuesta::track {

class EventBuilder {
 public:
  EventBuilder(Size size, const TrackingOptions& options) : size_(size), options_(options) {}

  struct Change {
    bool began = false, is_best = false;
    std::optional<Event> ended{};
  };
  /// `objects` by id, `crossings` of this frame.
  Change push(FrameTime at, std::span<const TrackedObject> objects,
              std::span<const Crossing> crossings);
  std::optional<Event> finish();
  /// The event in flight.
  const Event* event() const { return event_ ? &*event_ : nullptr; }

 private:
  std::optional<Event> end();
  FrameTime beginning_of(const TrackedObject& object, FrameTime at) const;
  void add(FrameTime at, const TrackedObject& object, Change& change);

  Size size_;
  TrackingOptions options_;
  std::optional<Event> event_;
  int64_t best_score_ = 0;
  std::optional<FrameTime> before_;  // the last frame of the event before this one
  FrameTime now_{};
  int64_t next_id_ = 1;
};

}  // namespace cuesta::track
