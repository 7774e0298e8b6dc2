// Outlines of regions: against the pixels that they are of, and against their neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "cuesta/fill.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/regions.hpp"
#include "support/errors.hpp"

namespace cuesta {
namespace {

// Regions of every shape: with holes, of one pixel, that touch themselves.
Image<int32_t> random_labels(int32_t width, int32_t height, unsigned seed) {
  std::mt19937 random(seed);
  Image<uint16_t> strengths(width, height);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x)
      strengths.at(x, y) = random() % 3 ? 0 : uint16_t(random() & 0xFFFF);
  return regions(strengths, {.threshold = double(seed % 5) / 10});
}

Image<uint8_t> slope(Size size) {
  Image<uint8_t> gray(size);
  for (int32_t y = 0; y < size.height; ++y)
    for (int32_t x = 0; x < size.width; ++x) gray.at(x, y) = uint8_t(x * 3 + y);
  return gray;
}

// Twice what the ring encloses, above 0 where it turns to the right.
double twice_area(const std::vector<LinePoint>& ring) {
  double sum = 0;
  for (size_t i = 0; i < ring.size(); ++i) {
    const LinePoint &a = ring[i], &b = ring[(i + 1) % ring.size()];
    sum += a.x * b.y - b.x * a.y;
  }
  return sum;
}

bool contains(const Outline& one, double x, double y) {
  bool inside = false;
  for (const auto& ring : one.rings)
    for (size_t i = 0; i < ring.size(); ++i) {
      const LinePoint &a = ring[i], &b = ring[(i + 1) % ring.size()];
      if ((a.y > y) != (b.y > y) && x < a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y))
        inside = !inside;
    }
  return inside;
}

TEST(Outlines, EnclosePixelsOfTheirRegionAndNoOthers) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Image<int32_t> labels = random_labels(37, 29, seed);
    const Image<uint8_t> gray = slope(labels.size());
    const auto found = outlines(labels, gray, {.tolerance = 0, .min_length = 0});
    std::vector<int64_t> areas(found.size()), sums(found.size());
    for (int32_t y = 0; y < labels.height(); ++y)
      for (int32_t x = 0; x < labels.width(); ++x) {
        const auto at = size_t(labels.at(x, y)) - 1;
        ASSERT_LT(at, found.size());
        ++areas[at], sums[at] += gray.at(x, y);
        for (const Outline& one : found)
          ASSERT_EQ(contains(one, x, y), one.label == labels.at(x, y)) << x << ", " << y;
      }
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].label, int32_t(i) + 1);
      EXPECT_EQ(found[i].area, areas[i]);
      EXPECT_DOUBLE_EQ(found[i].mean, double(sums[i]) / double(areas[i]));
      double sum = 0;
      for (const auto& ring : found[i].rings) {
        EXPECT_EQ(twice_area(ring) > 0, &ring == found[i].rings.data()) << "outer, then holes";
        sum += twice_area(ring);
        // No point twice: a ring that touched itself would be invalid.
        std::set<std::pair<double, double>> points;
        for (const LinePoint& p : ring) points.insert({p.x, p.y});
        EXPECT_EQ(points.size(), ring.size());
      }
      EXPECT_EQ(sum, 2.0 * double(areas[i]));
    }
  }
}

TEST(Outlines, NeighboursShareTheirSimplifiedBorder) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Image<int32_t> labels = random_labels(60, 41, seed);
    const Image<uint8_t> gray = slope(labels.size());
    std::multiset<std::tuple<double, double, double, double>> ways;
    size_t points = 0;
    for (const Outline& one : outlines(labels, gray, {.tolerance = 0.6, .min_length = 0}))
      for (const auto& ring : one.rings)
        for (size_t i = 0; i < ring.size(); ++i, ++points) {
          const LinePoint &a = ring[i], &b = ring[(i + 1) % ring.size()];
          const bool on_border = (a.x == b.x && (a.x == -0.5 || a.x == 59.5)) ||
                                 (a.y == b.y && (a.y == -0.5 || a.y == 40.5));
          if (!on_border) ways.insert({a.x, a.y, b.x, b.y});
        }
    for (const auto& [ax, ay, bx, by] : ways) {
      EXPECT_EQ(ways.count({ax, ay, bx, by}), 1U);
      EXPECT_EQ(ways.count({bx, by, ax, ay}), 1U) << ax << ", " << ay << " to " << bx << ", " << by;
    }
    size_t all = 0;
    for (const Outline& one : outlines(labels, gray, {.tolerance = 0, .min_length = 0}))
      for (const auto& ring : one.rings) all += ring.size();
    EXPECT_LT(points, all);
  }
}

TEST(Outlines, ShortOnesAreLeftOut) {
  Image<int32_t> labels(9, 9);
  for (int32_t y = 0; y < 9; ++y)
    for (int32_t x = 0; x < 9; ++x) labels.at(x, y) = x == 4 && y == 4 ? 2 : 1;
  const Image<uint8_t> gray = slope(labels.size());
  const auto all = outlines(labels, gray, {.min_length = 4});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].rings.size(), 2U);
  EXPECT_EQ(all[1].length, 4);
  const auto found = outlines(labels, gray, {.min_length = 5});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].label, 1);
  labels.at(4, 4) = 5;  // 2 to 4 have no pixel
  EXPECT_EQ(outlines(labels, gray, {.min_length = 0}).size(), 2U);
}

TEST(Outlines, WrongLabelsAreRefused) {
  Image<int32_t> labels(9, 9);
  fill(labels.view(), 1);
  const Image<uint8_t> gray = slope(labels.size());
  const auto refusal = [&](ConstAnyView levels) {
    return test::error_of(ErrorCode::invalid_argument, [&] { outlines(labels, levels); });
  };
  EXPECT_EQ(refusal(gray), "no error");
  EXPECT_NE(refusal(slope({9, 8})).find("outlines: gray"), std::string::npos);
  EXPECT_NE(refusal(Image<float>(9, 9)).find("outlines: gray"), std::string::npos);
  for (const int32_t wrong : {-1, 82}) {
    labels.at(3, 3) = wrong;
    EXPECT_EQ(refusal(gray), "outlines: labels has the number " + std::to_string(wrong) +
                                 "; it must be from 0 to the number of pixels");
  }
}

}  // namespace
}  // namespace cuesta
