// Dispatch, scratch memory and threads: what every operation relies on.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/stages.hpp"
#include "core/strategy.hpp"
#include "core/threads.hpp"
#include "core/workspace.hpp"
#include "cuesta/cuesta.hpp"

namespace cuesta {
namespace {

std::string message_of(const Exec& exec) {
  Image<uint8_t> src(5, 5), out(5, 5);
  for (int y = 0; y < 5; ++y) std::fill_n(src.row(y), 5, uint8_t(1));
  try {
    sobel(src, {.magnitude = out}, {}, exec);
  } catch (const Error& error) {
    return error.what();
  }
  return "ran";
}

TEST(Dispatch, PinsByExec) {
  EXPECT_EQ(message_of({.strategy = "serial"}), "ran");
  EXPECT_EQ(message_of({.strategy = "nonsense"}),
            "sobel: no strategy 'nonsense' on the host; there are serial, rows, simd");
  EXPECT_EQ(message_of({.strategy = "simd", .parameters = {{"block", "16"}}}),
            "sobel: strategy 'simd' has no parameters, so 'block' cannot be set");
}

// The environment is read once a process: each of these is one of its own.
[[noreturn]] void expect_pinned(const char* pins, const Exec& exec, std::string_view said) {
  setenv("CUESTA_STRATEGY", pins, 1);
  const std::string message = message_of(exec);
  setenv("CUESTA_STRATEGY", "sobel:changed-too-late", 1);
  const bool same = message_of(exec) == message;
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(same && message.find(said) != message.npos ? 0 : 1);
}

TEST(DispatchDeathTest, PinsByEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(expect_pinned("label:serial,sobel:nothing", {}, "no strategy 'nothing'"),
              testing::ExitedWithCode(0), "nothing");
  EXPECT_EXIT(expect_pinned("label:serial,sobel:nothing", {.strategy = "rows"}, "ran"),
              testing::ExitedWithCode(0), "ran");
  EXPECT_EXIT(expect_pinned("sobel", {}, "must be operation:strategy"), testing::ExitedWithCode(0),
              "operation:strategy");
}

TEST(Tables, ListTheDeviceInEveryBuild) {
  bool built = false;
  for (const StrategyDescription& row : list_strategies())
    built |= row.space == Space::device && row.built;
  int rungs = 0;
  for (const StrategyDescription& row : list_strategies()) {
    EXPECT_EQ(row.built, row.space == Space::host || built) << row.operation << ' ' << row.name;
    rungs += row.space == Space::device && row.tier == Tier::ladder;
  }
  EXPECT_GT(rungs, 30);

  // What is not built is never chosen, by name or without one.
  const AnyView src = placeholder(40, 30, PixelType::u8, 1, Space::device);
  const AnyView out = placeholder(40, 30, PixelType::u16, 1, Space::device);
  const auto call = [&](const Exec& e) { sobel(src, {.magnitude = out}, {}, e); };
  for (const char* name : {"", "plain", "shared-1d"}) {
    const Choice choice = which(call, {.strategy = name});
    EXPECT_EQ(bool(choice), built) << name;
    EXPECT_EQ(choice.refusal.empty(), built) << name;
    if (!built) {
      EXPECT_THROW(call({.strategy = name}), Error) << name;
    }
  }
}

// What no production row of the host takes.
constexpr int32_t too_far = 200'000;
constexpr std::string_view why_too_far = "an offset beyond 131,072 either way";

TEST(Choice, IsWhatRuns) {
  struct Observer : StageObserver {
    std::string seen;
    void chosen(const Choice& choice) override { seen = choice.strategy; }
    void stage(std::string_view, void*) override {}
    void statistic(std::string_view, double) override {}
  };
  for (const int32_t offset : {0, too_far}) {
    const AnyView src = placeholder(40, 30, PixelType::u8);
    const AnyView out = placeholder(40, 30, PixelType::u8);
    const FilterOptions options{.offset = offset};
    const Choice choice = which([&](const Exec& e) { laplacian(src, out, options, e); });
    EXPECT_EQ(choice.operation, "convolve");
    EXPECT_EQ(choice.strategy, offset == 0 ? "simd" : "rows");
    EXPECT_EQ(choice.processor, simd_target());
    EXPECT_GE(choice.threads, 1);
    if (offset != 0) {
      ASSERT_EQ(choice.passed_over.size(), 1u);
      EXPECT_EQ(choice.passed_over[0].strategy, "simd");
      EXPECT_EQ(choice.passed_over[0].why, why_too_far);
    }
    Image<uint8_t> real(40, 30), result(40, 30);
    for (int y = 0; y < 30; ++y) std::fill_n(real.row(y), 40, uint8_t(7));
    Observer observer;
    laplacian(real, result, options, {.observer = &observer});
    EXPECT_EQ(observer.seen, choice.strategy);
  }
}

TEST(Choice, SaysWhyNothingRuns) {
  const AnyView src = placeholder(9, 9, PixelType::u8), out = placeholder(9, 9, PixelType::u8);
  const Choice choice = which([&](const Exec& e) { laplacian(src, out, {.offset = too_far}, e); },
                              {.strategy = "simd"});
  EXPECT_FALSE(choice);
  EXPECT_EQ(choice.refusal,
            "convolve: strategy 'simd' does not take this request: " + std::string(why_too_far));
  EXPECT_THROW(which([&](const Exec& e) { sobel(src, {.magnitude = out}, {.aperture = 4}, e); }),
               Error)
      << "what cannot be meant is an error, asked or run";
}

TEST(Choice, LeavesABackgroundAsItIs) {
  BackgroundSubtractor model;
  const Choice choice =
      which([&](const Exec& e) { model.push(placeholder(64, 48, PixelType::u8), {}, 25, e); });
  EXPECT_EQ(choice.strategy, "simd");
  EXPECT_EQ(model.frames(), 0);
}

TEST(Dispatch, SaysWhyAPinnedStrategyRefuses) {
  Image<uint8_t> src(4, 4), out(4, 4);
  for (int y = 0; y < 4; ++y) std::fill_n(src.row(y), 4, uint8_t(9));
  const FilterOptions options{.offset = too_far};
  try {
    laplacian(src, out, options, {.strategy = "simd"});
    FAIL() << "simd took the offset";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find(why_too_far), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(laplacian(src, out, options)) << "automatic choice falls back";
}

TEST(Dispatch, ForcedInstructionSetIsTheOneInUse) {
  for (const auto target : simd_targets()) {
    force_simd_target(target);
    EXPECT_EQ(simd_target(), target);
  }
  force_simd_target("");
  EXPECT_EQ(simd_target(), simd_targets().front());
  EXPECT_THROW(force_simd_target("mmx"), Error);
}

TEST(Workspace, GrowsOnceAndNests) {
  Workspace workspace;
  const Exec exec{.workspace = &workspace};
  const auto use = [&] {
    Scratch outer(exec, Space::host);
    auto* a = outer.take<uint8_t>(100000);
    std::fill_n(a, 100000, uint8_t(1));
    {
      Scratch inner(exec, Space::host);
      std::fill_n(inner.take<uint8_t>(300000), 300000, uint8_t(2));
    }
    auto* b = outer.take<uint8_t>(200000);
    std::fill_n(b, 200000, uint8_t(3));
    EXPECT_EQ(a[99999], 1) << "scopes overlap";
  };
  use();
  const size_t after_first = workspace.bytes();
  for (int i = 0; i < 10; ++i) use();
  EXPECT_EQ(workspace.bytes(), after_first);
  workspace.release_memory();
  EXPECT_EQ(workspace.bytes(), 0u);
  use();
}

TEST(Workspace, ServesOneThreadAtATime) {
  Workspace workspace;
  const Exec exec{.workspace = &workspace};
  const Scratch mine(exec, Space::host);
  bool threw = false;
  std::thread([&] {
    try {
      const Scratch theirs(exec, Space::host);
    } catch (const Error&) {
      threw = true;
    }
  }).join();
  EXPECT_TRUE(threw);
}

// Says when it goes.
struct Thing {
  static constexpr size_t max_kept = 3;
  Thing(int v, int& count) : value(v), alive(&count) { ++count; }
  Thing(const Thing&) = delete;
  Thing& operator=(const Thing&) = delete;
  ~Thing() { --*alive; }
  int value;
  int* alive;
};

TEST(Workspace, KeepsWhatCallsMake) {
  int alive = 0, made = 0;
  Workspace workspace;
  const auto value = [&](std::string_view key, int wanted, Workspace* of) {
    Scratch scratch({.workspace = of}, Space::host);
    EXPECT_EQ(scratch.keeps(), of != nullptr);
    return scratch.kept<Thing>(key, [&] { return ++made, Thing(wanted, alive); }).value;
  };
  EXPECT_EQ(value("a", 1, &workspace), 1);
  EXPECT_EQ(value("a", 2, &workspace), 1) << "an equal key finds what is kept";
  EXPECT_EQ(value("b", 3, &workspace), 3);
  EXPECT_EQ(value("", 4, &workspace), 4);
  EXPECT_EQ(value("a", 5, &workspace), 1);
  EXPECT_EQ(made, 3);
  EXPECT_EQ(value("c", 6, &workspace), 6);
  EXPECT_EQ(alive, 3) << "the longest unused went: b";
  EXPECT_EQ(value("a", 7, &workspace), 1);
  EXPECT_EQ(value("b", 8, &workspace), 8);
  EXPECT_EQ(value("a", 9, nullptr), 9) << "another workspace is none of its business";
  EXPECT_EQ(value("a", 10, nullptr), 10) << "without the caller's nothing is kept";
  EXPECT_EQ(alive, 3);
  // What cannot be made changes nothing.
  {
    Scratch scratch({.workspace = &workspace}, Space::host);
    EXPECT_THROW(scratch.kept<Thing>("d", []() -> Thing { throw std::runtime_error("no"); }),
                 std::runtime_error);
  }
  EXPECT_EQ(alive, 3);
  Workspace moved = std::move(workspace);
  EXPECT_EQ(value("a", 11, &moved), 1);
  moved.release_memory();
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(value("a", 12, &moved), 12);
  moved = Workspace();
  EXPECT_EQ(alive, 0);
}

TEST(Parameters, AreOfTheListOrTheRange) {
  static constexpr std::string_view listed[] = {"32", "16"}, tried[] = {"some", "1", "7"};
  const ParameterInfo list{"block", "", listed}, range{"grid", "", tried, 1, 1024};
  for (const char* value : {"32", "16"}) EXPECT_TRUE(list.takes(value)) << value;
  for (const char* value : {"8", "", "32 ", "0"}) EXPECT_FALSE(list.takes(value)) << value;
  for (const char* value : {"some", "1", "2", "7", "1024"})
    EXPECT_TRUE(range.takes(value)) << value;
  for (const char* value : {"0", "-1", "1025", "7x", "", " 7", "7.0", "99999999999"})
    EXPECT_FALSE(range.takes(value)) << value;
  EXPECT_EQ(list.choices(), "32, 16");
  EXPECT_EQ(range.choices(), "some, or a whole number from 1 to 1024");
  const Exec exec{.parameters = {{"grid", "0"}}};
  try {
    detail::check_parameters("convolve", "row-cyclic", exec, {&range, 1});
    FAIL() << "grid=0 was taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "convolve: parameter grid=0 of strategy 'row-cyclic' is invalid; choose some, or a "
              "whole number from 1 to 1024");
  }
}

TEST(Threads, EveryTaskRunsOnceWhateverTheirNumber) {
  for (const int threads : {1, 2, 3, 8, 99}) {
    std::vector<std::atomic<int>> runs(257);
    parallel_tasks(257, threads, [&](int i) { ++runs[size_t(i)]; });
    for (const auto& n : runs) ASSERT_EQ(n, 1) << threads;
  }
}

TEST(Threads, ExceptionsReachTheCaller) {
  for (const int threads : {1, 4}) {
    EXPECT_THROW(parallel_tasks(64, threads,
                                [](int i) {
                                  if (i == 13) throw std::runtime_error("thirteen");
                                }),
                 std::runtime_error);
  }
}

TEST(Threads, ItemsTakeThePlacesOfStagesInTurn) {
  for (const int places : {1, 2, 3, 7}) {
    constexpr int items = 100;
    std::vector<int> in_place(size_t(places), -1);
    std::vector<int> worked, given;
    int next = 0;
    const auto take = [&](int place) {
      EXPECT_EQ(place, next % places);
      // The item before is still in its place.
      if (places > 1 && next > 0) {
        EXPECT_EQ(in_place[size_t((next - 1) % places)], next - 1);
      }
      if (next == items) return false;
      in_place[size_t(place)] = next++;
      return true;
    };
    run_stages(places, {.take = take,
                        .work = [&](int place) { worked.push_back(in_place[size_t(place)]); },
                        .give = [&](int place) { given.push_back(in_place[size_t(place)]); }});
    std::vector<int> all(items);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(worked, all) << places;
    EXPECT_EQ(given, all) << places;
  }
}

TEST(Threads, StripsCoverEveryRowOnce) {
  for (const int rows : {0, 1, 15, 16, 17, 1000}) {
    for (const int threads : {1, 2, 7, 99}) {
      const Strips strips(rows, threads);
      int32_t next = 0;
      for (int i = 0; i < strips.count; ++i) {
        EXPECT_EQ(strips.begin(i), next);
        EXPECT_GT(strips.end(i), strips.begin(i));
        next = strips.end(i);
      }
      EXPECT_EQ(next, rows);
    }
  }
}

}  // namespace
}  // namespace cuesta
