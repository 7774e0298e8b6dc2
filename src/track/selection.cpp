#include "track/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/check.hpp"
#include "track/geometry.hpp"

namespace cuesta {
namespace track {
namespace {

void check_point(Point p, const std::string& what, std::string_view part) {
  if (p.x >= 0 && p.x <= 1 && p.y >= 0 && p.y <= 1) return;
  const std::string text = fmt::format("({}, {})", p.x, p.y);
  throw_invalid(text,
                "{}: {} is {}; both must be 0 to 1, fractions of the picture's width and height",
                what, part, text);
}

template <class T>
void check_limits(std::optional<T> low, std::optional<T> high, const std::string& what,
                  std::string_view name) {
  for (const auto& [value, end] : {std::pair(low, "min"), std::pair(high, "max")}) {
    if (value && !(*value >= 0 && std::isfinite(double(*value)))) {
      throw_invalid(fmt::format("{}", *value), "{}: {}_{} is {}; it must be at least 0", what, end,
                    name, *value);
    }
  }
  if (low && high && *high != 0 && *high < *low) {
    throw_invalid(fmt::format("{}", *high), "{}: max_{} is {}; it must be at least min_{}, {}",
                  what, name, *high, name, *low);
  }
}

// Where the first control code of a name begins, those of UTF-8's C1 set too; npos.
size_t find_control(std::string_view name) {
  for (size_t i = 0; i < name.size(); ++i) {
    const auto byte = static_cast<unsigned char>(name[i]);
    const auto next = i + 1 < name.size() ? static_cast<unsigned char>(name[i + 1]) : 0;
    if (byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0)) return i;
  }
  return name.npos;
}

}  // namespace

void check_zone(const Zone& zone, const std::string& what) {
  if (zone.polygon.size() < 3) {
    throw_invalid(std::to_string(zone.polygon.size()),
                  "{}: the polygon needs at least 3 corners and has {}", what, zone.polygon.size());
  }
  for (size_t i = 0; i < zone.polygon.size(); ++i)
    check_point(zone.polygon[i], what, fmt::format("polygon[{}]", i));
  if (signed_area(zone.polygon) == 0)
    throw_invalid("polygon", "{}: the polygon has no area; its corners must not be on one line",
                  what);
  check_limits(zone.min_area, zone.max_area, what, "area");
  check_limits(zone.min_aspect, zone.max_aspect, what, "aspect");
  check_limits(zone.min_moved, std::optional<double>(), what, "moved");
  check_limits(zone.min_score, std::optional<double>(), what, "score");
  if (zone.min_score && *zone.min_score > 100)
    throw_invalid(fmt::format("{}", *zone.min_score),
                  "{}: min_score is {}; it must be 0 to 100, a percentage", what, *zone.min_score);
  if (zone.threshold && !(*zone.threshold >= 0 && std::isfinite(*zone.threshold)))
    throw_invalid(fmt::format("{}", *zone.threshold),
                  "{}: threshold is {}; it must be finite, 0 or more", what, *zone.threshold);
  if (zone.min_hits && *zone.min_hits < 1)
    throw_invalid(fmt::format("{}", *zone.min_hits), "{}: min_hits is {}; it must be at least 1",
                  what, *zone.min_hits);
  if (zone.kind == ZoneKind::exclude &&
      (zone.min_area || zone.max_area || zone.min_aspect || zone.max_aspect || zone.min_hits ||
       zone.min_moved || zone.min_score || zone.threshold))
    throw_invalid("exclude",
                  "{}: kind is exclude and limits are set; excluded zones do not support limits",
                  what);
}

void check_line(const CountingLine& line, const std::string& what) {
  check_point(line.from, what, "from");
  check_point(line.to, what, "to");
  if (line.from == line.to)
    throw_invalid("to", "{}: from and to are the same point; they must differ", what);
  for (const std::string& way : line.ways) {
    if (way.empty() || way.find_first_of(":;") != way.npos)
      throw_invalid(way, "{}: a way is \"{}\"; it must be a name without : or ;", what, way);
  }
  if (line.ways[0] == line.ways[1])
    throw_invalid(line.ways[0], "{}: both ways are \"{}\"; they must differ", what, line.ways[0]);
}

Selection::Selection(Size size, const Scene& scene, const TrackingOptions& options)
    : size_(size), join_(options.join) {
  if (size.width <= 0 || size.height <= 0)
    throw_invalid("size", "scene: frames are {} x {} pixels; both sides must be at least 1",
                  size.width, size.height);
  check_scene(scene, "scene");
  everywhere_ = {.polygon = {},
                 .bit = 0,
                 .min_area = options.min_area,
                 .max_area = options.max_area,
                 .min_aspect = options.min_aspect,
                 .max_aspect = options.max_aspect};
  for (size_t i = 0; i < scene.zones.size(); ++i) {
    const Zone& zone = scene.zones[i];
    Area area = everywhere_;
    for (const Point& p : zone.polygon)
      area.polygon.push_back({p.x * size.width, p.y * size.height});
    area.bit = uint64_t(1) << i;
    area.min_area = zone.min_area.value_or(area.min_area);
    area.max_area = zone.max_area.value_or(area.max_area);
    area.min_aspect = zone.min_aspect.value_or(area.min_aspect);
    area.max_aspect = zone.max_aspect.value_or(area.max_aspect);
    (zone.kind == ZoneKind::include ? included_ : excluded_).push_back(std::move(area));
  }
  if (!scene.mask.data) return;
  check_view(scene.mask, "scene: mask", {PixelType::u8});
  if (scene.mask.space != Space::host)
    throw_invalid("mask", "scene: the mask is on the device; download it first");
  if (scene.mask.width != size.width || scene.mask.height != size.height) {
    throw_invalid("mask",
                  "scene: the mask is {} x {} and the frames are {} x {}; the sizes must match",
                  scene.mask.width, scene.mask.height, size.width, size.height);
  }
  const auto view = scene.mask.as<const uint8_t>();
  for (int32_t y = 0; y < size.height; ++y)
    mask_.insert(mask_.end(), view.row(y), view.row(y) + size.width);
}

bool Selection::Area::takes(const Detection& detection) const {
  const double aspect = double(detection.box.width) / detection.box.height;
  return detection.area >= min_area && (max_area == 0 || detection.area <= max_area) &&
         aspect >= min_aspect && (max_aspect == 0 || aspect <= max_aspect) &&
         (polygon.empty() || is_inside(foot_of(detection.box), polygon));
}

bool Selection::is_left_out(const Rect& box) const {
  const Point foot = foot_of(box);
  if (!mask_.empty()) {
    const auto x = std::clamp(int32_t(foot.x), 0, size_.width - 1);
    const auto y = std::clamp(int32_t(foot.y), 0, size_.height - 1);
    if (mask_[size_t(y) * size_t(size_.width) + size_t(x)] == 0) return true;
  }
  return std::ranges::any_of(excluded_, [&](const Area& area) {
    return (area.bit & active_) && is_inside(foot, area.polygon);
  });
}

void Selection::apply(std::span<const Detection> detections) {
  allowed_.clear();
  chosen_.clear();
  zones_.clear();
  for (const Detection& d : detections)
    if (!is_left_out(d.box)) allowed_.push_back(d);
  if (join_ > 0) allowed_ = joined(allowed_, join_);
  allowed_ = without_nested(allowed_);
  for (const Detection& d : allowed_) {
    if (join_ > 0 && is_left_out(d.box)) continue;
    uint64_t zones = 0;
    for (const Area& area : included_)
      if ((area.bit & active_) && area.takes(d)) zones |= area.bit;
    if (included_.empty() ? !everywhere_.takes(d) : zones == 0) continue;
    chosen_.push_back(d);
    zones_.push_back(zones);
  }
}

namespace {

struct Group {
  Rect box;
  std::vector<size_t> members;
};

std::vector<Detection> made_of(std::vector<Group>& groups, std::span<const Detection> detections) {
  for (Group& group : groups) std::ranges::sort(group.members);
  std::ranges::sort(groups, {}, [](const Group& group) { return group.members.front(); });
  std::vector<Detection> made;
  for (const Group& group : groups) {
    Detection sum{.box = group.box};
    double x = 0, y = 0;
    for (const size_t i : group.members) {
      const Detection& part = detections[i];
      sum.area += part.area;
      x += double(part.area) * part.centroid_x;
      y += double(part.area) * part.centroid_y;
    }
    const bool alone = group.members.size() == 1 || sum.area == 0;
    const Detection& first = detections[group.members.front()];
    sum.centroid_x = alone ? first.centroid_x : x / double(sum.area);
    sum.centroid_y = alone ? first.centroid_y : y / double(sum.area);
    made.push_back(sum);
  }
  return made;
}

bool holds(const Rect& outer, const Rect& inner) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

}  // namespace

std::vector<Detection> joined(std::span<const Detection> detections, int pixels) {
  std::vector<Group> groups;
  for (size_t i = 0; i < detections.size(); ++i) {
    Group grown{detections[i].box, {i}};
    // What it takes up makes its box larger, which may bring the next one near.
    for (size_t g = 0; g < groups.size();) {
      if (gap_between(groups[g].box, grown.box) >= pixels) {
        ++g;
        continue;
      }
      grown.box = around(groups[g].box, grown.box);
      grown.members.insert(grown.members.end(), groups[g].members.begin(), groups[g].members.end());
      groups.erase(groups.begin() + ptrdiff_t(g));
      g = 0;
    }
    groups.push_back(std::move(grown));
  }
  return made_of(groups, detections);
}

std::vector<Detection> without_nested(std::span<const Detection> detections) {
  std::vector<size_t> order(detections.size());
  std::iota(order.begin(), order.end(), size_t(0));
  const auto size_of = [&](size_t i) {
    return -int64_t(detections[i].box.width) * detections[i].box.height;
  };
  std::ranges::stable_sort(order, {}, size_of);
  std::vector<Group> groups;
  for (const size_t i : order) {
    const Rect& box = detections[i].box;
    const auto outer =
        std::ranges::find_if(groups, [&](const Group& group) { return holds(group.box, box); });
    if (outer == groups.end())
      groups.push_back({box, {i}});
    else
      outer->members.push_back(i);
  }
  return made_of(groups, detections);
}

}  // namespace track

void check_scene(const Scene& scene, const std::string& name) {
  if (scene.zones.size() > 64) {
    throw_invalid(std::to_string(scene.zones.size()),
                  "{}: there are {} zones; at most 64 are supported", name, scene.zones.size());
  }
  const auto check_all = [&](const auto& list, const char* kind, auto check) {
    std::set<std::string> names;
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string what = fmt::format("{}: {}[{}]", name, kind, i);
      check(list[i], what);
      if (const size_t at = track::find_control(list[i].name); at != list[i].name.npos)
        throw_invalid(list[i].name, "{}: the name has a control code at byte {}; use plain text",
                      what, at);
      if (!names.insert(list[i].name).second)
        throw_invalid(list[i].name, "{}: the name \"{}\" is used twice; names must differ", what,
                      list[i].name);
    }
  };
  check_all(scene.zones, "zones", track::check_zone);
  check_all(scene.lines, "lines", track::check_line);
}

}  // namespace cuesta
