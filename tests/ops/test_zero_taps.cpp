// What the f32 rows on CUDA rest on where they multiply taps of 0, without a GPU.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "ops/convolve/cuda/zero_taps.hpp"

namespace cuesta {
namespace {

using convolve_cuda::lowest_bit;
using convolve_cuda::min_sample;

// Whether a sum may lose what it is given: products of floats are exact in double, unless they are
// far below what any float holds.
bool is_lost(float tap, float sample) {
  const double units = std::ldexp(double(tap) * double(sample), 149);
  return units != std::nearbyint(units) || (tap != 0 && sample != 0 && units == 0);
}

TEST(ZeroTaps, TheLowestBitIsThatOfTheTapWithTheMostDigits) {
  EXPECT_EQ(lowest_bit({}), 0);
  EXPECT_EQ(lowest_bit(std::array{0.0f, -0.0f}), 0);
  EXPECT_EQ(lowest_bit(std::array{-8.0f, 0.0f, 64.0f}), 3);
  EXPECT_EQ(lowest_bit(std::array{1.0f, 0.375f}), -3);
  EXPECT_EQ(lowest_bit(std::array{0x1p-149f, 1.0f}), -149);
  EXPECT_EQ(lowest_bit(std::array{0.1f}), -27);
}

TEST(ZeroTaps, NothingIsLostFromTheLeastSampleOn) {
  for (const float tap :
       {3.0f, 1.0f, 0.5f, -0.1f, 0x1.8p-20f, -0x1.fffffep-60f, 0x1p-126f, 0x1p-149f}) {
    const uint32_t least = min_sample(lowest_bit(std::array{tap}));
    // Any sample in question is distinguished by 2 · bits − 1, and 0 never is in question.
    EXPECT_GE(2 * std::bit_cast<uint32_t>(0.0f) - 1, least);
    const uint32_t bits = least / 2 + least % 2;
    for (uint32_t i = 0; i < 1000; ++i)
      EXPECT_FALSE(is_lost(tap, std::bit_cast<float>(bits + i))) << tap << ' ' << i;
    if (least == 0) continue;
    // A binade lower something is.
    EXPECT_TRUE(is_lost(tap, std::bit_cast<float>(bits - 1))) << tap;
    EXPECT_LT(2 * std::bit_cast<uint32_t>(-std::bit_cast<float>(bits - 1)) - 1, least);
  }
}

}  // namespace
}  // namespace cuesta
