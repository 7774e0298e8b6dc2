// Canny in bands is canny of the whole, however it is cut and by whichever strategy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cuesta/bands.hpp"
#include "cuesta/error.hpp"
#include "support/bands.hpp"
#include "support/drawings.hpp"
#include "support/errors.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::canny_in_bands, test::differing, test::drawn_canny, test::drawn_cuts, test::lit;

TEST(CannyBands, EveryCutOfDrawnPicturesIsTheWhole) {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  int64_t edges = 0;
  for (int i = 0; i < 40; ++i) {
    const auto [src, mask, options] = drawn_canny(150, 150, random);
    const int32_t width = src.width(), height = src.height();
    Image<uint8_t> whole(width, height);
    const CannyResult found = canny(src, whole, options);
    edges += lit(whole);
    for (const char* strategy : {"", "serial", "rows"}) {
      CannyResult used;
      const auto cuts = drawn_cuts(height, random);
      const Exec exec{.strategy = strategy, .threads = pick(1, 5)};
      const Image<uint8_t> made = canny_in_bands(src, options, cuts, exec, used);
      ASSERT_EQ(differing(whole, made), 0) << "picture " << i << ", " << width << " x " << height
                                           << " by " << strategy << ", " << cuts.size() << " bands";
      ASSERT_EQ(used.low, found.low);
      ASSERT_EQ(used.high, found.high);
    }
  }
  EXPECT_GT(edges, 10000);  // there was something to compare
}

// Above sigma 3 pictures of 8 bits are computed in floats, counts too.
TEST(CannyBands, WideGaussiansKeepFractionsInThem) {
  std::mt19937 random(3);
  Image<uint8_t> src(170, 140), whole(170, 140);
  verify::fill(src, verify::Pattern::natural, 9);
  for (const double sigma : {3.5, 9.0}) {
    for (const AutoThreshold rule : {AutoThreshold::otsu, AutoThreshold::percentile}) {
      const CannyOptions options{.sigma = sigma, .thresholds = Automatic{rule, 90}};
      const CannyResult found = canny(src, whole, options);
      for (int i = 0; i < 3; ++i) {
        CannyResult used;
        const auto cuts = drawn_cuts(140, random);
        ASSERT_EQ(differing(whole, canny_in_bands(src, options, cuts, {}, used)), 0) << sigma;
        ASSERT_EQ(used.high, found.high);
      }
    }
    EXPECT_GT(lit(whole), 100) << sigma;
  }
}

TEST(CannyBands, TakeEveryBorderOfTheSmoothingButOneThatWraps) {
  std::mt19937 random(5);
  Image<uint8_t> src(170, 140), whole(170, 140);
  verify::fill(src, verify::Pattern::natural, 9);
  for (const Border border : {Border{BorderMode::replicate}, Border{BorderMode::reflect},
                              Border{BorderMode::constant, 90}, Border{BorderMode::ignore}}) {
    for (const double sigma : {2.0, 9.0}) {
      const CannyOptions options{.sigma = sigma, .border = border};
      const CannyResult found = canny(src, whole, options);
      EXPECT_GT(differing(whole, canny(src, CannyOptions{.sigma = sigma})), 0);
      CannyResult used;
      const auto cuts = drawn_cuts(140, random);
      ASSERT_EQ(differing(whole, canny_in_bands(src, options, cuts, {}, used)), 0) << sigma;
      ASSERT_EQ(used.high, found.high);
    }
  }
  EXPECT_EQ(test::error_of(ErrorCode::invalid_argument,
                           [] { CannyBands(9, {.sigma = 1, .border = {BorderMode::wrap}}); }),
            "canny in bands: border is wrap, which smooths the first rows with the last; it "
            "requires the whole picture");
  CannyBands(9, {.sigma = 0, .border = {BorderMode::wrap}});  // smooths nothing
}

TEST(CannyBands, HysteresisWindsThroughAnyNumberOfSeams) {
  CannyOptions options;
  options.thresholds = Given{20, 200};
  for (const bool strong : {true, false}) {
    const Image<uint8_t> spiral = drawn_spiral(400, strong);
    const Image<uint8_t> whole = canny(spiral, options);
    EXPECT_EQ(lit(whole) > 2000, strong);
    for (const int32_t rows : {1, 2, 3, 17, 64, 127, 128, 129, 399, 400}) {
      std::vector<int32_t> cuts;
      for (int32_t y = rows; y < 400; y += rows) cuts.push_back(y);
      cuts.push_back(400);
      CannyResult used;
      ASSERT_EQ(differing(whole, canny_in_bands(spiral, options, cuts, {}, used)), 0) << rows;
    }
  }
}

TEST(CannyBands, LinesEndAtNoSeamAndNoWord) {
  // Combs of weak lines that hang on one strong pixel row, at all phases of the words.
  for (const int32_t width : {1, 63, 64, 65, 128, 129, 191, 192}) {
    CannyBands bands(width, {.thresholds = Given{1, 2}});
    const int64_t words = bands.mark_words();
    constexpr int32_t height = 300;
    std::vector<uint64_t> marks(size_t(words * height), 0);
    const auto set = [&](int32_t x, int32_t y, bool strong) {
      uint64_t* row = marks.data() + words * y + (strong ? words / 2 : 0);
      row[x / 64] |= uint64_t(1) << (x % 64);
    };
    for (int32_t y = 0; y < height; ++y)
      for (int32_t x = 0; x < width; x += 2) set(x, y, false);
    for (int32_t x = 0; x < width; ++x) set(x, height - 1, false);
    set(width - 1, height - 1, true);
    for (int32_t y = 0; y < height; y += 7)
      bands.add(marks.data() + words * y, std::min(7, height - y), 1);
    bands.join();
    for (size_t s = 0; s < bands.strips().size(); ++s) {
      const auto [first, end] = bands.strips()[s];
      std::vector<uint64_t> edges(size_t(words / 2 * (end - first)), 0);
      bands.resolve(int32_t(s), marks.data() + words * first, edges.data());
      for (int32_t y = first; y < end; ++y) {
        ASSERT_EQ(std::memcmp(edges.data() + words / 2 * (y - first), marks.data() + words * y,
                              size_t(words) * 4),
                  0)
            << width << " row " << y;
      }
    }
  }
}

TEST(CannyBands, WhatCannotBeMeantIsSaid) {
  using test::error_of;
  constexpr auto invalid = ErrorCode::invalid_argument;
  EXPECT_EQ(error_of(invalid, [] { CannyBands(10, {.aperture = 4}); }),
            error_of(invalid, [] { canny(Image<uint8_t>(10, 10), {.aperture = 4}); }));
  Image<uint8_t> rows(10, 20);
  for (int32_t y = 0; y < 20; ++y) std::fill_n(rows.row(y), 10, uint8_t(0));
  CannyBands bands(10, {});
  std::vector<uint64_t> marks(size_t(bands.mark_words() * 20), 0);
  EXPECT_EQ(
      error_of(invalid, [&] { bands.mark(rows, 0, 20, marks.data()); }),
      "canny in bands: thresholds are unknown; count every band and call find_thresholds() first");
  EXPECT_EQ(error_of(invalid, [&] { bands.count(rows, 0, 21); }),
            "canny in bands: rows [0, 21) are not inside the 20 rows of the band");
  EXPECT_EQ(error_of(invalid, [&] { bands.count(Image<uint8_t>(11, 20), 0, 20); }),
            "canny in bands: rows have 11 pixels; they must have 10");
}

}  // namespace
}  // namespace cuesta
