// SORT (Bewley, Ge, Ott, Ramos & Upcroft 2016, doi:10.1109/ICIP.2016.7533003): predict every
// object's box, give each detection to one of them, correct.
//
// What differs from the authors' program: an overlap below min_iou is worth nothing before the
// assignment, not after it; an object that was seen once may be continued by a box near it
// (max_step); objects that are in one detection are followed within it (groups.hpp); an object that
// was reported once is reported whenever it is seen; the
// frame that initialises an object is one of its hits; ids are given when an object is first
// reported, for which min_hits frames may be too few (confirmation.hpp).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "track/assignment.hpp"
#include "track/confirmation.hpp"
#include "track/geometry.hpp"
#include "track/groups.hpp"
#include "track/kalman.hpp"
#include "track/options.hpp"
#include "track/selection.hpp"

namespace cuesta {

using namespace track;

double TrackedObject::speed() const { return std::sqrt(speed_x * speed_x + speed_y * speed_y); }

double TrackedObject::direction() const {
  if (speed_x == 0 && speed_y == 0) return 0;
  return std::atan2(-speed_y, speed_x) * 180 / std::numbers::pi;
}

namespace {

constexpr int grouped = -2;  // in place of a detection: it shares one

struct Target {
  BoxFilter filter;
  TrackedObject object{};  // id 0 until it is reported
  Point begin{};           // its middle when first seen
  int streak = 1;          // frames in a row up to now
  int missed = 0;          // frames since it was last seen
  bool is_seen = false;    // in this frame
  int in_parts = 0;        // frames in a row in which it had more than one detection
  // Of detections of its own: the last, and the largest sides. Those shrink slowly, or at once
  // where the detection comes apart.
  Rect last{};
  double width = 0, height = 0;

  double size() const { return width * height; }
  void measure(const Rect& box) {
    constexpr double kept = 0.97, apart = 0.35;  // in a frame
    const auto held = [&](double largest, int32_t before, int32_t now) {
      return before - now > apart * largest ? now : std::max<double>(now, kept * largest);
    };
    width = held(width, last.width, box.width);
    height = held(height, last.height, box.height);
    last = box;
  }
};

// What pairs are worth: whole numbers, so that sums are exact.
constexpr int64_t unit = 1 << 30;

// The overlap of a detection and a prediction.
int64_t overlap_worth(const std::optional<Box>& predicted, const Rect& box, double min_iou) {
  const double overlap = predicted ? overlap_of(*predicted, box_of(box)) : 0;
  if (overlap == 0 || overlap < min_iou) return 0;
  return std::max<int64_t>(1, std::llround(overlap * double(unit)));
}

// The nearness of a detection to an object whose speed is not known yet. Specks are too many
// to be followed so, and other sizes are other objects.
int64_t step_worth(const Target& target, const Rect& box, double max_step) {
  constexpr double least = 12 * 12, largest_ratio = 2;
  const Rect& before = target.object.detection.box;
  const double area = double(before.width) * before.height, now = double(box.width) * box.height;
  if (std::min(area, now) < least || std::max(area, now) > largest_ratio * std::min(area, now))
    return 0;
  const double gate = max_step * std::sqrt(area);
  const double away = distance(middle_of(before), middle_of(box));
  return away < gate ? std::max<int64_t>(1, std::llround((1 - away / gate) * double(unit))) : 0;
}

// The pairs of target and detection of the largest worth: for each target a detection, or -1.
// Targets that share no detection, however far around, are groups that are solved apart, which
// keeps many objects cheap.
class Association {
 public:
  // `worth_of(target, detection)` is 0 for what is no pair.
  template <class WorthOf>
  Association(size_t targets, size_t detections, WorthOf&& worth_of)
      : detection_of_(targets, -1), near_(targets), seen_by_(detections) {
    for (size_t t = 0; t < targets; ++t) {
      for (size_t d = 0; d < detections; ++d) {
        const int64_t worth = worth_of(t, d);
        if (worth == 0) continue;
        near_[t].push_back({int(d), worth});
        seen_by_[d].push_back(int(t));
      }
    }
    std::vector<char> in_group(targets);
    for (size_t t = 0; t < targets; ++t) {
      if (!in_group[t] && !near_[t].empty()) solve(group_around(int(t), in_group));
    }
  }
  const std::vector<int>& detection_of() const { return detection_of_; }

 private:
  struct Pair {
    int detection;
    int64_t worth;
  };

  std::vector<int> group_around(int target, std::vector<char>& in_group) const {
    std::vector<int> group{target};
    in_group[size_t(target)] = 1;
    for (size_t at = 0; at < group.size(); ++at) {
      for (const Pair& pair : near_[size_t(group[at])]) {
        for (const int other : seen_by_[size_t(pair.detection)]) {
          if (std::exchange(in_group[size_t(other)], 1)) continue;
          group.push_back(other);
        }
      }
    }
    std::ranges::sort(group);
    return group;
  }

  void solve(const std::vector<int>& group) {
    std::vector<int> columns;
    for (const int t : group)
      for (const Pair& pair : near_[size_t(t)]) columns.push_back(pair.detection);
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::vector<int64_t> worth(group.size() * columns.size(), 0);
    for (size_t r = 0; r < group.size(); ++r) {
      for (const Pair& pair : near_[size_t(group[r])]) {
        const auto c = std::ranges::lower_bound(columns, pair.detection) - columns.begin();
        worth[r * columns.size() + size_t(c)] = pair.worth;
      }
    }
    const auto found = best_assignment(int(group.size()), int(columns.size()), worth);
    for (size_t r = 0; r < group.size(); ++r)
      if (found[r] >= 0) detection_of_[size_t(group[r])] = columns[size_t(found[r])];
  }

  std::vector<int> detection_of_;
  std::vector<std::vector<Pair>> near_;    // of each target
  std::vector<std::vector<int>> seen_by_;  // of each detection, its targets
};

}  // namespace

struct Tracker::State {
  TrackingOptions options;
  std::vector<Target> targets;  // in the order in which they were first seen
  std::vector<TrackedObject> reported;
  Confirmation confirmation;
  std::optional<FrameTime> last;
  double step = 0;  // seconds from frame to frame
  int64_t next_id = 1;

  void check(FrameTime at, std::span<const Detection> detections,
             std::span<const uint64_t> zones) const {
    if (last && at.index <= last->index) {
      throw_invalid(std::to_string(at.index),
                    "tracking: frame {} follows frame {}; indices must increase", at.index,
                    last->index);
    }
    if (!std::isfinite(at.seconds))
      throw_invalid(std::to_string(at.seconds),
                    "tracking: frame {} has the time {}; times must be finite and increase",
                    at.index, at.seconds);
    for (const Detection& d : detections) {
      if (d.box.width <= 0 || d.box.height <= 0) {
        throw_invalid("box",
                      "tracking: frame {}: a box is {} x {} pixels; both sides must be at least 1",
                      at.index, d.box.width, d.box.height);
      }
    }
    if (!zones.empty() && zones.size() != detections.size())
      throw_invalid("zones",
                    "tracking: there are {} detections and the zones of {}; the counts must match",
                    detections.size(), zones.size());
  }

  void see(Target& target, const Detection& detection, uint64_t zones) {
    TrackedObject& object = target.object;
    object.detection = detection;
    object.zones = zones;
    object.moved = std::max(object.moved, distance(middle_of(detection.box), target.begin));
    ++object.hits;
    object.streak = target.streak;
    target.missed = 0;
    if (step > 0) {
      object.speed_x = target.filter.velocity().x / step;
      object.speed_y = target.filter.velocity().y / step;
    }
    target.is_seen = true;
  }

  // Gives ids to those who were seen for long enough, and reports who has one.
  void report() {
    confirmation.begin();
    for (const Target& target : targets)
      if (target.is_seen && (target.object.id != 0 || target.streak >= options.min_hits))
        confirmation.stands(target.object.detection.box);
    for (const Target& target : targets)
      if (!target.is_seen && target.missed == 1) confirmation.lost(target.object);
    for (Target& target : targets) {
      TrackedObject& object = target.object;
      if (!target.is_seen || (object.id == 0 && !is_confirmed(target))) continue;
      if (object.id == 0) object.id = next_id++;
      reported.push_back(object);
      object.from = foot_of(object.detection.box);
    }
    std::ranges::sort(reported, {}, &TrackedObject::id);
  }

  bool is_confirmed(const Target& target) const {
    return target.streak >= options.min_hits && target.object.moved >= options.min_moved &&
           (options.min_hits == 1 || confirmation.is_enough(target.object));
  }

  // By overlap; then, of what is left, by distance.
  std::vector<int> associated(std::span<const Detection> detections) const {
    std::vector<std::optional<Box>> predicted;
    for (const Target& target : targets) predicted.push_back(target.filter.box());
    const Association overlaps(targets.size(), detections.size(), [&](size_t t, size_t d) {
      return overlap_worth(predicted[t], detections[d].box, options.min_iou);
    });
    std::vector<int> found = overlaps.detection_of();
    if (options.max_step == 0) return found;
    std::vector<char> taken(detections.size());
    for (const int d : found)
      if (d >= 0) taken[size_t(d)] = 1;
    const Association steps(targets.size(), detections.size(), [&](size_t t, size_t d) {
      const bool is_new = targets[t].object.hits == 1 && targets[t].missed == 1;
      if (!is_new || found[t] >= 0 || taken[d]) return int64_t(0);
      return step_worth(targets[t], detections[d].box, options.max_step);
    });
    for (size_t t = 0; t < targets.size(); ++t)
      if (found[t] < 0) found[t] = steps.detection_of()[t];
    return found;
  }

  Target initialised(FrameTime at, const Detection& detection) const {
    Target target{.filter = BoxFilter(detection.box)};
    target.begin = middle_of(detection.box);
    target.measure(detection.box);
    target.object.first = at;
    target.object.from = foot_of(detection.box);
    return target;
  }

  // Where each reported object should be, as large as it was alone.
  std::vector<std::optional<Box>> expected() const {
    std::vector<std::optional<Box>> boxes(targets.size());
    for (size_t t = 0; t < targets.size(); ++t) {
      const auto predicted = targets[t].filter.box();
      if (!predicted || targets[t].object.id == 0) continue;
      const double x = (predicted->x0 + predicted->x1) / 2, y = (predicted->y0 + predicted->y1) / 2;
      const double w = targets[t].width / 2, h = targets[t].height / 2;
      boxes[t] = Box{x - w, y - h, x + w, y + h};
    }
    return boxes;
  }

  // Of these, objects that may have parts: not those in a group, nor those that have been apart for
  // long, which are two.
  std::vector<std::optional<Box>> divisible(std::vector<std::optional<Box>> boxes,
                                            std::span<const int> detection_of) const {
    constexpr int longest = 8;  // frames
    for (size_t t = 0; t < targets.size(); ++t)
      if (detection_of[t] == grouped || targets[t].in_parts >= longest) boxes[t].reset();
    return boxes;
  }

  // What is small beside another of a group, and was not there long, was a part of it that was
  // found first: it ends.
  void drop_fragments(const ObjectGroup& group) {
    constexpr double small = 0.4;
    constexpr int64_t long_enough = 25;  // frames
    double largest = 0;
    for (const ObjectGroup::Member& one : group.members)
      largest = std::max(largest, targets[one.target].size());
    for (const ObjectGroup::Member& one : group.members) {
      Target& target = targets[one.target];
      if (target.size() < small * largest && target.object.hits < long_enough)
        target.missed = options.max_age + 1;
    }
  }

  // An object in a group is seen where its part of the detection is; behind others it is not seen,
  // and does not age.
  void see_group(const ObjectGroup& group, const Detection& whole, uint64_t zones) {
    drop_fragments(group);
    double sum = 0;
    for (const ObjectGroup::Member& one : group.members)
      sum += double(one.box.width) * one.box.height;
    for (const ObjectGroup::Member& one : group.members) {
      Target& target = targets[one.target];
      if (target.missed > options.max_age) continue;
      if (!one.is_seen) {
        --target.missed;
        continue;
      }
      const double area = double(one.box.width) * one.box.height;
      const Point middle = middle_of(one.box);
      target.filter.update(one.box);
      ++target.streak;
      see(target,
          {.box = one.box,
           .area = std::max<int64_t>(1, std::llround(double(whole.area) * area / sum)),
           .centroid_x = middle.x,
           .centroid_y = middle.y},
          zones);
    }
  }

  // An object with a detection of its own, or with parts of one; its size is not that of what it
  // hides.
  void see_alone(Target& target, const std::optional<Box>& expected,
                 std::span<const Detection> found, bool hides, uint64_t zones) {
    const Detection whole =
        found.size() == 1 ? found[0] : joined(found, std::numeric_limits<int>::max())[0];
    const Rect box = expected ? uncovered(*expected, whole.box) : whole.box;
    target.filter.update(box);
    if (!hides) target.measure(box);
    target.in_parts = found.size() == 1 ? 0 : target.in_parts + 1;
    ++target.streak;
    see(target, whole, zones);
  }

  void push(FrameTime at, std::span<const Detection> detections, std::span<const uint64_t> zones) {
    check(at, detections, zones);
    if (last && at.seconds > last->seconds)
      step = (at.seconds - last->seconds) / double(at.index - last->index);
    last = at;
    reported.clear();
    for (Target& target : targets) {
      target.filter.predict();
      target.is_seen = false;
      if (target.missed++ > 0) target.streak = 0;
    }
    const auto zones_of = [&](size_t d) { return zones.empty() ? uint64_t(0) : zones[d]; };
    std::vector<int> detection_of = associated(detections);
    const std::vector<std::optional<Box>> boxes = expected();
    std::vector<char> taken(detections.size());
    const Sharing sharing = sharing_of(boxes, detection_of, detections);
    for (const ObjectGroup& group : sharing.groups) {
      taken[group.detection] = 1;
      for (const ObjectGroup::Member& one : group.members) detection_of[one.target] = grouped;
    }
    for (const int d : detection_of)
      if (d >= 0) taken[size_t(d)] = 1;
    const std::vector<int> part_of =
        parts_of(divisible(boxes, detection_of), detection_of, taken, detections);

    for (const ObjectGroup& group : sharing.groups)
      see_group(group, detections[group.detection], zones_of(group.detection));
    std::vector<std::vector<Detection>> found(targets.size());
    std::vector<uint64_t> where(targets.size());
    const auto give = [&](size_t t, size_t d) {
      found[t].push_back(detections[d]);
      where[t] |= zones_of(d);
    };
    for (size_t t = 0; t < targets.size(); ++t)
      if (detection_of[t] >= 0) give(t, size_t(detection_of[t]));
    for (size_t d = 0; d < detections.size(); ++d)
      if (part_of[d] >= 0) give(size_t(part_of[d]), d);
    for (size_t t = 0; t < targets.size(); ++t) {
      if (found[t].empty()) continue;
      const bool hides = detection_of[t] >= 0 && sharing.hides[size_t(detection_of[t])];
      see_alone(targets[t], boxes[t], found[t], hides, where[t]);
    }
    for (size_t d = 0; d < detections.size(); ++d) {
      if (taken[d] || part_of[d] >= 0) continue;
      targets.push_back(initialised(at, detections[d]));
      see(targets.back(), detections[d], zones_of(d));
    }
    report();
    std::erase_if(targets, [&](const Target& target) {
      return target.missed > options.max_age || !target.filter.box();
    });
  }
};

Tracker::Tracker(const TrackingOptions& options) : state_(std::make_unique<State>()) {
  check_options(options, "tracking");
  state_->options = options;
}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

std::span<const TrackedObject> Tracker::push(FrameTime at, std::span<const Detection> detections) {
  return push(at, detections, {});
}

std::span<const TrackedObject> Tracker::push(FrameTime at, std::span<const Detection> detections,
                                             std::span<const uint64_t> zones) {
  state_->push(at, detections, zones);
  return state_->reported;
}

void Tracker::number_from(int64_t id) { state_->next_id = id; }

void Tracker::reset() {
  state_->targets.clear();
  state_->reported.clear();
  state_->last.reset();
  state_->step = 0;
  state_->confirmation = {};
}

}  // namespace cuesta
