// Lines: positions against pictures drawn by exact coverage, links against all links sorted,
// simplification against every distance, contours against the definition of zero crossings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <set>

#include "cuesta/edges.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/strategies.hpp"
#include "lines/crossings.hpp"
#include "lines/linking.hpp"
#include "lines/simplify.hpp"
#include "support/errors.hpp"

namespace cuesta {
namespace {

using namespace lines;
using test::error_of;

// ---- pictures whose edges are known

/// Below 0 on the dark side, the distance to the edge in pixels.
using Distance = std::function<double(double x, double y)>;

// Each sample the mean of its pixel's area, of 60 on the dark and 180 on the bright side: 16 × 16
// parts, each covered as a half-plane at its distance would.
Image<uint8_t> drawn(int32_t side, const Distance& distance, double noise = 0, unsigned seed = 1) {
  constexpr int parts = 16;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Image<uint8_t> picture(side, side);
  for (int32_t y = 0; y < side; ++y) {
    for (int32_t x = 0; x < side; ++x) {
      double sum = 0;
      for (int j = 0; j < parts; ++j) {
        for (int i = 0; i < parts; ++i) {
          const double d = distance(x - 0.5 + (i + 0.5) / parts, y - 0.5 + (j + 0.5) / parts);
          sum += std::clamp(d * parts + 0.5, 0.0, 1.0);
        }
      }
      const double level =
          60 + 120 * sum / (parts * parts) + (noise > 0 ? noise * normal(random) : 0);
      picture.at(x, y) = uint8_t(std::clamp(std::lround(level), 0L, 255L));
    }
  }
  return picture;
}

Distance half_plane(double degrees, double offset, double middle) {
  const double angle = degrees * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  return [=](double x, double y) { return (x - middle) * c + (y - middle) * s - offset; };
}
Distance disk(double cx, double cy, double radius) {
  return [=](double x, double y) { return radius - std::hypot(x - cx, y - cy); };
}

struct Deviation {
  double rms = 0, most = 0;
  int points = 0;
};
// Of points that the picture's border does not bend.
Deviation deviation(const Polylines& lines, const Distance& distance, int32_t side) {
  Deviation found;
  for (const Polyline& line : lines) {
    for (const LinePoint& p : line.points) {
      if (std::min({p.x, p.y, side - 1 - p.x, side - 1 - p.y}) < 8) continue;
      const double d = std::abs(distance(p.x, p.y));
      found.rms += d * d;
      found.most = std::max(found.most, d);
      ++found.points;
    }
  }
  found.rms = std::sqrt(found.rms / found.points);
  return found;
}

constexpr CannyOptions canny_given() { return {.thresholds = Given{80, 160}}; }
TraceOptions every_point(Refinement refinement = Refinement::unbiased) {
  return {.tolerance = 0, .min_length = 20, .refinement = refinement};
}

TEST(Lines, StraightEdgesAreWithinAFiftiethOfAPixelAndBetterThanDevernays) {
  constexpr int32_t side = 48;
  double squares[2] = {};
  for (int k = 0; k < 18; ++k) {
    const Distance edge = half_plane(20.3 * k, 0.37 * k - 3, 23.5);
    const Image<uint8_t> picture = drawn(side, edge);
    const Polylines lines = trace(picture, canny_given(), every_point());
    ASSERT_EQ(lines.size(), 1U) << k;
    EXPECT_FALSE(lines[0].closed);
    const Deviation ours = deviation(lines, edge, side);
    ASSERT_GT(ours.points, 25);
    EXPECT_LT(ours.rms, 0.02) << k;
    EXPECT_LT(ours.most, 0.05) << k;
    const auto other = [&](Refinement refinement) {
      return deviation(trace(picture, canny_given(), every_point(refinement)), edge, side);
    };
    squares[0] += ours.rms * ours.rms;
    squares[1] += std::pow(other(Refinement::devernay).rms, 2);
    // At pixels' centres the method has nothing to say: that a measure sees the difference.
    if (k == 1) {
      EXPECT_GT(other(Refinement::pixel).rms, 0.2);
    }
  }
  EXPECT_LT(squares[0], squares[1]);
}

TEST(Lines, CirclesAreOneClosedLineOfTheirOwnSize) {
  constexpr int32_t side = 64;
  for (const double radius : {8.0, 12.5, 20.0}) {
    const Distance edge = disk(31.2, 31.7, radius);
    const Image<uint8_t> picture = drawn(side, edge);
    const Polylines lines = trace(picture, canny_given(), every_point());
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].closed);
    EXPECT_NEAR(lines[0].length, 2 * std::numbers::pi * radius, 0.02 * lines[0].length);
    const Deviation ours = deviation(lines, edge, side);
    EXPECT_LT(ours.most, 0.05) << radius;
    const Polylines others = trace(picture, canny_given(), every_point(Refinement::devernay));
    // Smoothing moves them inwards by half its variance over the radius.
    EXPECT_GT(deviation(others, edge, side).rms, 4 * ours.rms);
    // The brighter side, the middle, is at the right.
    const LinePoint &a = lines[0].points[0], &b = lines[0].points[1];
    EXPECT_GT((b.x - a.x) * (31.7 - a.y) - (b.y - a.y) * (31.2 - a.x), 0);
  }
}

TEST(Lines, NoiseOfTwoLevelsLeavesAFiftiethOfAPixel) {
  constexpr int32_t side = 64;
  double squares = 0;
  int count = 0;
  for (int k = 0; k < 8; ++k) {
    const Distance edge = half_plane(47.0 * k + 3, 0.3 * k, 31.5);
    const Deviation one = deviation(
        trace(drawn(side, edge, 2, unsigned(k)), canny_given(), every_point()), edge, side);
    squares += one.rms * one.rms * one.points;
    count += one.points;
  }
  EXPECT_LT(std::sqrt(squares / count), 0.02);
}

TEST(Lines, ZeroCrossingsGiveTheSamePlaces) {
  constexpr int32_t side = 64;
  const LogOptions options{.threshold = 1, .sigma = 1.5};
  for (int k = 0; k < 6; ++k) {
    const Distance edge = half_plane(51.7 * k, 0.4 * k - 1, 31.5);
    const Deviation found = deviation(trace(drawn(side, edge), options, every_point()), edge, side);
    ASSERT_GT(found.points, 40);
    EXPECT_LT(found.most, 0.05) << k;
  }
  const Distance edge = disk(31.2, 31.7, 16);
  const Polylines lines = trace(drawn(side, edge), options, every_point());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].closed);
  EXPECT_LT(deviation(lines, edge, side).rms, 0.05);
  EXPECT_GT(
      deviation(trace(drawn(side, edge), options, every_point(Refinement::devernay)), edge, side)
          .rms,
      0.05);
  const LinePoint &a = lines[0].points[0], &b = lines[0].points[2];
  EXPECT_GT((b.x - a.x) * (31.7 - a.y) - (b.y - a.y) * (31.2 - a.x), 0);
}

// ---- what all lines are

Image<uint8_t> noise(int32_t width, int32_t height, unsigned seed) {
  std::mt19937 random(seed);
  Image<uint8_t> picture(width, height);
  for (int32_t y = 0; y < height; ++y)
    for (int32_t x = 0; x < width; ++x) picture.at(x, y) = uint8_t(random() >> 24);
  return picture;
}

TEST(Lines, AreTheSameWithAnyNumberOfThreads) {
  for (const auto [width, height] : {Size{203, 171}, Size{64, 300}}) {
    const Image<uint8_t> picture = noise(width, height, 5);
    const TraceOptions how{.min_length = 3};
    const CannyOptions canny{.thresholds = Given{60, 120}};
    const LogOptions log{.threshold = 2};
    const Polylines edges = trace(picture, canny, how, {.threads = 1});
    const Polylines zeros = trace(picture, log, how, {.threads = 1});
    ASSERT_GT(edges.size(), 100U);
    ASSERT_GT(zeros.size(), 100U);
    for (const int threads : {2, 3, 8, 0}) {
      EXPECT_EQ(trace(picture, canny, how, {.threads = threads}), edges) << threads;
      EXPECT_EQ(trace(picture, log, how, {.threads = threads}), zeros) << threads;
    }
  }
}

TEST(Lines, ARegionIsAPictureOfItsOwn) {
  const Image<uint8_t> whole = noise(120, 90, 6);
  const Rect part{17, 9, 61, 50};
  Image<uint8_t> copied(part.width, part.height);
  copy(whole.region(part), copied);
  EXPECT_EQ(trace(whole.region(part), CannyOptions{}), trace(copied, CannyOptions{}));
  EXPECT_EQ(trace(whole.region(part), LogOptions{}), trace(copied, LogOptions{}));
}

TEST(Lines, GivenEdgesAreThoseOfCanny) {
  const Image<uint8_t> picture = noise(150, 80, 7);
  const CannyOptions options{
      .sigma = 2, .thresholds = Given{30, 60}, .norm = Norm::l2, .aperture = 5};
  const Image<uint8_t> edges = canny(picture, options);
  EXPECT_EQ(trace(picture, edges, options), trace(picture, options));
  Image<float> floats(picture.size());
  for (int32_t y = 0; y < 80; ++y) std::copy_n(picture.row(y), 150, floats.row(y));
  EXPECT_EQ(trace(floats, edges, options), trace(picture, options));
}

TEST(Lines, SixteenBitsAreTheSameEdgesTwoHundredFiftySixTimesAsStrong) {
  const Image<uint8_t> picture = noise(90, 70, 8);
  Image<uint16_t> deep(picture.size());
  for (int32_t y = 0; y < 70; ++y)
    for (int32_t x = 0; x < 90; ++x) deep.at(x, y) = uint16_t(256 * picture.at(x, y));
  const Polylines plain = trace(picture, CannyOptions{.sigma = 0, .thresholds = Given{100, 200}});
  const Polylines strong =
      trace(deep, CannyOptions{.sigma = 0, .thresholds = Given{256 * 100, 256 * 200}});
  ASSERT_EQ(plain.size(), strong.size());
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NEAR(strong[i].strength, 256 * plain[i].strength, 1e-6 * strong[i].strength);
    ASSERT_EQ(plain[i].points.size(), strong[i].points.size());
  }
}

TEST(Lines, ShortOnesAreLeftOutAndTheRestStays) {
  const Image<uint8_t> picture = noise(160, 160, 9);
  const TraceOptions all{.tolerance = 0, .min_length = 0}, some{.tolerance = 0, .min_length = 12};
  const Polylines lines = trace(picture, LogOptions{}, all);
  Polylines longer;
  std::ranges::copy_if(lines, std::back_inserter(longer),
                       [](const Polyline& line) { return line.length >= 12; });
  ASSERT_LT(longer.size(), lines.size());
  EXPECT_EQ(trace(picture, LogOptions{}, some), longer);
  for (const Polyline& line : trace(picture, CannyOptions{}, some)) EXPECT_GE(line.length, 12);
  for (const Polyline& line : lines) EXPECT_GE(line.points.size(), 2U);
}

TEST(Lines, ALineEndsOnTheOneItRunsInto) {
  // Bright above; below, dark and darker: a line down from the middle of one across.
  Image<uint8_t> picture(60, 60);
  for (int32_t y = 0; y < 60; ++y)
    for (int32_t x = 0; x < 60; ++x) picture.at(x, y) = y < 25 ? 220 : x < 30 ? 120 : 40;
  for (const double tolerance : {0.0, 1.0}) {
    const TraceOptions how{.tolerance = tolerance};
    const Polylines lines = trace(picture, CannyOptions{.thresholds = Given{80, 160}}, how);
    ASSERT_EQ(lines.size(), 2U);
    const Polyline& across = lines[0].length > lines[1].length ? lines[0] : lines[1];
    const Polyline& down = lines[0].length > lines[1].length ? lines[1] : lines[0];
    const auto is_on_it = [&](const LinePoint& end) {
      return std::ranges::count(across.points, end) == 1;
    };
    EXPECT_EQ(is_on_it(down.points.front()) + is_on_it(down.points.back()), 1);
  }
}

TEST(Lines, OfTinyAndFlatPicturesAreNone) {
  for (const auto [width, height] : {Size{1, 1}, Size{1, 9}, Size{9, 1}, Size{2, 2}, Size{3, 3}}) {
    const Image<uint8_t> picture = noise(width, height, 10);
    for (const Refinement refinement :
         {Refinement::pixel, Refinement::parabola, Refinement::devernay, Refinement::unbiased}) {
      const TraceOptions how{.min_length = 0, .refinement = refinement};
      for (const Polylines& lines : {trace(picture, CannyOptions{.thresholds = Given{0, 0}}, how),
                                     trace(picture, LogOptions{.threshold = 0}, how)}) {
        for (const Polyline& line : lines) {
          for (const LinePoint& p : line.points) {
            EXPECT_GE(std::min(p.x, p.y), -1);
            EXPECT_LE(p.x, width);
            EXPECT_LE(p.y, height);
          }
        }
      }
    }
  }
  Image<uint8_t> flat(40, 40);
  for (int32_t y = 0; y < 40; ++y) std::fill_n(flat.row(y), 40, uint8_t(77));
  EXPECT_TRUE(trace(flat, CannyOptions{}).empty());
  EXPECT_TRUE(trace(flat, LogOptions{}).empty());
}

TEST(Lines, OfFloatsAreThoseOfTheirEdges) {
  const Image<uint8_t> bytes = noise(60, 50, 3);
  Image<float> floats(60, 50);
  for (int32_t y = 0; y < 50; ++y)
    for (int32_t x = 0; x < 60; ++x) floats.at(x, y) = float(bytes.at(x, y)) / 255;
  const CannyOptions options{.sigma = 2};
  const Polylines lines = trace(floats, options);
  EXPECT_GT(lines.size(), 3u);
  EXPECT_EQ(lines, trace(floats, canny(floats, options), options));
}

TEST(Lines, WhatCannotBeMeantIsSaid) {
  const Image<uint8_t> picture = noise(20, 20, 11), small = noise(19, 20, 11);
  const auto said = [](auto&& call) { return error_of(ErrorCode::invalid_argument, call); };
  EXPECT_EQ(said([&] { trace(picture, CannyOptions{}, {.tolerance = -1}); }),
            "trace: tolerance is -1; it must be 0 or more");
  EXPECT_EQ(said([&] { trace(picture, LogOptions{}, {.min_length = std::nan("")}); }),
            "trace: min_length is nan; it must be finite, 0 or more");
  EXPECT_EQ(said([&] { trace(picture, small, CannyOptions{}); }),
            "trace: src is 20 x 20 and edges is 19 x 20; the sizes must match");
  EXPECT_EQ(said([&] { trace(Image<float>(4, 4), LogOptions{}); }),
            "trace: src is f32; it must be u8, u16");
  const AnyView there = placeholder(20, 20, PixelType::u8, 1, Space::device);
  EXPECT_EQ(said([&] { trace(picture, there, CannyOptions{}); }),
            "trace: src and edges are in different memory; both must be on the host or both on the "
            "device");
  EXPECT_EQ(said([&] { trace(picture, CannyOptions{.mask = there}); }),
            "canny: src and canny: mask are in different memory; both must be on the host or both "
            "on the device");
}

TEST(Lines, WhichStrategyFindsTheEdgesIsTold) {
  const AnyView src = placeholder(64, 48, PixelType::u8);
  const auto edges = which_all([&](const Exec& e) { trace(src, CannyOptions{}, {}, e); });
  ASSERT_EQ(edges.size(), 1U);
  EXPECT_EQ(edges[0].operation, "canny");
  EXPECT_EQ(edges[0].space, Space::host);
  EXPECT_EQ(which([&](const Exec& e) { trace(src, LogOptions{}, {}, e); }).operation, "log");
}

// ---- links

TEST(Lines, LinksAreTheCheapestOfAllTaken) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-0.5, 0.5);
  for (int round = 0; round < 20; ++round) {
    const Size size{24, 17};
    std::vector<EdgePoint> points;
    for (int32_t y = 0; y < size.height; ++y) {
      for (int32_t x = 0; x < size.width; ++x) {
        if (random() % 3) continue;
        // Directions in eighths, and places in halves now and then: equal costs.
        const double angle =
            round % 2 ? 6 * unit(random) : int(random() % 8) * std::numbers::pi / 4;
        const double off = round % 2 ? 1 : 0;
        points.push_back({.px = x,
                          .py = y,
                          .x = x + off * unit(random),
                          .y = y + off * unit(random),
                          .tx = std::cos(angle),
                          .ty = std::sin(angle)});
      }
    }
    struct One {
      double cost;
      size_t from, to;
    };
    std::vector<One> all;
    for (size_t i = 0; i < points.size(); ++i) {
      for (size_t j = 0; j < points.size(); ++j) {
        const bool near = std::abs(points[i].px - points[j].px) <= 2 &&
                          std::abs(points[i].py - points[j].py) <= 2;
        const double cost = cost_of_link(points[i], points[j]);
        if (i != j && near && cost >= 0) all.push_back({cost, i, j});
      }
    }
    std::ranges::sort(all, {}, [](const One& o) { return std::tuple(o.cost, o.from, o.to); });
    Links wanted(points.size());
    for (const One& one : all) {
      if (wanted.next[one.from] >= 0 || wanted.previous[one.to] >= 0) continue;
      wanted.next[one.from] = int32_t(one.to);
      wanted.previous[one.to] = int32_t(one.from);
    }
    for (const int threads : {1, 4}) {
      const Links found = linked(points, size, threads);
      EXPECT_EQ(found.next, wanted.next);
      EXPECT_EQ(found.previous, wanted.previous);
    }
    // Every point that is linked is in one chain.
    std::multiset<int32_t> in_chains, in_links;
    for (const Chain& chain : chains_of(wanted))
      in_chains.insert(chain.points.begin(), chain.points.end());
    for (size_t i = 0; i < points.size(); ++i)
      if (wanted.next[i] >= 0 || wanted.previous[i] >= 0) in_links.insert(int32_t(i));
    EXPECT_EQ(in_chains, in_links);
  }
}

// ---- simplification

double distance_to(const LinePoint& p, const LinePoint& a, const LinePoint& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double t =
      square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

TEST(Lines, SimplifiedOnesPassEveryPointWithinTheTolerance) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> step(-1, 1);
  for (int round = 0; round < 40; ++round) {
    const bool closed = round % 2;
    std::vector<LinePoint> points(2 + random() % 60);
    for (size_t i = 1; i < points.size(); ++i)
      points[i] = {points[i - 1].x + step(random), points[i - 1].y + step(random), 1};
    std::vector<char> kept(points.size());
    kept[random() % kept.size()] = true;
    for (const double tolerance : {0.0, 0.3, 1.0, 50.0}) {
      const std::vector<char> stays = simplified(points, closed, tolerance, kept);
      std::vector<size_t> left;
      for (size_t i = 0; i < points.size(); ++i) {
        if (stays[i]) left.push_back(i);
        EXPECT_TRUE(stays[i] || !kept[i]);
      }
      EXPECT_TRUE(stays[0] && (closed || stays.back()));
      EXPECT_TRUE(tolerance > 0 || left.size() == points.size());
      EXPECT_TRUE(tolerance < 50 || left.size() <= 4);
      if (closed) left.push_back(points.size());
      for (size_t k = 0; k + 1 < left.size(); ++k) {
        for (size_t i = left[k]; i < left[k + 1]; ++i) {
          EXPECT_LE(distance_to(points[i], points[left[k]], points[left[k + 1] % points.size()]),
                    tolerance + 1e-12);
        }
      }
    }
  }
}

// ---- contours

TEST(Lines, CrossingsAreThoseOfTheDefinition) {
  std::mt19937 random(12);
  for (int round = 0; round < 30; ++round) {
    Image<int32_t> response(13, 11);
    for (int32_t y = 0; y < 11; ++y)
      for (int32_t x = 0; x < 13; ++x)
        response.at(x, y) =
            round % 3 ? int32_t(random() % 7) - 3 : 2 * int32_t(random() % 100) - 99;
    const double threshold = round % 2 ? 2 : 0;
    // Of pairs of strictly opposite neighbours, and of zeros between two such.
    std::multiset<std::pair<double, double>> wanted, found;
    const auto at = [&](int32_t x, int32_t y) -> double {
      return x < 0 || y < 0 || x >= 13 || y >= 11 ? 0 : response.at(x, y);
    };
    const auto cross = [&](double a, double b) { return a * b < 0 && std::abs(a - b) > threshold; };
    for (int32_t y = 0; y < 11; ++y) {
      for (int32_t x = 0; x < 13; ++x) {
        const double here = at(x, y);
        if (cross(here, at(x + 1, y))) wanted.insert({x + here / (here - at(x + 1, y)), y});
        if (cross(here, at(x, y + 1))) wanted.insert({x, y + here / (here - at(x, y + 1))});
        if (here == 0 && cross(at(x - 1, y), at(x + 1, y))) wanted.insert({x, y});
        if (here == 0 && cross(at(x, y - 1), at(x, y + 1))) wanted.insert({x, y});
      }
    }
    const Crossings made = crossings_of(response, threshold, 1, false, 3);
    for (const EdgePoint& p : made.points) found.insert({p.x, p.y});
    EXPECT_EQ(found, wanted);
    for (size_t i = 0; i < made.points.size(); ++i) {
      const int32_t next = made.links.next[i];
      if (next < 0) continue;
      EXPECT_EQ(made.links.previous[size_t(next)], int32_t(i));
      EXPECT_LE(std::hypot(made.points[i].x - made.points[size_t(next)].x,
                           made.points[i].y - made.points[size_t(next)].y),
                std::sqrt(2.0) + 1e-12);
    }
    // Without a threshold and without zeros a contour ends at the border alone.
    if (threshold > 0 || round % 3) continue;
    for (size_t i = 0; i < made.points.size(); ++i) {
      const EdgePoint& p = made.points[i];
      const bool at_border = p.x == 0 || p.y == 0 || p.x == 12 || p.y == 10;
      if (!at_border && (made.links.next[i] < 0 || made.links.previous[i] < 0))
        ADD_FAILURE() << "a contour ends at " << p.x << ", " << p.y;
    }
  }
}

}  // namespace
}  // namespace cuesta
