// Zones over time: whose limits an object meets, and which of them are occupied.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "cuesta/tracking.hpp"
#include "track/confirmation.hpp"

namespace cuesta::track {

/// Drops tracked objects until they meet the limits `min_hits` and `min_moved` of a zone. If a zone
/// has limits of its own, the tracker in front of it reports all objects, so that their ids are in
/// the order in which they were first seen.
class Admission {
 public:
  Admission(const Scene& scene, const TrackingOptions& options);

  /// The options of that tracker.
  const TrackingOptions& tracker_options() const { return options_; }
  /// The objects that a zone takes, with the zones that do, by id. Ids are given in the order in
  /// which objects are first taken.
  std::span<const TrackedObject> apply(FrameTime at, std::span<const TrackedObject> objects);
  void number_from(int64_t id) { next_id_ = id; }

 private:
  struct Limits {
    int hits;
    double moved;
  };
  struct Known {
    int64_t id = 0;  // 0 until it is taken
    uint64_t zones = 0;
    Point from{};
    int64_t last = 0;        // frame
    TrackedObject object{};  // as it was then
  };
  bool is_long_enough(const TrackedObject& object, const Limits& limits) const;
  void confirm(FrameTime at, std::span<const TrackedObject> objects);

  bool is_needed_ = false;
  std::vector<Limits> limits_;  // of each zone
  TrackingOptions options_;
  std::map<int64_t, Known> known_;  // by the tracker's id
  Confirmation confirmation_;
  int64_t before_ = -1;  // the last frame
  std::vector<TrackedObject> taken_;
  int64_t next_id_ = 1;
};

/// The state of every zone, frame by frame.
class ZoneStates {
 public:
  ZoneStates(Size size, const Scene& scene, const TrackingOptions& options);

  /// `zones` has the bits of each detection, `active` those of the zones that take part.
  void push(FrameTime at, std::span<const Detection> detections, std::span<const uint64_t> zones,
            std::span<const TrackedObject> objects, uint64_t active);
  /// Ends every visit, at the time of the last frame.
  void finish();

  double score() const { return score_; }
  std::span<const ZoneState> states() const { return states_; }
  /// Whether an event has reason to continue: a score above its threshold where there is one, else
  /// an object.
  bool moves(std::span<const TrackedObject> objects) const;

 private:
  double frame_area_, hold_, min_score_;
  uint64_t included_ = 0;
  std::vector<double> areas_, thresholds_;
  std::vector<double> seen_;  // when an object was last in it
  std::vector<ZoneState> states_;
  double score_ = 0;
};

}  // namespace cuesta::track
