#include <gtest/gtest.h>

#include "core/bits.hpp"
#include "core/border_sample.hpp"
#include "cuesta/error.hpp"
#include "cuesta/exec.hpp"
#include "cuesta/image.hpp"

namespace cuesta {
namespace {

TEST(Image, RowsAreAlignedAndApart) {
  Image<uint16_t> image(33, 5, 3);
  for (int y = 0; y < 5; ++y) EXPECT_EQ(reinterpret_cast<uintptr_t>(image.row(y)) % 64, 0u);
  EXPECT_EQ(image.view().stride_bytes, 256);
  Image<uint16_t> moved = std::move(image);
  EXPECT_TRUE(image.empty());
  EXPECT_EQ(moved.width(), 33);
}

TEST(Border, ValueBecomesASample) {
  const auto of = [](double value) { return Border{BorderMode::constant, value}; };
  EXPECT_EQ(border_sample<uint8_t>(of(76.5)), 76) << "half to even";
  EXPECT_EQ(border_sample<uint8_t>(of(77.5)), 78);
  EXPECT_EQ(border_sample<uint8_t>(of(-3)), 0);
  EXPECT_EQ(border_sample<uint8_t>(of(1e300)), 255);
  EXPECT_EQ(border_sample<uint16_t>(of(65534.5)), 65534);
  EXPECT_EQ(border_sample<uint16_t>(of(70000)), 65535);
  EXPECT_EQ(border_sample<float>(of(-0.7)), -0.7f);
}

TEST(Bits, LastWordHoldsTheRestOfARow) {
  EXPECT_EQ(last_word_mask(1), 1u);
  EXPECT_EQ(last_word_mask(63), ~uint64_t(0) >> 1);
  EXPECT_EQ(last_word_mask(64), ~uint64_t(0));
  EXPECT_EQ(last_word_mask(65), 1u);
}

TEST(Image, RefusesSizesThatCannotBe) {
  EXPECT_THROW(Image<uint8_t>(-1, 4), Error);
  EXPECT_THROW(Image<uint8_t>(4, 4, 5), Error);
  try {
    Image<uint8_t> image(4, 4);
    checked_region(AnyView(image), {2, 2, 3, 1});
    FAIL() << "a region outside was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_EQ(error.value(), "2,2,3,1");
  }
}

TEST(Border, MapsAnyDistance) {
  // abcd continued by each rule, from -9 to 12.
  const auto row = [](BorderMode mode) {
    std::string text;
    for (int i = -9; i < 13; ++i) {
      const int m = map_index(mode, i, 4);
      text += m < 0 ? '.' : char('a' + m);
    }
    return text;
  };
  EXPECT_EQ(row(BorderMode::replicate), "aaaaaaaaaabcdddddddddd");
  EXPECT_EQ(row(BorderMode::reflect), "aabcddcbaabcddcbaabcdd");
  EXPECT_EQ(row(BorderMode::reflect101), "dcbabcdcbabcdcbabcdcba");
  EXPECT_EQ(row(BorderMode::wrap), "dabcdabcdabcdabcdabcda");
  EXPECT_EQ(row(BorderMode::constant), ".........abcd.........");
  for (const auto mode :
       {BorderMode::reflect, BorderMode::reflect101, BorderMode::replicate, BorderMode::wrap})
    EXPECT_EQ(map_index(mode, -77, 1), 0);
}

}  // namespace
}  // namespace cuesta
