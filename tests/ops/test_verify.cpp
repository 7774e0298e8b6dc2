// Every strategy of every operation against its reference, on every instruction set, at the full
// level on the best one; at the quick level under sanitizers, which are ten times slower.
#include <gtest/gtest.h>

#include <algorithm>

#include "cuesta/strategies.hpp"
#include "support/readme.hpp"
#include "verify/verify.hpp"

namespace cuesta::verify {
namespace {

#ifdef CUESTA_SANITIZED
constexpr Level best_level = Level::quick;
#else
constexpr Level best_level = Level::full;
#endif

TEST(Verify, LevelsGoByTheirNames) {
  for (const Level level : {Level::quick, Level::full, Level::sizes})
    EXPECT_EQ(level_from(name_of(level)), level);
  EXPECT_THROW(level_from("deep"), Error);
}

TEST(Verify, SizesTriesEverySizeOnce) {
  for (const Operation& operation : operations()) {
    if (operation.name != "sobel") continue;
    for (const StrategyReport& report :
         operation.run({.strategy = "simd", .level = Level::sizes, .stride = 7})) {
      EXPECT_EQ(report.run + report.refused, 700);
      EXPECT_EQ(report.refused, 0) << "of each size some request is taken";
      EXPECT_EQ(report.failed, 0);
    }
  }
}

// No cell that the definition allows is empty: every small request is taken in every space that
// this build has, without a name.
TEST(Verify, EveryRequestIsServedInEverySpace) {
  for (const Operation& operation : operations()) {
    const auto cells = operation.coverage();
    EXPECT_FALSE(cells.empty()) << operation.name;
    std::set<PixelType> on_host, on_device;
    for (const Coverage& cell : cells) {
      EXPECT_EQ(cell.unserved, 0) << operation.name << " of " << name_of(cell.type) << " on the "
                                  << cuesta::name_of(cell.space);
      EXPECT_FALSE(cell.tiers.contains(Tier::ladder));
      (cell.space == Space::host ? on_host : on_device).insert(cell.type);
    }
#if defined(CUESTA_HAS_CUDA)
    constexpr bool has_rows = true;
#else
    constexpr bool has_rows = false;
#endif
    EXPECT_EQ(on_device, has_rows ? on_host : std::set<PixelType>()) << operation.name;
  }
}

class VerifyOperation : public testing::TestWithParam<std::string_view> {};

void expect_passed(std::string_view operation, const std::vector<StrategyReport>& reports) {
  for (const StrategyReport& report : reports) {
    for (const auto& failure : report.failures) ADD_FAILURE() << report.strategy << ": " << failure;
    EXPECT_EQ(report.failed, 0) << report.strategy;
    EXPECT_GT(report.run, 0) << report.strategy << " ran no case";
    for (const auto& why : report.refusals) {
      EXPECT_NE(readme_of(operation).find(why), std::string::npos)
          << report.strategy << " refuses '" << why << "', which src/ops/" << operation
          << "/README.md does not list";
    }
  }
}

TEST_P(VerifyOperation, EveryStrategyEqualsTheReference) {
  const auto& all = operations();
  const auto operation =
      std::find_if(all.begin(), all.end(), [](const auto& o) { return o.name == GetParam(); });
  std::vector<std::string_view> targets = simd_targets();
  expect_passed(GetParam(), operation->run({.level = best_level, .targets = {targets.front()}}));
#ifndef __SANITIZE_THREAD__  // threads are the same on all of them
  targets.erase(targets.begin());
  if (!targets.empty())
    expect_passed(GetParam(), operation->run({.production_only = true, .targets = targets}));
#endif
}

INSTANTIATE_TEST_SUITE_P(All, VerifyOperation, testing::ValuesIn([] {
                           std::vector<std::string_view> names;
                           for (const Operation& operation : operations())
                             names.push_back(operation.name);
                           return names;
                         }()),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace cuesta::verify
