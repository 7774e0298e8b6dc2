// BoundaryQuality::high: its arithmetic, where each cue is read, and what the score must do to
// pictures. Strategies are held against the reference by test_verify.cpp.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "cuesta/boundaries.hpp"
#include "ops/boundaries/cues.hpp"
#include "ops/boundaries/reference.hpp"
#include "support/pictures.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

using test::equal;
using verify::Pattern;

constexpr BoundaryOptions high{.quality = BoundaryQuality::high};

template <class T>
Image<uint8_t> found(const Image<T>& src, const BoundaryOptions& options = high) {
  Image<uint8_t> dst(src.width(), src.height());
  boundaries(src, dst, options);
  return dst;
}

// ---- arithmetic

TEST(BoundaryQuality, LogarithmsAreLinearBetweenPowersOfTwo) {
  int32_t before = 0;
  for (uint32_t v = 8; v < 70000; ++v) {
    const int32_t log = boundary::log_from(v, 3);
    ASSERT_NEAR(log, 32 * std::log2(v / 8.0), 4) << v;
    ASSERT_GE(log, before) << v;
    before = log;
  }
  for (int32_t power = 3; power < 31; ++power)
    EXPECT_EQ(boundary::log_from(uint32_t(1) << power, 3), 32 * (power - 3));
}

TEST(BoundaryQuality, DirectionsAreSixteenthsOfAHalfTurn) {
  for (int32_t o = 0; o < boundary::directions; ++o) {
    const double angle = o * std::numbers::pi / boundary::directions;
    const auto n = boundary::direction_of(o);
    EXPECT_NEAR(n.x, 64 * std::cos(angle), 0.51) << o;
    EXPECT_NEAR(n.y, 64 * std::sin(angle), 0.51) << o;
    boundary::Tensor j;
    j.add(int32_t(std::lround(4000 * std::cos(angle))),
          int32_t(std::lround(4000 * std::sin(angle))));
    EXPECT_EQ(boundary::direction(j), o);
    for (const int32_t halves : {3, 6, 10, 16, 26, 32}) {
      EXPECT_NEAR(boundary::rounded_step(halves, n.x), halves / 2.0 * std::cos(angle), 0.65);
      EXPECT_EQ(boundary::rounded_step(halves, -n.x), -boundary::rounded_step(halves, n.x));
    }
  }
}

// A threshold counts in doublings: half of it is 0.6 lower.
TEST(BoundaryQuality, ThresholdsAreLogarithms) {
  const auto limits = boundary::score_limits({.threshold = 9});
  EXPECT_EQ(limits.strong, -16384);
  EXPECT_EQ(limits.weak, -16384 - 9830);
  EXPECT_EQ(boundary::score_limits({.threshold = 18}).weak, limits.strong);
  EXPECT_LT(boundary::score_limits({.threshold = 0}).strong, -1000000);
}

// ---- where cues are read

using View = ImageView<const int32_t>;

// Planes of level 0's size halved `level` times; sample (x, y) is given by a function.
struct Planes {
  std::vector<Image<int32_t>> kept;
  template <class Value>
  View make(int32_t level, const Value& value) {
    Image<int32_t> plane(64 >> level, 64 >> level);
    for (int32_t y = 0; y < plane.height(); ++y)
      for (int32_t x = 0; x < plane.width(); ++x) plane.at(x, y) = value(x, y);
    kept.push_back(std::move(plane));
    return kept.back();
  }
};

// A tensor whose contour is vertical, planes that rise to the right, and one sample in the middle:
// the sides differ by the distances of src/ops/boundaries/README.md.
TEST(BoundaryQuality, CuesAreReadAtTheirDistances) {
  Planes planes;
  planes.kept.reserve(40);
  const auto ramp = [&](int32_t level, int32_t step) {
    return planes.make(level, [=](int32_t x, int32_t) { return 1000 + step * x; });
  };
  const auto flat = [&](int32_t level, int32_t value) {
    return planes.make(level, [=](int32_t, int32_t) { return value; });
  };
  boundary::CueMaps<View, View> maps;
  maps.strengths = ramp(0, 16);
  const View down = planes.make(0, [](int32_t, int32_t y) { return 1 << 16 << (y / 8); });
  maps.tensor[0] = down, maps.tensor[1] = flat(0, 0), maps.tensor[2] = flat(0, 0);
  for (int32_t k = 0; k < 3; ++k) {
    maps.spread[k][0] = flat(k + 1, 5000);
    maps.spread[k][1] = flat(k + 1, 1000);
    maps.spread[k][2] = flat(k + 1, -500);
  }
  maps.brightness[0] = ramp(1, 8), maps.brightness[1] = ramp(2, 16);
  maps.has_colors = true;
  maps.red_green = ramp(0, 32), maps.red_green_far = ramp(3, 4), maps.yellow_blue_far = ramp(2, 64);
  maps.activity = flat(2, 777), maps.surround = flat(3, 555);
  maps.detail = ramp(1, 10), maps.texture = ramp(2, 20), maps.grain = ramp(1, 30);
  maps.mean_strength = 12, maps.mean_activity = 34, maps.max_surround = 56;

  const auto cues = boundary::CueReader(maps, 32, 32).read();
  const auto log = [](int32_t v) { return boundary::log_of(v); };
  using namespace boundary;
  EXPECT_EQ(cues.of[fine_gradient], log(8)) << "Sobel's sum over 8 of a ramp is its step";
  EXPECT_EQ(cues.of[coarse_gradient], log(16));
  EXPECT_EQ(cues.of[color_gradient], log(4));
  EXPECT_EQ(cues.of[near_activity], log(777));
  EXPECT_EQ(cues.of[far_activity], log(555));
  EXPECT_EQ(cues.of[energy_near], log(6000));
  EXPECT_EQ(cues.of[anisotropy_far], log(4000 + 375));
  EXPECT_EQ(cues.of[picture_strength], log(12));
  EXPECT_EQ(cues.of[picture_activity], log(34));
  EXPECT_EQ(cues.of[picture_surround], log(56));
  // 1.5 samples round to 2: level 1 has (34, 30) / 2, level 2 (34, 30) / 4.
  EXPECT_EQ(cues.of[detail_sides], log(1170));
  EXPECT_EQ(cues.of[detail_sides + 1], log(1150));
  EXPECT_EQ(cues.of[detail_sides + 4], log(1000 + 10 * 20));
  EXPECT_EQ(cues.of[texture_sides], log(1000 + 20 * 8));
  EXPECT_EQ(cues.of[texture_sides + 5], log(1000 + 20 * (19 / 4)));
  EXPECT_EQ(cues.of[grain_sides], log(30 * (35 / 2 - 29 / 2)));
  EXPECT_EQ(cues.of[parallel_larger], log(1000 + 16 * 35));
  EXPECT_EQ(cues.of[parallel_larger + 1], log(1000 + 16 * 37));
  EXPECT_EQ(cues.of[parallel_smaller], log(1000 + 16 * 30));
  EXPECT_EQ(cues.of[color_difference], log(32 * 6));
  EXPECT_EQ(cues.of[color_difference_far], log(64 * (45 / 4 - 19 / 4)));
  // Along the contour, upwards and downwards.
  const auto energy = [](int32_t y) {
    return log_from(uint32_t((1 << 16 << (y / 8)) >> 6) * 64 + 64, 6);
  };
  EXPECT_EQ(cues.of[contour_larger], energy(34));
  EXPECT_EQ(cues.of[contour_smaller], energy(30));
  EXPECT_EQ(cues.of[contour_larger + 3], energy(43));
  EXPECT_EQ(cues.of[contour_smaller + 4], energy(16));

  maps.has_colors = false;
  const auto gray = boundary::CueReader(maps, 32, 32).read();
  for (const Cue one : {color_gradient, color_difference, color_difference_far})
    EXPECT_EQ(gray.of[one], 0);
}

// ---- laws

Image<uint8_t> any_picture(int32_t channels) {
  Image<uint8_t> out(*rc::gen::inRange(1, 150), *rc::gen::inRange(1, 90), channels);
  verify::fill(out, *rc::gen::element(Pattern::natural, Pattern::noise, Pattern::blobs),
               *rc::gen::arbitrary<uint32_t>());
  return out;
}

RC_GTEST_PROP(BoundaryQuality, OfGrayInThreeChannelsAreThoseOfOne, ()) {
  const auto gray = any_picture(1);
  Image<uint8_t> color(gray.width(), gray.height(), 3);
  for (int32_t y = 0; y < gray.height(); ++y)
    for (int32_t x = 0; x < gray.width(); ++x)
      for (int32_t c = 0; c < 3; ++c) color.at(x, y, c) = gray.at(x, y);
  RC_ASSERT(equal(found(color), found(gray)));
}

RC_GTEST_PROP(BoundaryQuality, OfWordsAreThoseOfBytes, ()) {
  const auto bytes = any_picture(*rc::gen::element(1, 3));
  Image<uint16_t> words(bytes.width(), bytes.height(), bytes.channels());
  for (int32_t y = 0; y < bytes.height(); ++y)
    for (int32_t x = 0; x < bytes.width() * bytes.channels(); ++x)
      words.row(y)[x] = uint16_t(257 * bytes.row(y)[x]);
  RC_ASSERT(equal(found(words), found(bytes)));
}

RC_GTEST_PROP(BoundaryQuality, AHigherThresholdFindsASubset, ()) {
  const auto src = any_picture(3);
  const double low = *rc::gen::inRange(0, 40) / 2.0, more = *rc::gen::inRange(1, 40) / 2.0;
  const auto many = found(src, {low, BoundaryQuality::high});
  const auto few = found(src, {low + more, BoundaryQuality::high});
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) RC_ASSERT(few.at(x, y) <= many.at(x, y));
}

// Two surfaces of the same brightness that differ in texture alone, beside one step of brightness:
// the step is found, and the grains are not.
TEST(BoundaryQuality, StepsAreFoundAndGrainsAreNot) {
  Image<uint8_t> src(320, 200, 3);
  std::mt19937 random(7);
  for (int32_t y = 0; y < 200; ++y) {
    for (int32_t x = 0; x < 320; ++x) {
      const int noise = x >= 160 ? int(random() % 61) - 30 : 0;
      const int level = (x < 60 ? 60 : 130) + noise;
      for (int32_t c = 0; c < 3; ++c) src.at(x, y, c) = uint8_t(level);
    }
  }
  const auto edges = found(src);
  int64_t step = 0, grains = 0;
  for (int32_t y = 20; y < 180; ++y) {
    step += std::count(edges.row(y) + 57, edges.row(y) + 64, uint8_t(255));
    grains += std::count(edges.row(y) + 190, edges.row(y) + 310, uint8_t(255));
  }
  EXPECT_GE(step, 155);
  EXPECT_LE(grains, 160 * 120 / 200);
}

TEST(BoundaryQuality, DiffersFromFast) {
  Image<uint8_t> src(150, 100, 3);
  verify::fill(src, Pattern::natural, 3);
  EXPECT_FALSE(equal(found(src), found(src, {})));
}

// -- Planted faults -------------------------------------------------------------------------------

void fast_for_high(const BoundariesArgs& args, Call& call) {
  auto wrong = args;
  wrong.options.quality = BoundaryQuality::fast;
  boundaries_simd(wrong, call);
}
void another_threshold(const BoundariesArgs& args, Call& call) {
  auto wrong = args;
  if (args.options.quality == BoundaryQuality::high) wrong.options.threshold *= 1.25;
  boundaries_simd(wrong, call);
}

TEST(BoundaryQuality, PlantedFaultsAreCaught) {
  verify::expect_caught<BoundariesArgs>(fast_for_high, "the other quality");
  verify::expect_caught<BoundariesArgs>(another_threshold, "another threshold");
}

}  // namespace
}  // namespace cuesta
