#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "ops/pixel/reference.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

TEST(PixelFaults, AreCaught) {
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        PixelArgs wrong = args;
        wrong.order = ColorOrder::rgb;
        pixel_serial(wrong, call);
      },
      "colors that are always read as RGB");
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        PixelArgs wrong = args;
        wrong.limit = args.limit - 1;
        pixel_serial(wrong, call);
      },
      "a limit that is reached instead of exceeded");
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        pixel_serial(args, call);
        if (!args.bins.empty()) ++args.bins.back();
      },
      "a sample counted twice");
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        pixel_serial(args, call);
        if (args.dst.type == PixelType::bit && args.dst.width % 64)
          static_cast<uint64_t*>(args.dst.data)[args.dst.width / 64] |= uint64_t(1) << 63;
      },
      "a bit set past the width");
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        pixel_serial(args, call);
        if (args.op == PixelOp::gray && args.a.channels > 1 && args.a.type == PixelType::u8)
          args.dst.as<uint8_t>().at(0, 0) ^= 1;  // as a weight off by one does at times
      },
      "a gray one off in one pixel");
}

TEST(Pixel, GrayOfEveryColour) {
  // Every (r, g, b) with 17 steps a channel, and the corners.
  Image<uint8_t> colors(289, 17, 3), gray(289, 17);
  for (int r = 0; r < 17; ++r)
    for (int g = 0; g < 17; ++g)
      for (int b = 0; b < 17; ++b) {
        const int sample[] = {r * 255 / 16, g * 255 / 16, b * 255 / 16};
        for (int c = 0; c < 3; ++c) colors.at(g * 17 + b, r, c) = uint8_t(sample[c]);
      }
  to_gray(colors, gray);
  for (int y = 0; y < 17; ++y)
    for (int x = 0; x < 289; ++x)
      ASSERT_EQ(gray.at(x, y), (9798 * colors.at(x, y, 0) + 19235 * colors.at(x, y, 1) +
                                3735 * colors.at(x, y, 2) + 16384) >>
                                   15);
  EXPECT_EQ(gray.at(0, 0), 0);
  EXPECT_EQ(gray.at(288, 16), 255);
}

TEST(Pixel, GrayOfSixteenBitWhiteIsWhite) {
  Image<uint16_t> colors(70, 1, 4), gray(70, 1);
  for (int x = 0; x < 70; ++x)
    for (int c = 0; c < 4; ++c) colors.at(x, 0, c) = 65535;
  to_gray(colors, gray);
  for (int x = 0; x < 70; ++x) EXPECT_EQ(gray.at(x, 0), 65535);
}

TEST(Pixel, FloatLimitsDecideAsDoubles) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float most = std::numeric_limits<float>::max();
  const float samples[] = {
      0.1f,         std::nextafter(0.1f, 0.0f), 0.0f, -0.0f, most, -most, infinity, -infinity,
      std::nanf("")};
  Image<float> src(9, 1);
  Image<uint8_t> mask(9, 1);
  for (int x = 0; x < 9; ++x) src.at(x, 0) = samples[x];
  for (const double limit : {0.1, double(0.1f), 0.0, -1e-300, 1e300, -1e300, double(most),
                             -double(most), double(infinity), -double(infinity)}) {
    threshold(src, mask, limit);
    for (int x = 0; x < 9; ++x)
      EXPECT_EQ(mask.at(x, 0) != 0, double(samples[x]) > limit) << samples[x] << " > " << limit;
  }
}

RC_GTEST_PROP(PixelProperty, PackingIsUndoneByUnpacking, ()) {
  const int width = *rc::gen::inRange(1, 300), height = *rc::gen::inRange(1, 20);
  Image<uint8_t> mask(width, height), back(width, height);
  verify::fill(mask, Pattern::noise, *rc::gen::arbitrary<uint64_t>());
  BitImage bits(width, height);
  pack_mask(mask, bits);
  unpack_mask(bits, back);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) RC_ASSERT((back.at(x, y) == 255) == (mask.at(x, y) != 0));
}

RC_GTEST_PROP(PixelProperty, TheFusedMaskIsTheThresholdOfTheDifference, ()) {
  const int width = *rc::gen::inRange(1, 300), height = *rc::gen::inRange(1, 20);
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  const double limit = *rc::gen::inRange(-300, 300);
  Image<uint8_t> a(width, height), b(width, height), difference(width, height);
  verify::fill(a, Pattern::natural, seed);
  verify::fill(b, Pattern::noise, seed + 1);
  absdiff(a, b, difference);
  BitImage two_steps(width, height), one_step(width, height);
  threshold(difference, two_steps, limit);
  absdiff_threshold(b, a, one_step, limit);
  for (int y = 0; y < height; ++y)
    for (int w = 0; w < one_step.view().words(); ++w)
      RC_ASSERT(one_step.view().row(y)[w] == two_steps.view().row(y)[w]);
}

RC_GTEST_PROP(PixelProperty, CountsSumToThePixels, ()) {
  const int width = *rc::gen::inRange(1, 200), height = *rc::gen::inRange(1, 100);
  Image<uint16_t> picture(width, height);
  verify::fill(picture, Pattern::natural, *rc::gen::arbitrary<uint64_t>());
  std::vector<uint64_t> bins(65536, 99);
  histogram(picture, bins, {.threads = *rc::gen::inRange(1, 9)});
  RC_ASSERT(std::accumulate(bins.begin(), bins.end(), uint64_t(0)) ==
            uint64_t(width) * uint64_t(height));
}

TEST(Otsu, SplitsTwoPeaks) {
  std::vector<uint64_t> bins(256, 0);
  EXPECT_EQ(otsu_threshold(bins), 0);
  bins[77] = 5;
  EXPECT_EQ(otsu_threshold(bins), 0) << "one value has no second class";
  bins[10] = 100, bins[200] = 50, bins[77] = 0;
  const int32_t t = otsu_threshold(bins);
  EXPECT_GE(t, 10);
  EXPECT_LT(t, 200);
}

// The message of the Error that `call` throws.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "no error";
}

TEST(PixelErrors, SayWhatIsWrong) {
  Image<uint8_t> gray(8, 4), other(9, 4), color(8, 4, 3), two(8, 4, 2);
  Image<uint16_t> deep(8, 4);
  Image<float> real(8, 4);
  Image<int16_t> with_sign(8, 4);
  BitImage bits(8, 4);
  std::vector<uint64_t> bins(256);
  EXPECT_EQ(error_of([&] { to_gray(two, gray); }),
            "to_gray: src has 2 channels; it takes 1 (gray), 3 or 4 (color, alpha)");
  EXPECT_EQ(error_of([&] { to_gray(color, deep); }),
            "to_gray: dst is u16; it takes the source's type, u8");
  EXPECT_EQ(error_of([&] { to_gray(color, other); }),
            "to_gray: src is 8 x 4 and to_gray: dst is 9 x 4; they must have one size");
  EXPECT_EQ(error_of([&] { to_gray({}, gray); }), "to_gray: src has no data");
  EXPECT_EQ(error_of([&] { absdiff(gray, deep, gray); }),
            "absdiff: a is u8 with 1 channels and absdiff: b is u16 with 1; they must be alike");
  EXPECT_EQ(error_of([&] { absdiff(gray, gray, gray); }),
            "absdiff: a and absdiff: dst share memory; give the result a picture of its own");
  EXPECT_EQ(error_of([&] { absdiff(with_sign, with_sign, gray); }),
            "absdiff: a is s16; it takes u8, u16, f32");
  EXPECT_EQ(error_of([&] { threshold(gray, bits, std::nan("")); }),
            "threshold: limit is not a number");
  EXPECT_EQ(error_of([&] { threshold(color, gray, 1); }),
            "threshold: src has 3 channels; it takes 1");
  EXPECT_EQ(error_of([&] { absdiff_threshold(real, real, bits, 1); }),
            "absdiff_threshold: a is f32; it takes u8, u16");
  EXPECT_EQ(error_of([&] { histogram(deep, bins); }),
            "histogram: 256 bins for a u16 picture; it needs 65536");
  EXPECT_EQ(error_of([&] { otsu_threshold({}); }), "otsu_threshold: the histogram has no bins");
  EXPECT_EQ(error_of([&] { pack_mask(deep, bits); }), "pack_mask: src is u16; it takes u8");
  EXPECT_EQ(error_of([&] { unpack_mask(bits, other); }),
            "unpack_mask: src is 8 x 4 and unpack_mask: dst is 9 x 4; they must have one size");
}

}  // namespace
}  // namespace cuesta
