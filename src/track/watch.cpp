#include <algorithm>
#include <cmath>
#include <map>

#include "core/check.hpp"
#include "track/events.hpp"
#include "track/geometry.hpp"
#include "track/options.hpp"
#include "track/selection.hpp"
#include "track/zones.hpp"

namespace cuesta {

using namespace track;

struct SceneWatch::State {
  struct Pixels {
    Point from, to;
  };
  // An object at the lines: of each, how often it passed to the right, less to the left, since it
  // was last beyond the line's band.
  struct Passage {
    int net = 0;
    FrameTime at{};
  };
  struct Walker {
    std::vector<Passage> lines;
    int64_t last = 0;  // frame
  };
  Selection selection;
  Admission admission;
  Tracker tracker;
  ZoneStates zones;
  EventBuilder events;
  Size frame_size;
  int max_age;
  double band;
  std::vector<Pixels> lines;
  std::map<int64_t, Walker> walkers;  // by id
  std::vector<LineCount> counts;
  std::vector<Crossing> crossings;
  std::vector<Event> ended;
  SceneStep step;

  State(Size size, const Scene& scene, const TrackingOptions& options)
      : selection(size, scene, options),
        admission(scene, options),
        tracker(admission.tracker_options()),
        zones(size, scene, options),
        events(size, options),
        frame_size(size),
        max_age(options.max_age),
        band(options.line_band) {
    const auto pixels = [&](Point p) { return Point{p.x * size.width, p.y * size.height}; };
    for (const CountingLine& line : scene.lines)
      lines.push_back({pixels(line.from), pixels(line.to)});
    counts.resize(lines.size());
  }

  void count(FrameTime at, std::span<const TrackedObject> objects) {
    crossings.clear();
    if (lines.empty()) return;
    for (const TrackedObject& object : objects) {
      Walker& walker = walkers[object.id];
      walker.lines.resize(lines.size());
      walker.last = at.index;
      for (size_t i = 0; i < lines.size(); ++i) count(at, object, i, walker.lines[i]);
    }
    std::erase_if(walkers, [&](const auto& one) { return at.index - one.second.last > max_age; });
  }

  void count(FrameTime at, const TrackedObject& object, size_t line, Passage& passage) {
    const auto& [from, to] = lines[line];
    const Point now = foot_of(object.detection.box);
    if (const int side = crossing_of(object.from, now, from, to)) {
      passage.net += side;
      passage.at = at;
    }
    if (passage.net == 0 ||
        !is_beyond(now, from, to, band * object.detection.box.height, frame_size))
      return;
    const bool to_right = passage.net > 0;
    ++(to_right ? counts[line].to_right : counts[line].to_left);
    crossings.push_back({.line = line, .id = object.id, .to_right = to_right, .at = passage.at});
    passage = {};
  }
};

SceneWatch::SceneWatch(Size size, const Scene& scene, const TrackingOptions& options) {
  check_options(options, "tracking");
  state_ = std::make_unique<State>(size, scene, options);
}
SceneWatch::~SceneWatch() = default;
SceneWatch::SceneWatch(SceneWatch&&) noexcept = default;
SceneWatch& SceneWatch::operator=(SceneWatch&&) noexcept = default;

const SceneStep& SceneWatch::push(FrameTime at, std::span<const Detection> detections) {
  State& s = *state_;
  s.selection.apply(detections);
  const auto selected = s.selection.detections();
  const auto objects = s.admission.apply(at, s.tracker.push(at, selected, s.selection.zones()));
  s.zones.push(at, selected, s.selection.zones(), objects, s.selection.active());
  s.count(at, objects);
  EventBuilder::Change change =
      s.events.push(at, {s.zones.moves(objects), objects, s.crossings, selected, s.zones.states()});
  s.ended.clear();
  if (change.ended) s.ended.push_back(std::move(*change.ended));
  s.step = {.objects = objects,
            .crossings = s.crossings,
            .event = s.events.event(),
            .began = change.began,
            .is_best = change.is_best,
            .ended = s.ended,
            .score = s.zones.score(),
            .zones = s.zones.states()};
  return s.step;
}

std::span<const Event> SceneWatch::finish() {
  State& s = *state_;
  s.ended.clear();
  s.step = {};
  s.zones.finish();
  if (auto last = s.events.finish()) s.ended.push_back(std::move(*last));
  return s.ended;
}

void SceneWatch::set_active(uint64_t zones) { state_->selection.set_active(zones); }

void SceneWatch::number_from(int64_t event, int64_t object) {
  state_->events.number_from(event);
  state_->tracker.number_from(object);
  state_->admission.number_from(object);
}

int ZoneState::level() const { return int(std::ceil(std::clamp(score, 0.0, 100.0))); }

std::span<const LineCount> SceneWatch::counts() const { return state_->counts; }

}  // namespace cuesta
