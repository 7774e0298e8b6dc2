#include "track/groups.hpp"

#include <algorithm>
#include <cmath>

namespace cuesta::track {
namespace {

constexpr double min_inside = 0.5;  // of an object, for it to be in a detection
constexpr double hardly_larger = 1.25;

struct Span {
  double begin, end;
  double length() const { return end - begin; }
};

double common(Span a, Span b) {
  return std::max(0.0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

Span across(const Box& box) { return {box.x0, box.x1}; }
Span down(const Box& box) { return {box.y0, box.y1}; }

// The part of the first box that is in the second.
double part_in(const Box& box, const Box& other) {
  return common(across(box), across(other)) * common(down(box), down(other)) /
         (across(box).length() * down(box).length());
}

bool is_hardly_larger(const Box& box, const Box& other) {
  return across(box).length() <= hardly_larger * across(other).length() &&
         down(box).length() <= hardly_larger * down(other).length();
}

// Where an object is along an axis: at the edge of the group that is its own, else where it was
// expected, moved inside. Two edges that are its own give its length.
Span placed(Span expected, Span group, bool has_begin, bool has_end) {
  if (has_begin && has_end) return group;
  const double length = std::min(expected.length(), group.length());
  double begin = std::clamp(expected.begin, group.begin, group.end - length);
  if (has_begin) begin = group.begin;
  if (has_end) begin = group.end - length;
  return {begin, begin + length};
}

Rect rounded(Span x, Span y) {
  const auto left = int32_t(std::lround(x.begin)), top = int32_t(std::lround(y.begin));
  return {left, top, std::max(1, int32_t(std::lround(x.end)) - left),
          std::max(1, int32_t(std::lround(y.end)) - top)};
}

std::vector<ObjectGroup::Member> members_of(const Box& group, std::span<const size_t> targets,
                                            std::span<const std::optional<Box>> expected) {
  // The object that reaches farthest to each side has that edge.
  const auto farthest = [&](auto reach) {
    return *std::ranges::max_element(targets, {}, [&](size_t t) { return reach(*expected[t]); });
  };
  const size_t left = farthest([](const Box& b) { return -b.x0; });
  const size_t right = farthest([](const Box& b) { return b.x1; });
  const size_t top = farthest([](const Box& b) { return -b.y0; });
  const size_t bottom = farthest([](const Box& b) { return b.y1; });
  std::vector<ObjectGroup::Member> members;
  for (const size_t t : targets) {
    const Span x = placed(across(*expected[t]), across(group), t == left, t == right);
    const Span y = placed(down(*expected[t]), down(group), t == top, t == bottom);
    members.push_back({t, rounded(x, y), t == left || t == right || t == top || t == bottom});
  }
  return members;
}

// Along one axis: the length is kept where one edge is as expected and the other is not.
Span uncovered(Span expected, Span found) {
  constexpr double same = 0.15, other = 0.12, least = 0.9;  // of the length
  const double length = expected.length();
  if (found.length() >= least * length) return found;
  const double at_begin = std::abs(found.begin - expected.begin),
               at_end = std::abs(found.end - expected.end);
  const double nearer = std::min(at_begin, at_end), farther = std::max(at_begin, at_end);
  if (nearer > same * length || farther < other * length || farther < 2 * nearer) return found;
  return at_begin < at_end ? Span{found.begin, found.begin + length}
                           : Span{found.end - length, found.end};
}

}  // namespace

Rect uncovered(const Box& expected, const Rect& detection) {
  const Box found = box_of(detection);
  return rounded(uncovered(across(expected), across(found)),
                 uncovered(down(expected), down(found)));
}

Sharing sharing_of(std::span<const std::optional<Box>> expected, std::span<const int> detection_of,
                   std::span<const Detection> detections) {
  Sharing sharing{.hides = std::vector<char>(detections.size())};
  std::vector<char> taken(expected.size());
  for (size_t d = 0; d < detections.size(); ++d) {
    const Box box = box_of(detections[d].box);
    std::vector<size_t> targets;
    bool is_one = false;
    for (size_t t = 0; t < expected.size(); ++t) {
      const bool is_free = detection_of[t] < 0 || size_t(detection_of[t]) == d;
      if (!expected[t] || taken[t] || !is_free || part_in(*expected[t], box) < min_inside) continue;
      targets.push_back(t);
      is_one |= is_hardly_larger(box, *expected[t]);
    }
    if (targets.size() < 2) continue;
    sharing.hides[d] = is_one;
    if (is_one) continue;
    for (const size_t t : targets) taken[t] = 1;
    sharing.groups.push_back({d, members_of(box, targets, expected)});
  }
  return sharing;
}

std::vector<int> parts_of(std::span<const std::optional<Box>> expected,
                          std::span<const int> detection_of, std::span<const char> is_taken,
                          std::span<const Detection> detections) {
  constexpr double min_part = 0.7;
  std::vector<int> parts(detections.size(), -1);
  for (size_t d = 0; d < detections.size(); ++d) {
    if (is_taken[d]) continue;
    double most = min_part;
    for (size_t t = 0; t < expected.size(); ++t) {
      if (!expected[t]) continue;
      Rect whole = detections[d].box;
      if (detection_of[t] >= 0) whole = around(whole, detections[size_t(detection_of[t])].box);
      const double part = part_in(box_of(detections[d].box), *expected[t]);
      if (part < most || !is_hardly_larger(box_of(whole), *expected[t])) continue;
      most = part;
      parts[d] = int(t);
    }
  }
  return parts;
}

}  // namespace cuesta::track
