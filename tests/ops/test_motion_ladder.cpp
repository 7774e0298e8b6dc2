// The arithmetic of paper 004's versions, without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cuesta/filter.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/stencil.hpp"
#include "ops/motion/ladder/ladder.hpp"
#include "ops/motion/ladder/sums.hpp"
#include "ops/motion/ladder/unrolled.hpp"
#include "ops/motion/stages.hpp"
#include "support/strategies.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

TEST(MotionLadder, TilesAndWhatThePapersRoundsDrop) {
  using motion_ladder::tile_bytes;
  EXPECT_EQ(tile_bytes(32, 32, 15, 15), 2116);
  EXPECT_EQ(tile_bytes(16, 16, 15, 15), 900);
  for (const int block : {32, 16}) {
    const int tile = tile_bytes(block, block, 15, 15), threads = block * block;
    EXPECT_EQ(tile / threads * threads, block == 32 ? 2048 : 768) << "whole rounds: theirs";
    int loaded = 0;  // ours: every thread from its own number on, with a stride of the block
    for (int thread = 0; thread < threads; ++thread)
      for (int n = thread; n < tile; n += threads) ++loaded;
    EXPECT_EQ(loaded, tile);
  }
}

// A row of a tile in chunks: each column in its place, and only whole chunks inside the picture.
TEST(MotionLadder, TilesOfChunksHoldEveryColumn) {
  using motion_ladder::chunk;
  for (const int32_t width : {1, 7, 15, 16, 17, 31, 32, 33, 64, 100, 129}) {
    for (const int32_t block : {8, 16, 32, 64}) {
      for (int32_t window = 1; window <= motion_ladder::max_blur; ++window) {
        for (int32_t left = 0; left > -window; --left) {
          for (int32_t x0 = 0; x0 < width; x0 += block) {
            const int32_t wide = block + window - 1;
            const motion_ladder::TileColumns columns(x0 + left, wide, width);
            ASSERT_EQ(columns.first % chunk, 0);
            ASSERT_EQ(columns.first + columns.shift, x0 + left);
            ASSERT_GE(columns.shift, 0);
            ASSERT_LE(columns.shift + wide, columns.chunks * chunk);
            ASSERT_LE(columns.chunks * chunk, motion_ladder::tile_pitch);
            ASSERT_LE(columns.whole, columns.whole_end) << "no less than no chunk";
            for (int32_t c = 0; c < columns.chunks; ++c) {
              const int32_t x = columns.first + c * chunk;
              ASSERT_EQ(columns.is_whole(c), x >= 0 && x + chunk <= width)
                  << width << " " << block << " " << window << " " << left << " " << x;
            }
          }
        }
      }
    }
  }
}

TEST(MotionLadder, UnrolledElementsAreThePublicOnes) {
  using namespace motion_ladder;
  std::vector<std::string> names = {"rect:2", "rect:3", "rect:5", "rect:2x3"};
  for (int side = 1; side <= 15; side += 2) {
    names.push_back("disk:" + std::to_string(side));
    if (side > 1) names.push_back("ellipse:" + std::to_string(side));
  }
  std::set<int> seen;
  for (const std::string& name : names) {
    const auto element = StructuringElement::parse(name);
    const int index = unrolled_index(element);
    ASSERT_GE(index, 0) << name;
    seen.insert(index);
    EXPECT_EQ(unrolled_elements[index].count(), element.count()) << name;
    const auto turned = element.reflected();
    EXPECT_EQ(unrolled_index(turned), index) << name << ": the same cells, another anchor";
  }
  EXPECT_EQ(int(seen.size()), unrolled_count) << "each by a name";
  for (const char* name : {"disk:17", "ellipse:4", "cross:5", "rect:4x1", "rect:3x2"})
    EXPECT_EQ(unrolled_index(StructuringElement::parse(name)), -1) << name;
}

// One sum over the products of the taps, to a sample.
template <class Tap>
uint8_t blurred(const Image<uint8_t>& src, const std::vector<int32_t>& taps, int32_t x, int32_t y) {
  using namespace motion_ladder;
  const auto k = int32_t(taps.size());
  Tap sum = tap_of<Tap>(half);
  for (int32_t j = 0; j < k; ++j) {
    const uint8_t* row = src.row(map_index<BorderMode::reflect101>(y + j - k / 2, src.height()));
    for (int32_t i = 0; i < k; ++i) {
      sum += tap_of<Tap>(taps[size_t(j)] * taps[size_t(i)]) *
             Tap(row[map_index<BorderMode::reflect101>(x + i - k / 2, src.width())]);
    }
  }
  return sample_of(sum);
}

// It rounds as the two passes do, in integers and, as the paper has it, in floats.
TEST(MotionLadder, OneSumOfProductsIsTheGaussian) {
  Image<uint8_t> src(37, 23), expected(37, 23);
  verify::fill(src, verify::Pattern::natural, 3);
  for (const int k : {3, 5, 15, 21}) {
    gaussian(src, expected, {.ksize = k}, {.strategy = "serial"});
    const auto taps = gaussian_taps_q8(k, 0);
    for (int32_t y = 0; y < 23; ++y) {
      for (int32_t x = 0; x < 37; ++x) {
        ASSERT_EQ(blurred<int32_t>(src, taps, x, y), expected.at(x, y))
            << k << " " << x << "," << y;
        ASSERT_EQ(blurred<float>(src, taps, x, y), expected.at(x, y)) << k << " " << x << "," << y;
      }
    }
  }
}

// What floats of the blur rely on: the largest sum of all, and each step to it.
TEST(MotionLadder, FloatSumsAreExact) {
  using namespace motion_ladder;
  for (const int k : {1, 3, 15, 31}) {
    for (const double sigma : {0.0, 0.4, 2.6, 9.0}) {
      const auto taps = gaussian_taps_q8(k, sigma);
      int32_t whole = half;
      float sum = tap_of<float>(half);
      for (const int32_t down : taps) {
        for (const int32_t across : taps) {
          whole += down * across * 255;
          sum += tap_of<float>(down * across) * 255;
          ASSERT_EQ(double(sum), whole / 65536.0) << k << ", sigma " << sigma;
        }
      }
      EXPECT_EQ(sample_of(sum), 255);
    }
  }
}

// Every row's stages are steps of the one list, so that a table has a line for each.
TEST(MotionStages, HostStrategiesAnnounceThem) {
  struct Observer : StageObserver {
    std::vector<std::string> seen;
    void stage(std::string_view name, void*) override { seen.emplace_back(name); }
    void statistic(std::string_view, double) override {}
  };
  Image<uint8_t> frame(64, 48, 3);
  verify::fill(frame, verify::Pattern::natural, 1);
  for (const auto& strategy : test::host_strategies<MotionArgs>()) {
    for (const bool automatic : {false, true}) {
      Observer observer;
      MotionOptions options = MotionOptions::of(BackgroundModel::first);
      options.threshold.otsu = automatic;
      MotionDetector detector(options);
      detector.push(frame, {.strategy = strategy, .observer = &observer});
      for (const auto& name : observer.seen)
        EXPECT_EQ(motion_stages::whole_of(name), name) << strategy << " announces wholes";
      for (const auto name :
           {motion_stages::grayscale, motion_stages::blur, motion_stages::difference,
            motion_stages::morphology, motion_stages::components}) {
        EXPECT_EQ(std::count(observer.seen.begin(), observer.seen.end(), name), 1)
            << strategy << ": " << name;
      }
    }
  }
  EXPECT_EQ(motion_stages::whole_of("dilate"), "morphology");
  EXPECT_EQ(motion_stages::whole_of("merge"), "components");
  EXPECT_EQ(motion_stages::whole_of("no such step"), "");
}

}  // namespace
}  // namespace cuesta
