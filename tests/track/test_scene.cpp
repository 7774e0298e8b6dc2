// Zones, joining, limits, lines and events.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cuesta/tracking.hpp"
#include "support/errors.hpp"
#include "track/geometry.hpp"
#include "track/selection.hpp"

namespace cuesta {
namespace {

using namespace track;

Detection at(int x, int y, int width = 20, int height = 40, int64_t area = 0) {
  return {.box = {x, y, width, height},
          .area = area ? area : int64_t(width) * height,
          .centroid_x = x + width / 2.0,
          .centroid_y = y + height / 2.0};
}

std::vector<Point> rectangle(double x0, double y0, double x1, double y1) {
  return {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
}

double random_number(std::mt19937& random) { return double(random()) / 4294967296.0; }
Point random_point(std::mt19937& random) {
  const double x = random_number(random);
  return {x, random_number(random)};
}

// ---- polygons and lines

TEST(Polygon, InsideIsByTheWindingOfItsCorners) {
  std::mt19937 random(1);
  int inside = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<Point> polygon(3 + random() % 6);
    for (Point& p : polygon) p = random_point(random);
    const Point p = random_point(random);
    // Angles from p to the corners, all around: an odd number of turns.
    double angle = 0;
    for (size_t i = 0; i < polygon.size(); ++i) {
      const Point a = polygon[i], b = polygon[(i + 1) % polygon.size()];
      angle += std::atan2((a.x - p.x) * (b.y - p.y) - (a.y - p.y) * (b.x - p.x),
                          (a.x - p.x) * (b.x - p.x) + (a.y - p.y) * (b.y - p.y));
    }
    const bool wanted = std::lround(angle / (2 * M_PI)) % 2 != 0;
    ASSERT_EQ(is_inside(p, polygon), wanted);
    inside += wanted;
  }
  EXPECT_GT(inside, 1000);
}

TEST(Polygon, NeighboursShareNoPointAndLeaveNone) {
  // A square in four triangles, asked on a grid that meets every edge and corner.
  const Point corners[] = {{0, 0}, {8, 0}, {8, 8}, {0, 8}}, middle{3, 5};
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      int in = 0;
      for (int i = 0; i < 4; ++i) {
        const std::vector<Point> part{corners[i], corners[(i + 1) % 4], middle};
        in += is_inside({double(x), double(y)}, part);
      }
      EXPECT_EQ(in, 1) << x << ", " << y;
    }
  }
}

TEST(Lines, WhatEntersAPolygonCrossesItsEdges) {
  std::mt19937 random(2);
  int entered = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    // A square, clockwise as seen: its inside is on the right of each edge.
    const auto polygon = rectangle(0.2, 0.2, 0.7, 0.8);
    const Point before = random_point(random), now = random_point(random);
    int sum = 0;
    for (size_t i = 0; i < 4; ++i)
      sum += crossing_of(before, now, polygon[i], polygon[(i + 1) % 4]);
    ASSERT_EQ(sum, int(is_inside(now, polygon)) - int(is_inside(before, polygon)));
    entered += sum == 1;
  }
  EXPECT_GT(entered, 1000);
}

TEST(Lines, WhoStopsOnALineIsCountedOnce) {
  const Point a{0, 5}, b{10, 5};
  EXPECT_EQ(crossing_of({4, 3}, {4, 5}, a, b), 0);  // on it is still on its left
  EXPECT_EQ(crossing_of({4, 5}, {4, 7}, a, b), 1);
  EXPECT_EQ(crossing_of({4, 7}, {4, 5}, a, b), -1);
  EXPECT_EQ(crossing_of({4, 3}, {4, 7}, b, a), -1) << "the other way, the other side";
  EXPECT_EQ(crossing_of({40, 3}, {40, 7}, a, b), 0) << "past its end";
}

// ---- which detections count

// Merges any two that are near until there are none.
std::vector<Rect> plainly_joined(std::vector<Rect> boxes, int pixels) {
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (size_t j = i + 1; j < boxes.size(); ++j) {
      if (gap_between(boxes[i], boxes[j]) >= pixels) continue;
      boxes[i] = around(boxes[i], boxes[j]);
      boxes.erase(boxes.begin() + ptrdiff_t(j));
      return plainly_joined(boxes, pixels);
    }
  }
  return boxes;
}

TEST(Joining, EndsWhereNoTwoBoxesAreNear) {
  std::mt19937 random(4);
  size_t joins = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<Detection> detections;
    std::vector<Rect> boxes;
    for (size_t i = random() % 25; i > 0; --i) {
      detections.push_back(at(int(random() % 300), int(random() % 300), 1 + int(random() % 30),
                              1 + int(random() % 30), 1 + int64_t(random() % 9)));
      boxes.push_back(detections.back().box);
    }
    const int pixels = int(random() % 30);
    const auto found = joined(detections, pixels);
    auto wanted = plainly_joined(boxes, pixels);
    std::vector<Rect> got;
    int64_t area = 0, area_before = 0;
    for (const auto& d : found) got.push_back(d.box), area += d.area;
    for (const auto& d : detections) area_before += d.area;
    const auto order = [](const Rect& a, const Rect& b) {
      return std::tie(a.x, a.y, a.width, a.height) < std::tie(b.x, b.y, b.width, b.height);
    };
    std::ranges::sort(got, order);
    std::ranges::sort(wanted, order);
    ASSERT_EQ(got, wanted) << "trial " << trial;
    ASSERT_EQ(area, area_before);
    joins += detections.size() - found.size();
  }
  EXPECT_GT(joins, 1000u);
}

TEST(Joining, WeighsCentroidsAndKeepsOrder) {
  const std::vector<Detection> three{at(0, 0, 10, 10, 30), at(100, 0, 10, 10, 5),
                                     at(12, 0, 10, 10, 10)};
  EXPECT_EQ(joined(three, 2), joined(three, 1)) << "2 pixels are between the first and the last";
  const auto found = joined(three, 3);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].box, (Rect{0, 0, 22, 10}));
  EXPECT_EQ(found[0].area, 40);
  EXPECT_DOUBLE_EQ(found[0].centroid_x, (30 * 5 + 10 * 17) / 40.0);
  EXPECT_EQ(found[1], three[1]);
}

TEST(Nesting, BoxesInsideABoxBecomeItsPart) {
  std::mt19937 random(5);
  const auto holds = [](const Rect& a, const Rect& b) { return around(a, b) == a; };
  size_t nested = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<Detection> detections;
    for (size_t i = random() % 25; i > 0; --i) {
      detections.push_back(at(int(random() % 60), int(random() % 60), 1 + int(random() % 40),
                              1 + int(random() % 40), 1 + int64_t(random() % 9)));
    }
    const auto found = without_nested(detections);
    int64_t area = 0, area_before = 0;
    double x = 0, x_before = 0;
    for (const auto& d : found) area += d.area, x += double(d.area) * d.centroid_x;
    for (const auto& d : detections)
      area_before += d.area, x_before += double(d.area) * d.centroid_x;
    ASSERT_EQ(area, area_before);
    ASSERT_NEAR(x, x_before, 1e-6);
    for (const auto& a : found) {
      for (const auto& b : found) ASSERT_TRUE(&a == &b || !holds(a.box, b.box));
    }
    for (const auto& d : detections)
      ASSERT_TRUE(std::ranges::any_of(found, [&](const auto& f) { return holds(f.box, d.box); }));
    nested += detections.size() - found.size();
  }
  EXPECT_GT(nested, 500u);
  const std::vector pair{at(30, 30, 5, 5), at(10, 10, 40, 40)}, same{pair[0], pair[0]};
  ASSERT_EQ(without_nested(pair).size(), 1u);
  EXPECT_EQ(without_nested(pair)[0].box, pair[1].box);
  EXPECT_EQ(without_nested(same).size(), 1u);
}

std::vector<Detection> selected(const Scene& scene, const TrackingOptions& options,
                                const std::vector<Detection>& detections,
                                std::vector<uint64_t>* zones = nullptr) {
  Selection selection({1000, 500}, scene, options);
  selection.apply(detections);
  if (zones) zones->assign(selection.zones().begin(), selection.zones().end());
  return {selection.detections().begin(), selection.detections().end()};
}

TEST(Selection, ZonesTakeAndLeaveOutByTheFoot) {
  const Detection left = at(100, 100), right = at(800, 100), both = at(490, 300);
  Scene scene;
  std::vector<uint64_t> zones;
  EXPECT_EQ(selected(scene, {}, {left, right}, &zones), (std::vector{left, right}));
  EXPECT_EQ(zones, (std::vector<uint64_t>{0, 0}));
  scene.zones = {{.name = "west", .polygon = rectangle(0, 0, 0.55, 1)},
                 {.name = "pond", .kind = ZoneKind::exclude, .polygon = rectangle(0.7, 0, 1, 1)},
                 {.name = "south", .polygon = rectangle(0, 0.5, 1, 1)}};
  EXPECT_EQ(selected(scene, {}, {left, right, both}, &zones), (std::vector{left, both}));
  EXPECT_EQ(zones, (std::vector<uint64_t>{1, 5}));
  // The box reaches in, the foot does not.
  EXPECT_TRUE(selected(scene, {}, {at(545, 100)}).empty());
  scene.zones.erase(scene.zones.begin());
  scene.zones.pop_back();
  EXPECT_EQ(selected(scene, {}, {left, right}), std::vector{left}) << "the rest counts";
}

TEST(Selection, LimitsAreTheZonesOwnWhereItHasThem) {
  Scene scene;
  const TrackingOptions limits{.min_area = 100, .max_area = 1000, .max_aspect = 2};
  const Detection small = at(10, 10, 5, 5), middle = at(20, 10, 20, 20), large = at(45, 10, 40, 40),
                  wide = at(10, 45, 50, 10);
  const std::vector all{small, middle, large, wide};
  EXPECT_EQ(selected(scene, limits, all), std::vector{middle});
  scene.zones = {{.name = "a", .polygon = rectangle(0, 0, 1, 1), .min_area = 0, .max_area = 30},
                 {.name = "b", .polygon = rectangle(0, 0, 1, 1), .max_area = 0, .max_aspect = 9}};
  std::vector<uint64_t> zones;
  EXPECT_EQ(selected(scene, limits, all, &zones), all);
  EXPECT_EQ(zones, (std::vector<uint64_t>{1, 2, 2, 2}));
}

TEST(Selection, MaskIsAskedAtTheFoot) {
  Image<uint8_t> mask(1000, 500);
  for (int y = 0; y < 500; ++y) std::fill_n(mask.view().row(y), 1000, uint8_t(y < 250 ? 0 : 9));
  const Scene scene{.mask = mask};
  const Detection above = at(10, 200), below = at(10, 211);
  EXPECT_EQ(selected(scene, {}, {above, below}), std::vector{below});
}

TEST(Selection, JoinsWhatIsAllowedAndThenLooksAtLimits) {
  Scene scene;
  scene.zones = {{.name = "tree", .kind = ZoneKind::exclude, .polygon = rectangle(0.5, 0, 1, 1)}};
  const std::vector parts{at(470, 100, 10, 10), at(484, 100, 10, 10), at(498, 100, 10, 10)};
  const auto found = selected(scene, {.min_area = 150, .join = 5}, parts);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].box, (Rect{470, 100, 24, 10})) << "what stands in the tree joins nothing";
}

std::string refused(const Scene& scene, Size size = {100, 100}) {
  return test::error_of(ErrorCode::invalid_argument, [&] { SceneWatch(size, scene); });
}

TEST(Scene, ErrorsNameThePartAndTheValue) {
  const auto zone = [](Zone z) { return Scene{.zones = {z}}; };
  const auto whole = rectangle(0, 0, 1, 1);
  EXPECT_EQ(refused(zone({.polygon = {{0, 0}, {1, 1}}})),
            "scene: zones[0]: the polygon needs at least 3 corners and has 2");
  EXPECT_EQ(refused(zone({.polygon = {{0, 0}, {1.5, 0}, {1, 1}}})),
            "scene: zones[0]: polygon[1] is (1.5, 0); both must be 0 to 1, fractions of the "
            "picture's width and height");
  EXPECT_NE(refused(zone({.polygon = {{0, 0}, {NAN, 0}, {1, 1}}})).find("polygon[1] is (nan, 0)"),
            std::string::npos);
  EXPECT_EQ(refused(zone({.polygon = {{0, 0}, {0.5, 0.5}, {1, 1}}})),
            "scene: zones[0]: the polygon has no area; its corners must not be on one line");
  EXPECT_EQ(refused(zone({.polygon = whole, .min_area = -1})),
            "scene: zones[0]: min_area is -1; it must be at least 0");
  EXPECT_EQ(refused(zone({.polygon = whole, .min_aspect = 2, .max_aspect = 1})),
            "scene: zones[0]: max_aspect is 1; it must be at least min_aspect, 2");
  EXPECT_EQ(
      refused(zone({.kind = ZoneKind::exclude, .polygon = whole, .min_area = 1})),
      "scene: zones[0]: kind is exclude and limits are set; excluded zones do not support limits");
  EXPECT_EQ(refused({.zones = {{.name = "a", .polygon = whole}, {.name = "a", .polygon = whole}}}),
            "scene: zones[1]: the name \"a\" is used twice; names must differ");
  EXPECT_EQ(refused({.zones = std::vector<Zone>(65, Zone{.polygon = whole})}),
            "scene: there are 65 zones; at most 64 are supported");
  EXPECT_EQ(refused({.lines = {{.from = {0, 0.5}, .to = {0, 0.5}}}}),
            "scene: lines[0]: from and to are the same point; they must differ");
  const auto ways = [&](std::array<std::string, 2> names) {
    return refused({.lines = {{.from = {0, 0}, .to = {1, 1}, .ways = std::move(names)}}});
  };
  EXPECT_EQ(ways({"in", "in"}), "scene: lines[0]: both ways are \"in\"; they must differ");
  for (const char* name : {"", "a:b", "a;b"}) {
    EXPECT_EQ(ways({"in", name}), std::string("scene: lines[0]: a way is \"") + name +
                                      "\"; it must be a name without : or ;");
  }
  const Image<uint8_t> mask(9, 7);
  EXPECT_EQ(refused({.mask = mask}),
            "scene: the mask is 9 x 7 and the frames are 100 x 100; the sizes must match");
  EXPECT_EQ(refused({}, {0, 5}), "scene: frames are 0 x 5 pixels; both sides must be at least 1");
}

TEST(Scene, ThresholdsAreOfPixelsInZones) {
  Scene scene;
  scene.zones = {{.name = "road", .polygon = rectangle(0, 0, 0.5, 1), .threshold = 30},
                 {.name = "door", .polygon = rectangle(0.25, 0, 0.75, 0.5), .threshold = 12.5},
                 {.name = "yard", .polygon = rectangle(0, 0, 1, 1)}};
  const Image<float> levels = zone_thresholds(scene, {8, 4}, 16);
  const float expected[4][8] = {{30, 30, 12.5, 12.5, 12.5, 12.5, 16, 16},
                                {30, 30, 12.5, 12.5, 12.5, 12.5, 16, 16},
                                {30, 30, 30, 30, 16, 16, 16, 16},
                                {30, 30, 30, 30, 16, 16, 16, 16}};
  for (int32_t y = 0; y < 4; ++y)
    for (int32_t x = 0; x < 8; ++x) EXPECT_EQ(levels.at(x, y), expected[y][x]) << x << ", " << y;
  scene.zones = {scene.zones[2]};
  EXPECT_TRUE(zone_thresholds(scene, {8, 4}, 16).empty()) << "no zone has one";
  scene.zones[0].threshold = -1;
  EXPECT_EQ(test::error_of(ErrorCode::invalid_argument,
                           [&] {
                             zone_thresholds(scene, {8, 4}, 16);
                           }),
            "scene: zones[0]: threshold is -1; it must be finite, 0 or more");
  scene.zones[0] = {.kind = ZoneKind::exclude, .polygon = rectangle(0, 0, 1, 1), .threshold = 1};
  EXPECT_EQ(
      refused(scene),
      "scene: zones[0]: kind is exclude and limits are set; excluded zones do not support limits");
}

// ---- lines and events

constexpr double rate = 10;  // frames a second

// What a watch says of frames in which an object at (x, 50) is seen where x is not negative.
struct Seen {
  std::vector<Event> events;
  std::vector<LineCount> counts;
  std::vector<int64_t> began, best;  // frames
};
Seen watched(const std::vector<int>& path, const Scene& scene, const TrackingOptions& options) {
  SceneWatch watch({400, 100}, scene, options);
  Seen seen;
  for (size_t i = 0; i < path.size(); ++i) {
    std::vector<Detection> detections;
    if (path[i] >= 0) detections.push_back(at(path[i], 30));
    const SceneStep& step = watch.push({int64_t(i), double(i) / rate}, detections);
    if (step.began) seen.began.push_back(int64_t(i));
    if (step.is_best) seen.best.push_back(int64_t(i));
    seen.events.insert(seen.events.end(), step.ended.begin(), step.ended.end());
  }
  const auto last = watch.finish();
  seen.events.insert(seen.events.end(), last.begin(), last.end());
  EXPECT_TRUE(watch.finish().empty());
  seen.counts.assign(watch.counts().begin(), watch.counts().end());
  return seen;
}

// `from` once a frame, `step` further each time, `count` times.
void walk(std::vector<int>& path, int from, int step, int count) {
  for (int i = 0; i < count; ++i) path.push_back(from + i * step);
}
void rest(std::vector<int>& path, int count) { path.insert(path.end(), size_t(count), -1); }

TEST(Lines, CountsWhoCrossesAndWhichWay) {
  std::vector<int> path;
  walk(path, 100, 4, 30);
  walk(path, 216, -4, 30);
  walk(path, 100, 4, 18);
  const Scene scene{.lines = {{.name = "gate", .from = {0.4, 1}, .to = {0.4, 0}},
                              {.name = "far", .from = {0.9, 1}, .to = {0.9, 0}}}};
  const Seen seen = watched(path, scene, {});
  ASSERT_EQ(seen.counts.size(), 2u);
  EXPECT_EQ(seen.counts[0].to_right, 2);
  EXPECT_EQ(seen.counts[0].to_left, 1);
  EXPECT_EQ(seen.counts[1].to_right + seen.counts[1].to_left, 0);
  ASSERT_EQ(seen.events.size(), 1u);
  ASSERT_EQ(seen.events[0].crossings.size(), 3u);
  EXPECT_TRUE(seen.events[0].crossings[0].to_right);
  EXPECT_FALSE(seen.events[0].crossings[1].to_right);
  EXPECT_EQ(seen.events[0].crossings[0].at.index, 13) << "the foot is at 110 + 4 i > 160";
}

TEST(Lines, WhoWaitsAtALineCountsOnce) {
  const Scene scene{.lines = {{.name = "gate", .from = {0.4, 1}, .to = {0.4, 0}}}};
  for (const int swing : {2, 6, 9}) {
    std::vector<int> path;
    walk(path, 90, 4, 16);  // the foot is at 160
    for (int i = 0; i < 200; ++i) path.push_back(150 + int(std::lround(swing * std::sin(i / 5.0))));
    walk(path, 154, 4, 20);
    EXPECT_EQ(watched(path, scene, {}).counts[0].to_right, 1) << swing;
    EXPECT_EQ(watched(path, scene, {}).counts[0].to_left, 0) << swing;
    EXPECT_GT(watched(path, scene, {.line_band = 0}).counts[0].to_left, 3) << swing;
    // One who turns round in front of it has not crossed.
    walk(path, 226, -4, 16);
    walk(path, 162, 4, 10);
    EXPECT_EQ(watched(path, scene, {}).counts[0].to_right, 1) << swing;
    EXPECT_EQ(watched(path, scene, {}).counts[0].to_left, 0) << swing;
  }
}

TEST(Lines, CrossingsReportWhenTheLineWasPassed) {
  std::vector<int> path;
  walk(path, 100, 4, 30);
  SceneWatch watch({400, 100}, {.lines = {{.from = {0.4, 1}, .to = {0.4, 0}}}});
  for (size_t i = 0; i < path.size(); ++i) {
    const SceneStep& step = watch.push({int64_t(i), double(i)}, std::vector{at(path[i], 30)});
    ASSERT_EQ(step.crossings.size(), i == 15 ? 1u : 0u) << "the foot is at 110 + 4 i >= 170";
    if (i == 15) {
      EXPECT_EQ(step.crossings[0].at.index, 13) << "110 + 4 i > 160";
    }
  }
}

TEST(Lines, AtThePicturesEdgeTheBandIsNarrower) {
  // Who leaves: the box ends at the edge, the foot half its width before it.
  SceneWatch watch({400, 100}, {.lines = {{.from = {0.98, 1}, .to = {0.98, 0}}}});
  for (int i = 0; i < 40; ++i) {
    const int x = 320 + 2 * i;
    watch.push({i, double(i)}, std::vector{at(x, 30, std::min(20, 400 - x))});
  }
  EXPECT_EQ(watch.counts()[0].to_right, 1);
}

TEST(Lines, ABandIsAsWideEverywhere) {
  std::mt19937 random(6);
  int beyond = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Size size{100, 80};
    const auto place = [&] {
      const Point p = random_point(random);
      return Point{p.x * size.width, p.y * size.height};
    };
    const Point a = place(), b = place(), p = place();
    const double least = 20 * random_number(random);
    // The nearest of many points of the line, and steps from there until the picture ends.
    Point nearest = a;
    for (int i = 0; i <= 2000; ++i) {
      const Point q{a.x + (b.x - a.x) * i / 2000, a.y + (b.y - a.y) * i / 2000};
      if (distance(p, q) < distance(p, nearest)) nearest = q;
    }
    const double away = distance(p, nearest);
    double room = 0;
    const auto is_inside_at = [&](double r) {
      const double x = nearest.x + (p.x - nearest.x) * r / away;
      const double y = nearest.y + (p.y - nearest.y) * r / away;
      return x >= 0 && y >= 0 && x <= size.width && y <= size.height;
    };
    while (room < 60 && is_inside_at(room)) room += 0.05;
    const double needed = std::min(least, room / 2);
    if (std::abs(away - needed) < 0.3) continue;
    ASSERT_EQ(is_beyond(p, a, b, least, size), away > needed) << "trial " << trial;
    beyond += away > needed;
  }
  EXPECT_GT(beyond, 1000);
}

TEST(Lines, ACrossingBeforeTheFirstReportCounts) {
  std::vector<int> path;
  walk(path, 140, 4, 12);  // the foot is past 160 in frame 3, the object reported in frame 5
  const Seen seen = watched(path, {.lines = {{.from = {0.4, 1}, .to = {0.4, 0}}}}, {.min_hits = 6});
  EXPECT_EQ(seen.counts[0].to_right, 1);
}

TEST(Events, BeginWhenFirstSeenAndEndAfterTheMergeWindow) {
  std::vector<int> path;
  rest(path, 30);
  walk(path, 100, 2, 20);  // frames 30 to 49
  rest(path, 60);
  walk(path, 200, 2, 20);  // 110 to 129
  rest(path, 5);
  const TrackingOptions options{.max_age = 3, .merge_window = 2, .pre_roll = 1, .post_roll = 0.7};
  const Seen seen = watched(path, {}, options);
  ASSERT_EQ(seen.events.size(), 2u);
  const Event& a = seen.events[0];
  EXPECT_EQ(a.id, 1);
  EXPECT_EQ(a.first.index, 30);
  EXPECT_EQ(a.last.index, 49);
  EXPECT_DOUBLE_EQ(a.clip_start, 2);
  EXPECT_DOUBLE_EQ(a.clip_end, 4.9 + 0.7);
  EXPECT_EQ(a.max_at_once, 1);
  ASSERT_EQ(a.objects.size(), 1u);
  EXPECT_EQ(a.objects[0].first.index, 30);
  EXPECT_DOUBLE_EQ(a.objects[0].moved, 38);
  EXPECT_EQ(seen.events[1].id, 2);
  EXPECT_EQ(seen.events[1].objects[0].id, 2);
  EXPECT_DOUBLE_EQ(seen.events[1].clip_end, 13.4) << "the video ends there";
  EXPECT_EQ(seen.began, (std::vector<int64_t>{32, 112})) << "the third frame reports it";
  const Seen merged = watched(path, {}, {.max_age = 3, .merge_window = 6.4});
  ASSERT_EQ(merged.events.size(), 1u);
  EXPECT_EQ(merged.events[0].last.index, 129);
  EXPECT_EQ(merged.events[0].objects.size(), 2u);
}

TEST(Events, AGapOfTheMergeWindowParts) {
  std::vector<int> path;
  walk(path, 100, 1, 10);  // to 0.9 s
  rest(path, 9);
  walk(path, 120, 1, 10);  // from 1.9 s
  const TrackingOptions options{.max_age = 50, .post_roll = 0};
  const auto events = [&](double window) {
    TrackingOptions o = options;
    o.merge_window = window;
    return watched(path, {}, o).events;
  };
  EXPECT_EQ(events(1.01).size(), 1u);
  ASSERT_EQ(events(0.5).size(), 2u);
  // It is the same object, known before: its part in the second event begins where it is seen
  // again.
  EXPECT_EQ(events(0.5)[1].objects[0].id, 1);
  EXPECT_EQ(events(0.5)[1].first.index, 19);
  EXPECT_EQ(events(0).size(), 2u) << "consecutive frames have no gap";
}

// A live video was away: nobody knows what happened meanwhile, so no window joins over it.
TEST(Events, EndWhereTheStreamWasAway) {
  for (const double away : {0.0, 0.3, 5.0, 600.0}) {
    SceneWatch watch({320, 200}, {}, {.min_hits = 2, .merge_window = 1000, .post_roll = 2});
    std::vector<Event> events;
    const auto keep = [&](std::span<const Event> ended) {
      events.insert(events.end(), ended.begin(), ended.end());
    };
    for (int64_t k = 0; k < 40; ++k) {
      const double time = double(k) / 10 + (k < 20 ? 0 : away);
      if (k == 20) keep(watch.finish());
      const Detection one = at(50 + int(k), 100);
      const SceneStep& step = watch.push({k, time}, std::span(&one, 1));
      EXPECT_EQ(step.objects.size(), size_t(k >= 1)) << "identities go on";
      EXPECT_EQ(step.began, k == 1 || k == 20) << k;
      keep(step.ended);
    }
    keep(watch.finish());
    ASSERT_EQ(events.size(), 2u) << away;
    EXPECT_EQ(events[0].first.index, 0);
    EXPECT_EQ(events[0].last.index, 19);
    EXPECT_DOUBLE_EQ(events[0].clip_end, 1.9) << "there is no picture of the post-roll";
    EXPECT_EQ(events[1].id, 2);
    EXPECT_EQ(events[1].first.index, 20);
    EXPECT_EQ(events[1].last.index, 39);
    ASSERT_EQ(events[1].objects.size(), 1u);
    EXPECT_EQ(events[1].objects[0].id, events[0].objects[0].id);
    EXPECT_EQ(events[1].objects[0].first.index, 20);
  }
  // What nobody reported stays one event, if the window is as long.
  for (const double away : {0.5, 5.0}) {
    SceneWatch watch({320, 200}, {}, {.min_hits = 2, .merge_window = 2, .post_roll = 0});
    size_t ended = 0;
    for (int64_t k = 0; k < 40; ++k) {
      const double time = double(k) / 10 + (k < 20 ? 0 : away);
      const Detection one = at(50 + int(k), 100);
      const bool seen = k < 18 || k > 21;
      ended += watch.push({k, time}, std::span(&one, size_t(seen))).ended.size();
    }
    EXPECT_EQ(ended, away < 2 ? 0u : 1u);
    EXPECT_EQ(watch.finish().size(), 1u);
  }
}

TEST(Events, ShortOnesAreNoneAndLongOnesAreCut) {
  std::vector<int> path;
  walk(path, 100, 1, 5);
  rest(path, 50);
  walk(path, 100, 1, 100);
  const Seen seen = watched(path, {}, {.min_event = 1, .max_event = 4});
  ASSERT_EQ(seen.events.size(), 3u);
  EXPECT_EQ(seen.events[0].id, 1);
  EXPECT_EQ(seen.events[0].first.index, 55);
  EXPECT_EQ(seen.events[0].last.index, 94);
  EXPECT_EQ(seen.events[1].first.index, 95);
  EXPECT_EQ(seen.events[2].last.index, 154);
  EXPECT_EQ(seen.began.front(), 65);
}

TEST(Events, BestIsTheLargestThatIsNotCut) {
  SceneWatch watch({400, 100}, {}, {.min_hits = 1});
  // At the left edge a large one; then smaller, whole, largest in frame 2.
  const std::vector<Detection> path{at(0, 10, 40, 80), at(20, 20, 40, 60), at(22, 20, 42, 60),
                                    at(24, 20, 42, 60), at(30, 20, 40, 60)};
  for (size_t i = 0; i < path.size(); ++i) {
    const SceneStep& step = watch.push({int64_t(i), double(i)}, std::vector{path[i]});
    EXPECT_EQ(step.is_best, i <= 2) << i;
    ASSERT_NE(step.event, nullptr);
  }
  const auto events = watch.finish();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].best.index, 2);
  EXPECT_EQ(events[0].best_box, path[2].box);
  EXPECT_EQ(events[0].objects[0].largest, path[0].box);
}

TEST(Events, ManyFramesKeepTheirOrder) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 30; ++trial) {
    const TrackingOptions options{.min_hits = 1 + int(random() % 3),
                                  .max_age = int(random() % 20),
                                  .merge_window = random_number(random) * 2,
                                  .pre_roll = random_number(random),
                                  .post_roll = random_number(random)};
    std::vector<int> path;
    for (int i = 0; i < 12; ++i) {
      walk(path, int(random() % 200), int(random() % 3), 1 + int(random() % 30));
      rest(path, int(random() % 40));
    }
    const Seen seen = watched(path, {}, options);
    const Seen again = watched(path, {}, options);
    ASSERT_EQ(seen.events.size(), again.events.size());
    ASSERT_FALSE(seen.events.empty());
    ASSERT_EQ(seen.began.size(), seen.events.size());
    for (size_t i = 0; i < seen.events.size(); ++i) {
      const Event& e = seen.events[i];
      EXPECT_EQ(e.id, int64_t(i) + 1);
      EXPECT_LE(e.first.index, e.last.index);
      EXPECT_GE(path[size_t(e.first.index)], 0) << "something is seen in an event's first frame";
      EXPECT_GE(path[size_t(e.last.index)], 0);
      EXPECT_LE(e.clip_start, e.first.seconds);
      EXPECT_GE(e.clip_end, e.last.seconds);
      EXPECT_LE(e.clip_end, double(path.size() - 1) / rate);
      if (i > 0) {
        EXPECT_GT(e.first.index, seen.events[i - 1].last.index);
      }
      for (const EventObject& object : e.objects) {
        EXPECT_GE(object.first.index, e.first.index);
        EXPECT_LE(object.last.index, e.last.index);
      }
      EXPECT_EQ(e.first.index, again.events[i].first.index);
    }
  }
}

// ---- zones over time

TEST(Zones, ScoresAreAreasOverAreas) {
  Scene scene;
  scene.zones = {{.name = "left", .polygon = rectangle(0, 0, 0.5, 1)},
                 {.name = "right", .polygon = rectangle(0.5, 0, 1, 1)},
                 {.name = "tree", .kind = ZoneKind::exclude, .polygon = rectangle(0, 0, 0.1, 0.1)}};
  SceneWatch watch({200, 100}, scene);
  const std::vector<Detection> two = {at(10, 20), at(60, 20, 10, 10)};
  const SceneStep& step = watch.push({0, 0}, two);
  EXPECT_DOUBLE_EQ(step.score, 100 * 900 / 20000.0);
  ASSERT_EQ(step.zones.size(), 3u);
  EXPECT_DOUBLE_EQ(step.zones[0].score, 100 * 900 / 10000.0);
  EXPECT_EQ(step.zones[0].level(), 9);
  EXPECT_TRUE(step.zones[0].motion && step.zones[0].changed);
  EXPECT_FALSE(step.zones[0].occupied) << "nothing is reported yet";
  EXPECT_EQ(step.zones[1].level(), 0);
  EXPECT_FALSE(step.zones[1].motion || step.zones[1].changed || step.zones[2].motion);
  EXPECT_EQ(ZoneState{.score = 0.001}.level(), 1);
  EXPECT_EQ(ZoneState{.score = 100}.level(), 100);
}

TEST(Zones, VisitsFollowTheirObjects) {
  Scene scene;
  scene.zones = {{.name = "left", .polygon = rectangle(0, 0, 0.5, 1)},
                 {.name = "right", .polygon = rectangle(0.5, 0, 1, 1)}};
  SceneWatch watch({400, 100}, scene, {.min_hits = 1, .merge_window = 1, .post_roll = 0});
  // To the right, back, and away.
  std::vector<Event> ended;
  for (int k = 0; k < 100; ++k) {
    const int x = k < 40 ? 100 + 5 * k : 100 + 5 * (80 - k);
    std::vector<Detection> seen;
    if (k < 80) seen.push_back(at(x, 20));
    const SceneStep& step = watch.push({k, k / 10.0}, seen);
    ended.insert(ended.end(), step.ended.begin(), step.ended.end());
    if (k >= 90) {
      EXPECT_FALSE(step.zones[0].occupied);
    }
  }
  ASSERT_EQ(ended.size(), 1u);
  // The foot is 10 pixels from the left edge of its box.
  const auto& visits = ended[0].visits;
  ASSERT_EQ(visits.size(), 3u);
  EXPECT_EQ(visits[0].zone, 0u);
  EXPECT_EQ(visits[0].entered.index, 0);
  EXPECT_EQ(visits[0].left.index, 17);
  EXPECT_EQ(visits[1].zone, 1u);
  EXPECT_EQ(visits[1].entered.index, 18);
  EXPECT_EQ(visits[1].left.index, 62);
  EXPECT_EQ(visits[2].zone, 0u);
  EXPECT_EQ(visits[2].entered.index, 63);
  EXPECT_EQ(visits[2].left.index, 79);
}

TEST(Zones, OwnLimitsAreThoseOfTheOptionsInTheirZone) {
  // The same limits from a zone and from the options give the same objects, ids and crossings.
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    const TrackingOptions limits{.min_hits = 1 + int(random() % 6),
                                 .min_moved = double(random() % 30)};
    Scene plain, own;
    plain.zones = {{.name = "all", .polygon = rectangle(0, 0, 1, 1)}};
    plain.lines = own.lines = {{.name = "line", .from = {0.5, 0}, .to = {0.5, 1}}};
    own.zones = plain.zones;
    own.zones[0].min_hits = limits.min_hits;
    own.zones[0].min_moved = limits.min_moved;
    SceneWatch a({400, 200}, plain, limits), b({400, 200}, own, {.min_hits = 3});
    for (int k = 0; k < 80; ++k) {
      std::vector<Detection> seen;
      for (int object = 0; object < 3; ++object)
        if (random() % 8) seen.push_back(at(4 * k + 20, 10 + 60 * object));
      // Specks, some of them beside an object.
      if (k % 20 < 5) seen.push_back(at(390, 180, 8, 8));
      if (k % 30 < 20) seen.push_back(at(4 * k + 45, 30, 9, 9));
      const SceneStep& one = a.push({k, k / 25.0}, seen);
      const SceneStep& two = b.push({k, k / 25.0}, seen);
      ASSERT_EQ(one.objects.size(), two.objects.size());
      for (size_t i = 0; i < one.objects.size(); ++i) {
        ASSERT_EQ(one.objects[i].id, two.objects[i].id);
        ASSERT_EQ(one.objects[i].detection.box, two.objects[i].detection.box);
        ASSERT_EQ(one.objects[i].from, two.objects[i].from);
      }
      ASSERT_EQ(one.crossings.size(), two.crossings.size());
    }
  }
}

TEST(Zones, InactiveOnesNeitherIncludeNorExclude) {
  Scene scene;
  scene.zones = {{.name = "all", .polygon = rectangle(0, 0, 1, 1)},
                 {.name = "tree", .kind = ZoneKind::exclude, .polygon = rectangle(0, 0, 0.5, 1)}};
  SceneWatch watch({200, 100}, scene, {.min_hits = 1, .merge_window = 0.1, .post_roll = 0});
  const std::vector<Detection> one = {at(10, 20)};
  EXPECT_EQ(watch.push({0, 0}, one).score, 0);
  watch.set_active(1);
  EXPECT_EQ(watch.push({1, 1}, one).objects.size(), 1u);
  EXPECT_TRUE(watch.push({2, 2}, one).zones[0].occupied);
  watch.set_active(2);
  EXPECT_TRUE(watch.push({3, 3}, one).objects.empty());
  EXPECT_FALSE(watch.push({4, 4}, one).zones[0].occupied);
}

TEST(Zones, ASceneIsCheckedUnderItsName) {
  Scene scene;
  scene.zones = {{.name = "all", .polygon = rectangle(0, 0, 1, 1)}};
  check_scene(scene);
  scene.zones.push_back(scene.zones[0]);
  EXPECT_EQ(test::error_of(ErrorCode::invalid_argument, [&] { check_scene(scene, "yard.json"); }),
            "yard.json: zones[1]: the name \"all\" is used twice; names must differ");
}

TEST(Zones, EventsOfMotionNeedNoObject) {
  SceneWatch watch({200, 100}, {},
                   {.min_hits = 100, .min_score = 3, .merge_window = 0.5, .post_roll = 0});
  std::vector<Event> ended;
  for (int k = 0; k < 30; ++k) {
    std::vector<Detection> seen;  // each somewhere else: 4 % of the frame, then 2 %
    if (k >= 5 && k < 10) seen.push_back(at((k * 77) % 150, 20));
    if (k >= 10 && k < 15) seen.push_back(at((k * 77) % 150, 20, 20, 20));
    const SceneStep& step = watch.push({k, k / 10.0}, seen);
    EXPECT_TRUE(step.objects.empty());
    ended.insert(ended.end(), step.ended.begin(), step.ended.end());
  }
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].first.index, 5);
  EXPECT_EQ(ended[0].last.index, 9);
  EXPECT_EQ(ended[0].best_id, 0);
  EXPECT_EQ(ended[0].best_box.height, 40);
  EXPECT_TRUE(ended[0].objects.empty());
}

}  // namespace
}  // namespace cuesta
