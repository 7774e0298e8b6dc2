#include "core/check.hpp"
#include "track/events.hpp"
#include "track/geometry.hpp"
#include "track/options.hpp"
#include "track/selection.hpp"

namespace cuesta {

using namespace track;

struct SceneWatch::State {
  struct Pixels {
    Point from, to;
  };
  Selection selection;
  Tracker tracker;
  EventBuilder events;
  std::vector<Pixels> lines;
  std::vector<LineCount> counts;
  std::vector<Crossing> crossings;
  std::vector<Event> ended;
  SceneStep step;

  State(Size size, const Scene& scene, const TrackingOptions& options)
      : selection(size, scene, options), tracker(options), events(size, options) {
    const auto pixels = [&](Point p) { return Point{p.x * size.width, p.y * size.height}; };
    for (const CountingLine& line : scene.lines)
      lines.push_back({pixels(line.from), pixels(line.to)});
    counts.resize(lines.size());
  }

  void count(FrameTime at, std::span<const TrackedObject> objects) {
    crossings.clear();
    for (const TrackedObject& object : objects) {
      const Point now = foot_of(object.detection.box);
      for (size_t i = 0; i < lines.size(); ++i) {
        const int side = crossing_of(object.from, now, lines[i].from, lines[i].to);
        if (side == 0) continue;
        ++(side > 0 ? counts[i].to_right : counts[i].to_left);
        crossings.push_back({.line = i, .id = object.id, .to_right = side > 0, .at = at});
      }
    }
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
  const auto objects = s.tracker.push(at, s.selection.detections(), s.selection.zones());
  s.count(at, objects);
  EventBuilder::Change change = s.events.push(at, objects, s.crossings);
  s.ended.clear();
  if (change.ended) s.ended.push_back(std::move(*change.ended));
  s.step = {.objects = objects,
            .crossings = s.crossings,
            .event = s.events.event(),
            .began = change.began,
            .is_best = change.is_best,
            .ended = s.ended};
  return s.step;
}

std::span<const Event> SceneWatch::finish() {
  State& s = *state_;
  s.ended.clear();
  s.step = {};
  if (auto last = s.events.finish()) s.ended.push_back(std::move(*last));
  return s.ended;
}

std::span<const LineCount> SceneWatch::counts() const { return state_->counts; }

}  // namespace cuesta
