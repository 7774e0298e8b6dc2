// Drawn requests of every operation: what the rows for the host and for a GPU make of them is one
// thing, whatever the pictures, types, options and layouts. Without a GPU its part skips.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cuesta/device.hpp"
#include "verify/drawn_request.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using verify::Held;

// CUESTA_DRAWN=300 draws fewer.
int drawn_requests(int usual) {
  const char* given = std::getenv("CUESTA_DRAWN");
  return given ? std::min(usual, std::atoi(given)) : usual;
}

struct Counts {
  int equal = 0, no_request = 0, different = 0;
};

// `number` requests of an operation, others in each part, held in `space` by the rows of `names` in
// turns, and by what a call chooses where they do not take it, on pictures that are as
// `fixed_layout` says, or as is drawn.
Counts hold_drawn(std::string_view operation, int part, Space space, int number, int32_t longest,
                  const std::vector<std::string>& names, const Exec& oracle,
                  std::optional<verify::Layout> fixed_layout = std::nullopt) {
  const auto all = verify::drawn_operations();
  const auto place = std::ranges::find(all, operation) - all.begin();
  verify::Random random(uint64_t(place + 1 + 100 * part));
  Workspace workspace;
  Counts counts;
  for (int i = 0; i < number && counts.different < 5; ++i) {
    std::vector<uint8_t> drawn(160);
    for (uint8_t& byte : drawn) byte = uint8_t(random.next());
    verify::Bytes bytes(drawn);
    const auto request = verify::draw_request(bytes, operation, longest);
    const auto drawn_layout = verify::Layout(random.below(verify::layout_count));
    const auto layout = fixed_layout.value_or(drawn_layout);
    Exec exec{.strategy = names.empty() ? "" : names[size_t(i) % names.size()],
              .threads = int(1 + random.below(2)),
              .workspace = random.below(2) ? &workspace : nullptr};
    Held held = hold(request, space, layout, exec, oracle);
    if (held.is == Held::Is::unsupported) {
      exec.strategy.clear();
      held = hold(request, space, layout, exec, oracle);
    }
    counts.equal += held.is == Held::Is::equal;
    counts.no_request += held.is == Held::Is::no_request;
    if (held.is == Held::Is::equal || held.is == Held::Is::no_request) continue;
    ++counts.different;
    ADD_FAILURE() << operation << ", request " << i << " by '" << exec.strategy << "' on "
                  << verify::name_of(layout) << " pictures: " << request.text << ": " << held.why;
  }
  return counts;
}

class DrawnRequests : public testing::TestWithParam<std::string_view> {};

TEST_P(DrawnRequests, OnTheHostAreTheReferences) {
#ifdef CUESTA_SANITIZED
  const int number = drawn_requests(20);
#else
  const int number = drawn_requests(100);
#endif
  const Counts counts =
      hold_drawn(GetParam(), 0, Space::host, number, 48, {}, {.strategy = "serial", .threads = 1});
  EXPECT_EQ(counts.equal + counts.no_request, number);
  EXPECT_GT(counts.equal, number / 2) << "options are drawn that nothing takes";
}

// 2³² bytes from the first row to the last: what reckons addresses in 32 bits is elsewhere.
TEST_P(DrawnRequests, FarApartAreTheReferences) {
  std::vector<std::string> names;
  for (const StrategyDescription& row : list_strategies())
    if (row.operation == GetParam() && row.space == Space::host) names.emplace_back(row.name);
  const int number = drawn_requests(8 * int(names.size()));
  Counts counts;
  try {
    verify::Harness harness(verify::Layout::far, 0);
    const ConstAnyView one = harness.input(PixelType::u8, 5, 7, 1, verify::Pattern::noise, 1);
    ASSERT_GE((one.height - 1) * one.stride_bytes, ptrdiff_t(1) << 32);
    counts = hold_drawn(GetParam(), 200, Space::host, number, 40, names,
                        {.strategy = "serial", .threads = 1}, verify::Layout::far);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    GTEST_SKIP() << "no addresses for it here: " << error.what();
  }
  EXPECT_EQ(counts.equal + counts.no_request, number);
  EXPECT_GT(counts.equal, number / 2) << "options are drawn that nothing takes";
}

// 10,000 of each operation, in parts that can run beside each other.
constexpr int parts = 4;
class DrawnOnAGpu : public testing::TestWithParam<std::tuple<std::string_view, int>> {};

TEST_P(DrawnOnAGpu, AreTheHosts) {
  std::string why;
  if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  const auto [operation, part] = GetParam();
  std::vector<std::string> names;
  for (const StrategyDescription& row : list_strategies())
    if (row.operation == operation && row.space == Space::device && row.built &&
        row.tier == Tier::production)
      names.emplace_back(row.name);
  const int number = drawn_requests(10000) / parts;
  const Counts counts =
      hold_drawn(operation, part, Space::device, number, 1200, names, {.threads = 1});
  EXPECT_EQ(counts.equal + counts.no_request, number);
  EXPECT_GT(counts.equal, number / 2) << "options are drawn that nothing takes";
}

INSTANTIATE_TEST_SUITE_P(Operations, DrawnRequests,
                         testing::ValuesIn(verify::drawn_operations().begin(),
                                           verify::drawn_operations().end()),
                         [](const auto& given) { return std::string(given.param); });
INSTANTIATE_TEST_SUITE_P(Operations, DrawnOnAGpu,
                         testing::Combine(testing::ValuesIn(verify::drawn_operations().begin(),
                                                            verify::drawn_operations().end()),
                                          testing::Range(0, parts)),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param)) + "_" +
                                  std::to_string(std::get<1>(given.param));
                         });

TEST(DrawnRequestsList, HasEveryOperation) {
  std::vector<std::string_view> listed;
  for (const OperationDescription& one : list_operations()) listed.push_back(one.name);
  EXPECT_TRUE(std::ranges::equal(listed, verify::drawn_operations()));
}

}  // namespace
}  // namespace cuesta
