// What verify asks of the papers' steps on a GPU holds requests of every type that they take.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ops/operations.hpp"
#include "verify/verify.hpp"

#ifdef CUESTA_HAS_CUDA
namespace cuesta {
namespace {

template <class Args>
void expect_each_rung_takes(std::initializer_list<PixelType> types) {
  std::map<std::pair<std::string_view, PixelType>, int> taken;
  std::set<std::string_view> unknown;  // without a GPU, whose shared memory they ask for
  for (const auto& c : Args::cases(verify::Level::quick)) {
    verify::Harness harness(verify::Layout::tight, 0);
    const Args args = c.make(harness);
    for (const auto& row : Args::strategies()) {
      try {
        taken[{row.name, args.type()}] += row.supports(args, {{}, row.parameters}).empty();
      } catch (const Error& error) {
        if (error.code() != ErrorCode::device) throw;
        unknown.insert(row.name);
      }
    }
  }
  for (const auto& row : Args::strategies()) {
    if (row.tier != Tier::ladder || unknown.contains(row.name)) continue;
    for (const PixelType type : types) {
      EXPECT_GT((taken[{row.name, type}]), 2)
          << Args::operation << ":" << row.name << " of " << name_of(type);
    }
  }
}

TEST(Ladders, TakeEveryTypeOfTheirPapers) {
  using enum PixelType;
  expect_each_rung_takes<ConvolveArgs>({u8, u16, f32});  // 000: 2 bytes a pixel
  expect_each_rung_takes<LogArgs>({u8, u16});
  expect_each_rung_takes<SobelArgs>({u8, u16, f32});  // 003: floats
}

}  // namespace
}  // namespace cuesta
#endif
