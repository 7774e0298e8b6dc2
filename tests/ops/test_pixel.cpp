#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/one_nan.hpp"
#include "ops/pixel/reference.hpp"
#include "support/planted.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

double sample_of(ConstAnyView picture, int32_t x, int32_t y, int32_t c) {
  switch (picture.type) {
    case PixelType::u8: return picture.as<uint8_t>().at(x, y, c);
    case PixelType::u16: return picture.as<uint16_t>().at(x, y, c);
    default: return picture.as<float>().at(x, y, c);
  }
}

// Calls body(x, y, channel, sample * factor) for every sample of a request to scale.
template <class Body>
void for_each_sample(const PixelArgs& args, Body&& body) {
  for (int32_t y = 0; y < args.a.height; ++y)
    for (int32_t x = 0; x < args.a.width; ++x)
      for (int32_t c = 0; c < args.a.channels; ++c)
        body(x, y, c, sample_of(args.a, x, y, c) * args.factor);
}

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
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        pixel_serial(args, call);
        if (args.op != PixelOp::gray || args.a.type != PixelType::f32 || args.a.channels < 3)
          return;
        const auto src = args.a.as<float>();
        const auto dst = args.dst.as<float>();
        const bool rgb = args.order == ColorOrder::rgb;
        for (int32_t y = 0; y < src.height; ++y)
          for (int32_t x = 0; x < src.width; ++x) {
            const float r = src.at(x, y, rgb ? 0 : 2), b = src.at(x, y, rgb ? 2 : 0);
            const float sum = std::fma(3735.0f, b, std::fma(19235.0f, src.at(x, y, 1), 9798 * r));
            dst.at(x, y) = with_one_nan(sum / 32768);
          }
      },
      "a gray of floats by fused multiply-add");
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        pixel_serial(args, call);
        if (args.op != PixelOp::scale || args.dst.type != PixelType::u8) return;
        const auto dst = args.dst.as<uint8_t>();
        for_each_sample(args, [&](int32_t x, int32_t y, int32_t c, double value) {
          if (value >= 0) dst.at(x, y, c) = uint8_t(std::fmin(value, 255));
        });
      },
      "scaled samples truncated instead of rounded");
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        pixel_serial(args, call);
        if (args.op != PixelOp::scale || args.dst.type != PixelType::u16) return;
        const auto dst = args.dst.as<uint16_t>();
        for_each_sample(args, [&](int32_t x, int32_t y, int32_t c, double value) {
          if (std::isnan(value)) dst.at(x, y, c) = 65535;
        });
      },
      "a NaN that becomes the largest sample");
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        pixel_serial(args, call);
        if (args.op != PixelOp::scale || args.dst.type != PixelType::f32) return;
        const auto dst = args.dst.as<float>();
        for_each_sample(args, [&](int32_t x, int32_t y, int32_t c, double) {
          dst.at(x, y, c) = with_one_nan(float(sample_of(args.a, x, y, c)) * float(args.factor));
        });
      },
      "a product of floats instead of doubles");
  verify::expect_caught<PixelArgs>(
      [](const PixelArgs& args, Call& call) {
        PixelArgs wrong = args;
        if (args.op == PixelOp::keep_channels && args.a.type == PixelType::u8)
          wrong.a.data =
              static_cast<const uint8_t*>(args.a.data) + (args.a.channels - args.dst.channels);
        pixel_serial(wrong, call);
      },
      "the last channels kept instead of the first");
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

TEST(Pixel, GrayOfFloatsIsTheWeightedSum) {
  // Gray samples keep their level; white in a file's own levels stays white.
  Image<float> colors(70, 2, 4), gray(70, 2);
  for (int x = 0; x < 70; ++x)
    for (int c = 0; c < 4; ++c) {
      colors.at(x, 0, c) = float(x) * 0.25f;
      colors.at(x, 1, c) = c == 3 ? 9e9f : float(x * (c + 1));
    }
  to_gray(colors, gray);
  for (int x = 0; x < 70; ++x) {
    EXPECT_EQ(gray.at(x, 0), float(x) * 0.25f);
    EXPECT_EQ(gray.at(x, 1),
              (9798.0f * float(x) + 19235.0f * float(2 * x) + 3735.0f * float(3 * x)) / 32768);
  }
}

TEST(Pixel, GrayOfTwoChannelsIsTheFirst) {
  const auto expect = []<class T>(T) {
    Image<T> src(37, 3, 2);
    verify::fill(src, Pattern::noise, 6);
    const Image<T> gray = to_gray(src), kept = keep_channels(src, 1);
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 37; ++x) {
        ASSERT_EQ(gray.at(x, y), src.at(x, y, 0));
        ASSERT_EQ(kept.at(x, y), src.at(x, y, 0));
      }
  };
  expect(uint8_t());
  expect(uint16_t());
  expect(float());
}

TEST(Pixel, EveryNaNOfGrayAndScaleIsTheSame) {
  Image<float> src(3, 1), color(1, 1, 3);
  src.at(0, 0) = std::bit_cast<float>(0xFFC00001u);
  src.at(1, 0) = std::numeric_limits<float>::infinity();
  src.at(2, 0) = std::bit_cast<float>(0x7FA12345u);
  color.at(0, 0, 0) = std::numeric_limits<float>::infinity();
  color.at(0, 0, 1) = -std::numeric_limits<float>::infinity();
  color.at(0, 0, 2) = 1;
  const Image<float> gray = to_gray(src), zero = scale(src, 0.0), kept = keep_channels(src, 1);
  for (int x = 0; x < 3; ++x) {
    EXPECT_EQ(std::bit_cast<uint32_t>(gray.at(x, 0)), x == 1 ? 0x7F800000u : nan_bits);
    EXPECT_EQ(std::bit_cast<uint32_t>(zero.at(x, 0)), nan_bits);
    EXPECT_EQ(std::memcmp(&kept.at(x, 0), &src.at(x, 0), 4), 0) << "copied, NaNs included";
  }
  EXPECT_EQ(std::bit_cast<uint32_t>(to_gray(color).at(0, 0)), nan_bits);
}

TEST(Pixel, ScaleRoundsAndClips) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::pair<float, int> samples[] = {
      {0.49f, 0},      {0.5f, 1},      {1.5f, 2},  {2.5f, 3},
      {254.49f, 254},  {254.5f, 255},  {300, 255}, {1e30f, 255},
      {infinity, 255}, {-0.4f, 0},     {-0.5f, 0}, {-0.6f, 0},
      {-1e30f, 0},     {-infinity, 0}, {-0.0f, 0}, {std::nanf(""), 0}};
  Image<float> src(16, 1);
  for (int x = 0; x < 16; ++x) src.at(x, 0) = samples[x].first;
  Image<uint8_t> bytes(16, 1);
  Image<uint16_t> words(16, 1);
  scale(src, bytes, 1);
  for (int x = 0; x < 16; ++x) EXPECT_EQ(bytes.at(x, 0), samples[x].second) << samples[x].first;
  scale(src, words, 1);
  EXPECT_EQ(words.at(6, 0), 300);
  EXPECT_EQ(words.at(7, 0), 65535);
  EXPECT_EQ(words.at(8, 0), 65535);
  EXPECT_EQ(words.at(13, 0), 0);
  EXPECT_EQ(words.at(15, 0), 0);
}

TEST(Pixel, ScaleOfEverySixteenBitSample) {
  Image<uint16_t> src(256, 256);
  for (int i = 0; i < 65536; ++i) src.at(i % 256, i / 256) = uint16_t(i);
  Image<uint8_t> bytes(256, 256), undone(256, 256);
  Image<float> unit(256, 256);
  scale(src, bytes, 1.0 / 257);
  scale(src, unit, 1.0 / 65535);
  scale(unit, undone, 255);
  for (int i = 0; i < 65536; ++i) {
    ASSERT_EQ(bytes.at(i % 256, i / 256), (2 * i + 257) / 514) << i;  // to the nearest; no ties
    ASSERT_EQ(unit.at(i % 256, i / 256), float(i * (1.0 / 65535))) << i;
    ASSERT_EQ(undone.at(i % 256, i / 256), bytes.at(i % 256, i / 256)) << i;
  }
}

RC_GTEST_PROP(PixelProperty, KeptChannelsAreTheFirst, ()) {
  const int width = *rc::gen::inRange(1, 200), height = *rc::gen::inRange(1, 20);
  const int channels = *rc::gen::inRange(1, 5), kept = *rc::gen::inRange(1, channels + 1);
  Image<uint16_t> src(width, height, channels);
  verify::fill(src, Pattern::noise, *rc::gen::arbitrary<uint64_t>());
  const Image<uint16_t> dst = keep_channels(src, kept);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < kept; ++c) RC_ASSERT(dst.at(x, y, c) == src.at(x, y, c));
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
  std::vector<uint8_t> samples(8 * 4 * 5);
  const ImageView<uint8_t> five(samples.data(), 8, 4, 5);
  EXPECT_EQ(error_of([&] { to_gray(five, gray); }),
            "to_gray: src has 5 channels; it must have 1 to 4");
  EXPECT_EQ(error_of([&] { to_gray(with_sign, gray); }),
            "to_gray: src is s16; it must be u8, u16, f32");
  EXPECT_EQ(error_of([&] { scale(gray, deep, std::nan("")); }),
            "scale: factor is nan; it must be finite");
  EXPECT_EQ(error_of([&] { scale(gray, deep, -HUGE_VAL); }),
            "scale: factor is -inf; it must be finite");
  EXPECT_EQ(error_of([&] { scale(gray, bits, 2); }), "scale: dst is bit; it must be u8, u16, f32");
  EXPECT_EQ(error_of([&] { scale(color, deep, 2); }), "scale: dst has 1 channels; it must have 3");
  EXPECT_EQ(error_of([&] { scale(five, deep, 2); }),
            "scale: src has 5 channels; it must have 1 to 4");
  EXPECT_EQ(error_of([&] { scale(gray, gray, 2); }),
            "scale: src and scale: dst overlap in memory; give the result a separate picture");
  EXPECT_EQ(error_of([&] { scale(gray, other, 2); }),
            "scale: src is 8 x 4 and scale: dst is 9 x 4; the sizes must match");
  EXPECT_EQ(error_of([&] { keep_channels(two, color); }),
            "keep_channels: dst has 3 channels; it must have 1 to 2");
  EXPECT_EQ(error_of([&] { keep_channels(two, deep); }),
            "keep_channels: dst is u16; it must have the source's type, u8");
  EXPECT_EQ(error_of([&] { keep_channels(gray, gray); }),
            "keep_channels: src and keep_channels: dst overlap in memory; give the result a "
            "separate picture");
  EXPECT_EQ(error_of([&] { keep_channels(color, 4); }),
            "keep_channels: dst has 4 channels; it must have 1 to 3");
  EXPECT_EQ(error_of([&] { to_gray(color, deep); }),
            "to_gray: dst is u16; it must have the source's type, u8");
  EXPECT_EQ(error_of([&] { to_gray(color, other); }),
            "to_gray: src is 8 x 4 and to_gray: dst is 9 x 4; the sizes must match");
  EXPECT_EQ(error_of([&] { to_gray({}, gray); }),
            "to_gray: src has no data; its pointer must not be null");
  EXPECT_EQ(error_of([&] { absdiff(gray, deep, gray); }),
            "absdiff: a is u8 with 1 channels and absdiff: b is u16 with 1; types and channels "
            "must match");
  EXPECT_EQ(error_of([&] { absdiff(gray, gray, gray); }),
            "absdiff: a and absdiff: dst overlap in memory; give the result a separate picture");
  EXPECT_EQ(error_of([&] { absdiff(with_sign, with_sign, gray); }),
            "absdiff: a is s16; it must be u8, u16, f32");
  EXPECT_EQ(error_of([&] { threshold(gray, bits, std::nan("")); }),
            "threshold: limit is NaN; it must be a number");
  EXPECT_EQ(error_of([&] { threshold(color, gray, 1); }),
            "threshold: src has 3 channels; it must have 1");
  EXPECT_EQ(error_of([&] { absdiff_threshold(real, real, bits, 1); }),
            "absdiff_threshold: a is f32; it must be u8, u16");
  EXPECT_EQ(error_of([&] { histogram(deep, bins); }),
            "histogram: there are 256 bins for a u16 picture; there must be 65536");
  EXPECT_EQ(error_of([&] { otsu_threshold({}); }),
            "otsu_threshold: the histogram has no bins; it must have at least 1");
  EXPECT_EQ(error_of([&] { pack_mask(deep, bits); }), "pack_mask: src is u16; it must be u8");
  EXPECT_EQ(error_of([&] { unpack_mask(bits, other); }),
            "unpack_mask: src is 8 x 4 and unpack_mask: dst is 9 x 4; the sizes must match");
}

}  // namespace
}  // namespace cuesta
