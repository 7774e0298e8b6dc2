#include "ops/motion/specks.hpp"

#include <algorithm>
#include <cstring>

namespace cuesta::motion {
namespace {

// Objects of more than one pixel in this many of the frame are no specks.
constexpr int64_t largest_of = 1000;
// A speck goes after fewer frames than this.
constexpr int32_t young = 8;
// What goes is forgotten with a time constant of 2^8 frames. This many of a size, or larger, within
// it make specks of all below 3/2 of that size.
constexpr uint32_t one = 1 << 16, many = one * 3 / 2;
constexpr int32_t forgets = 8;

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

}  // namespace

Specks::Specks() : followed_(room * sizeof(Speck)), gone_(bins * sizeof(uint32_t)) {}

void Specks::forget() {
  std::fill(followed_.begin(), followed_.end(), uint8_t(0));
  std::fill(gone_.begin(), gone_.end(), uint8_t(0));
}

// The bins' upper limits: each a quarter more than the one before.
Specks::Areas Specks::areas_up_to(int64_t largest) {
  Areas areas;
  int64_t area = 8;
  for (int64_t& limit : areas) {
    limit = std::min(area, largest);
    area = area * 5 / 4 + 1;
  }
  areas.back() = largest;
  return areas;
}

Specks::Speck Specks::speck(size_t i) const {
  Speck one_of;
  std::memcpy(&one_of, followed_.data() + i * sizeof(Speck), sizeof(Speck));
  return one_of;
}

void Specks::note(const Speck& speck, const Areas& areas) {
  const auto bin = size_t(std::ranges::upper_bound(areas, int64_t(speck.area)) - areas.begin());
  if (bin >= bins) return;
  uint32_t count;
  uint8_t* at = gone_.data() + bin * sizeof count;
  std::memcpy(&count, at, sizeof count);
  count = std::min(count, UINT32_MAX - one) + one;
  std::memcpy(at, &count, sizeof count);
}

int64_t Specks::min_area(std::span<const Component> components, Size frame) {
  const int64_t largest = int64_t(frame.width) * frame.height / largest_of;
  const Areas areas = areas_up_to(largest);
  std::array<uint32_t, bins> gone;
  std::memcpy(gone.data(), gone_.data(), gone_.size());
  int64_t limit = 0;
  uint64_t sum = 0;
  for (size_t i = bins; i-- > 0 && limit == 0;) {
    sum += gone[i];
    if (sum >= many) limit = std::min(areas[i] * 3 / 2, largest);
  }
  for (uint32_t& count : gone) count -= count >> forgets;
  std::memcpy(gone_.data(), gone.data(), gone_.size());

  std::array<Speck, room> before, now{};
  std::memcpy(before.data(), followed_.data(), followed_.size());
  std::array<bool, room> stays{};
  size_t count = 0;
  for (const Component& c : components) {
    Speck speck{c.box, int32_t(std::min<int64_t>(c.area, INT32_MAX)), 1};
    for (size_t i = 0; i < room && before[i].age > 0; ++i) {
      if (!overlap(before[i].box, c.box)) continue;
      stays[i] = true;
      speck.age = std::max(speck.age, std::min(before[i].age, young) + 1);
      speck.area = std::max(speck.area, before[i].area);
    }
    if (c.area < largest && count < room) now[count++] = speck;
  }
  for (size_t i = 0; i < room && before[i].age > 0; ++i) {
    const Rect& box = before[i].box;
    const bool leaves = box.x <= 1 || box.y <= 1 || box.x + box.width >= frame.width - 1 ||
                        box.y + box.height >= frame.height - 1;
    if (!stays[i] && !leaves && before[i].age < young) note(before[i], areas);
  }
  std::memcpy(followed_.data(), now.data(), followed_.size());
  return limit;
}

}  // namespace cuesta::motion
