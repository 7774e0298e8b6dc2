// The GPU path end to end. Without a GPU these skip, and say why.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "cuda/architectures.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/error.hpp"
#include "cuesta/strategies.hpp"
#include "support/readme.hpp"
#include "verify/verify.hpp"

namespace cuesta {
namespace {

#ifdef CUESTA_CUDA_EMULATED  // a thousand times slower, and without loops in graphs
constexpr verify::Level best_level = verify::Level::quick;
constexpr std::string_view not_emulated = "graph";
#else
constexpr verify::Level best_level = verify::Level::full;
constexpr std::string_view not_emulated;
#endif

class Device : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

TEST_F(Device, EveryStrategyEqualsTheReference) {
  int64_t rows = 0;
  for (const verify::Operation& operation : verify::operations()) {
    for (const auto& row : operation.run({.level = best_level, .space = Space::device})) {
      if (row.strategy == not_emulated) continue;
      ++rows;
      for (const auto& failure : row.failures)
        ADD_FAILURE() << row.operation << " " << row.strategy << ": " << failure;
      EXPECT_TRUE(row.passed()) << row.operation << " " << row.strategy;
      for (const auto& why : row.refusals) {
        EXPECT_NE(verify::readme_of(row.operation).find(why), std::string::npos)
            << row.strategy << " refuses '" << why << "', which the README does not list";
      }
    }
  }
  EXPECT_GT(rows, 0) << "the build has no device strategy";
}

// What a rung refuses with a value, as one GPU or a parameter of another rung, is not run with it;
// every value runs in some rung.
TEST_F(Device, EveryRungWithEveryValue) {
  size_t settings = 0, ran = 0;
  for (const StrategyDescription& rung : list_strategies()) {
    if (rung.tier != Tier::ladder || rung.space != Space::device || rung.name == not_emulated)
      continue;
    for (const verify::Operation& operation : verify::operations()) {
      if (operation.name != rung.operation) continue;
      for (const auto& row : operation.run(
               {.strategy = std::string(rung.name), .space = Space::device, .every_value = true})) {
        ++settings;
        ran += row.run > 0;
        for (const auto& failure : row.failures)
          ADD_FAILURE() << row.operation << " " << row.strategy << ": " << failure;
      }
    }
  }
  EXPECT_GT(settings, 100u);
  EXPECT_GT(ran, settings * 9 / 10);
}

TEST_F(Device, EveryStrategyEqualsTheReferenceAtEverySize) {
  for (const verify::Operation& operation : verify::operations()) {
    for (const auto& row : operation.run({.level = verify::Level::sizes, .space = Space::device})) {
      for (const auto& failure : row.failures)
        ADD_FAILURE() << row.operation << " " << row.strategy << ": " << failure;
      EXPECT_TRUE(row.passed()) << row.operation << " " << row.strategy;
    }
  }
}

TEST_F(Device, PicturesGoThereAndBackOnAStream) {
  Image<uint8_t> src(201, 77), mine(201, 77), theirs(201, 77);
  verify::fill(src, verify::Pattern::natural, 3);
  const Stream stream;
  Image<uint8_t, Space::device> there(201, 77), magnitude(201, 77);
  upload(src, there, stream.get());
  sobel(there, {.magnitude = magnitude}, {}, {.stream = stream.get()});
  download(magnitude, mine, stream.get());
  sobel(src, {.magnitude = theirs}, {}, {.strategy = "serial"});
  for (int y = 0; y < 77; ++y)
    for (int x = 0; x < 201; ++x) ASSERT_EQ(mine.at(x, y), theirs.at(x, y)) << x << "," << y;
}

TEST_F(Device, HostRowsAreNotOnTheDevice) {
  Image<uint8_t, Space::device> src(8, 8), out(8, 8);
  try {
    sobel(src, {.magnitude = out}, {}, {.strategy = "simd"});
    FAIL() << "a host strategy took a device picture";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no strategy 'simd' on the device; there are "),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Device, OutOfMemoryIsOneClearSentence) {
  try {
    Image<uint8_t, Space::device> image(1 << 20, 1 << 20);  // 1 TiB
    FAIL() << "a terabyte on a GPU";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_NE(std::string(error.what()).find("out of memory"), std::string::npos) << error.what();
  }
  Image<uint8_t, Space::device> after(16, 16);
  EXPECT_TRUE(after.view().data) << "the failure left the GPU unusable";
}

#ifndef CUESTA_CUDA_EMULATED  // whose memory is the process's own
TEST_F(Device, AFaultSurfacesAtTheNextWaitAndNamesTheOperation) {
  // A picture that is not the GPU's: the kernel faults, and no picture comes back. A fault ends the
  // process's use of the GPU, so this runs in a child.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto fault = [] {
    try {
      const AnyView nowhere(reinterpret_cast<void*>(uintptr_t(1) << 62), 64, 64, 1, 64,
                            PixelType::u8, Space::device);
      Image<uint8_t, Space::device> out(64, 64);
      sobel(nowhere, {.magnitude = out});
      Image<uint8_t> back(64, 64);
      download(out, back);
      std::_Exit(1);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::_Exit(error.code() == ErrorCode::device ? 0 : 2);
    }
  };
  EXPECT_EXIT(fault(), testing::ExitedWithCode(0), "CUDA reports .*sobel");
}
#endif

#ifdef CUESTA_HAS_CUDA
TEST(Architectures, CodeRunsOnItsMajorVersionFromItsMinorOn) {
  constexpr int built[] = {75, 80, 86, 90, 120};
  EXPECT_TRUE(cuda::can_run(built, 7, 5));
  EXPECT_TRUE(cuda::can_run(built, 8, 9)) << "8.6 code runs on 8.9";
  EXPECT_TRUE(cuda::can_run(built, 8, 0));
  EXPECT_FALSE(cuda::can_run(built, 7, 0)) << "7.5 code does not run on 7.0";
  EXPECT_FALSE(cuda::can_run(built, 10, 0)) << "nothing between 9.0 and 12.0";
  EXPECT_TRUE(cuda::can_run(built, 13, 0)) << "newer than all: the driver may compile";
  EXPECT_FALSE(cuda::can_run({}, 9, 0));
  EXPECT_FALSE(cuda::built_architectures().empty());
}
#endif

TEST(NoDevice, AbsenceIsOneClearSentence) {
  std::string why;
  if (!list_devices(&why).empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(why.empty());
  try {
    Image<uint8_t, Space::device> image(4, 4);
    FAIL() << "device memory without a device";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::device);
    EXPECT_EQ(error.hint(), Hint::use_cpu) << error.what();
    EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cuesta
