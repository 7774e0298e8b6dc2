// No production request of the host runs on plain loops: whatever the operation, types, channels,
// outputs and options, a production row takes it. The few requests that none takes are listed, and
// the list may only shrink.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "verify/drawn_request.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

struct Exception {
  std::string_view operation, why;
  std::function<void(const Exec&)> request;  // one that meets it
};

const std::vector<Exception>& exceptions() {
  static const std::vector<Exception> all = [] {
    const auto filtered = [](const Stencil& stencil, const FilterOptions& options,
                             const Exec& exec) {
      const AnyView words = placeholder(9, 9, PixelType::u16);
      correlate(words, placeholder(9, 9, PixelType::u16), stencil, options, exec);
    };
    std::vector<int32_t> large(81, 2'000'000'000), one(1, 1);
    large[7] = 1'999'999'999;  // of full rank
    return std::vector<Exception>{
        {"convolve", "an offset beyond 131,072 either way",
         [=](const Exec& exec) {
           filtered(Stencil::integers(1, 1, one), {.offset = 200'000}, exec);
         }},
        {"convolve", "sums above 52 bits",
         [=](const Exec& exec) { filtered(Stencil::integers(9, 9, large), {}, exec); }},
        {"regions", "no production row",
         [](const Exec& exec) {
           regions(placeholder(9, 9, PixelType::u16), placeholder(9, 9, PixelType::s32), {}, exec);
         }},
    };
  }();
  return all;
}

// Why no production row takes a request of the host; empty where one does.
std::string why_not_production(const Choice& choice) {
  if (choice.space != Space::host || choice.tier == Tier::production) return {};
  for (const Choice::PassedOver& passed : choice.passed_over)
    return std::string(passed.why);  // the first is the production row's
  return "no production row";
}

class ProductionRows : public testing::TestWithParam<std::string_view> {};

TEST_P(ProductionRows, TakeEveryDrawnRequest) {
  const auto all = verify::drawn_operations();
  const auto place = std::ranges::find(all, GetParam()) - all.begin();
  verify::Random random(uint64_t(900 + place));
  std::set<std::string> refused;
  int chosen = 0;
  for (int i = 0; i < 1500; ++i) {
    std::array<uint8_t, 160> drawn;
    for (uint8_t& byte : drawn) byte = uint8_t(random.next());
    verify::Bytes bytes(drawn);
    const auto request = verify::draw_request(bytes, GetParam(), 20);
    verify::Harness harness(verify::Layout::tight, 0);
    std::vector<Choice> choices;
    try {
      harness.begin();
      request.run(harness, {.choices = &choices});
      harness.finish();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_argument) throw;
      continue;  // options that nothing may be
    }
    for (const Choice& choice : choices) {
      ++chosen;
      const std::string why = why_not_production(choice);
      if (why.empty() || !refused.insert(why).second) continue;
      EXPECT_TRUE(std::ranges::any_of(exceptions(),
                                      [&](const Exception& known) {
                                        return known.operation == choice.operation &&
                                               known.why == why;
                                      }))
          << choice.operation << " runs on '" << choice.strategy << "': " << request.text
          << "\nthe production row does not support " << why;
    }
  }
  EXPECT_GT(chosen, 700);
}

// A detector has one production row for all frames, and looks at the first before it chooses.
std::vector<std::string_view> asked_operations() {
  const auto all = verify::drawn_operations();
  std::vector<std::string_view> asked(all.begin(), all.end());
  std::erase(asked, "motion");
  return asked;
}

INSTANTIATE_TEST_SUITE_P(Operations, ProductionRows, testing::ValuesIn(asked_operations()),
                         [](const auto& one) { return std::string(one.param); });

TEST(ProductionRowExceptions, AreNeeded) {
  for (const Exception& known : exceptions()) {
    const Choice choice = which(known.request);
    EXPECT_EQ(choice.operation, known.operation);
    EXPECT_EQ(why_not_production(choice), known.why) << "take the line out of the list";
  }
}

}  // namespace
}  // namespace cuesta
