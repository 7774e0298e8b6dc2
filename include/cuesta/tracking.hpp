// Objects over time: selection by zones and limits, identities (SORT), events and line crossings.
// Lists in, lists out; the only picture is the mask of a scene.
//
//     cuesta::SceneWatch watch({width, height}, scene);
//     for (...) {
//       const cuesta::SceneStep& step = watch.push({index, seconds}, detector.push(frame));
//       for (const cuesta::TrackedObject& object : step.objects) ...
//       for (const cuesta::Event& event : step.ended) ...
//     }
//     for (const cuesta::Event& event : watch.finish()) ...
//
// The same lists give the same results, bit for bit, on every machine with IEEE 754 arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuesta/image.hpp"
#include "cuesta/motion.hpp"

namespace cuesta {

/// A point of a picture. In scenes, relative: x / width and y / height, 0 to 1.
struct Point {
  double x = 0, y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

/// Returns the foot point of an object: the centre of the lowest row of its box, in pixels. Zones
/// and lines test this point.
Point foot_of(const Rect& box);

/// Whether objects in a zone count.
enum class ZoneKind : uint8_t {
  include,  ///< objects here count; if a scene has such zones, objects outside them do not
  exclude,  ///< objects here never count
};

/// A polygon of the picture; results refer to it by `name`.
struct Zone {
  std::string name{};
  ZoneKind kind = ZoneKind::include;
  std::vector<Point> polygon{};  ///< 3 corners or more, relative; even-odd where it crosses itself
  // Limits of this zone; empty ones are those of TrackingOptions.
  std::optional<int64_t> min_area{}, max_area{};
  std::optional<double> min_aspect{}, max_aspect{};
  std::optional<int> min_hits{};
  std::optional<double> min_moved{}, min_score{};
  /// The detector's threshold in this zone, gray levels; for zone_thresholds().
  std::optional<double> threshold{};
};

/// A line whose crossings are counted. An object crosses it to the right when it goes to the
/// right-hand side of somebody who walks from `from` to `to`.
struct CountingLine {
  std::string name{};
  Point from{}, to{};                                   ///< relative
  std::array<std::string, 2> ways = {"right", "left"};  ///< names of the ways: to the right, left
};

/// The fixed parts of a camera's view.
struct Scene {
  std::vector<Zone> zones{};  ///< 64 at most
  std::vector<CountingLine> lines{};
  /// u8, of the frames' size; objects on 0 never count. A view without data selects everything. The
  /// mask is copied.
  ConstAnyView mask{};
};

/// Returns the threshold of each pixel, gray levels, for MotionDetector::set_thresholds().
/// `size` is that of the frames. A pixel is in a zone if its centre is; where zones overlap the
/// lowest threshold counts. Other pixels have `otherwise`. A picture without pixels if no zone has
/// a threshold. Throws Error{invalid_argument} for a scene that SceneWatch refuses.
Image<float> zone_thresholds(const Scene& scene, Size size, double otherwise);

/// Options of Tracker and SceneWatch.
struct TrackingOptions {
  // Selection of detections.
  int64_t min_area = 0;   ///< pixels
  int64_t max_area = 0;   ///< pixels; 0: no limit
  double min_aspect = 0;  ///< width over height
  double max_aspect = 0;  ///< 0: no limit
  int join = 0;           ///< boxes with fewer pixels between them are one object; 0 joins none
  // Identities: SORT (Bewley et al. 2016).
  int min_hits = 3;      ///< consecutive frames with an object before it is reported, at least
  int max_age = 15;      ///< frames that an object is kept after its last detection
  double min_iou = 0.3;  ///< intersection over union of a prediction and its detection
  /// A box that overlaps no prediction continues an object that was seen once, in the frame before,
  /// within this distance of it, in the object's own sizes (the root of its box' area). 0: never.
  double max_step = 2;
  double min_moved =
      0;  ///< pixels that an object moves from its first position before it is reported
  /// Fraction of its height that an object must be beyond a line before its crossing counts; half
  /// of the way to the picture's edge where that is less.
  double line_band = 0.25;
  /// Percentage of the frame, or of a zone, that must move for an event to begin and continue. No
  /// object need be followed then. 0: an event is a time with reported objects.
  double min_score = 0;
  // Events, in seconds.
  double merge_window = 2;  ///< a shorter gap between events joins them
  double pre_roll = 1;      ///< length of a clip before the event
  double post_roll = 1;     ///< and after it
  double min_event = 0;     ///< shorter events are dropped
  double max_event = 3600;  ///< longer events are cut, which bounds their memory

  friend bool operator==(const TrackingOptions&, const TrackingOptions&) = default;
};

/// When a frame is shown.
struct FrameTime {
  int64_t index = 0;
  double seconds = 0;
};

/// An object in one frame, known by its number since it was first seen.
struct TrackedObject {
  int64_t id = 0;  ///< 1, 2, 3 ... in the order in which they are first reported
  /// As found, with its parts together; where several objects share a detection, its part of it.
  Detection detection{};
  uint64_t zones = 0;  ///< bit i: it stands in Scene::zones[i], and is within its limits
  double speed_x = 0;  ///< of its middle, pixels a second, as the filter estimates it;
  double speed_y = 0;  ///< to the right and down
  double moved = 0;    ///< farthest that its middle was from where it began, pixels
  FrameTime first{};   ///< when it was first seen, reported or not
  int64_t hits = 0;    ///< frames it was seen in
  int64_t streak = 0;  ///< of these, consecutive ones up to now
  Point from{};        ///< its foot when it was last reported; at first, when first seen
  /// Pixels a second.
  double speed() const;
  /// Degrees: 0 to the right, 90 up, -90 down, 180 to the left; 0 for what stands still.
  double direction() const;
};

/// A crossing of a line by an object, reported when the object is beyond the line's band.
struct Crossing {
  size_t line = 0;  ///< in Scene::lines
  int64_t id = 0;   ///< of the object
  bool to_right = false;
  FrameTime at{};  ///< when its foot passed the line
};

/// The number of crossings of a line in each direction.
struct LineCount {
  int64_t to_right = 0, to_left = 0;
};

/// One object's part in an event.
struct EventObject {
  int64_t id = 0;
  FrameTime first{}, last{};
  uint64_t zones = 0;    ///< that it stood in
  double moved = 0;      ///< pixels
  double max_speed = 0;  ///< pixels a second
  Rect largest{};        ///< its box where it had the largest area
  int64_t max_area = 0;  ///< pixels
};

/// A stay of objects in a zone during an event.
struct ZoneVisit {
  size_t zone = 0;  ///< in Scene::zones
  FrameTime entered{}, left{};
};

/// A zone in one frame. Excluded zones have none of this.
struct ZoneState {
  double score = 0;       ///< percentage of its area that the detections in it cover, at most 100
  bool motion = false;    ///< something moves in it, at least its `min_score`
  bool present = false;   ///< motion where the zone has a `min_score`, else an object
  bool occupied = false;  ///< something is present, or was within the merge window (or the
                          ///< post-roll, if that is longer)
  FrameTime since{};      ///< when `occupied` last changed
  bool changed = false;   ///< `motion` or `occupied` did in this frame
  /// A whole number from 0 to 100.
  int level() const;
};

/// A time in which objects were reported. It ends when none was for the merge window (or the
/// post-roll, if that is longer); between consecutive frames there is no gap.
struct Event {
  int64_t id = 0;                       ///< 1, 2, 3 ...
  FrameTime first{}, last{};            ///< the first and the last frame with one of its objects
  double clip_start = 0, clip_end = 0;  ///< with pre- and post-roll, seconds, within the video
  std::vector<EventObject> objects{};   ///< by id
  int64_t max_at_once = 0;              ///< objects in one frame
  std::vector<Crossing> crossings{};
  std::vector<ZoneVisit> visits{};  ///< by the time at which a zone was entered
  /// Where its largest object is seen best: by area, half of it where the box touches the picture's
  /// edge; the first such frame.
  FrameTime best{};
  int64_t best_id = 0;  ///< 0 if nothing was followed then
  Rect best_box{};
};

/// What a frame brought. The views hold until the next push().
struct SceneStep {
  std::span<const TrackedObject> objects{};  ///< seen in this frame, by id
  std::span<const Crossing> crossings{};
  /// The event that this frame belongs to, so far; null where there is none. It has its id, 0 while
  /// it is shorter than `min_event` and may still be dropped.
  const Event* event = nullptr;
  bool began = false;    ///< `event` got its id in this frame
  bool is_best = false;  ///< this frame is `event`'s best so far
  std::span<const Event> ended{};
  /// Percentage of the frame that the selected detections cover.
  double score = 0;
  std::span<const ZoneState> zones{};  ///< in the order of Scene::zones
};

/// Throws Error{invalid_argument} unless SceneWatch accepts the zones and lines of a scene.
/// Names must differ, and each polygon and line must be valid. `name` is the scene's in messages.
void check_scene(const Scene& scene, const std::string& name = "scene");

/// Identities alone: SORT on lists of boxes. Exact assignment of detections to predictions, by the
/// largest sum of intersections over union; the constant-velocity Kalman filter of the paper on
/// (u, v, s, r). With min_hits above 1, parts of objects and what sways need more frames.
class Tracker {
 public:
  /// Throws Error{invalid_argument} for an option that cannot be meant.
  explicit Tracker(const TrackingOptions& options = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The objects among the next frame's detections, by id; valid until the next call. Throws
  /// Error{invalid_argument} for an empty box, an index that does not grow, a time that is none.
  std::span<const TrackedObject> push(FrameTime at, std::span<const Detection> detections);
  /// The same for detections with the zones that they are in.
  std::span<const TrackedObject> push(FrameTime at, std::span<const Detection> detections,
                                      std::span<const uint64_t> zones);
  /// Removes all objects; ids continue.
  void reset();
  /// The next object that gets an id gets this one.
  void number_from(int64_t id);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Zones, tracker, crossings and events in one object: detections in, results out.
class SceneWatch {
 public:
  /// `size` is that of the frames. Throws Error{invalid_argument} naming the zone, line or option
  /// and its value.
  SceneWatch(Size size, const Scene& scene, const TrackingOptions& options = {});
  ~SceneWatch();
  SceneWatch(SceneWatch&&) noexcept;
  SceneWatch& operator=(SceneWatch&&) noexcept;

  /// The next frame's detections. Throws as Tracker::push does.
  const SceneStep& push(FrameTime at, std::span<const Detection> detections);
  /// Ends the current event and returns it.
  /// Called after the last frame or at a gap of a stream. Valid until the next call.
  std::span<const Event> finish();
  /// From now on only these zones take part: bit i is Scene::zones[i]. Where others include,
  /// nothing counts; where they exclude, everything does. Initially all do.
  void set_active(uint64_t zones);
  /// Sets the ids of the next event and of the next object.
  /// A run that continues an earlier one calls it before the first push().
  void number_from(int64_t event, int64_t object);
  /// The crossings of each line of the scene so far.
  std::span<const LineCount> counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuesta
