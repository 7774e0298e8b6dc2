// The bench's own promises: bodies take turns, every table has a copy, and a peer that answers
// otherwise is reported and not timed.
#include <gtest/gtest.h>

#include <algorithm>

#include "bench/cpu.hpp"
#include "bench/engine/session.hpp"
#include "bench/engine/timing.hpp"
#include "bench/report/table.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/error.hpp"

namespace cuesta::bench {
namespace {

// Answers with our own reference, off by `error` in one sample.
class OwnPeer final : public Peer {
 public:
  explicit OwnPeer(int error) : error_(error) {}
  const char* name() const override { return "own"; }
  const char* version() const override { return "1"; }
  void set_threads(int) override {}
  void canny(ConstAnyView, AnyView, int, double, double, double) override {}
  void log(ConstAnyView, double) override {}
  void gaussian(ConstAnyView, AnyView, int, double) override {}
  void median(ConstAnyView, AnyView, int) override {}
  void sobel_magnitude(ConstAnyView src, AnyView dst) override {
    sobel(src, {.magnitude = dst}, {}, {.strategy = "serial"});
    auto& sample = dst.as<uint8_t>().at(dst.width - 1, dst.height - 1);
    sample = uint8_t(sample + error_);
  }
  void gradients(ConstAnyView src, AnyView gx, AnyView gy) override {
    sobel(src, {.gx = gx, .gy = gy}, {}, {.strategy = "serial"});
  }
  void correlate(ConstAnyView, AnyView, std::span<const float>, int) override {}
  void box(ConstAnyView, AnyView, int) override {}
  void morphology(ConstAnyView, AnyView, bool, std::span<const uint8_t>, int) override {}
  void threshold(ConstAnyView, AnyView, double) override {}
  void histogram(ConstAnyView) override {}
  void close_open(ConstAnyView, AnyView, int) override {}
  void components(ConstAnyView, std::vector<int64_t>&) override {}
  int64_t video(const char*, double, int, const char*) override { return -1; }
  void motion(ConstAnyView, double, int, std::vector<Rect>&, StageObserver*) override {}

 private:
  int error_;
};

Result sobel_against(int error) {
  Result result;
  std::string printed;
  Settings settings{.sizes = {64}, .threads = 2, .quick = true, .only = {"sobel"}};
  Session session(settings, result, std::make_unique<OwnPeer>(error));
  session.on_measured([&](const Measured& measured) { printed += text_of(measured); });
  bench_cpu(session);
  EXPECT_NE(printed.find("sobel gradients: sobel aperture 3, gx and gy to s16, 64x64 u8"),
            std::string::npos)
      << printed;
  return result;
}

std::vector<std::string> strategies_of(const Result& result, std::string_view experiment) {
  std::vector<std::string> strategies;
  for (const Row& row : result.rows) {
    if (row.experiment == experiment) strategies.push_back(row.strategy);
  }
  return strategies;
}

TEST(Bench, TimesEveryStrategyBesideACopyAndThePeer) {
  const Result result = sobel_against(0);
  EXPECT_TRUE(result.differences.empty());
  for (const Row& row : result.rows) {
    EXPECT_GT(row.ms, 0) << row.strategy;
    EXPECT_GT(row.copy_ms, 0) << row.strategy;
    EXPECT_EQ(row.threads, row.strategy == "serial" ? 1 : 2);
    EXPECT_EQ(row.width, 64);
  }
  const std::vector<std::string> all = {"memcpy", "serial", "rows", "simd", "opencv"};
  EXPECT_EQ(strategies_of(result, "sobel magnitude"), all);
  EXPECT_EQ(strategies_of(result, "sobel gradients"), all);
}

TEST(Bench, ReportsAPeerThatDiffersAndDoesNotTimeIt) {
  const Result result = sobel_against(1);
  ASSERT_EQ(result.differences.size(), 1u);
  EXPECT_EQ(result.differences[0],
            "opencv sobel, aperture 3, L1, to u8, 64x64: row 63 differs from the reference");
  EXPECT_EQ(strategies_of(result, "sobel magnitude"),
            (std::vector<std::string>{"memcpy", "serial", "rows", "simd"}));
}

TEST(Bench, AsksOnceBeforeAnOperationIsTimedAndTimesNothingThatDiffers) {
  std::vector<std::string> asked;
  Settings settings{.sizes = {32}, .threads = 1, .quick = true, .only = {"sobel", "log"}};
  settings.verify = [&](std::string_view operation) {
    asked.emplace_back(operation);
    return operation == "log" ? std::vector<std::string>{"log simd differs"}
                              : std::vector<std::string>();
  };
  Result result;
  Session session(settings, result, nullptr);
  bench_cpu(session);
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(asked, (std::vector<std::string>{"log", "sobel"}));
  EXPECT_EQ(result.differences, std::vector<std::string>{"log simd differs"});
  EXPECT_TRUE(strategies_of(result, "log").empty());
  EXPECT_EQ(strategies_of(result, "sobel gradients").size(), 4u);
}

TEST(Bench, LargePicturesAreTimedByProductionAlone) {
  Result result;
  Settings settings{.sizes = {1040}, .threads = 2, .quick = true, .only = {"sobel"}};
  Session session(settings, result, std::make_unique<OwnPeer>(0));
  bench_cpu(session);
  EXPECT_TRUE(result.differences.empty());
  EXPECT_EQ(strategies_of(result, "sobel gradients"),
            (std::vector<std::string>{"memcpy", "simd", "opencv"}));
  for (const Row& row : result.rows) EXPECT_EQ(row.serial_ms, 0) << row.strategy;
}

TEST(Bench, EveryTableOfTheHost) {
  Result result;
  Settings settings{.sizes = {64}, .threads = 2, .quick = true};
  for (const ExperimentInfo& table : list_cpu_tables()) {
    if (table.name != "motion") settings.only.emplace_back(table.name);
  }
  Session session(settings, result, nullptr);
  bench_cpu(session);
  EXPECT_TRUE(result.differences.empty());
  for (const char* experiment :
       {"canny", "gaussian + canny", "log", "gaussian", "median", "sobel magnitude",
        "sobel gradients", "convolve", "close + open", "components"}) {
    const auto strategies = strategies_of(result, experiment);
    EXPECT_GE(strategies.size(), 4u) << experiment;
    EXPECT_NE(std::find(strategies.begin(), strategies.end(), "simd"), strategies.end())
        << experiment;
  }
}

TEST(Bench, BodiesTakeTurns) {
  std::string turns;
  const std::function<void()> bodies[] = {[&] { turns += 'a'; }, [&] { turns += 'b'; }};
  const auto times = time_in_turns(bodies, 7, 0);
  EXPECT_EQ(turns,
            "aabb"
            "ababababababab");
  ASSERT_EQ(times.size(), 2u);
  EXPECT_GE(times[0].ms, 0);
}

TEST(Bench, RefusesAnUnknownExperiment) {
  try {
    const std::string names[] = {"cpu"};
    run(names, {.only = {"canny", "speed"}});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.value(), "speed");
  }
}

}  // namespace
}  // namespace cuesta::bench
