// which() and which_all() report every step of a call, and asking reads no sample.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cuesta/cuesta.hpp"
#include "cuesta/device.hpp"
#include "support/requests.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using enum PixelType;
constexpr int32_t width = 96, height = 64;
constexpr PixelType every_type[] = {u8, u16, s16, s32, f32, bit};

// Operation, strategy and space of each step.
using Steps = std::vector<std::tuple<std::string, std::string, Space>>;

Steps steps_of(const std::vector<Choice>& choices) {
  Steps steps;
  for (const Choice& choice : choices)
    steps.emplace_back(choice.operation, choice.strategy, choice.space);
  return steps;
}

class Steplist : public StageObserver {
 public:
  void chosen(const Choice& choice) override { choices.push_back(choice); }
  void stage(std::string_view, void*) override {}
  void statistic(std::string_view, double) override {}
  std::vector<Choice> choices;
};

std::vector<Space> spaces() {
  if (list_devices().empty()) return {Space::host};
  return {Space::host, Space::device};
}

TEST(Which, ReportsEveryStepThatRuns) {
  std::set<std::string> seen;
  for (const Space space : spaces()) {
    for (const test::OperationCall& one : test::operation_calls()) {
      if (one.host_only && space == Space::device) continue;
      int answered = 0;
      for (const PixelType type : every_type) {
        SCOPED_TRACE(one.name + " of " + std::string(name_of(type)) + " on the " +
                     std::string(name_of(space)));
        std::deque<AnyImage> pictures;
        const auto make = [&](PixelType of, int32_t channels) -> AnyView {
          pictures.emplace_back(width, height, channels, of, space);
          AnyImage drawn(width, height, channels, of);
          verify::fill(drawn, verify::Pattern::blobs, pictures.size());
          copy(drawn, pictures.back());
          return pictures.back();
        };
        Steplist ran;
        try {
          one.call(make, type, {.observer = &ran});
        } catch (const Error&) {  // of a type that the operation does not take
          continue;
        }
        ++answered;
        const auto asked = which_all([&](const Exec& exec) { one.call(make, type, exec); });
        EXPECT_EQ(steps_of(asked), steps_of(ran.choices));
        EXPECT_FALSE(asked.empty());
        for (const Choice& choice : asked) seen.emplace(choice.operation);
      }
      EXPECT_GT(answered, 0) << one.name;
    }
  }
  for (const OperationDescription& operation : list_operations())
    EXPECT_TRUE(seen.count(std::string(operation.name))) << operation.name;
}

TEST(Which, ReportsTheFloatsOfACannyWithAWideGaussian) {
  const ConstAnyView src = placeholder(width, height, u8);
  const AnyView dst = placeholder(width, height, u8);
  const auto call = [&](const Exec& exec) { canny(src, dst, {.sigma = 6}, exec); };
  const auto all = which_all(call, {.strategy = "rows"});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].operation, "pixel");
  EXPECT_NE(all[0].strategy, "rows");
  EXPECT_EQ(all[1].operation, "canny");
  EXPECT_EQ(all[1].strategy, "rows");
  EXPECT_EQ(which_all([&](const Exec& exec) { canny(src, dst, {.sigma = 3}, exec); }).size(), 1u);
}

TEST(Which, ReportsTheGaussianBeforeAWideLog) {
  const ConstAnyView src = placeholder(width, height, u8);
  const AnyView dst = placeholder(width, height, u8);
  const auto call = [&](const Exec& exec) { log_edges(src, dst, {.sigma = 2.3}, exec); };
  const auto all = which_all(call);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].operation, "convolve");
  EXPECT_EQ(all[1].operation, "log");
  EXPECT_EQ(which(call).operation, "log") << "the step that writes the result";
  EXPECT_EQ(which_all([&](const Exec& exec) { log_edges(src, dst, {.sigma = 2.2}, exec); }).size(),
            1u);
  // A pinned strategy is log's.
  const auto pinned = which_all(call, {.strategy = "serial"});
  ASSERT_EQ(pinned.size(), 2u);
  EXPECT_EQ(pinned[1].strategy, "serial");
  EXPECT_NE(pinned[0].strategy, "serial");
}

TEST(Which, ReturnsTheStepThatNothingTakes) {
  std::vector<Choice> steps(3);
  steps[0].operation = "first", steps[0].strategy = "simd";
  steps[1].operation = "refused", steps[1].refusal = "why";
  steps[2].operation = "last", steps[2].strategy = "simd";
  const auto call = [&](const Exec& exec) {
    exec.choices->insert(exec.choices->end(), steps.begin(), steps.end());
  };
  EXPECT_EQ(which(call).operation, "refused");
  EXPECT_FALSE(which(call));
  steps[1].strategy = "rows";
  EXPECT_EQ(which(call).operation, "last");
  EXPECT_FALSE(which([](const Exec&) {}));
}

// Memory that ends the process when it is read or written.
class NoAccess {
 public:
  explicit NoAccess(size_t bytes)
      : bytes_(bytes),
        memory_(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~NoAccess() { munmap(memory_, bytes_); }
  NoAccess(const NoAccess&) = delete;
  NoAccess& operator=(const NoAccess&) = delete;
  void* memory() const { return memory_; }

 private:
  size_t bytes_;
  void* memory_;
};

TEST(Which, ReadsNoSample) {
  constexpr ptrdiff_t stride = width * 4 * 4;
  for (const Space space : {Space::host, Space::device}) {
    for (const bool has_address : {false, true}) {
      for (const test::OperationCall& one : test::operation_calls()) {
        int answered = 0;
        for (const PixelType type : every_type) {
          std::deque<NoAccess> pictures;
          const auto make = [&](PixelType of, int32_t channels) -> AnyView {
            if (!has_address) return placeholder(width, height, of, channels, space);
            pictures.emplace_back(size_t(stride) * height);
            return {pictures.back().memory(), width, height, channels, stride, of, space};
          };
          try {
            answered += !which_all([&](const Exec& exec) { one.call(make, type, exec); }).empty();
          } catch (const Error&) {  // of a type that the operation does not take
          }
        }
        if (one.host_only && space == Space::device) continue;
        EXPECT_GT(answered, 0) << one.name << " on the " << name_of(space);
      }
    }
  }
}

TEST(WhichDeathTest, TheMemoryIsNotReadable) {
  const NoAccess memory(4096);
  EXPECT_DEATH(static_cast<void>(*static_cast<volatile const char*>(memory.memory())), "");
}

}  // namespace
}  // namespace cuesta
