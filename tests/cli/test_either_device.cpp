// Work of the command on either device: what it is given, and where it goes on when a GPU refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cli/either_device.hpp"
#include "cuesta/device.hpp"
#include "cuesta/edges.hpp"
#include "verify/patterns.hpp"

namespace cuesta::cli {
namespace {

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

TEST(EitherDevice, OnTheCpuTheWorkGetsThePicturesThemselves) {
  CommonOptions common;
  common.device = "cpu";
  EitherDevice either(common);
  either.choose({"sobel"});
  Image<uint8_t> src = picture_of(1), dst(61, 37);
  int calls = 0;
  either.run({src, {}}, dst, [&](std::span<const ConstAnyView> sources, AnyView out) {
    ++calls;
    ASSERT_EQ(sources.size(), 2u);
    EXPECT_EQ(sources[0].data, src.row(0));
    EXPECT_FALSE(sources[1]);
    EXPECT_EQ(out.data, dst.row(0));
  });
  EXPECT_EQ(calls, 1);
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
  EitherDevice either(common);
  either.choose({"sobel"});
  // The second round keeps the memory, and gives the mask that the first left out.
  for (const bool masked : {false, true}) {
    Image<uint8_t> src = picture_of(2 + masked), mask = picture_of(7), here(61, 37), there(61, 37);
    either.run({src, masked ? ConstAnyView(mask) : ConstAnyView()}, there,
               [&](std::span<const ConstAnyView> sources, AnyView out) {
                 EXPECT_EQ(sources[0].space, Space::device);
                 EXPECT_EQ(out.space, Space::device);
                 EXPECT_EQ(bool(sources[1]), masked);
                 sobel(sources[0], {.magnitude = out});
                 if (!masked) return;
                 Image<uint8_t> back(61, 37);
                 download(sources[1], back);
                 EXPECT_TRUE(same_bytes(back, mask));
               });
    sobel(src, {.magnitude = here});
    EXPECT_TRUE(same_bytes(here, there));
  }
}

TEST_F(EitherDeviceOnTheGpu, WhatItRefusesGoesOnOnTheCpuIfThatIsAllowed) {
  for (const char* device : {"auto", "cuda"}) {
    CommonOptions common;
    common.device = device;
    EitherDevice either(common);
    either.choose({"sobel"});
    Image<uint8_t> src = picture_of(1), dst(61, 37);
    std::vector<Space> asked;
    const auto work = [&](std::span<const ConstAnyView>, AnyView out) {
      asked.push_back(out.space);
      if (out.space == Space::device) throw Error(ErrorCode::unsupported, "not on this one");
    };
    if (common.device == "cuda") {
      EXPECT_THROW(either.run({src}, dst, work), Error);
      continue;
    }
    either.run({src}, dst, work);
    either.run({src}, dst, work);
    EXPECT_EQ(asked, (std::vector{Space::device, Space::host, Space::host}));
  }
}

}  // namespace
}  // namespace cuesta::cli
