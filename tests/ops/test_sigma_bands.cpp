// The sigma of a picture: the definition in a few lines, in bands, by every strategy and type, and
// what it is for kinds of pictures that are drawn here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "cuesta/bands.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"
#include "support/bands.hpp"
#include "support/drawings.hpp"
#include "support/errors.hpp"

namespace cuesta {
namespace {

using test::drawn_canny, test::drawn_cuts, test::error_of;

double sigma_of(ConstAnyView picture, const Exec& exec = {}) {
  SigmaBands bands(picture.width);
  bands.count(picture, 0, picture.height, exec);
  return bands.find_sigma();
}

// |gx| + |gy| of a picture of one channel, smoothed, its border repeated.
std::vector<uint64_t> magnitudes(const Image<uint8_t>& picture, double sigma) {
  Image<uint8_t> smooth(picture.size());
  gaussian(picture, smooth, {.sigma = sigma});
  Image<uint16_t> magnitude(picture.size());
  sobel(ConstAnyView(smooth), SobelOutputs{.magnitude = magnitude},
        {.border = {BorderMode::replicate}});
  std::vector<uint64_t> bins(2041);
  for (int32_t y = 0; y < picture.height(); ++y)
    for (int32_t x = 0; x < picture.width(); ++x) ++bins[magnitude.at(x, y)];
  return bins;
}
double median(const std::vector<uint64_t>& bins) {
  uint64_t all = 0, below = 0;
  for (const uint64_t n : bins) all += n;
  for (size_t m = 0; m < bins.size(); ++m)
    if (2 * (below += bins[m]) >= all) return double(m);
  return 0;
}
double defined(const Image<uint8_t>& picture) {
  std::vector<uint64_t> fine = magnitudes(picture, 1), coarse = magnitudes(picture, 3);
  const double m1 = median(fine), m3 = std::max(1.0, median(coarse));
  fine[0] = 0;
  const double t = otsu_threshold(fine);
  if (m1 >= 110) return 1;
  const double s = m1 == 0 ? 0 : t == 0 ? INFINITY : m1 * m1 / (t * m3);
  return s <= 0.3 ? 1 : s <= 0.7 ? 1.4 : s <= 0.9 ? 2 : 3;
}

// Disks of several gray levels on one ground, with noise of this deviation.
Image<uint8_t> disks(double noise, int count = 12, int ground = 90) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, noise > 0 ? noise : 1);
  Image<uint8_t> picture(220, 160);
  for (int32_t y = 0; y < 160; ++y) {
    for (int32_t x = 0; x < 220; ++x) {
      double level = ground;
      for (int i = 0; i < count; ++i) {
        const int cx = 37 * i % 220, cy = 53 * i % 160, r = 8 + 5 * i % 17;
        if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < r * r) level = 30 + 60 * i % 190;
      }
      if (noise > 0) level += normal(random);
      picture.at(x, y) = uint8_t(std::clamp(std::lround(level), 0L, 255L));
    }
  }
  return picture;
}

// Lines of one pixel, as text and drawings have them.
Image<uint8_t> strokes() {
  Image<uint8_t> picture(220, 160);
  for (int32_t y = 0; y < 160; ++y)
    for (int32_t x = 0; x < 220; ++x)
      picture.at(x, y) = (x % 9 == 0 && y % 12 < 8) || (y % 12 == 7 && x % 9 < 5) ? 20 : 250;
  return picture;
}

Image<uint8_t> black(int32_t width, int32_t height) {
  Image<uint8_t> picture(width, height);
  for (int32_t y = 0; y < height; ++y) std::fill_n(picture.row(y), width, uint8_t(0));
  return picture;
}

std::vector<Image<uint8_t>> pictures() {
  std::vector<Image<uint8_t>> all;
  for (int noise = 0; noise < 30; noise += 2) all.push_back(disks(noise));
  for (const int count : {0, 3, 40}) all.push_back(disks(6, count));
  all.push_back(strokes());
  all.push_back(drawn_spiral(150, true));
  all.push_back(black(40, 30));
  all.push_back(black(1, 1));
  return all;
}

TEST(SigmaBands, IsItsDefinition) {
  std::vector<double> seen;
  for (const Image<uint8_t>& picture : pictures()) {
    seen.push_back(sigma_of(picture));
    EXPECT_EQ(seen.back(), defined(picture)) << seen.size();
  }
  for (const double sigma : SigmaBands::sigmas)
    EXPECT_GT(std::ranges::count(seen, sigma), 0) << sigma;
}

TEST(SigmaBands, KindsOfPictures) {
  EXPECT_EQ(sigma_of(strokes()), 1);
  EXPECT_EQ(sigma_of(disks(0)), 1);
  EXPECT_EQ(sigma_of(disks(1.5)), 1);       // smoothing rounds this noise away
  EXPECT_EQ(sigma_of(disks(8, 0)), 3);      // noise
  EXPECT_EQ(sigma_of(disks(8, 2, 14)), 3);  // a night
  EXPECT_EQ(sigma_of(black(9, 9)), 1);      // nothing
}

TEST(SigmaBands, EveryCutAndStrategyAgrees) {
  std::mt19937 random(11);
  for (int i = 0; i < 30; ++i) {
    const auto [src, mask, options] = drawn_canny(150, 150, random);
    const double whole = sigma_of(src);
    for (const char* strategy : {"", "serial", "rows"}) {
      SigmaBands bands(src.width()), other(src.width());
      int32_t begin = 0;
      for (const int32_t end : drawn_cuts(src.height(), random)) {
        const int32_t low = std::max(0, begin - bands.reach());
        const int32_t high = std::min(src.height(), end + bands.reach());
        const ConstAnyView rows = ConstAnyView(src).region({0, low, src.width(), high - low});
        (begin % 2 ? bands : other).count(rows, begin - low, end - low, {.strategy = strategy});
        begin = end;
      }
      bands.add_counts(other.counts(), src.type());
      EXPECT_EQ(bands.find_sigma(), whole) << i << strategy;
    }
  }
}

TEST(SigmaBands, LevelsOfOtherUnitsDoNotChangeIt) {
  for (const Image<uint8_t>& picture : {disks(2), disks(6), disks(12), disks(20), strokes()}) {
    Image<uint16_t> deep(picture.size());
    Image<float> floats(picture.size());
    Image<uint8_t> color(picture.width(), picture.height(), 3);
    for (int32_t y = 0; y < picture.height(); ++y) {
      for (int32_t x = 0; x < picture.width(); ++x) {
        // Of 16 bits magnitudes above 65,535 share a bin; a quarter of the range stays below.
        deep.at(x, y) = uint16_t(picture.at(x, y) * 60);
        floats.at(x, y) = float(picture.at(x, y)) / 256;
        for (int32_t c = 0; c < 3; ++c) color.at(x, y, c) = picture.at(x, y);
      }
    }
    const double sigma = sigma_of(picture);
    EXPECT_EQ(sigma_of(color), sigma);
    // Unrounded samples have other magnitudes, but hardly.
    const auto near = [&](double other) {
      const auto at = [](double one) {
        return std::ranges::find(SigmaBands::sigmas, one) - SigmaBands::sigmas;
      };
      return std::abs(at(other) - at(sigma)) <= 1;
    };
    if (median(magnitudes(picture, 1)) < 100) {  // the rule for dense strokes counts levels
      EXPECT_TRUE(near(sigma_of(deep))) << sigma;
      EXPECT_TRUE(near(sigma_of(floats))) << sigma;
    }
    Image<float> doubled(picture.size());
    scale(ConstAnyView(floats), AnyView(doubled), 1024);
    EXPECT_EQ(sigma_of(doubled), sigma_of(floats));
  }
}

TEST(SigmaBands, AMaskSelectsWhatCounts) {
  const Image<uint8_t> picture = disks(0);
  Image<uint8_t> noisy = disks(30, 0), mask(picture.size());
  for (int32_t y = 0; y < 160; ++y) {
    for (int32_t x = 0; x < 220; ++x) {
      mask.at(x, y) = x < 90 ? 255 : 0;
      if (x < 100) noisy.at(x, y) = picture.at(x, y);
    }
  }
  SigmaBands bands(220);
  bands.count(noisy, 0, 160, {}, mask);
  EXPECT_EQ(bands.find_sigma(), 1);
  EXPECT_NE(sigma_of(noisy), 1);
}

TEST(SigmaBands, WhatItRefuses) {
  SigmaBands bands(20);
  const std::vector<uint64_t> few(7);
  EXPECT_EQ(error_of(ErrorCode::invalid_argument, [&] { bands.add_counts(few, PixelType::u8); }),
            "sigma in bands: there are 7 counts; there must be 131072");
}

}  // namespace
}  // namespace cuesta
