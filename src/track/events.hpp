// When something happened: frames with objects, gathered into events.
#pragma once

#include <optional>
#include <span>

#include "cuesta/tracking.hpp"

namespace cuesta::track {

class EventBuilder {
 public:
  EventBuilder(Size size, const TrackingOptions& options) : size_(size), options_(options) {}

  /// What a frame brought.
  struct Input {
    bool moves = false;                        ///< whether an event begins or continues
    std::span<const TrackedObject> objects{};  ///< by id
    std::span<const Crossing> crossings{};
    std::span<const Detection> detections{};  ///< what is shown where there are no objects
    std::span<const ZoneState> zones{};
  };

  struct Change {
    bool began = false, is_best = false;
    std::optional<Event> ended{};
  };
  Change push(FrameTime at, const Input& input);
  std::optional<Event> finish();
  void number_from(int64_t id) { next_id_ = id; }
  /// The event in flight.
  const Event* event() const { return event_ ? &*event_ : nullptr; }

 private:
  std::optional<Event> end();
  FrameTime beginning_of(const TrackedObject& object, FrameTime at) const;
  void add(FrameTime at, const TrackedObject& object, Change& change);
  void show(FrameTime at, const Detection& detection, int64_t id, Change& change);
  void add_visits(FrameTime at, std::span<const ZoneState> zones);

  Size size_;
  TrackingOptions options_;
  std::optional<Event> event_;
  int64_t best_score_ = 0;
  std::optional<FrameTime> before_;  // the last frame of the event before this one
  FrameTime now_{};
  int64_t next_id_ = 1;
};

}  // namespace cuesta::track
