// Dispatch, scratch memory and threads: what every operation relies on.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "core/threads.hpp"
#include "core/workspace.hpp"
#include "cuesta/cuesta.hpp"

namespace cuesta {
namespace {

struct Pin {
  explicit Pin(const char* value) { setenv("CUESTA_STRATEGY", value, 1); }
  ~Pin() { unsetenv("CUESTA_STRATEGY"); }
};

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

TEST(Dispatch, PinsByExecAndEnvironment) {
  EXPECT_EQ(message_of({.strategy = "serial"}), "ran");
  EXPECT_EQ(message_of({.strategy = "nonsense"}),
            "sobel: no strategy 'nonsense' on the host; there are serial, rows, simd");
  {
    const Pin pin("label:serial,sobel:nothing");
    EXPECT_NE(message_of({}).find("'nothing'"), std::string::npos)
        << "the environment was not read";
    EXPECT_EQ(message_of({.strategy = "rows"}), "ran") << "the call's own name wins";
  }
  {
    const Pin pin("sobel");
    EXPECT_NE(message_of({}).find("is not operation:strategy"), std::string::npos);
  }
  EXPECT_EQ(message_of({.strategy = "simd", .parameters = {{"block", "16"}}}),
            "sobel: strategy 'simd' takes no parameter, so not 'block'");
}

TEST(Dispatch, SaysWhyAPinnedStrategyRefuses) {
  Image<uint16_t> src(4, 4), out(4, 4);
  for (int y = 0; y < 4; ++y) std::fill_n(src.row(y), 4, uint16_t(9));
  try {
    sobel(src, {.magnitude = out}, {}, {.strategy = "simd"});
    FAIL() << "simd took u16";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("u16 source"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(sobel(src, {.magnitude = out})) << "automatic choice falls back";
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
