// The bench's own promises: bodies take turns, every table has a copy, and a peer that answers
// otherwise is reported and not timed.
#include <gtest/gtest.h>

#include <cstring>

#include "bench/session.hpp"
#include "bench/timing.hpp"
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
  void sobel_magnitude(ConstAnyView src, AnyView dst) override {
    sobel(src, {.magnitude = dst}, {}, {.strategy = "serial"});
    auto& sample = dst.as<uint8_t>().at(dst.width - 1, dst.height - 1);
    sample = uint8_t(sample + error_);
  }
  void gradients(ConstAnyView src, AnyView gx, AnyView gy) override {
    sobel(src, {.gx = gx, .gy = gy}, {}, {.strategy = "serial"});
  }
  void correlate(ConstAnyView, AnyView, std::span<const float>, int) override {}
  void close_open(ConstAnyView, AnyView, int) override {}
  void components(ConstAnyView, std::vector<int64_t>&) override {}
  void motion(ConstAnyView, double, int, std::vector<Rect>&, StageObserver*) override {}

 private:
  int error_;
};

Result sobel_against(int error) {
  Result result;
  std::string printed;
  Settings settings{.sizes = {64}, .threads = 2, .quick = true};
  settings.print = [&](std::string_view text) { printed += text; };
  Session session(settings, result, std::make_unique<OwnPeer>(error));
  bench_sobel(session);
  EXPECT_NE(printed.find("sobel gradients  64x64 u8, 2 threads"), std::string::npos) << printed;
  return result;
}

TEST(Bench, TimesEveryStrategyBesideACopyAndThePeer) {
  const Result result = sobel_against(0);
  EXPECT_TRUE(result.differences.empty());
  std::vector<std::string> strategies;
  for (const Row& row : result.rows) {
    if (row.experiment == "sobel magnitude") strategies.push_back(row.strategy);
    EXPECT_GT(row.ms, 0) << row.strategy;
    EXPECT_GT(row.copy_ms, 0) << row.strategy;
    EXPECT_EQ(row.threads, 2);
    EXPECT_EQ(row.width, 64);
  }
  EXPECT_EQ(strategies, (std::vector<std::string>{"memcpy", "serial", "rows", "simd", "opencv"}));
}

TEST(Bench, ReportsAPeerThatDiffersAndDoesNotTimeIt) {
  const Result result = sobel_against(1);
  ASSERT_EQ(result.differences.size(), 1u);
  EXPECT_EQ(result.differences[0], "sobel magnitude, 64x64: row 63 differs from the peer's");
  for (const Row& row : result.rows) EXPECT_EQ(row.experiment, "sobel gradients");
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
    run_cpu({.only = {"canny", "speed"}});
    FAIL() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.value(), "speed");
  }
}

}  // namespace
}  // namespace cuesta::bench
