// Components in bands are the components of the whole, however it is cut and by whichever strategy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cuesta/bands.hpp"
#include "cuesta/error.hpp"
#include "ops/label/args.hpp"
#include "support/bands.hpp"
#include "support/errors.hpp"
#include "support/strategies.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using test::drawn_cuts, test::rows_of;
using verify::Pattern;

struct Labelled {
  std::vector<Component> components{};
  Image<int32_t> labels{};
};

Labelled whole(ConstAnyView mask, const LabelOptions& options) {
  Labelled made{{}, Image<int32_t>(mask.width, mask.height)};
  label(mask, made.labels, &made.components, options, {.strategy = "serial"});
  return made;
}

Labelled banded(ConstAnyView mask, const LabelOptions& options, const std::vector<int32_t>& cuts,
                const Exec& exec) {
  Labelled made{{}, Image<int32_t>(mask.width, mask.height)};
  LabelBands bands(mask.width, options);
  const auto each = [&](auto&& visit) {
    int32_t begin = 0, band = 0;
    for (const int32_t end : cuts) {
      visit(band++, Rect{0, begin, mask.width, end - begin});
      begin = end;
    }
  };
  each([&](int32_t, const Rect& part) {
    bands.add(rows_of(mask, part.y, part.y + part.height), exec);
  });
  made.components = bands.join();
  each([&](int32_t band, const Rect& part) {
    bands.resolve(band, rows_of(mask, part.y, part.y + part.height),
                  AnyView(made.labels).region(part), exec);
  });
  return made;
}

bool same(const Image<int32_t>& a, const Image<int32_t>& b) {
  for (int32_t y = 0; y < a.height(); ++y)
    if (std::memcmp(a.row(y), b.row(y), size_t(a.width()) * 4) != 0) return false;
  return true;
}

// Components that a cut divides.
int64_t crossing(const std::vector<Component>& components, const std::vector<int32_t>& cuts) {
  return std::count_if(components.begin(), components.end(), [&](const Component& c) {
    return std::any_of(cuts.begin(), cuts.end(),
                       [&](int32_t cut) { return c.box.y < cut && cut < c.box.y + c.box.height; });
  });
}

TEST(LabelBands, EveryCutOfDrawnMasksIsTheWhole) {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  constexpr Pattern patterns[] = {Pattern::extremes, Pattern::sparse, Pattern::blobs,
                                  Pattern::gradient};
  int64_t crossed = 0, only_diagonal = 0;
  for (int i = 0; i < 200; ++i) {
    const int32_t width = pick(1, 200), height = pick(1, 120);
    const LabelOptions options{pick(0, 1) ? 8 : 4};
    AnyImage bytes(width, height, 1, PixelType::u8);
    BitImage bits(width, height);
    const Pattern pattern = patterns[pick(0, 3)];
    const uint64_t seed = random();
    ConstAnyView mask;
    if (pick(0, 1)) {
      verify::fill(bits, pattern, seed);
      mask = bits;
    } else {
      verify::fill(bytes, pattern, seed);
      mask = bytes;
    }
    const Labelled expected = whole(mask, options);
    for (const auto& strategy : test::host_strategies<LabelArgs>()) {
      const auto cuts = drawn_cuts(height, random);
      const Labelled made =
          banded(mask, options, cuts, {.strategy = strategy, .threads = pick(1, 9)});
      ASSERT_EQ(made.components, expected.components)
          << "mask " << i << ", " << width << " x " << height << ", " << options.connectivity
          << " ways, " << cuts.size() << " bands by " << strategy;
      ASSERT_TRUE(same(made.labels, expected.labels)) << i << " by " << strategy;
      crossed += crossing(expected.components, cuts);
    }
    only_diagonal += options.connectivity == 8 &&
                     whole(mask, {4}).components.size() > expected.components.size();
  }
  // There was something to join, and some of it by corners alone.
  EXPECT_GT(crossed, 1000);
  EXPECT_GT(only_diagonal, 20);
}

// A path of one pixel's width that winds inwards with gaps of one.
BitImage spiral(int32_t side) {
  BitImage mask(side, side);
  const BitView bits = mask;
  int32_t x = 0, y = 0, dx = 1, dy = 0;
  const auto is_set = [&](int32_t px, int32_t py) {
    return px >= 0 && py >= 0 && px < side && py < side && ConstBitView(mask).at(px, py);
  };
  const auto can_go = [&] {
    const int32_t nx = x + dx, ny = y + dy;
    return nx >= 0 && ny >= 0 && nx < side && ny < side && !is_set(nx, ny) &&
           !is_set(nx + dx, ny + dy);
  };
  for (;;) {
    bits.row(y)[x / 64] |= uint64_t(1) << (x % 64);
    if (!can_go()) std::tie(dx, dy) = std::pair(-dy, dx);
    if (!can_go()) return mask;
    x += dx, y += dy;
  }
}

TEST(LabelBands, ASpiralThroughAnyNumberOfSeams) {
  constexpr int32_t side = 301;
  const BitImage mask = spiral(side);
  for (const int connectivity : {4, 8}) {
    const Labelled expected = whole(mask, {connectivity});
    ASSERT_EQ(expected.components.size(), 1U);
    EXPECT_GT(expected.components[0].area, side * side / 3);
    for (const int32_t rows : {1, 2, 3, 31, 32, 64, 150, 300, 301}) {
      std::vector<int32_t> cuts;
      for (int32_t y = rows; y < side; y += rows) cuts.push_back(y);
      cuts.push_back(side);
      const Labelled made = banded(mask, {connectivity}, cuts, {.threads = 3});
      ASSERT_EQ(made.components, expected.components) << rows;
      ASSERT_TRUE(same(made.labels, expected.labels)) << rows;
    }
  }
}

TEST(LabelBands, CombsAreOneFromTheRowThatJoinsThem) {
  constexpr int32_t width = 129, height = 90;
  for (const int32_t back : {0, 45, height - 1}) {
    AnyImage mask(width, height, 1, PixelType::u8);
    for (int32_t y = 0; y < height; ++y)
      for (int32_t x = 0; x < width; ++x)
        mask.as<uint8_t>().row(y)[x] = uint8_t(x % 2 == 0 || y == back);
    std::vector<int32_t> cuts;
    for (int32_t y = 7; y < height; y += 7) cuts.push_back(y);
    cuts.push_back(height);
    const Labelled made = banded(mask, {4}, cuts, {});
    EXPECT_EQ(made.components, whole(mask, {4}).components);
    ASSERT_EQ(made.components.size(), 1U);
    EXPECT_EQ(made.components[0].area, 65 * height + 64);
  }
}

// A comparison that sees a seam forgotten or joined in the wrong place.
TEST(LabelBands, PlantedFaultsAreFound) {
  const BitImage mask = spiral(101);
  const Labelled expected = whole(mask, {8});
  const ConstAnyView view = mask;
  const auto joined = [&](auto&& feed) {
    LabelBands bands(101, {8});
    feed(bands);
    return bands.join();
  };
  const auto rows = [&](int32_t begin, int32_t end) { return rows_of(view, begin, end); };
  EXPECT_EQ(joined([&](LabelBands& bands) {
              bands.add(rows(0, 40));
              bands.add(rows(40, 101));
            }),
            expected.components);
  EXPECT_NE(joined([&](LabelBands& bands) {  // a row is lost
              bands.add(rows(0, 39));
              bands.add(rows(40, 101));
            }),
            expected.components);
  EXPECT_NE(joined([&](LabelBands& bands) {  // one comes twice
              bands.add(rows(0, 41));
              bands.add(rows(40, 101));
            }),
            expected.components);
  const auto apart = [&] {  // and no seam is joined at all
    std::vector<Component> upper, lower;
    label(rows(0, 40), {}, &upper, {8});
    label(rows(40, 101), {}, &lower, {8});
    return upper.size() + lower.size();
  };
  EXPECT_GT(apart(), expected.components.size());
}

TEST(LabelBands, NothingAndEverything) {
  EXPECT_TRUE(LabelBands(10).join().empty());
  AnyImage mask(70, 50, 1, PixelType::u8);
  for (int32_t y = 0; y < 50; ++y) std::fill_n(mask.as<uint8_t>().row(y), 70, uint8_t(0));
  EXPECT_TRUE(banded(mask, {}, {10, 50}, {}).components.empty());
  for (int32_t y = 0; y < 50; ++y) std::fill_n(mask.as<uint8_t>().row(y), 70, uint8_t(9));
  const Labelled full = banded(mask, {}, {10, 50}, {});
  EXPECT_EQ(full.components,
            (std::vector<Component>{
                {1, {0, 0, 70, 50}, 3500, int64_t(69) * 70 / 2 * 50, int64_t(49) * 50 / 2 * 70}}));
}

TEST(LabelBands, WhatCannotBeMeantIsSaid) {
  using test::error_of;
  constexpr auto invalid = ErrorCode::invalid_argument;
  EXPECT_EQ(error_of(invalid, [] { LabelBands(10, {5}); }), error_of(invalid, [] {
              std::vector<Component> list;
              label(Image<uint8_t>(10, 10), {}, &list, {5});
            }));
  EXPECT_EQ(error_of(invalid, [] { LabelBands(0); }),
            "label in bands: width is 0; it must be at least 1");
  Image<uint8_t> rows(10, 20);
  for (int32_t y = 0; y < 20; ++y) std::fill_n(rows.row(y), 10, uint8_t(1));
  LabelBands bands(10);
  EXPECT_EQ(error_of(invalid, [&] { bands.add(Image<uint8_t>(11, 20)); }),
            "label in bands: rows have 11 pixels; they must have 10");
  EXPECT_EQ(error_of(invalid, [&] { bands.add(Image<float>(10, 20)); }),
            "label: mask is f32; it must be u8, bit");
  bands.add(rows);
  bands.join();
  Image<int32_t> labels(10, 20);
  EXPECT_EQ(error_of(invalid, [&] { bands.resolve(1, rows, labels); }),
            "label in bands: band is 1; it must be below 1, the number of bands added");
  EXPECT_EQ(error_of(invalid, [&] { bands.resolve(0, rows, AnyView()); }),
            "label in bands: labels has no data; its pointer must not be null");
  for (int32_t y = 0; y < 20; ++y) rows.row(y)[5] = 0;
  EXPECT_EQ(error_of(invalid, [&] { bands.resolve(0, rows, labels); }),
            "label in bands: rows have 2 components; band 0 was added with 1");
}

}  // namespace
}  // namespace cuesta
