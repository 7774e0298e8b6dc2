// Which point follows which, and the chains that this makes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cuesta/image.hpp"
#include "lines/points.hpp"

namespace cuesta::lines {

/// For each point the one before and after it, or -1. Each is the other's: next[previous[i]] == i.
struct Links {
  std::vector<int32_t> next{}, previous{};
  explicit Links(size_t count) : next(count, -1), previous(count, -1) {}
};

inline constexpr int32_t reach = 2;  // of a link, in pixels

/// Finds points, which are ordered by pixel, by their pixels.
class PixelIndex {
 public:
  PixelIndex(std::span<const EdgePoint> points, Size size) : points_(points), rows_(size.height) {
    first_.assign(size_t(rows_) + 1, int32_t(points.size()));
    for (size_t i = points.size(); i-- > 0;) first_[size_t(points[i].py)] = int32_t(i);
    for (size_t y = size_t(rows_); y-- > 0;) first_[y] = std::min(first_[y], first_[y + 1]);
  }
  /// body(index) for every other point within reach.
  template <class Body>
  void each_near(int32_t i, Body&& body) const {
    const EdgePoint& p = points_[size_t(i)];
    for (int32_t y = std::max(p.py - reach, 0); y <= std::min(p.py + reach, rows_ - 1); ++y) {
      const auto begin = points_.begin() + first_[size_t(y)];
      const auto end = points_.begin() + first_[size_t(y) + 1];
      for (auto it = std::lower_bound(begin, end, p.px - reach,
                                      [](const EdgePoint& q, int32_t x) { return q.px < x; });
           it != end && it->px <= p.px + reach; ++it) {
        const auto other = int32_t(it - points_.begin());
        if (other != i) body(other);
      }
    }
  }

 private:
  std::span<const EdgePoint> points_;
  int32_t rows_;
  std::vector<int32_t> first_;
};

/// What a link from one point to another costs, below 0 where it cannot be: both are ahead of each
/// other along the edge, and their gradients less than 90° apart. Its length, plus how far it goes
/// astray of the mean of their directions.
double cost_of_link(const EdgePoint& from, const EdgePoint& to);

/// Links between points whose pixels are two apart at most. Of all links the cheapest is taken,
/// then the cheapest between points that are free at these ends, and so on; of equal ones the one
/// from the first point, to the first. This names one set of links, whatever the threads. `points`
/// are ordered by pixel, at most one a pixel. Throws Error{invalid_argument} past 2^31 - 1 points.
Links linked(std::span<const EdgePoint> points, Size size, int threads);

struct Chain {
  std::vector<int32_t> points{};
  bool closed = false;
};
/// Open chains from their first points, closed ones from their lowest; ordered by first points.
std::vector<Chain> chains_of(const Links& links);

}  // namespace cuesta::lines
