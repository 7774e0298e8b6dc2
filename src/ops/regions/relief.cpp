// The relief of regions, and its basins.
#include <algorithm>

#include "core/workspace.hpp"
#include "ops/regions/reference.hpp"

namespace cuesta::regions_of {
namespace {

constexpr int32_t farthest = 30, step = 8;  // of the rise towards boundaries
constexpr int32_t levels = 65535 / 16 + farthest * step + 1;

int32_t blurred(ImageView<const uint16_t> src, int32_t x, int32_t y) {
  constexpr int32_t taps[] = {1, 2, 1};
  int32_t sum = 0;
  for (int32_t j = 0; j < 3; ++j) {
    const uint16_t* row = src.row(std::clamp(y - 1 + j, 0, src.height - 1));
    for (int32_t i = 0; i < 3; ++i)
      sum += taps[i] * taps[j] * row[std::clamp(x - 1 + i, 0, src.width - 1)];
  }
  return sum >> 8;
}

// Steps to the nearest pixel that is not 0, along rows and columns, at most `farthest`.
void fill_distances(ImageView<const uint16_t> src, ImageView<int32_t> steps) {
  const int32_t w = src.width, h = src.height;
  const auto near = [&](int32_t x, int32_t y) {
    return x < 0 || y < 0 || x >= w || y >= h ? farthest : steps.at(x, y) + 1;
  };
  for (int32_t y = 0; y < h; ++y)
    for (int32_t x = 0; x < w; ++x)
      steps.at(x, y) = src.at(x, y) ? 0 : std::min({farthest, near(x - 1, y), near(x, y - 1)});
  for (int32_t y = h - 1; y >= 0; --y)
    for (int32_t x = w - 1; x >= 0; --x)
      steps.at(x, y) = std::min({steps.at(x, y), near(x + 1, y), near(x, y + 1)});
}

// Calls body(neighbour) for the pixels above, on the left, on the right and below.
template <class Body>
void for_neighbours(int64_t pixel, int32_t width, int64_t count, const Body& body) {
  const auto x = int32_t(pixel % width);
  if (pixel >= width) body(pixel - width);
  if (x > 0) body(pixel - 1);
  if (x + 1 < width) body(pixel + 1);
  if (pixel + width < count) body(pixel + width);
}

// Queues of pixels, one a level, first in, first out.
class Queues {
 public:
  Queues(int64_t pixels, Scratch& scratch) : next_(scratch.take<int32_t>(size_t(pixels))) {
    first_.assign(levels, -1);
    last_.assign(levels, -1);
  }
  void push(int32_t level, int64_t pixel) {
    int32_t& last = last_[size_t(level)];
    (last < 0 ? first_[size_t(level)] : next_[last]) = int32_t(pixel);
    next_[pixel] = -1;
    last = int32_t(pixel);
  }
  int64_t pop(int32_t level) {
    int32_t& first = first_[size_t(level)];
    const int32_t pixel = first;
    if (pixel < 0) return -1;
    first = next_[pixel];
    if (first < 0) last_[size_t(level)] = -1;
    return pixel;
  }

 private:
  int32_t* next_;
  std::vector<int32_t> first_, last_;
};

class Flood {
 public:
  Flood(ImageView<const int32_t> relief, ImageView<int32_t> basins, Scratch& scratch)
      : width_(relief.width),
        count_(int64_t(relief.width) * relief.height),
        relief_(scratch.take<int32_t>(size_t(count_))),
        basins_(scratch.take<int32_t>(size_t(count_))),
        plateau_(scratch.take<int32_t>(size_t(count_))),
        queues_(count_, scratch) {
    for (int32_t y = 0; y < relief.height; ++y)
      std::copy_n(relief.row(y), width_, relief_ + int64_t(y) * width_);
    std::fill_n(basins_, count_, unseen);
    for (int64_t p = 0; p < count_; ++p)
      if (basins_[p] == unseen) take_plateau(p);
    rise();
    for (int32_t y = 0; y < relief.height; ++y)
      std::copy_n(basins_ + int64_t(y) * width_, width_, basins.row(y));
  }
  int32_t number() const { return number_; }

 private:
  static constexpr int32_t unseen = -2, dry = -1;

  // The plateau that begins at a pixel: a minimum becomes a basin, any other stays dry.
  void take_plateau(int64_t start) {
    int64_t size = 0;
    bool is_minimum = true;
    const int32_t level = relief_[start];
    const auto take = [&](int64_t p) { basins_[p] = dry, plateau_[size++] = int32_t(p); };
    take(start);
    for (int64_t i = 0; i < size; ++i) {
      for_neighbours(plateau_[i], width_, count_, [&](int64_t to) {
        is_minimum = is_minimum && relief_[to] >= level;
        if (relief_[to] == level && basins_[to] == unseen) take(to);
      });
    }
    if (!is_minimum) return;
    for (int64_t i = 0; i < size; ++i) basins_[plateau_[i]] = number_;
    ++number_;
  }

  void rise() {
    for (int64_t p = 0; p < count_; ++p)
      if (basins_[p] >= 0) queues_.push(relief_[p], p);
    for (int32_t level = 0; level < levels; ++level) {
      for (int64_t p = queues_.pop(level); p >= 0; p = queues_.pop(level)) {
        for_neighbours(p, width_, count_, [&](int64_t to) {
          if (basins_[to] >= 0) return;
          basins_[to] = basins_[p];
          queues_.push(std::max(level, relief_[to]), to);
        });
      }
    }
  }

  int32_t width_;
  int64_t count_;
  int32_t *relief_, *basins_, *plateau_;
  Queues queues_;
  int32_t number_ = 0;
};

}  // namespace

void fill_relief(ImageView<const uint16_t> src, ImageView<int32_t> relief, Scratch& scratch) {
  const auto steps = scratch.image<int32_t>(src.width, src.height);
  fill_distances(src, steps);
  for (int32_t y = 0; y < src.height; ++y)
    for (int32_t x = 0; x < src.width; ++x)
      relief.at(x, y) = blurred(src, x, y) + step * (farthest - steps.at(x, y));
}

int32_t flood(ImageView<const int32_t> relief, ImageView<int32_t> basins, Scratch& scratch) {
  return Flood(relief, basins, scratch).number();
}

}  // namespace cuesta::regions_of
