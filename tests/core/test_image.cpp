#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/bits.hpp"
#include "core/border_sample.hpp"
#include "cuesta/border.hpp"
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
    image.region({2, 2, 3, 1});
    FAIL() << "a region outside was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_EQ(error.value(), "2,2,3,1");
  }
}

TEST(Image, RegionsKeepTheirTypeAndAreChecked) {
  Image<uint16_t> image(8, 6, 3);
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 8; ++x)
      for (int c = 0; c < 3; ++c) image.at(x, y, c) = uint16_t(100 * y + 10 * x + c);
  const ImageView<uint16_t> part = image.region({3, 2, 4, 3});
  EXPECT_EQ(part.size(), (Size{4, 3}));
  EXPECT_EQ(part.at(1, 2, 2), 442);
  const AnyView any = AnyView(image).region({3, 2, 4, 3});
  EXPECT_EQ(any.data, part.data);
  EXPECT_EQ(any.type, PixelType::u16);
  EXPECT_EQ(any.stride_bytes, part.stride_bytes);
  const std::initializer_list<Rect> outside = {
      {-1, 0, 2, 2}, {0, -1, 2, 2}, {0, 0, 0, 2},         {0, 0, 2, 0},
      {5, 0, 4, 1},  {0, 4, 1, 3},  {1, 1, INT32_MAX, 1}, {INT32_MAX, 0, 1, 1}};
  for (const Rect& rect : outside) {
    EXPECT_THROW(image.region(rect), Error) << rect.x << "," << rect.y;
    EXPECT_THROW(std::as_const(image).region(rect), Error);
    EXPECT_THROW(ConstAnyView(image).region(rect), Error);
  }
  BitImage bits(70, 3);
  EXPECT_THROW(AnyView(bits).region({0, 0, 64, 3}), Error);
}

TEST(AnyImage, IsAPictureOfATypeKnownAtRunTime) {
  for (const PixelType type :
       {PixelType::u8, PixelType::u16, PixelType::s16, PixelType::s32, PixelType::f32}) {
    AnyImage image(Size{33, 5}, 3, type);
    const AnyView view = image;
    EXPECT_EQ(view.type, type);
    EXPECT_EQ(view.size(), (Size{33, 5}));
    EXPECT_EQ(view.channels, 3);
    EXPECT_EQ(view.stride_bytes % 64, 0);
    EXPECT_GE(view.stride_bytes, 33 * 3 * bytes_per_sample(type));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(view.data) % 64, 0u);
  }
  AnyImage bits(70, 4, 1, PixelType::bit);
  const ConstBitView mask = bits_of(ConstAnyView(bits));
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 70; ++x) EXPECT_FALSE(mask.at(x, y));
  EXPECT_THROW(AnyImage(-1, 4, 1, PixelType::u8), Error);
  EXPECT_THROW(AnyImage(4, 4, 0, PixelType::u8), Error);
  EXPECT_THROW(AnyImage(4, 4, 1, PixelType::none), Error);
  EXPECT_THROW(AnyImage(4, 4, 2, PixelType::bit), Error);
  EXPECT_THROW(AnyImage(INT32_MAX, INT32_MAX, 4, PixelType::f32), Error);
}

TEST(AnyImage, MovesAndTakesOverTypedPictures) {
  Image<float> typed(7, 3);
  typed.at(6, 2) = 1.5F;
  const float* data = typed.row(0);
  AnyImage image = std::move(typed);
  EXPECT_TRUE(typed.empty());
  EXPECT_EQ(image.type(), PixelType::f32);
  EXPECT_EQ(image.as<float>().row(0), data);
  AnyImage moved = std::move(image);
  EXPECT_TRUE(image.empty());
  EXPECT_EQ(std::as_const(moved).as<float>().at(6, 2), 1.5F);
}

TEST(AnyImage, CreateKeepsMemoryOfTheSameShape) {
  AnyImage image;
  const void* first = image.create({20, 10}, 1, PixelType::u8).data;
  EXPECT_EQ(image.create({20, 10}, 1, PixelType::u8).data, first);
  const AnyView other = image.create({10, 20}, 2, PixelType::u16);
  EXPECT_EQ(other.type, PixelType::u16);
  EXPECT_EQ(other.size(), (Size{10, 20}));
  EXPECT_EQ(other.channels, 2);
}

TEST(Copy, FillsTheOtherPictureAndNothingElse) {
  Image<uint16_t> src(5, 4, 2), dst(9, 8, 2);
  for (int y = 0; y < 4; ++y)
    for (int i = 0; i < 10; ++i) src.row(y)[i] = uint16_t(10 * y + i + 1);
  for (int y = 0; y < 8; ++y) std::fill_n(dst.row(y), 18, uint16_t(999));
  copy(src, dst.region({2, 3, 5, 4}));
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 9; ++x) {
      const bool inside = x >= 2 && x < 7 && y >= 3 && y < 7;
      for (int c = 0; c < 2; ++c)
        EXPECT_EQ(dst.at(x, y, c), inside ? src.at(x - 2, y - 3, c) : 999) << x << "," << y;
    }
  }
  // From below upwards.
  ImageView<uint16_t> turned = src.view();
  turned.data = src.row(3), turned.stride_bytes = -turned.stride_bytes;
  copy(turned, dst.region({2, 3, 5, 4}));
  EXPECT_EQ(dst.at(2, 3), src.at(0, 3));
  EXPECT_EQ(dst.at(6, 6, 1), src.at(4, 0, 1));
}

TEST(Copy, OfBitsClearsWhatLiesPastTheWidth) {
  uint64_t words[4] = {~uint64_t(0), ~uint64_t(0), 5, ~uint64_t(0)};
  const ConstBitView src{words, 70, 2, 2};
  BitImage dst(70, 2);
  copy(src, dst);
  EXPECT_EQ(dst.view().row(0)[0], ~uint64_t(0));
  EXPECT_EQ(dst.view().row(0)[1], 0x3Fu);
  EXPECT_EQ(dst.view().row(1)[0], 5u);
  EXPECT_EQ(dst.view().row(1)[1], 0x3Fu);
}

TEST(Copy, RefusesPicturesThatDiffer) {
  Image<uint8_t> image(8, 6), other(8, 5), color(8, 6, 3);
  Image<uint16_t> deep(8, 6);
  EXPECT_THROW(copy(image, other), Error);
  EXPECT_THROW(copy(image, color), Error);
  EXPECT_THROW(copy(image, deep), Error);
  EXPECT_THROW(copy(image, AnyView()), Error);
  EXPECT_THROW(copy(image.region({0, 0, 8, 5}), image.region({0, 1, 8, 5})), Error);
  EXPECT_NO_THROW(copy(image.region({0, 0, 4, 6}), image.region({4, 0, 4, 6})));
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
