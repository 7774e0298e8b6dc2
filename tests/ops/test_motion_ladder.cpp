// The arithmetic of paper 004's versions, without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cuesta/filter.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/stencil.hpp"
#include "ops/motion/ladder/ladder.hpp"
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

// One sum over the products of the taps rounds as the two passes do.
TEST(MotionLadder, OneSumOfProductsIsTheGaussian) {
  Image<uint8_t> src(37, 23), expected(37, 23);
  verify::fill(src, verify::Pattern::natural, 3);
  for (const int k : {3, 5, 15, 21}) {
    gaussian(src, expected, {.ksize = k}, {.strategy = "serial"});
    const auto taps = gaussian_taps_q8(k, 0);
    for (int32_t y = 0; y < 23; ++y) {
      for (int32_t x = 0; x < 37; ++x) {
        int32_t sum = 1 << 15;
        for (int32_t j = 0; j < k; ++j) {
          for (int32_t i = 0; i < k; ++i) {
            sum += taps[size_t(j)] * taps[size_t(i)] *
                   src.at(map_index<BorderMode::reflect101>(x + i - k / 2, 37),
                          map_index<BorderMode::reflect101>(y + j - k / 2, 23));
          }
        }
        ASSERT_EQ(sum >> 16, expected.at(x, y)) << k << " at " << x << ", " << y;
      }
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
      MotionOptions options;
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
