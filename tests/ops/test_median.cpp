// The laws of the median, its bits, its floats, and what the entry refuses. Strategies are held
// against the reference by test_verify.cpp.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "ops/median/order.hpp"
#include "ops/median/reference.hpp"
#include "support/errors.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

template <class T>
Image<T> filtered(const Image<T>& src, const MedianOptions& options) {
  Image<T> dst(src.width(), src.height(), src.channels());
  median(src, dst, options);
  return dst;
}

Image<uint8_t> any_picture() {
  Image<uint8_t> out(*rc::gen::inRange(1, 150), *rc::gen::inRange(1, 60));
  verify::fill(
      out,
      *rc::gen::element(Pattern::natural, Pattern::noise, Pattern::extremes, Pattern::gradient),
      *rc::gen::arbitrary<uint32_t>());
  return out;
}
MedianOptions any_options() {
  return {*rc::gen::element(1, 3, 5, 7, 11, 15, 17, 31),
          {*rc::gen::element(BorderMode::reflect101, BorderMode::replicate, BorderMode::reflect,
                             BorderMode::wrap)}};
}

template <class T, class Expected>
void expect_pixels(const Image<T>& picture, Expected&& expected) {
  for (int32_t y = 0; y < picture.height(); ++y)
    for (int32_t x = 0; x < picture.width(); ++x) RC_ASSERT(picture.at(x, y) == T(expected(x, y)));
}

RC_GTEST_PROP(Median, OfTheNegativeIsTheNegative, ()) {
  const auto src = any_picture();
  const auto options = any_options();
  Image<uint8_t> negative(src.width(), src.height());
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) negative.at(x, y) = uint8_t(~src.at(x, y));
  const auto straight = filtered(src, options);
  expect_pixels(filtered(negative, options),
                [&](int32_t x, int32_t y) { return uint8_t(~straight.at(x, y)); });
}

RC_GTEST_PROP(Median, CommutesWithTransposing, ()) {
  const auto src = any_picture();
  const auto options = any_options();
  Image<uint8_t> turned(src.height(), src.width());
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) turned.at(y, x) = src.at(x, y);
  const auto straight = filtered(src, options);
  expect_pixels(filtered(turned, options), [&](int32_t x, int32_t y) { return straight.at(y, x); });
}

// Rising maps of the samples commute with it: u16, which goes another way, gives what u8 gives.
RC_GTEST_PROP(Median, OfWordsIsThatOfBytesMapped, ()) {
  const auto src = any_picture();
  const auto options = any_options();
  std::array<uint16_t, 256> map{};
  for (size_t i = 1; i < map.size(); ++i) map[i] = uint16_t(map[i - 1] + *rc::gen::inRange(1, 256));
  Image<uint16_t> wide(src.width(), src.height());
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) wide.at(x, y) = map[src.at(x, y)];
  const auto narrow = filtered(src, options);
  expect_pixels(filtered(wide, options),
                [&](int32_t x, int32_t y) { return map[narrow.at(x, y)]; });
}

RC_GTEST_PROP(Median, OfBitsIsThatOfBytes, ()) {
  const int32_t width = *rc::gen::inRange(1, 200), height = *rc::gen::inRange(1, 40);
  const auto seed = *rc::gen::arbitrary<uint32_t>();
  auto options = any_options();
  options.border = {BorderMode(*rc::gen::inRange(0, 6)), double(*rc::gen::inRange(0, 2))};
  Image<uint8_t> bytes(width, height);
  verify::fill(bytes, *rc::gen::element(Pattern::blobs, Pattern::extremes, Pattern::sparse), seed);
  BitImage bits(width, height), out(width, height);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      bytes.at(x, y) = bytes.at(x, y) ? 1 : 0;
      bits.view().row(y)[x / 64] |= uint64_t(bytes.at(x, y)) << (x % 64);
    }
  }
  median(bits, out, options);
  expect_pixels(filtered(bytes, options),
                [&](int32_t x, int32_t y) { return out.view().at(x, y) ? 1 : 0; });
}

TEST(Median, BitsNeedMoreThanHalf) {
  BitImage src(3, 3), dst(3, 3);
  src.view().row(0)[0] = 0b111, src.view().row(1)[0] = 0b001;
  median(src, dst, {.ksize = 3, .border = {BorderMode::constant, 0}});
  EXPECT_FALSE(dst.view().at(1, 1)) << "four of nine";
  src.view().row(1)[0] = 0b101;
  median(src, dst, {.ksize = 3, .border = {BorderMode::constant, 0}});
  EXPECT_TRUE(dst.view().at(1, 1)) << "five of nine";
  EXPECT_FALSE(dst.view().at(0, 0));
}

TEST(Median, FloatsOrderByTheirBits) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float rising[] = {-nan, -inf, -1.0f, -0.0f, 0.0f, 1.0f, inf, nan};
  for (size_t i = 0; i + 1 < std::size(rising); ++i) {
    EXPECT_LT(medians::turned(std::bit_cast<int32_t>(rising[i])),
              medians::turned(std::bit_cast<int32_t>(rising[i + 1])))
        << rising[i];
  }
  for (const float v : rising) {
    const auto bits = std::bit_cast<int32_t>(v);
    EXPECT_EQ(medians::turned(medians::turned(bits)), bits);
  }
  // Four −0, two NaNs and three ones: the fifth is a one of the three.
  Image<float> src(3, 3), dst(3, 3);
  const float cells[] = {-0.0f, 1, nan, -0.0f, nan, 1, -0.0f, 1, -0.0f};
  for (int32_t i = 0; i < 9; ++i) src.at(i % 3, i / 3) = cells[i];
  median(src, dst);
  EXPECT_EQ(dst.at(1, 1), 1.0f);
  src.at(2, 0) = -nan;
  median(src, dst);
  EXPECT_EQ(std::bit_cast<uint32_t>(dst.at(1, 1)), 0x80000000u);
}

TEST(Median, RefusesInWords) {
  const auto refused = [](ConstAnyView src, AnyView dst, const MedianOptions& options) {
    return test::error_of(ErrorCode::invalid_argument, [&] { median(src, dst, options); });
  };
  Image<uint8_t> src(8, 8), dst(8, 8), colour(8, 8, 3);
  Image<float> floats(8, 8), to(8, 8);
  Image<int16_t> words(8, 8);
  verify::fill(src, Pattern::noise, 1);
  verify::fill(floats, Pattern::noise, 1);
  for (const int ksize : {0, 2, -3, 256, 257})
    EXPECT_NE(refused(src, dst, {.ksize = ksize}).find("median: ksize is " + std::to_string(ksize)),
              std::string::npos);
  EXPECT_EQ(refused(floats, to, {.ksize = 7}),
            "median: ksize is 7; with f32 samples it must be 1, 3 or 5 (for more, make it u16 "
            "first)");
  EXPECT_NE(refused(src, colour, {}).find("median: dst has 3 channels"), std::string::npos);
  EXPECT_NE(refused(words, words, {}).find("median: src is s16"), std::string::npos);
  EXPECT_NE(refused(src, to, {}).find("median: dst is f32"), std::string::npos);
  EXPECT_NE(refused(src, src, {}).find("overlap in memory"), std::string::npos);
  EXPECT_EQ(refused(src, dst, {.border = {BorderMode::constant, NAN}}),
            "median: border is constant:nan; it must be constant with a finite value");
}

// -- Planted faults -------------------------------------------------------------------------------

void window_too_large(const MedianArgs& args, Call& call) {
  auto wrong = args;
  wrong.options.ksize = std::min(args.src.type == PixelType::f32 ? 5 : 255, args.options.ksize + 2);
  median_simd(wrong, call);
}
void wrong_border(const MedianArgs& args, Call& call) {
  auto wrong = args;
  wrong.options.border.mode = BorderMode::reflect101;
  median_simd(wrong, call);
}
void leaves_the_last_row(const MedianArgs& args, Call& call) {
  auto wrong = args;
  wrong.dst.height = wrong.src.height = std::max(1, args.src.height - 1);
  median_simd(wrong, call);
}

TEST(Median, PlantedFaultsAreCaught) {
  verify::expect_caught<MedianArgs>(window_too_large, "a window too large");
  verify::expect_caught<MedianArgs>(wrong_border, "another border");
  verify::expect_caught<MedianArgs>(leaves_the_last_row, "a row that is not written");
}

}  // namespace
}  // namespace cuesta
