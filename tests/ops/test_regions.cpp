// The laws of regions, and its steps against a slow form of the definition written out here.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "cuesta/boundaries.hpp"
#include "cuesta/regions.hpp"
#include "support/errors.hpp"

namespace cuesta {
namespace {

using Picture = Image<uint16_t>;

struct Results {
  Image<int32_t> labels;
  Image<uint8_t> contours;
  Image<uint16_t> strengths;
};

Results found_in(ConstAnyView src, double threshold) {
  Results found{Image<int32_t>(src.width, src.height), Image<uint8_t>(src.width, src.height),
                Image<uint16_t>(src.width, src.height)};
  regions(src, found.labels, {threshold});
  regions(src, found.contours, {threshold});
  regions(src, found.strengths, {threshold});
  return found;
}

Picture zeros(int32_t width, int32_t height) {
  Picture made(width, height);
  for (int32_t y = 0; y < height; ++y) std::fill_n(made.row(y), width, uint16_t{0});
  return made;
}

// Noise, lines with gaps, or both.
Picture drawn(int32_t width, int32_t height, uint32_t seed) {
  Picture made = zeros(width, height);
  std::mt19937 random(seed);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      if (seed % 3 != 1 && random() % 7 == 0) made.at(x, y) = uint16_t(random());
      if (seed % 3 != 0 && (x % 9 == 4 || y % 7 == 3) && random() % 5 != 0)
        made.at(x, y) = uint16_t(20000 + random() % 40000);
    }
  }
  return made;
}

// ---- the definition in src/ops/regions/README.md, slowly

class Slow {
 public:
  explicit Slow(const Picture& src) : src_(src), w_(src.width()), h_(src.height()) {
    fill_relief();
    flood();
    join();
  }
  /// The level of the contour between two pixels, 0 within a basin.
  int level(int p, int q) const {
    const int a = basin_[size_t(p)], b = basin_[size_t(q)];
    return a == b ? 0 : levels_.at({std::min(a, b), std::max(a, b)});
  }

 private:
  struct Arc {
    int64_t sum = 0, pairs = 0;
    std::set<std::pair<int, int>> basins;
  };
  using Key = std::pair<int, int>;

  int at(int x, int y) const { return src_.at(std::clamp(x, 0, w_ - 1), std::clamp(y, 0, h_ - 1)); }
  std::vector<int> neighbours(int p) const {
    std::vector<int> all;
    if (p / w_ > 0) all.push_back(p - w_);
    if (p % w_ > 0) all.push_back(p - 1);
    if (p % w_ + 1 < w_) all.push_back(p + 1);
    if (p / w_ + 1 < h_) all.push_back(p + w_);
    return all;
  }
  void fill_relief() {
    for (int p = 0; p < w_ * h_; ++p) {
      const int x = p % w_, y = p / w_;
      int sum = 0, steps = 30;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
          sum += (2 - std::abs(i)) * (2 - std::abs(j)) * at(x + i, y + j);
      for (int q = 0; q < w_ * h_; ++q)
        if (src_.at(q % w_, q / w_))
          steps = std::min(steps, std::abs(q % w_ - x) + std::abs(q / w_ - y));
      relief_.push_back(sum / 256 + 8 * (30 - steps));
    }
  }
  void flood() {
    basin_.assign(relief_.size(), -1);
    for (int p = 0; p < w_ * h_; ++p) {
      if (basin_[size_t(p)] >= 0) continue;
      std::set<int> plateau{p};
      std::deque<int> next{p};
      bool is_minimum = true;
      for (; !next.empty(); next.pop_front()) {
        for (const int q : neighbours(next.front())) {
          is_minimum = is_minimum && relief_[size_t(q)] >= relief_[size_t(p)];
          if (relief_[size_t(q)] == relief_[size_t(p)] && plateau.insert(q).second)
            next.push_back(q);
        }
      }
      if (!is_minimum) continue;
      for (const int q : plateau) basin_[size_t(q)] = int(areas_.size());
      areas_.push_back(0);
    }
    std::map<int, std::deque<int>> queues;
    for (int p = 0; p < w_ * h_; ++p)
      if (basin_[size_t(p)] >= 0) queues[relief_[size_t(p)]].push_back(p);
    while (!queues.empty()) {
      auto& [level, queue] = *queues.begin();
      if (queue.empty()) {
        queues.erase(queues.begin());
        continue;
      }
      const int p = queue.front();
      queue.pop_front();
      ++areas_[size_t(basin_[size_t(p)])];
      for (const int q : neighbours(p)) {
        if (basin_[size_t(q)] >= 0) continue;
        basin_[size_t(q)] = basin_[size_t(p)];
        queues[std::max(level, relief_[size_t(q)])].push_back(q);
      }
    }
  }
  int strength(int p) const {
    int most = src_.at(p % w_, p / w_);
    for (const int q : neighbours(p)) most = std::max<int>(most, src_.at(q % w_, q / w_));
    return most;
  }
  int cost(const Key& key, const Arc& arc) const {
    const int64_t area = std::min(areas_[size_t(key.first)], areas_[size_t(key.second)]);
    int power = 0;
    while ((area >> power) > 1) ++power;
    const auto log = int(std::floor(32 * (power + std::ldexp(double(area), -power) - 1)));
    return int(arc.sum / arc.pairs) - (area < 1024 ? 71 * (320 - log) : 0);
  }
  int degree(int region) const {
    int count = 0;
    for (const auto& [key, arc] : arcs_) count += key.first == region || key.second == region;
    return count;
  }
  void join() {
    for (int p = 0; p < w_ * h_; ++p) {
      for (const int q : neighbours(p)) {
        const int a = basin_[size_t(p)], b = basin_[size_t(q)];
        if (q < p || a == b) continue;
        Arc& arc = arcs_[{std::min(a, b), std::max(a, b)}];
        arc.sum += std::max(strength(p), strength(q));
        ++arc.pairs;
        arc.basins.insert({std::min(a, b), std::max(a, b)});
      }
    }
    int level = 0;
    while (!arcs_.empty()) {
      auto best = arcs_.begin();
      for (auto one = arcs_.begin(); one != arcs_.end(); ++one)
        if (cost(one->first, one->second) < cost(best->first, best->second)) best = one;
      level = std::max(level, cost(best->first, best->second));
      for (const Key& basins : best->second.basins) levels_[basins] = level;
      const auto [a, b] = best->first;
      const bool swaps = degree(b) > degree(a);
      merge(swaps ? b : a, swaps ? a : b);
    }
  }
  void merge(int to, int from) {
    areas_[size_t(to)] += areas_[size_t(from)];
    std::map<Key, Arc> left;
    for (const auto& [key, arc] : arcs_) {
      const int a = key.first == from ? to : key.first, b = key.second == from ? to : key.second;
      if (a == b) continue;
      Arc& into = left[{std::min(a, b), std::max(a, b)}];
      into.sum += arc.sum, into.pairs += arc.pairs;
      into.basins.insert(arc.basins.begin(), arc.basins.end());
    }
    arcs_ = std::move(left);
  }

  const Picture& src_;
  int w_, h_;
  std::vector<int> relief_, basin_;
  std::vector<int64_t> areas_;
  std::map<Key, Arc> arcs_;
  std::map<Key, int> levels_;
};

TEST(Regions, AreTheDefinitions) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    // Some have regions above 1024 pixels.
    const int32_t more = seed % 6 == 1 ? 60 : 0;
    const Picture src = drawn(more + 12 + int(seed) % 17, more + 9 + int(seed * 5) % 13, seed);
    const Slow slow(src);
    const double threshold = (seed % 5) * 0.2;
    const Results found = found_in(src, threshold);
    const int limit = int(threshold * 65535);
    for (int32_t y = 0; y < src.height(); ++y) {
      for (int32_t x = 0; x < src.width(); ++x) {
        const int p = y * src.width() + x;
        int level = 0;
        if (x + 1 < src.width()) {
          level = slow.level(p, p + 1);
          EXPECT_EQ(found.labels.at(x, y) != found.labels.at(x + 1, y), level > limit) << seed;
        }
        if (y + 1 < src.height()) level = std::max(level, slow.level(p, p + src.width()));
        EXPECT_EQ(found.strengths.at(x, y), level) << seed << " " << x << " " << y;
        EXPECT_EQ(found.contours.at(x, y), level > limit ? 255 : 0) << seed;
      }
    }
  }
}

TEST(Regions, ALineDividesAPictureAndAGapIsClosed) {
  Picture src = zeros(60, 40);
  for (int32_t y = 0; y < 40; ++y) src.at(30, y) = uint16_t(y == 20 || y == 21 ? 0 : 50000);
  const Results found = found_in(src, 0.45);
  EXPECT_EQ(found.labels.at(0, 0), 1);
  EXPECT_EQ(found.labels.at(59, 39), 2);
  for (int32_t y = 0; y < 40; ++y) {
    int changes = 0;
    for (int32_t x = 0; x + 1 < 60; ++x)
      changes += found.labels.at(x, y) != found.labels.at(x + 1, y);
    EXPECT_EQ(changes, 1) << y;
    EXPECT_NE(found.labels.at(27, y), found.labels.at(33, y));
  }
}

TEST(Regions, NothingIsOneRegion) {
  for (const int32_t width : {1, 2, 70}) {
    const Results found = found_in(zeros(width, 9), 0);
    for (int32_t y = 0; y < 9; ++y) {
      for (int32_t x = 0; x < width; ++x) {
        EXPECT_EQ(found.labels.at(x, y), 1);
        EXPECT_EQ(found.contours.at(x, y), 0);
        EXPECT_EQ(found.strengths.at(x, y), 0);
      }
    }
  }
}

TEST(Regions, HigherThresholdsJoinRegions) {
  const Picture src = drawn(90, 70, 2);
  Results finer = found_in(src, 0);
  for (const double threshold : {0.1, 0.3, 0.6, 1.0}) {
    Results coarser = found_in(src, threshold);
    std::map<int32_t, int32_t> parents;
    int32_t next = 1;
    for (int32_t y = 0; y < 70; ++y) {
      for (int32_t x = 0; x < 90; ++x) {
        const int32_t label = coarser.labels.at(x, y);
        EXPECT_EQ(parents.emplace(finer.labels.at(x, y), label).first->second, label);
        EXPECT_LE(label, next);  // numbered by the first pixel
        next = std::max(next, label + 1);
      }
    }
    finer = std::move(coarser);
  }
  EXPECT_EQ(finer.labels.at(89, 69), 1);  // no contour is stronger than 1
}

TEST(Regions, BytesCountAs257OfWords) {
  Picture words = drawn(50, 40, 2);
  Image<uint8_t> bytes(50, 40);
  for (int32_t y = 0; y < 40; ++y) {
    for (int32_t x = 0; x < 50; ++x) {
      bytes.at(x, y) = uint8_t(words.at(x, y) >> 8);
      words.at(x, y) = uint16_t(257 * bytes.at(x, y));
    }
  }
  const Results of_words = found_in(words, 0.4), of_bytes = found_in(bytes, 0.4);
  for (int32_t y = 0; y < 40; ++y) {
    for (int32_t x = 0; x < 50; ++x) {
      EXPECT_EQ(of_words.labels.at(x, y), of_bytes.labels.at(x, y));
      EXPECT_EQ(of_words.strengths.at(x, y), of_bytes.strengths.at(x, y));
    }
  }
}

// A square of another color on a background.
TEST(Regions, OfBoundariesAreThings) {
  Image<uint8_t> photo(96, 96, 3);
  for (int32_t y = 0; y < 96; ++y)
    for (int32_t x = 0; x < 96; ++x)
      for (int32_t c = 0; c < 3; ++c)
        photo.row(y)[3 * x + c] =
            uint8_t(x >= 24 && x < 72 && y >= 24 && y < 72 ? 40 + 80 * c : 200 - 60 * c);
  for (const auto quality : {BoundaryQuality::fast, BoundaryQuality::high}) {
    Picture strengths(96, 96);
    boundaries(photo, strengths, {.quality = quality});
    const auto labels = regions(strengths, {0.1});
    EXPECT_EQ(labels.at(0, 0), labels.at(95, 95));
    EXPECT_NE(labels.at(0, 0), labels.at(48, 48));
    EXPECT_EQ(labels.at(28, 28), labels.at(67, 67));
  }
}

TEST(Regions, RefuseWhatTheyCannotTake) {
  const Picture src = zeros(9, 7);
  const auto refused = [&](ConstAnyView from, AnyView to, RegionOptions options) {
    return test::error_of(ErrorCode::invalid_argument, [&] { regions(from, to, options); });
  };
  Image<int32_t> labels(9, 7), small(8, 7);
  Image<float> floats(9, 7);
  Picture colors(9, 7, 3);
  EXPECT_NE(refused(floats, labels, {}).find("regions: src is f32"), std::string::npos);
  EXPECT_NE(refused(colors, labels, {}).find("regions: src has 3 channels"), std::string::npos);
  EXPECT_NE(refused(src, floats, {}).find("regions: dst is f32"), std::string::npos);
  EXPECT_NE(refused(src, small, {}).find("regions: dst"), std::string::npos);
  EXPECT_NE(refused(src, labels, {1.5}).find("regions: threshold is 1.5"), std::string::npos);
  EXPECT_NE(refused(src, labels, {-0.1}).find("regions: threshold is -0.1"), std::string::npos);
}

}  // namespace
}  // namespace cuesta
