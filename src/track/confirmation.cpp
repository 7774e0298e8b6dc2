#include "track/confirmation.hpp"

#include <algorithm>
#include <cmath>

namespace cuesta::track {
namespace {

int64_t area_of(const Rect& box) { return int64_t(box.width) * box.height; }

double size_of(const Rect& box) { return std::sqrt(double(area_of(box))); }

}  // namespace

void Confirmation::begin() {
  standing_.clear();
  Areas& now = gone_[frames_ % memory];
  now.fill(0);
  // A background is young at first: it has not seen all that sways. So in the beginning it is as if
  // a speck of 12 x 12 had been there for 3 frames.
  if (frames_ == 0) now[3] = 12 * 12;
  ++frames_;
  largest_.fill(0);
  for (const Areas& areas : gone_)
    for (size_t hits = 0; hits < areas.size(); ++hits)
      largest_[hits] = std::max(largest_[hits], areas[hits]);
}

void Confirmation::lost(const TrackedObject& object) {
  const Rect& box = object.detection.box;
  if (object.hits >= long_life || object.moved >= size_of(box) || is_part(object)) return;
  const auto hits = size_t(object.hits);
  int64_t& now = gone_[(frames_ - 1) % memory][hits];
  now = std::max(now, area_of(box));
  largest_[hits] = std::max(largest_[hits], now);
}

// Beside something at least twice as large, and not as high: what is as high is somebody who comes
// out from behind others.
bool Confirmation::is_part(const TrackedObject& object) const {
  constexpr double small = 0.5, low = 0.9;
  if (object.hits >= long_life) return false;
  const Rect& box = object.detection.box;
  return std::ranges::any_of(standing_, [&](const Rect& other) {
    return double(area_of(box)) < small * double(area_of(other)) &&
           box.height < low * other.height && double(gap_between(box, other)) < size_of(other);
  });
}

int64_t Confirmation::needed_hits(int64_t area) const {
  constexpr int64_t larger = 2, longer = 2;
  int64_t lived = long_life - 1;
  while (lived > 0 && larger * largest_[size_t(lived)] < area) --lived;
  return std::min(long_life, longer * lived);
}

bool Confirmation::is_enough(const TrackedObject& object) const {
  constexpr double far = 0.25;  // of its size
  constexpr int64_t few = 5;    // frames
  if (is_part(object)) return false;
  const Rect& box = object.detection.box;
  const double size = size_of(box);
  const bool moves = object.moved >= size || (object.moved >= far * size && object.hits >= few);
  return moves || object.hits >= needed_hits(area_of(box));
}

}  // namespace cuesta::track
