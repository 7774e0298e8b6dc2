// What Canny's searches on a GPU report, held against the bench's search on the host,
// which knows nothing of queues and tiles. Without a GPU this skips.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/engine/session.hpp"
#include "bench/papers/canny.hpp"
#include "cuesta/device.hpp"
#include "cuesta/error.hpp"
#include "support/drawings.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

struct Told : StageObserver {
  std::map<std::string, double> statistics;
  void stage(std::string_view, void*) override {}
  void statistic(std::string_view name, double value) override {
    statistics[std::string(name)] = value;
  }
};

constexpr const char* names[] = {"bfs-launch", "bfs-queue",  "tile-flood", "persistent",
                                 "graph",      "union-find", "runs"};

TEST(CannySearch, TellsWhatTheHostsSearchFinds) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  Result result;
  const Settings settings;
  Session session(settings, result, nullptr);
  CannyOptions smooth, sharp;
  smooth.thresholds = Thresholds::given(20, 200);
  sharp.sigma = 0;
  sharp.thresholds = Thresholds::given(150, 900);
  std::vector<std::pair<Image<uint8_t>, CannyOptions>> requests;
  requests.emplace_back(drawn_spiral(512, true), smooth);
  requests.emplace_back(drawn_spiral(512, false), smooth);
  constexpr std::pair<int32_t, int32_t> sizes[] = {
      {1, 300}, {300, 1}, {31, 33}, {32, 32}, {33, 31}, {5, 70}, {65, 64}, {129, 97}, {700, 333}};
  for (const auto& [width, height] : sizes) {
    for (const auto pattern : {verify::Pattern::noise, verify::Pattern::natural}) {
      Image<uint8_t> picture(width, height);
      verify::fill(picture, pattern, uint64_t(width));
      requests.emplace_back(std::move(picture), pattern == verify::Pattern::noise ? sharp : smooth);
    }
    // A grid of lines that fade to the right, as dense as they can be.
    Image<uint8_t> grid(width, height);
    for (int32_t y = 0; y < height; ++y)
      for (int32_t x = 0; x < width; ++x)
        grid.at(x, y) = x % 4 < 2 || y % 4 < 2 ? uint8_t(250 - 200 * x / width) : 0;
    requests.emplace_back(std::move(grid), sharp);
  }
  int deepest = 0;
  for (const auto& [picture, options] : requests) {
    const EdgeSearch search = search_edges(session, picture, options);
    deepest = std::max(deepest, search.depth);
    Image<uint8_t, Space::device> src(picture.width(), picture.height()),
        dst(picture.width(), picture.height());
    upload(picture, src);
    for (const std::string name : names) {
      for (const bool staged : {false, true}) {
        std::map<std::string, double> wanted = {{"trees at the start", double(search.trees_start)},
                                                {"trees at the end", double(search.trees_end)}};
        if (name == "tile-flood")
          wanted["rounds"] = search.rounds;
        else if (name != "union-find" && name != "runs")
          wanted["bfs depth"] = search.depth;
        Told told;
        Exec exec;
        exec.strategy = staged ? "global" : name;
        if (staged) exec.parameters = {{"hysteresis", name}};
        exec.observer = &told;
        const std::string request =
            fmt::format("{} {} {}x{}", exec.strategy, name, picture.width(), picture.height());
        try {
          canny(src, dst, options, exec);
        } catch (const Error& error) {  // after a fault the context is of no use
          FAIL() << request << ": " << error.what();
        }
        EXPECT_EQ(told.statistics, wanted) << request;
      }
    }
  }
  EXPECT_GT(deepest, 2000);
}

}  // namespace
}  // namespace cuesta::bench
