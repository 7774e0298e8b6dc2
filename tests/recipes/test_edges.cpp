// The recipe of edges: what it makes of each kind of picture, and that it says so beforehand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cuesta/bands.hpp"
#include "cuesta/recipes.hpp"
#include "cuesta/recipes/edges.hpp"
#include "cuesta/recipes/filter.hpp"
#include "cuesta/recipes/label.hpp"
#include "ops/convolve/options.hpp"
#include "ops/label/options.hpp"
#include "ops/median/options.hpp"
#include "recipes/largest_magnitude.hpp"
#include "recipes/options.hpp"
#include "support/errors.hpp"

namespace cuesta {
namespace {

using recipes::EdgesRecipe;
using test::error_of;

AnyImage drawn(int32_t width, int32_t height, int32_t channels, PixelType type) {
  std::mt19937 random(uint32_t(width * 31 + channels));
  AnyImage picture(width, height, channels, type);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t i = 0; i < width * channels; ++i) {
      const auto cell = uint32_t((i / channels / 9) * 7919 + (y / 7) * 104729 + i % channels * 31);
      const uint32_t level = ((cell * 2654435761U) >> 16) ^ (random() & 7);
      if (type == PixelType::u8)
        picture.as<uint8_t>().row(y)[i] = uint8_t(level);
      else if (type == PixelType::u16)
        picture.as<uint16_t>().row(y)[i] = uint16_t(level);
      else
        picture.as<float>().row(y)[i] = float(level & 0xFFFF) / 65535;
    }
  }
  return picture;
}

template <class T>
bool same(ConstAnyView a, ConstAnyView b) {
  if (a.size() != b.size() || a.type != b.type || a.channels != b.channels) return false;
  for (int32_t y = 0; y < a.height; ++y) {
    if (std::memcmp(a.as<T>().row(y), b.as<T>().row(y), sizeof(T) * size_t(a.width * a.channels)))
      return false;
  }
  return true;
}

AnyImage first_channels(ConstAnyView picture, int32_t channels) {
  AnyImage out(picture.size(), channels, picture.type);
  keep_channels(picture, AnyView(out));
  return out;
}

AnyImage gray_levels(ConstAnyView picture) {
  AnyImage out(picture.size(), 1, picture.type);
  to_gray(picture, AnyView(out));
  return out;
}

// The sigma of what canny sees of a picture.
double sigma_of(ConstAnyView seen) {
  SigmaBands bands(seen.width);
  bands.count(seen, 0, seen.height);
  return bands.find_sigma();
}

TEST(EdgesRecipe, CannySeesTheColorsWithoutAlpha) {
  for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32}) {
    for (const int32_t channels : {1, 2, 3, 4}) {
      const AnyImage picture = drawn(90, 70, channels, type);
      const AnyImage seen = first_channels(picture, channels <= 2 ? 1 : 3);
      AnyImage expected(picture.size(), 1, PixelType::u8);
      canny(ConstAnyView(seen), AnyView(expected), {.sigma = sigma_of(seen)});
      EXPECT_TRUE(same<uint8_t>(edges(picture), expected)) << channels << name_of(type);
      const AnyImage gray = gray_levels(picture);
      canny(ConstAnyView(gray), AnyView(expected), {.sigma = sigma_of(gray)});
      EXPECT_TRUE(same<uint8_t>(edges(picture, CannyEdges{.color = EdgeColor::gray}), expected));
    }
  }
}

TEST(EdgesRecipe, LogSeesGrayLevelsWithTheDefaultsOfItsMode) {
  for (const PixelType type : {PixelType::u8, PixelType::u16}) {
    const AnyImage picture = drawn(90, 70, 3, type), gray = gray_levels(picture);
    const double level = type == PixelType::u16 ? 257 : 1;
    AnyImage expected(picture.size(), 1, PixelType::u8);
    log_edges(ConstAnyView(gray), AnyView(expected),
              {.mode = LogMode::zero_crossings, .threshold = 0.3 * level, .sigma = 3.5});
    EXPECT_TRUE(same<uint8_t>(edges(picture, LogEdges{}), expected));
    log_edges(ConstAnyView(gray), AnyView(expected), {.threshold = 5 * level});
    EXPECT_TRUE(same<uint8_t>(edges(picture, LogEdges{.mode = LogMode::threshold}), expected));
    log_edges(ConstAnyView(gray), AnyView(expected), {.threshold = 9, .sigma = 2});
    EXPECT_TRUE(same<uint8_t>(
        edges(picture, LogEdges{.mode = LogMode::threshold, .threshold = 9, .sigma = 2}),
        expected));
  }
}

// The largest magnitude is that of the picture whose samples agree with the signs of the taps.
TEST(EdgesRecipe, SobelsLargestMagnitudeIsWhite) {
  for (const int aperture : {3, 5, 7}) {
    EXPECT_EQ(recipes::largest_magnitude(aperture, Norm::l1), (aperture == 3   ? 6
                                                               : aperture == 5 ? 70
                                                                               : 924))
        << aperture;
    const int n = aperture, r = n / 2;
    double most = 0;
    Image<float> picture(4 * n + 1, 4 * n + 1), magnitude(picture.size());
    for (int degree = 0; degree < 360; degree += 5) {  // half planes through the middle
      const double angle = degree * 3.14159265358979 / 180;
      for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
          picture.at(x, y) =
              std::cos(angle) * (x - 2 * n) + std::sin(angle) * (y - 2 * n) > 1e-9 ? 1.0F : 0.0F;
      sobel(ConstAnyView(picture), SobelOutputs{.magnitude = magnitude},
            {.aperture = n, .norm = Norm::l2});
      most = std::max(most, double(magnitude.at(2 * n, 2 * n)));
    }
    EXPECT_LE(most, recipes::largest_magnitude(n, Norm::l2) * (1 + 1e-4)) << r;
    EXPECT_GE(most, 0.9 * recipes::largest_magnitude(n, Norm::l2)) << r;
  }
}

TEST(EdgesRecipe, SobelKeepsTheTypeOrMakesAMask) {
  for (const PixelType type : {PixelType::u8, PixelType::u16, PixelType::f32}) {
    const AnyImage picture = drawn(64, 48, 3, type);
    for (const int aperture : {3, 5, 7}) {
      const AnyImage strength = edges(picture, SobelEdges{.aperture = aperture});
      EXPECT_EQ(strength.type(), type);
      const AnyImage mask = edges(picture, SobelEdges{.aperture = aperture, .threshold = 10});
      EXPECT_EQ(mask.type(), PixelType::u8);
    }
  }
  Image<uint8_t> step(32, 32);
  for (int32_t y = 0; y < 32; ++y)
    for (int32_t x = 0; x < 32; ++x) step.at(x, y) = x < 16 ? 0 : 255;
  const AnyImage strength = edges(step, SobelEdges{});
  // |gx| is 4 of at most 6 times white.
  EXPECT_EQ(strength.as<uint8_t>().at(16, 16), 170);
}

TEST(EdgesRecipe, GivenThresholdsCountInTheFilesLevels) {
  const AnyImage picture = drawn(90, 70, 1, PixelType::u16);
  const EdgesRecipe recipe(CannyEdges{.thresholds = Given{2, 6}});
  AnyImage out(picture.size(), 1, PixelType::u8), expected(picture.size(), 1, PixelType::u8);
  const EdgesResult found = recipe.run(picture, AnyView(out), {}, 1000, recipes::execs_of({}));
  canny(ConstAnyView(picture), AnyView(expected),
        {.sigma = sigma_of(picture), .thresholds = Given{2000, 6000}});
  EXPECT_TRUE(same<uint8_t>(out, expected));
  EXPECT_EQ(found.sigma, sigma_of(picture));
  EXPECT_EQ(found.thresholds->low, 2);
  EXPECT_EQ(found.thresholds->high, 6);
}

TEST(EdgesRecipe, ASigmaThatIsGivenIsUsedAndReported) {
  const AnyImage picture = drawn(90, 70, 3, PixelType::u8);
  AnyImage out(picture.size(), 1, PixelType::u8), expected(picture.size(), 1, PixelType::u8);
  for (const double sigma : {0.0, 0.8, 3.0}) {
    EXPECT_EQ(edges(picture, AnyView(out), CannyEdges{.sigma = sigma}).sigma, sigma);
    canny(ConstAnyView(picture), AnyView(expected), {.sigma = sigma});
    EXPECT_TRUE(same<uint8_t>(out, expected));
  }
  EXPECT_FALSE(edges(picture, AnyView(out), LogEdges{}).sigma);
}

// A disk whose outline is closed, in this type.
AnyImage disk(PixelType type) {
  AnyImage picture(400, 400, 1, type);
  for (int32_t y = 0; y < 400; ++y) {
    for (int32_t x = 0; x < 400; ++x) {
      const bool inside = (x - 200) * (x - 200) + (y - 200) * (y - 200) < 10000;
      const int level = inside ? 200 : 50;
      if (type == PixelType::u8)
        picture.as<uint8_t>().at(x, y) = uint8_t(level);
      else if (type == PixelType::u16)
        picture.as<uint16_t>().at(x, y) = uint16_t(level * 257);
      else
        picture.as<float>().at(x, y) = float(level);
    }
  }
  return picture;
}

// Rounding after a wide Gaussian would draw contour lines.
TEST(EdgesRecipe, CannyHasTheOutlineOfADiskAtEverySigma) {
  const AnyImage numbers = disk(PixelType::f32);
  for (const PixelType type : {PixelType::u8, PixelType::u16}) {
    const AnyImage picture = disk(type);
    for (const double sigma : {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0, 30.0, 42.0}) {
      const AnyImage found = edges(picture, CannyEdges{.sigma = sigma});
      const auto pieces = label(found.as<uint8_t>()).components;
      int64_t pixels = 0;
      for (const Component& one : pieces) pixels += one.area;
      EXPECT_GT(pixels, 650) << name_of(type) << sigma;
      EXPECT_LT(pixels, 750) << name_of(type) << sigma;
      EXPECT_EQ(pieces.size(), 1U) << name_of(type) << sigma;
      if (sigma < 6 || type != PixelType::u8) continue;
      const AnyImage expected = edges(numbers, CannyEdges{.sigma = sigma});
      EXPECT_TRUE(same<uint8_t>(found, expected)) << sigma;
    }
  }
}

// A small window does not smooth much, whatever its sigma; strengths have the fractions, too.
TEST(EdgesRecipe, CannysFractionsFollowTheSpreadOfItsWindow) {
  const recipes::PictureKind kind{PixelType::u8, 3};
  const EdgesRecipe narrow(CannyEdges{.sigma = 20, .ksize = 5});
  EXPECT_EQ(narrow.seen(kind).type, PixelType::u8);
  const EdgesRecipe wide(CannyEdges{.sigma = 5, .strength = true});
  EXPECT_EQ(wide.seen(kind).type, PixelType::f32);
  EXPECT_EQ(wide.seen(kind).channels, 3);
  EXPECT_EQ(wide.output(kind).type, PixelType::f32);
  EXPECT_EQ(edges_type(PixelType::u8, CannyEdges{.sigma = 3, .strength = true}), PixelType::u16);
  EXPECT_EQ(wide.seen({PixelType::u16, 1}).type, PixelType::u16);
  EXPECT_EQ(EdgesRecipe(CannyEdges{.sigma = 6}).seen({PixelType::u16, 1}).type, PixelType::f32);
}

// Lines need the sigma that the edges were found with.
TEST(EdgesRecipe, LinesUseTheSigmaOfThePicture) {
  for (const int32_t channels : {1, 3}) {
    const AnyImage picture = drawn(90, 70, channels, PixelType::u8);
    EXPECT_EQ(edge_lines(picture), edge_lines(picture, CannyEdges{.sigma = sigma_of(picture)}));
  }
}

TEST(EdgesRecipe, SettledHasTheSigmaOfOnePicture) {
  const AnyImage picture = drawn(90, 70, 1, PixelType::u8);
  const EdgesRecipe recipe{CannyEdges{}};
  EXPECT_TRUE(recipe.finds_sigma());
  const auto settled = recipe.settled(picture, {}, {});
  ASSERT_NE(settled, nullptr);
  EXPECT_FALSE(settled->finds_sigma());
  EXPECT_EQ(settled->as_canny({})->sigma, sigma_of(picture));
  EXPECT_EQ(settled->settled(picture, {}, {}), nullptr);
  EXPECT_EQ(EdgesRecipe(LogEdges{}).settled(picture, {}, {}), nullptr);
}

// What a run says that it chose.
struct Watcher : StageObserver {
  std::vector<std::string> chosen_ones;
  void chosen(const Choice& choice) override {
    chosen_ones.push_back(fmt::format("{}:{}", choice.operation, choice.strategy));
  }
  void stage(std::string_view, void*) override {}
  void statistic(std::string_view, double) override {}
};

TEST(EdgesRecipe, ThePlanIsWhatRuns) {
  const EdgesOptions all[] = {CannyEdges{},
                              CannyEdges{.color = EdgeColor::gray},
                              LogEdges{},
                              LogEdges{.mode = LogMode::threshold},
                              SobelEdges{},
                              SobelEdges{.sigma = 2, .aperture = 7},
                              SobelEdges{.threshold = 5},
                              BoundaryOptions{},
                              RegionEdges{},
                              RegionEdges{.quality = BoundaryQuality::fast, .labels = true}};
  for (const EdgesOptions& options : all) {
    for (const int32_t channels : {1, 2, 3, 4}) {
      const AnyImage picture = drawn(64, 48, channels, PixelType::u8);
      Watcher watcher;
      AnyImage out(picture.size(), 1, edges_type(PixelType::u8, options));
      edges(picture, AnyView(out), options, {.observer = &watcher});
      std::vector<std::string> planned;
      for (const Choice& choice : which_all([&](const Exec& exec) {
             edges(placeholder(64, 48, PixelType::u8, channels), placeholder(64, 48, out.type()),
                   options, exec);
           }))
        planned.push_back(fmt::format("{}:{}", choice.operation, choice.strategy));
      EXPECT_FALSE(planned.empty());
      // Operations inside others (canny's own smoothing) report themselves only when they run.
      for (const std::string& one : planned)
        EXPECT_NE(std::ranges::find(watcher.chosen_ones, one), watcher.chosen_ones.end()) << one;
    }
  }
}

// Every described option is part of the key: another value, another key.
template <class Options>
void expect_keys_differ(const Options& defaults, const auto& key) {
  std::set<std::string> keys = {key(defaults)};
  size_t count = 0;
  for_each_field<Options>([&]<class T>(const Field<Options, T>& one) {
    Options other = defaults;
    T& value = one.at(other);
    if constexpr (NamedEnum<T>)
      value = T(int(value) + 1 < int(names_of(T{}).size()) ? int(value) + 1 : 0);
    else if constexpr (std::same_as<T, Thresholds>)
      value = Given{1, 2};
    else if constexpr (std::same_as<T, Border>)
      value = {BorderMode::constant, 7};
    else if constexpr (std::same_as<T, std::optional<Border>>)
      value = Border{BorderMode::constant, 7};
    else if constexpr (std::same_as<T, std::optional<double>>)
      value = 8.5;
    else if constexpr (std::same_as<T, bool>)
      value = !value;
    else if (one.limits.choice_count > 0)
      value = T(one.limits.choices[value == T(one.limits.choices[0]) ? 1 : 0]);
    else if (double(value) + 2 > one.limits.high)
      value = T(value / 2);
    else
      value = one.limits.odd && value == T(0) ? T(7) : T(value + 2);
    keys.insert(key(other));
    ++count;
  });
  EXPECT_EQ(keys.size(), count + 1);
}

TEST(RecipeKeys, EveryOptionIsInThem) {
  const auto of_edges = [](const auto& options) { return EdgesRecipe(options).key(); };
  expect_keys_differ(CannyEdges{}, of_edges);
  expect_keys_differ(LogEdges{}, of_edges);
  expect_keys_differ(SobelEdges{}, of_edges);
  expect_keys_differ(BoundaryOptions{}, of_edges);
  expect_keys_differ(RegionEdges{}, of_edges);
  const auto of_filter = [](const auto& options) { return recipes::FilterRecipe(options).key(); };
  expect_keys_differ(GaussianOptions{.sigma = 1}, of_filter);
  expect_keys_differ(BoxOptions{}, of_filter);
  expect_keys_differ(SharpenOptions{}, of_filter);
  expect_keys_differ(MedianOptions{}, of_filter);
  expect_keys_differ(FilterOptions{}, [&](const FilterOptions& options) {
    return of_filter(StencilFilter{stencils::laplacian(), options});
  });
  expect_keys_differ(LabelOptions{}, [](const LabelOptions& options) {
    return recipes::LabelRecipe(options, 0).key();
  });
  EXPECT_NE(recipes::LabelRecipe({}, 0).key(), recipes::LabelRecipe({}, 1).key());
  EXPECT_NE(of_filter(StencilFilter{stencils::average(3), {}}),
            of_filter(StencilFilter{stencils::average(5), {}}));
}

TEST(EdgeLines, AreOfTheEdgesThatEdgesFinds) {
  // Two colors of one gray level: an edge that gray levels do not have.
  Image<uint8_t> picture(80, 60, 3);
  for (int32_t y = 0; y < 60; ++y) {
    for (int32_t x = 0; x < 80; ++x) {
      const bool inside = x >= 20 && x < 60 && y >= 15 && y < 45;
      picture.at(x, y, 0) = inside ? 220 : 60;
      picture.at(x, y, 1) = inside ? 60 : 141;
      picture.at(x, y, 2) = 90;
    }
  }
  for (const EdgeColor color : {EdgeColor::strongest, EdgeColor::structure}) {
    const CannyEdges options{.sigma = 1, .color = color};
    const Polylines lines = edge_lines(picture, options);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].closed);
    for (const LinePoint& p : lines[0].points) {
      const double away = std::min(
          {std::abs(p.x - 19.5), std::abs(p.x - 59.5), std::abs(p.y - 14.5), std::abs(p.y - 44.5)});
      EXPECT_LT(away, 1.0) << p.x << ", " << p.y;
      EXPECT_GT(p.strength, 0);
    }
    EXPECT_EQ(edge_lines(picture, options, {}, {.threads = 1}), lines);
  }
  const CannyEdges gray{.sigma = 1, .thresholds = Given{20, 40}, .color = EdgeColor::gray};
  EXPECT_TRUE(edge_lines(picture, gray).empty());
}

TEST(EdgeLines, ThreeEqualChannelsAreTheGrayPictures) {
  const AnyImage gray = drawn(90, 70, 1, PixelType::u8);
  Image<uint8_t> color(90, 70, 3);
  for (int32_t y = 0; y < 70; ++y)
    for (int32_t x = 0; x < 90; ++x)
      for (int32_t c = 0; c < 3; ++c) color.at(x, y, c) = gray.as<uint8_t>().at(x, y);
  EXPECT_EQ(edge_lines(color), edge_lines(gray));
  EXPECT_FALSE(edge_lines(gray).empty());
}

TEST(EdgesRecipe, RegionsAreThoseOfTheStrengthsOfBoundaries) {
  const AnyImage picture = drawn(64, 48, 3, PixelType::u8);
  Image<uint16_t> strengths(64, 48);
  boundaries(picture, strengths, {.quality = BoundaryQuality::high});
  Image<uint8_t> contours(64, 48);
  regions(strengths, contours);
  EXPECT_TRUE(same<uint8_t>(edges(picture, RegionEdges{}), contours));
  const Image<int32_t> labels = regions(strengths, {.threshold = 0.2});
  const AnyImage found = edges(picture, RegionEdges{.threshold = 0.2, .labels = true});
  ASSERT_EQ(found.type(), PixelType::s32);
  EXPECT_TRUE(same<int32_t>(found, labels));
}

TEST(EdgesRecipe, WhatItRefuses) {
  const AnyImage picture = drawn(32, 32, 1, PixelType::u8);
  const auto refused = [&](const EdgesOptions& options) {
    return error_of(ErrorCode::invalid_argument, [&] { edges(picture, options); });
  };
  EXPECT_EQ(refused(CannyEdges{.aperture = 4}), "canny: aperture is 4; it must be 3, 5 or 7");
  EXPECT_EQ(refused(LogEdges{.sigma = 0}), "log: sigma is 0; it must be above 0");
  EXPECT_EQ(refused(SobelEdges{.aperture = 9}),
            "sobel: aperture is 9; it must be 3, 5 or 7 (for more, smooth the picture first)");
  EXPECT_EQ(refused(CannyEdges{.thresholds = Given{9, 5}}),
            "canny: low is 9 and high is 5; low must not exceed high");
  EXPECT_EQ(refused(CannyEdges{.thresholds = Given{-3, 40}}),
            "canny: low is -3; it must be 0 or more");
  EXPECT_EQ(refused(CannyEdges{.thresholds = Given{-2, -4}}),
            "canny: threshold is -4; it must be 0 or more");
  EXPECT_NE(refused(BoundaryOptions{.threshold = -1}).find("boundaries: threshold is -1"),
            std::string::npos);
  EXPECT_NE(refused(RegionEdges{.threshold = 1.5}).find("regions: threshold is 1.5"),
            std::string::npos);
  EXPECT_EQ(
      error_of(ErrorCode::invalid_argument, [&] { edge_lines(picture, SobelEdges{}); }),
      "lines: sobel does not support lines; use method canny, or log with mode zero-crossings");
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [] { recipes::edges_options("prewitt"); }),
            "edges: method is 'prewitt'; it must be canny, log, sobel, boundaries or regions");
}

}  // namespace
}  // namespace cuesta
