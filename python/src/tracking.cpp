// Objects over time: objects, crossings and events from lists of detections.
#include "cuesta/tracking.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "keywords.hpp"
#include "module.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;

using Box = std::tuple<int, int, int, int>;
// Box, area, centroid.
using Found = std::tuple<Box, int64_t, double, double>;
// Frame, seconds.
using When = std::pair<int64_t, double>;
// Id, detection, bits of zones, speed to the right and down, moved, first, hits, and speed and
// direction.
using Known =
    std::tuple<int64_t, Found, uint64_t, double, double, double, When, int64_t, double, double>;
using Crossed = std::tuple<size_t, int64_t, bool, When>;
// Id, first, last, bits of zones, moved, largest speed, largest box, its area.
using Part = std::tuple<int64_t, When, When, uint64_t, double, double, Box, int64_t>;
// Zone, entered, left.
using Visited = std::tuple<size_t, When, When>;
// Id, first, last, clip, objects, max_at_once, crossings; best: frame, id, box; visits.
using Happened =
    std::tuple<int64_t, When, When, std::pair<double, double>, std::vector<Part>, int64_t,
               std::vector<Crossed>, std::tuple<When, int64_t, Box>, std::vector<Visited>>;
// Score, motion, present, occupied, since, changed.
using StateRow = std::tuple<double, bool, bool, bool, When, bool>;
// Name, whether it is excluded, polygon; min_area, max_area, min_aspect, max_aspect, min_hits,
// min_moved, min_score, threshold.
using ZoneRow = std::tuple<std::string, bool, std::vector<std::pair<double, double>>,
                           std::optional<int64_t>, std::optional<int64_t>, std::optional<double>,
                           std::optional<double>, std::optional<int>, std::optional<double>,
                           std::optional<double>, std::optional<double>>;
// Name, start, end, names of the ways.
using LineRow = std::tuple<std::string, std::pair<double, double>, std::pair<double, double>,
                           std::pair<std::string, std::string>>;

Box box_row(const Rect& b) { return {b.x, b.y, b.width, b.height}; }
When when_row(const FrameTime& t) { return {t.index, t.seconds}; }

Known known_row(const TrackedObject& o) {
  const Detection& d = o.detection;
  return {o.id,
          {box_row(d.box), d.area, d.centroid_x, d.centroid_y},
          o.zones,
          o.speed_x,
          o.speed_y,
          o.moved,
          when_row(o.first),
          o.hits,
          o.speed(),
          o.direction()};
}
Crossed crossed_row(const Crossing& c) { return {c.line, c.id, c.to_right, when_row(c.at)}; }

template <class Rows, class Values, class Row>
Rows rows_of(const Values& values, Row&& row) {
  Rows rows;
  for (const auto& value : values) rows.push_back(row(value));
  return rows;
}

Happened happened_row(const Event& e) {
  std::vector<Part> objects;
  for (const EventObject& o : e.objects) {
    objects.emplace_back(o.id, when_row(o.first), when_row(o.last), o.zones, o.moved, o.max_speed,
                         box_row(o.largest), o.max_area);
  }
  std::vector<Crossed> crossings;
  for (const Crossing& c : e.crossings) crossings.push_back(crossed_row(c));
  return {e.id,
          when_row(e.first),
          when_row(e.last),
          {e.clip_start, e.clip_end},
          std::move(objects),
          e.max_at_once,
          std::move(crossings),
          {when_row(e.best), e.best_id, box_row(e.best_box)},
          rows_of<std::vector<Visited>>(e.visits, [](const ZoneVisit& v) {
            return Visited(v.zone, when_row(v.entered), when_row(v.left));
          })};
}

StateRow state_row(const ZoneState& z) {
  return {z.score, z.motion, z.present, z.occupied, when_row(z.since), z.changed};
}

// Defaults of frame and time: the frame after the last, at 25 a second.
class FrameCount {
 public:
  FrameTime next(std::optional<int64_t> frame, std::optional<double> time) const {
    const int64_t index = frame.value_or(last_ + 1);
    return {index, time.value_or(double(index) / 25)};
  }
  void taken(int64_t frame) { last_ = frame; }
  void reset() { last_ = -1; }

 private:
  int64_t last_ = -1;
};

std::vector<Detection> detections_of(const std::vector<Found>& rows) {
  std::vector<Detection> detections;
  for (const auto& [box, area, x, y] : rows) {
    const auto [left, top, width, height] = box;
    detections.push_back({{left, top, width, height}, area, x, y});
  }
  return detections;
}

// One call at a time: Python's threads may share it.
class Watch {
 public:
  Watch(std::pair<int, int> size, const std::vector<ZoneRow>& zones,
        const std::vector<LineRow>& lines, const std::optional<Array>& mask,
        const TrackingOptions& options)
      : size_{size.first, size.second},
        zones_(scene_of(zones, {}, {})),
        watch_(size_, scene_of(zones, lines, mask), options) {}

  // Fills `out` with the threshold of each pixel. Returns whether a zone has one.
  bool thresholds(double otherwise, const OutArray& out) const {
    const AnyView to = plane_of(out, int(Layout::hw), "out");
    const Unlocked unlocked;
    const Image<float> levels = zone_thresholds(zones_, size_, otherwise);
    if (!levels.empty()) copy(levels, to);
    return !levels.empty();
  }

  // Objects, crossings, the id of the active event (0 if it may be dropped, -1 for none), whether
  // it began, whether this is its best frame, events that ended, the score, states of zones.
  std::tuple<std::vector<Known>, std::vector<Crossed>, int64_t, bool, bool, std::vector<Happened>,
             double, std::vector<StateRow>>
  push(std::optional<int64_t> frame, std::optional<double> time, const std::vector<Found>& found) {
    const std::lock_guard lock(mutex_);
    const FrameTime at = frames_.next(frame, time);
    const SceneStep& step = watch_.push(at, detections_of(found));
    frames_.taken(at.index);
    return {rows_of<std::vector<Known>>(step.objects, known_row),
            rows_of<std::vector<Crossed>>(step.crossings, crossed_row),
            step.event ? step.event->id : -1,
            step.began,
            step.is_best,
            rows_of<std::vector<Happened>>(step.ended, happened_row),
            step.score,
            rows_of<std::vector<StateRow>>(step.zones, state_row)};
  }
  void set_active(uint64_t zones) {
    const std::lock_guard lock(mutex_);
    watch_.set_active(zones);
  }
  std::vector<Happened> finish() {
    const std::lock_guard lock(mutex_);
    return rows_of<std::vector<Happened>>(watch_.finish(), happened_row);
  }
  std::vector<std::pair<int64_t, int64_t>> counts() {
    const std::lock_guard lock(mutex_);
    return rows_of<std::vector<std::pair<int64_t, int64_t>>>(
        watch_.counts(), [](const LineCount& c) { return std::pair(c.to_right, c.to_left); });
  }

 private:
  static Scene scene_of(const std::vector<ZoneRow>& zones, const std::vector<LineRow>& lines,
                        const std::optional<Array>& mask) {
    const auto point = [](const std::pair<double, double>& p) { return Point{p.first, p.second}; };
    Scene scene;
    for (const auto& [name, excluded, polygon, min_area, max_area, min_aspect, max_aspect, min_hits,
                      min_moved, min_score, threshold] : zones) {
      scene.zones.push_back({.name = name,
                             .kind = excluded ? ZoneKind::exclude : ZoneKind::include,
                             .polygon = rows_of<std::vector<Point>>(polygon, point),
                             .min_area = min_area,
                             .max_area = max_area,
                             .min_aspect = min_aspect,
                             .max_aspect = max_aspect,
                             .min_hits = min_hits,
                             .min_moved = min_moved,
                             .min_score = min_score,
                             .threshold = threshold});
    }
    for (const auto& [name, from, to, ways] : lines) {
      scene.lines.push_back(
          {.name = name, .from = point(from), .to = point(to), .ways = {ways.first, ways.second}});
    }
    if (mask) scene.mask = plane_of(*mask, int(Layout::hw), "mask");
    return scene;
  }

  std::mutex mutex_;
  Size size_;
  Scene zones_;
  SceneWatch watch_;
  FrameCount frames_;
};

class SortTracker {
 public:
  explicit SortTracker(const TrackingOptions& options) : tracker_(options) {}

  std::vector<Known> push(std::optional<int64_t> frame, std::optional<double> time,
                          const std::vector<Found>& found) {
    const std::lock_guard lock(mutex_);
    const FrameTime at = frames_.next(frame, time);
    auto known = rows_of<std::vector<Known>>(tracker_.push(at, detections_of(found)), known_row);
    frames_.taken(at.index);
    return known;
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    tracker_.reset();
    frames_.reset();
  }

 private:
  std::mutex mutex_;
  Tracker tracker_;
  FrameCount frames_;
};

TrackingOptions tracking_options(Keywords& keywords, const char* name) {
  auto options = options_from<TrackingOptions>(keywords);
  keywords.refuse_others(name);
  return options;
}

}  // namespace

void bind_tracking(nb::module_& m) {
  nb::class_<SortTracker>(m, "Tracker")
      .def(
          "__init__",
          [](SortTracker* self, Keywords keywords) {
            new (self) SortTracker(tracking_options(keywords, "Tracker"));
          },
          "keywords"_a)
      .def("push", &SortTracker::push, "frame"_a.none(), "time"_a.none(), "detections"_a)
      .def("reset", &SortTracker::reset);
  nb::class_<Watch>(m, "SceneWatch")
      .def(
          "__init__",
          [](Watch* self, std::pair<int, int> size, const std::vector<ZoneRow>& zones,
             const std::vector<LineRow>& lines, const std::optional<Array>& mask,
             Keywords keywords) {
            new (self) Watch(size, zones, lines, mask, tracking_options(keywords, "SceneWatch"));
          },
          "size"_a, "zones"_a, "lines"_a, "mask"_a.none(), "keywords"_a)
      .def("push", &Watch::push, "frame"_a.none(), "time"_a.none(), "detections"_a)
      .def("finish", &Watch::finish)
      .def("thresholds", &Watch::thresholds, "otherwise"_a, "out"_a)
      .def("set_active", &Watch::set_active, "zones"_a)
      .def_prop_ro("counts", &Watch::counts);
}

}  // namespace cuesta::python
