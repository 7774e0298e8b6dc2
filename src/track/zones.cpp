#include "track/zones.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "track/geometry.hpp"
#include "track/selection.hpp"

namespace cuesta {

Image<float> zone_thresholds(const Scene& scene, Size size, double otherwise) {
  const track::Selection checked(size, scene, {});
  if (std::ranges::none_of(scene.zones, [](const Zone& zone) { return bool(zone.threshold); }))
    return {};
  Image<float> levels(size);
  constexpr float none = std::numeric_limits<float>::infinity();
  for (int32_t y = 0; y < size.height; ++y) std::fill_n(levels.row(y), size.width, none);
  for (const Zone& zone : scene.zones) {
    if (!zone.threshold) continue;
    std::vector<Point> polygon;
    for (const Point& p : zone.polygon) polygon.push_back({p.x * size.width, p.y * size.height});
    const auto [left, right] = std::ranges::minmax(polygon, {}, &Point::x);
    const auto [top, bottom] = std::ranges::minmax(polygon, {}, &Point::y);
    const auto end = [](double edge, int32_t most) { return std::min(int32_t(edge) + 1, most); };
    for (int32_t y = int32_t(top.y); y < end(bottom.y, size.height); ++y) {
      for (int32_t x = int32_t(left.x); x < end(right.x, size.width); ++x) {
        if (track::is_inside({x + 0.5, y + 0.5}, polygon))
          levels.at(x, y) = std::min(levels.at(x, y), float(*zone.threshold));
      }
    }
  }
  for (int32_t y = 0; y < size.height; ++y)
    std::replace(levels.row(y), levels.row(y) + size.width, none, float(otherwise));
  return levels;
}

}  // namespace cuesta

namespace cuesta::track {

Admission::Admission(const Scene& scene, const TrackingOptions& options) : options_(options) {
  for (const Zone& zone : scene.zones) {
    limits_.push_back(
        {zone.min_hits.value_or(options.min_hits), zone.min_moved.value_or(options.min_moved)});
    is_needed_ |= zone.min_hits || zone.min_moved;
  }
  if (!is_needed_) return;
  options_.min_hits = 1;
  options_.min_moved = 0;
}

// The tracker in front reports all objects, so it does not confirm them.
void Admission::confirm(FrameTime at, std::span<const TrackedObject> objects) {
  confirmation_.begin();
  for (const TrackedObject& object : objects) {
    Known& known = known_.try_emplace(object.id, Known{.from = object.from}).first->second;
    known.last = at.index;
    known.object = object;
    bool stands = known.id != 0;
    for (size_t i = 0; i < limits_.size(); ++i)
      stands |= (object.zones >> i & 1) && object.streak >= limits_[i].hits;
    if (stands) confirmation_.stands(object.detection.box);
  }
  for (const auto& [id, known] : known_)
    if (known.last == before_) confirmation_.lost(known.object);
  before_ = at.index;
}

bool Admission::is_long_enough(const TrackedObject& object, const Limits& limits) const {
  return object.streak >= limits.hits && object.moved >= limits.moved &&
         (limits.hits == 1 || confirmation_.is_enough(object));
}

std::span<const TrackedObject> Admission::apply(FrameTime at,
                                                std::span<const TrackedObject> objects) {
  if (!is_needed_) return objects;
  taken_.clear();
  confirm(at, objects);
  for (TrackedObject object : objects) {
    Known& known = known_.at(object.id);
    for (size_t i = 0; i < limits_.size(); ++i) {
      const uint64_t bit = uint64_t(1) << i;
      if ((object.zones & bit) && is_long_enough(object, limits_[i])) known.zones |= bit;
    }
    object.zones &= known.zones;
    if (object.zones == 0) continue;
    if (known.id == 0) known.id = next_id_++;
    object.id = known.id;
    object.from = known.from;
    known.from = foot_of(object.detection.box);
    taken_.push_back(object);
  }
  std::erase_if(known_,
                [&](const auto& one) { return at.index - one.second.last > options_.max_age; });
  std::ranges::sort(taken_, {}, &TrackedObject::id);
  return taken_;
}

ZoneStates::ZoneStates(Size size, const Scene& scene, const TrackingOptions& options)
    : frame_area_(double(size.width) * size.height),
      hold_(std::max(options.merge_window, options.post_roll)),
      min_score_(options.min_score),
      seen_(scene.zones.size(), -std::numeric_limits<double>::infinity()),
      states_(scene.zones.size()) {
  for (size_t i = 0; i < scene.zones.size(); ++i) {
    const Zone& zone = scene.zones[i];
    if (zone.kind == ZoneKind::include) included_ |= uint64_t(1) << i;
    areas_.push_back(std::abs(signed_area(zone.polygon)) * frame_area_);
    thresholds_.push_back(zone.min_score.value_or(options.min_score));
  }
}

void ZoneStates::push(FrameTime at, std::span<const Detection> detections,
                      std::span<const uint64_t> zones, std::span<const TrackedObject> objects,
                      uint64_t active) {
  int64_t sum = 0;
  std::vector<int64_t> sums(states_.size(), 0);
  for (size_t d = 0; d < detections.size(); ++d) {
    sum += detections[d].area;
    for (size_t i = 0; i < sums.size(); ++i)
      if (zones[d] >> i & 1) sums[i] += detections[d].area;
  }
  uint64_t inside = 0;
  for (const TrackedObject& object : objects) inside |= object.zones;
  score_ = 100 * double(sum) / frame_area_;
  for (size_t i = 0; i < states_.size(); ++i) {
    if (!(included_ >> i & 1)) continue;
    ZoneState& state = states_[i];
    state.score = std::min(100.0, 100 * double(sums[i]) / areas_[i]);
    const bool moved = std::exchange(state.motion, sums[i] > 0 && state.score >= thresholds_[i]);
    // With a threshold, motion above it counts; else objects do.
    state.present = thresholds_[i] > 0 ? state.motion : (inside >> i & 1) != 0;
    if (state.present) seen_[i] = at.seconds;
    const bool holds = (active >> i & 1) && at.seconds - seen_[i] < hold_;
    const bool was = std::exchange(state.occupied, state.present || holds);
    if (was != state.occupied) state.since = at;
    state.changed = was != state.occupied || moved != state.motion;
  }
}

void ZoneStates::finish() { std::ranges::fill(seen_, -std::numeric_limits<double>::infinity()); }

bool ZoneStates::moves(std::span<const TrackedObject> objects) const {
  if (included_ == 0) return min_score_ > 0 ? score_ >= min_score_ : !objects.empty();
  for (size_t i = 0; i < states_.size(); ++i)
    if (thresholds_[i] > 0 && states_[i].motion) return true;
  return std::ranges::any_of(objects, [&](const TrackedObject& object) {
    for (size_t i = 0; i < states_.size(); ++i)
      if (thresholds_[i] == 0 && (object.zones >> i & 1)) return true;
    return false;
  });
}

}  // namespace cuesta::track
