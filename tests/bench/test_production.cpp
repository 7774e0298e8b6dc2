// Experiment `production`: its requests are distinguished, its worst pictures are what they are
// said to be, and its table says what is met.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "bench/bench.hpp"
#include "bench/production/production.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::bench {
namespace {

TEST(Production, RequestsAreToldApartAndAnsweredByTheHost) {
  Result result;
  Settings settings{.sizes = {64}, .threads = 2, .quick = true};
  Session session(settings, result, nullptr);
  bench_production(session);
  EXPECT_TRUE(result.differences.empty());
  EXPECT_TRUE(result.notes.empty()) << result.notes[0];
  std::set<std::string> seen;
  std::set<std::string> operations;
  for (const Row& row : result.rows) {
    EXPECT_GT(row.ms, 0) << row.parameters;
    EXPECT_GT(row.copy_ms, 0) << row.parameters;
    if (row.operation == "copy") continue;
    EXPECT_TRUE(seen.insert(row.operation + row.parameters).second) << row.parameters;
    operations.insert(row.operation);
  }
  EXPECT_EQ(operations,
            (std::set<std::string>{"background", "boundaries", "canny", "convolve", "label", "log",
                                   "median", "morphology", "pixel", "sobel"}));
  // What is copied is a picture of bytes, where a mask has bits and a source three channels.
  for (const Row& row : result.rows) {
    if (row.operation == "copy" && (row.type == "bit" || row.parameters == "gray of RGB")) {
      EXPECT_EQ(row.bytes_per_pixel, 2) << row.parameters;
    }
  }
}

TEST(Production, GoalsAreOfLargePictures) {
  Result result;
  Settings settings{.sizes = {64}, .threads = 2, .quick = true};
  settings.only = {"sobel"};
  Session session(settings, result, nullptr);
  for (const auto& [side, reach] : {std::pair{64, 0.0}, {4096, 1.2}}) {
    ProductionPictures pictures(session, side);
    const auto requests = production_requests(session, pictures, true);
    ASSERT_EQ(requests.size(), 6u);
    EXPECT_EQ(requests[0].work.parameters, "magnitude L1");
    EXPECT_EQ(requests[0].goal.reach, reach);
    EXPECT_TRUE(requests[0].oddly);
  }
}

// Whether the set pixels are one path: each has one or two neighbours, and there is one component.
TEST(Production, TheSpiralIsOnePath) {
  Result result;
  Settings settings{.threads = 2, .quick = true};
  Session session(settings, result, nullptr);
  for (const int32_t side : {7, 8, 30, 33, 64, 101}) {
    ProductionPictures pictures(session, side);
    const Image<uint8_t>& mask = pictures.spiral_mask();
    std::vector<Component> found;
    EXPECT_EQ(label(mask, {}, &found), 1) << side;
    int64_t ends = 0;
    for (int32_t y = 0; y < side; ++y) {
      for (int32_t x = 0; x < side; ++x) {
        if (!mask.at(x, y)) continue;
        int neighbours = 0;
        for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
          const int32_t u = x + dx, v = y + dy;
          neighbours += u >= 0 && v >= 0 && u < side && v < side && mask.at(u, v) != 0;
        }
        EXPECT_LE(neighbours, 2) << side << ": " << x << ", " << y;
        ends += neighbours == 1;
      }
    }
    EXPECT_LE(ends, 2) << side;
    EXPECT_GT(found[0].area, int64_t(side) * side * 2 / 5) << side;
  }
}

// All of it joins, from few strong pixels.
TEST(Production, TheWeakSpiralIsJoinedFromItsBeginning) {
  Result result;
  Settings settings{.threads = 2, .quick = true};
  Session session(settings, result, nullptr);
  ProductionPictures pictures(session, 300);
  const auto count = [&](double low, double high) {
    const Image<uint8_t> edges =
        canny(pictures.weak_spiral(), {.sigma = 0, .thresholds = Thresholds::given(low, high)});
    int64_t set = 0;
    for (int32_t y = 0; y < 300; ++y)
      for (int32_t x = 0; x < 300; ++x) set += edges.at(x, y) != 0;
    return set;
  };
  const int64_t joined = count(72, 256), candidates = count(72, 72), strong = count(256, 256);
  EXPECT_GT(strong, 0);
  EXPECT_LT(strong, 40);
  EXPECT_GT(joined, 100 * strong);
  EXPECT_GT(joined, candidates * 9 / 10);
}

TEST(Production, TheGpusRowsWhereThereIsOne) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  Settings settings{
      .sizes = {1024}, .quick = true, .only = {"sobel", "canny", "components"}, .device = 0};
  const std::string names[] = {"production"};
  const Result result = run(names, settings);
  EXPECT_TRUE(result.differences.empty()) << result.differences[0];
  std::map<std::string, int> odd, worst;  // of each operation
  for (const Row& row : result.rows) {
    if (row.operation == "copy" || row.strategy == "npp") continue;
    EXPECT_EQ(row.space, "device");
    EXPECT_GT(row.ms, 0) << row.parameters;
    if (row.parameters.ends_with(", odd")) ++odd[row.operation];
    if (row.parameters.ends_with(", spiral")) ++worst[row.operation];
  }
  EXPECT_EQ(odd, (std::map<std::string, int>{{"canny", 1}, {"sobel", 1}}));
  // Of components the list on the host, and on the GPU.
  EXPECT_EQ(worst, (std::map<std::string, int>{{"canny", 1}, {"label", 2}}));
}

}  // namespace
}  // namespace cuesta::bench
