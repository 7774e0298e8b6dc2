// Work of the command on either device: what it is asked, what it is given, and where it runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "cli/either_device.hpp"
#include "cuesta/boundaries.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/strategies.hpp"
#include "verify/patterns.hpp"

namespace cuesta::cli {
namespace {

using Sources = std::span<const ConstAnyView>;

Image<uint8_t> picture_of(uint64_t seed) {
  Image<uint8_t> picture(61, 37);
  verify::fill(picture, verify::Pattern::natural, seed);
  return picture;
}

bool same_bytes(const Image<uint8_t>& a, const Image<uint8_t>& b) {
  for (int32_t y = 0; y < a.height(); ++y)
    if (!std::equal(a.row(y), a.row(y) + a.width(), b.row(y))) return false;
  return a.width() == b.width() && a.height() == b.height();
}

std::vector<Choice> plan_magnitude(const WorkShape& shape, Space space, const Execs& execs) {
  return which_all(
      [&](const Exec& asking) {
        const auto like = [&](PixelType type) {
          return placeholder(shape.size.width, shape.size.height, type, 1, space);
        };
        sobel(like(shape.type), {.magnitude = like(PixelType::u8)}, {}, asking);
      },
      execs.pinned);
}

void magnitude(Sources sources, AnyView out, const Execs& execs) {
  sobel(sources[0], {.magnitude = out}, {}, execs.pinned);
}

TEST(EitherDevice, OnTheCpuTheWorkGetsThePicturesThemselves) {
  CommonOptions common;
  common.device = "cpu";
  Image<uint8_t> src = picture_of(1), dst(61, 37);
  int calls = 0;
  EitherDevice either(
      common, plan_magnitude, [&](Sources sources, AnyView out, const Execs& execs) {
        ++calls;
        ASSERT_EQ(sources.size(), 2u);
        EXPECT_EQ(sources[0].data, src.row(0));
        EXPECT_FALSE(sources[1]);
        EXPECT_EQ(out.data, dst.row(0));
        EXPECT_EQ(execs.pinned.choices, nullptr) << "nothing is asked where there is no choice";
      });
  either.run({src, {}}, dst);
  EXPECT_EQ(calls, 1);
}

TEST(EitherDevice, OptionsAreCheckedWithoutAPicture) {
  CommonOptions common;
  common.device = "cpu";
  SobelOptions options;
  EitherDevice either(common, [&](const WorkShape& shape, Space space, const Execs& execs) {
    EXPECT_EQ(space, Space::host);
    return which_all(
        [&](const Exec& asking) {
          const auto src = placeholder(shape.size.width, shape.size.height, shape.type);
          Image<uint8_t> dst(shape.size);
          sobel(src, {.magnitude = dst}, options, asking);
        },
        execs.pinned);
  });
  EXPECT_NO_THROW(either.check(PixelType::u8));
  options.aperture = 4;
  EXPECT_THROW(either.check(PixelType::u8), Error);
}

class EitherDeviceOnTheGpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (list_devices(&why).empty()) GTEST_SKIP() << "no GPU: " << why;
  }
};

TEST_F(EitherDeviceOnTheGpu, CopiesGoThereAndTheResultComesBack) {
  CommonOptions common;
  common.device = "cuda";
  Image<uint8_t> mask = picture_of(7);
  bool masked = false;
  EitherDevice either(common, plan_magnitude,
                      [&](Sources sources, AnyView out, const Execs& execs) {
                        EXPECT_EQ(sources[0].space, Space::device);
                        EXPECT_EQ(out.space, Space::device);
                        EXPECT_EQ(bool(sources[1]), masked);
                        magnitude(sources, out, execs);
                        if (!masked) return;
                        Image<uint8_t> back(61, 37);
                        download(sources[1], back, execs.pinned.stream);
                        EXPECT_TRUE(same_bytes(back, mask));
                      });
  // The second round keeps the memory, and gives the mask that the first left out.
  for (const bool with_mask : {false, true}) {
    masked = with_mask;
    Image<uint8_t> src = picture_of(2 + masked), here(61, 37), there(61, 37);
    either.run({src, masked ? ConstAnyView(mask) : ConstAnyView()}, there);
    sobel(src, {.magnitude = here});
    EXPECT_TRUE(same_bytes(here, there));
  }
}

// As the command converts a folder: an object a thread, pictures of any size.
TEST_F(EitherDeviceOnTheGpu, ThreadsRunBesideEachOther) {
  CommonOptions common;
  common.device = "cuda";
  std::atomic<int> wrong{0}, next{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        EitherDevice either(common, plan_magnitude, magnitude);
        for (int number = next++; number < 60; number = next++) {
          const int32_t width = 20 + 37 * (number % 13), height = 15 + 29 * (number % 7);
          Image<uint8_t> src(width, height), here(width, height), there(width, height);
          verify::fill(src, verify::Pattern::natural, uint64_t(number));
          either.run({src}, there);
          sobel(src, {.magnitude = here}, {}, {.strategy = "serial"});
          wrong += !same_bytes(here, there);
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(EitherDeviceOnTheGpu, WhatAProductionStrategyRefusesGoesToTheCpuIfThatIsAllowed) {
  Image<uint8_t> src = picture_of(1), dst(61, 37);
  for (const char* device : {"auto", "cuda"}) {
    CommonOptions common;
    common.device = device;
    std::vector<Space> ran;
    // keep_channels() has a plain strategy alone on the GPU, which is no reason to go there by
    // itself.
    const auto find = [](ConstAnyView from, AnyView out, const Exec& exec) {
      if (from.channels == 3)
        keep_channels(from, out, exec);
      else
        canny(from, out, {}, exec);
    };
    EitherDevice either(
        common,
        [&](const WorkShape& shape, Space space, const Execs& execs) {
          return which_all(
              [&](const Exec& asking) {
                const auto like = [&](PixelType type, int32_t channels) {
                  return placeholder(shape.size.width, shape.size.height, type, channels, space);
                };
                find(like(shape.type, shape.channels), like(shape.type, 1), asking);
              },
              execs.pinned);
        },
        [&](Sources sources, AnyView out, const Execs& execs) {
          find(sources[0], out, execs.pinned);
          ran.push_back(out.space);
        });
    Image<uint8_t> colors(61, 37, 3), first(61, 37);
    for (int32_t y = 0; y < 37; ++y) std::fill_n(colors.row(y), 3 * 61, uint8_t(y));
    either.run({colors}, first);
    either.run({src}, dst);
    const Space of_colors = common.device == "auto" ? Space::host : Space::device;
    EXPECT_EQ(ran, (std::vector{of_colors, Space::device}));
  }
}

TEST_F(EitherDeviceOnTheGpu, WhatIsRefusedWhereItWasAskedForIsAnError) {
  Image<uint16_t> src(61, 37);
  for (int32_t y = 0; y < 37; ++y) std::fill_n(src.row(y), 61, uint16_t(5));
  Image<uint8_t> dst(61, 37);
  CommonOptions common;
  common.device = "cuda";
  common.strategy = "union-find";
  const auto find = [](ConstAnyView from, AnyView out, const Exec& exec) {
    canny(from, out, {.aperture = 5}, exec);
  };
  EitherDevice either(
      common,
      [&](const WorkShape& shape, Space space, const Execs& execs) {
        return which_all(
            [&](const Exec& asking) {
              const auto like = [&](PixelType type) {
                return placeholder(shape.size.width, shape.size.height, type, 1, space);
              };
              find(like(shape.type), like(PixelType::u8), asking);
            },
            execs.pinned);
      },
      [&](Sources sources, AnyView out, const Execs& execs) {
        find(sources[0], out, execs.pinned);
      });
  try {
    either.run({src}, dst);
    FAIL() << "canny's union-find took u16";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_NE(std::string(error.what()).find("u16 source"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace cuesta::cli
