// Descriptions of options: every default is one of the values that it may be, and every operation
// refuses what its description does not allow, by name.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "cuesta/cuesta.hpp"
#include "ops/boundaries/options.hpp"
#include "ops/canny/options.hpp"
#include "ops/clean/options.hpp"
#include "ops/log/options.hpp"
#include "ops/median/options.hpp"
#include "ops/motion/options.hpp"
#include "ops/regions/options.hpp"
#include "support/errors.hpp"
#include "track/options.hpp"

namespace cuesta {
namespace {

// Calls body(a value of Options, the operation's name, a call with options) for every struct.
template <class Body>
void for_each_operation_with_options(Body&& body) {
  static const Image<uint8_t> src(9, 7);
  static Image<uint8_t> dst(9, 7);
  const auto element = StructuringElement::rectangle(3, 3);
  body("canny", [](const CannyOptions& o) { canny(src, dst, o); });
  static const Image<int16_t> gradient(9, 7);
  body("canny",
       [](const CannyGradientOptions& o) { canny_of_gradients(gradient, gradient, dst, o); });
  body("boundaries", [](const BoundaryOptions& o) { boundaries(src, dst, o); });
  body("regions", [](const RegionOptions& o) { regions(src, dst, o); });
  body("log", [](const LogOptions& o) { log_edges(src, dst, o); });
  body("sobel",
       [](const SobelOptions& o) { sobel(ConstAnyView(src), SobelOutputs{.magnitude = dst}, o); });
  body("laplacian", [](const FilterOptions& o) { laplacian(src, dst, o); });
  body("gaussian", [](const GaussianOptions& o) { gaussian(src, dst, o); });
  body("box", [](const BoxOptions& o) { box(src, dst, o); });
  body("sharpen", [](const SharpenOptions& o) { sharpen(src, dst, o); });
  body("median", [](const MedianOptions& o) { median(src, dst, o); });
  body("morphology", [&](const MorphologyOptions& o) { erode(src, dst, element, o); });
  body("remove_small", [](const RemoveSmallOptions& o) { remove_small(src, dst, o); });
  body("fill_holes", [](const FillHolesOptions& o) { fill_holes(src, dst, o); });
  body("label", [](const LabelOptions& o) { label(src, AnyView(), nullptr, o); });
  body("background", [](const BackgroundOptions& o) { BackgroundSubtractor subtractor(o); });
  body("motion", [](const MotionOptions& o) { MotionDetector detector(o); });
  body("motion", [](const DownscaleOptions& o) { Downscale small(o); });
  body("tracking", [](const TrackingOptions& o) { Tracker tracker(o); });
}

template <class Call>
struct OptionsOf;
template <class Call, class Options>
struct OptionsOf<void (Call::*)(const Options&) const> {
  using type = Options;
};
template <class Call>
using options_of = typename OptionsOf<decltype(&Call::operator())>::type;

std::string refused(const std::function<void()>& call) {
  return test::error_of(ErrorCode::invalid_argument, call);
}

TEST(Options, EveryDefaultIsAllowedAndEveryNameIsSaidOnce) {
  for_each_operation_with_options([]<class Call>(const char* operation, Call) {
    const options_of<Call> defaults{};
    std::set<std::string_view> names;
    for_each_field<options_of<Call>>([&](const auto& one) {
      EXPECT_EQ(wrong(one.get(defaults), one.limits), "") << operation << ": " << one.name;
      EXPECT_TRUE(names.insert(one.name).second) << operation << ": " << one.name;
      EXPECT_FALSE(one.words.empty()) << operation << ": " << one.name;
      EXPECT_FALSE(one.words.ends_with('.')) << operation << ": " << one.name;
    });
    EXPECT_FALSE(names.empty()) << operation;
  });
}

TEST(Options, EveryNumberOutsideItsLimitsIsRefusedByName) {
  int tried = 0;
  for_each_operation_with_options([&]<class Call>(const char* operation, Call call) {
    using Options = options_of<Call>;
    for_each_field<Options>([&]<class T>(const Field<Options, T>& one) {
      if constexpr ((std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool>) {
        for (const double value : {-1e9, -1.0, 0.0, 2.0, 6.0, 256.0, 1e9, double(NAN)}) {
          if (std::integral<T> && std::isnan(value)) continue;
          if (wrong(T(value), one.limits).empty()) continue;
          Options options{};
          one.at(options) = T(value);
          const std::string says = refused([&] { call(options); });
          const std::string expected =
              fmt::format("{}: {} is {}; it must be ", operation, one.name, text_of(T(value)));
          EXPECT_TRUE(says.starts_with(expected)) << says << " for " << expected;
          ++tried;
        }
      }
    });
  });
  EXPECT_GT(tried, 60);
}

TEST(Options, NamesWithoutAValueAndBordersWithoutANumberAreRefused) {
  const Image<uint8_t> src(9, 7);
  Image<uint8_t> dst(9, 7);
  EXPECT_EQ(refused([&] { canny(src, dst, {.norm = Norm(7)}); }),
            "canny: norm is ?; it must be l1 or l2");
  EXPECT_EQ(refused([&] {
              box(src, dst, {.n = 3, .border = {BorderMode::constant, NAN}});
            }),
            "box: border is constant:nan; it must be constant with a finite value");
  EXPECT_EQ(refused([&] {
              canny(src, dst, {.thresholds = Automatic{AutoThreshold::percentile, 101}});
            }),
            "canny: threshold is auto:percentile:101; it must be a percentile of 0 to 100");
  EXPECT_EQ(
      refused([&] { MotionDetector detector({.threshold = DifferenceThreshold::automatic(-1)}); }),
      "motion: threshold is auto:-1; it must be 0 or more");
}

TEST(Options, WhatIsTooLargeHasAWay) {
  const Image<uint8_t> src(9, 7);
  Image<uint8_t> dst(9, 7);
  EXPECT_EQ(refused([&] { median(src, dst, {.ksize = 257}); }),
            "median: ksize is 257; it must be odd, 1 to 255 (for more, make the picture smaller "
            "first)");
  EXPECT_EQ(refused([&] { median(src, dst, {.ksize = 4}); }),
            "median: ksize is 4; it must be odd, 1 to 255");
  EXPECT_EQ(refused([&] { box(src, dst, {.n = 301}); }),
            "box: n is 301; it must be 1 to 255 (for more, apply smaller ones in turn, or make the "
            "picture smaller first)");
  EXPECT_EQ(refused([&] { gaussian(src, dst, {.ksize = 301}); }),
            "gaussian: ksize is 301; it must be odd, 1 to 255 (for more, smooth twice by "
            "sigma / 1.414, or make the picture smaller first), or 0 (from sigma)");
  EXPECT_EQ(refused([&] { log_edges(src, dst, {.sigma = 43}); }),
            "log: sigma is 43; without a ksize it must be at most 42 (for more, make the picture "
            "smaller first)");
  EXPECT_EQ(refused([&] { sobel(src, {.magnitude = dst}, {.aperture = 31}); }),
            "sobel: aperture is 31; it must be 3, 5 or 7 (for more, smooth the picture first)");
  EXPECT_EQ(refused([] { (void)stencils::sobel(1, 0, 31); }),
            "sobel: aperture is 31; it must be 1, 3, 5 or 7 (for more, smooth the picture first)");
  EXPECT_EQ(refused([] { (void)stencils::average(301); }),
            "average: n is 301; it must be 1 to 255 (for more, apply smaller ones in turn, or make "
            "the picture smaller first)");
  const std::vector<float> taps(301 * 301);
  EXPECT_EQ(refused([&] { (void)Stencil::floats(301, 301, taps); }),
            "stencil is 301 x 301; both sides must be 1 to 255 (for more, apply smaller ones in "
            "turn, or make the picture smaller first)");
  EXPECT_EQ(
      refused([] { StructuringElement::disk(257); }),
      "disk: diameter is 257; it must be odd, 1 to 255 (for more, apply smaller ones in turn, "
      "or make the picture smaller first)");
}

TEST(Options, ElementsHaveTheTextTheyAreParsedFrom) {
  for (const char* text : {"disk:15", "ellipse:15", "ellipse:9x4", "rect:3", "rect:5x3", "cross:5"})
    EXPECT_EQ(text_of(StructuringElement::parse(text)), text);
  EXPECT_EQ(text_of(StructuringElement::rectangle(1, 1)), "none");
  const uint8_t corner[] = {1, 0, 0, 0};
  EXPECT_EQ(text_of(StructuringElement(2, 2, corner)), "a 2x2 element");
}

}  // namespace
}  // namespace cuesta
