// Experiment `production`: its requests are told apart, its worst pictures are what they are said
// to be, and its table says what is met.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "bench/bench.hpp"
#include "bench/production/production.hpp"
#include "bench/report/reach.hpp"
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

Row row_of(const char* parameters, const char* strategy, double ms, int32_t width = 100) {
  Row row;
  row.experiment = "production", row.operation = "sobel", row.parameters = parameters;
  row.strategy = strategy, row.space = "device", row.type = "u8";
  row.width = width, row.height = 100;
  row.ms = ms, row.copy_ms = 1, row.bytes_per_pixel = 3;
  return row;
}
Row copy_of(const char* parameters) {
  Row row = row_of(parameters, "device copy", 1);
  row.operation = "copy", row.bytes_per_pixel = 2;
  return row;
}
Figure goal(const char* parameters, const char* subject, const char* what, double value,
            const char* beside = "", int32_t width = 100) {
  return {.experiment = "production",
          .parameters = parameters,
          .width = width,
          .height = 100,
          .source = "goal",
          .subject = subject,
          .detail = beside,
          .what = what,
          .value = value};
}

TEST(Production, TheTableSaysWhatIsMet) {
  Result result;
  EXPECT_EQ(reach_text_of(result, "production"), "");
  Row npp = row_of("a", "npp", 7);
  npp.answer = "equal";
  Row many = row_of("many", "tile", 0.64);
  many.statistics.emplace_back("pictures a call", 64);
  result.rows = {copy_of("a"),
                 row_of("a", "tile", 1.15),
                 npp,
                 copy_of("b"),
                 row_of("b", "tile", 1.25),
                 copy_of("c"),
                 row_of("c", "tile", 2.5),
                 copy_of("a, odd"),
                 row_of("a, odd", "tile", 1.15, 97),
                 copy_of("state"),
                 row_of("state", "tile", 1.5),
                 many};
  result.figures = {goal("a", "reach", "times a copy", 1.2),
                    goal("a", "stretch", "times a copy", 1.15),
                    goal("b", "reach", "times a copy", 1.3),
                    goal("b", "stretch", "times a copy", 1.2),
                    goal("c", "reach", "times a copy", 2),
                    goal("a, odd", "reach", "times the aligned", 1.05, "a", 97),
                    goal("state", "reach", "of a copy's bandwidth", 0.75),
                    goal("many", "reach", "us a picture", 8)};
  result.rows[7].width = 97;
  const std::string text = reach_text_of(result, "production");
  const auto line = [&](std::string_view begin) {
    const size_t at = text.find("  sobel " + std::string(begin) + " ");
    EXPECT_NE(at, std::string::npos) << begin << "\n" << text;
    std::string words, whole = text.substr(at, text.find('\n', at) - at);
    for (const char c : whole)  // one blank between words
      if (c != ' ' || (!words.empty() && words.back() != ' ')) words += c;
    return words;
  };
  EXPECT_EQ(line("a"), "sobel a tile 1.150 1.15 1.15 times a copy 1.20 1.15 stretch 7.00 equal -");
  EXPECT_EQ(line("b"), "sobel b tile 1.250 1.25 1.25 times a copy 1.30 1.20 reach - - -");
  EXPECT_EQ(line("c"), "sobel c tile 2.500 2.50 2.50 times a copy 2.00 - no - - -");
  EXPECT_EQ(line("a, odd"),
            "sobel a, odd tile 1.150 1.15 1.03 times the aligned 1.05 - reach - - -");
  EXPECT_EQ(line("state"),
            "sobel state tile 1.500 1.50 1.00 of a copy's bandwidth 0.75 - reach - - -");
  EXPECT_EQ(line("many"), "sobel many tile 0.6400 0.64 10.00 us a picture 8.00 - no - - -");
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
