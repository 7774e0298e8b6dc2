// Gray, difference, threshold and Otsu against OpenCV, byte for byte.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "cuesta/objects.hpp"
#include "support/opencv.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

constexpr std::pair<int, int> sizes[] = {{1, 1}, {3, 2}, {64, 48}, {201, 77}, {640, 31}};

TEST(PixelOpenCv, GrayEqualsCvtColor) {
  for (const auto& [width, height] : sizes) {
    for (const auto pattern : {Pattern::natural, Pattern::extremes, Pattern::noise}) {
      for (const int channels : {3, 4}) {
        for (const auto order : {ColorOrder::rgb, ColorOrder::bgr}) {
          Image<uint8_t> src(width, height, channels), gray(width, height);
          verify::fill(src, pattern, 11);
          to_gray(src, gray, order);
          cv::Mat theirs;
          const bool rgb = order == ColorOrder::rgb;
          cv::cvtColor(test::mat_of(src), theirs,
                       channels == 3 ? (rgb ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY)
                                     : (rgb ? cv::COLOR_RGBA2GRAY : cv::COLOR_BGRA2GRAY));
          EXPECT_TRUE(test::equal(theirs, test::mat_of(gray)))
              << width << "x" << height << "x" << channels;
        }
      }
    }
  }
}

TEST(PixelOpenCv, GrayOfSixteenBitsEqualsCvtColor) {
  Image<uint16_t> src(201, 77, 3), gray(201, 77);
  for (const auto pattern : {Pattern::natural, Pattern::extremes, Pattern::noise}) {
    verify::fill(src, pattern, 12);
    to_gray(src, gray);
    cv::Mat theirs;
    cv::cvtColor(test::mat_of(src), theirs, cv::COLOR_RGB2GRAY);
    EXPECT_TRUE(test::equal(theirs, test::mat_of(gray)));
  }
}

// OpenCV multiplies floats by 0.299, 0.587 and 0.114, to_gray by its integer weights. The three
// differ by 3.4e-5 of a sample together; the limit, 6.1e-5, leaves room for rounding.
TEST(PixelOpenCv, GrayOfFloatsIsNearCvtColor) {
  for (const int channels : {3, 4}) {
    Image<float> src(201, 77, channels), gray(201, 77);
    for (const auto pattern : {Pattern::natural, Pattern::extremes, Pattern::noise}) {
      verify::fill(src, pattern, 13);
      to_gray(src, gray);
      cv::Mat theirs;
      cv::cvtColor(test::mat_of(src), theirs,
                   channels == 3 ? cv::COLOR_RGB2GRAY : cv::COLOR_RGBA2GRAY);
      const double largest = cv::norm(test::mat_of(src).reshape(1), cv::NORM_INF);
      EXPECT_LE(cv::norm(theirs, test::mat_of(gray), cv::NORM_INF), largest / 16384)
          << verify::name_of(pattern);
    }
  }
}

// convertScaleAbs rounds half to even and takes absolute values: equal where no product is halfway
// between two integers and none is negative. It multiplies in floats.
TEST(PixelOpenCv, ScaleEqualsConvertScaleAbs) {
  for (const auto& [width, height] : sizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      Image<uint8_t> src(width, height, channels), ours(width, height, channels);
      verify::fill(src, Pattern::noise, 7);
      for (const double factor : {0.3, 0.75, 1.0, 1.7, 3.0, 300.0}) {
        scale(src, ours, factor);
        cv::Mat theirs;
        cv::convertScaleAbs(test::mat_of(src), theirs, factor);
        int halfway = 0;
        for (int y = 0; y < height; ++y)
          for (int i = 0; i < width * channels; ++i) {
            const double product = src.row(y)[i] * factor;
            if (std::abs(product - std::floor(product) - 0.5) < 1e-3)
              ++halfway;
            else
              ASSERT_EQ(ours.row(y)[i], theirs.ptr<uint8_t>(y)[i]) << product;
          }
        EXPECT_LE(halfway, width * height * channels / 2 + 2);
      }
    }
  }
}

TEST(PixelOpenCv, KeepChannelsEqualsCvtColor) {
  for (const auto& [width, height] : sizes) {
    Image<uint8_t> src(width, height, 4), ours(width, height, 3);
    verify::fill(src, Pattern::noise, 8);
    keep_channels(src, ours);
    cv::Mat theirs;
    cv::cvtColor(test::mat_of(src), theirs, cv::COLOR_RGBA2RGB);
    EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << width << "x" << height;
  }
}

template <class T>
void compare_difference(int width, int height, int channels) {
  Image<T> a(width, height, channels), b(width, height, channels), ours(width, height, channels);
  verify::fill(a, Pattern::natural, 3);
  verify::fill(b, Pattern::noise, 4);
  absdiff(a, b, ours);
  cv::Mat theirs;
  cv::absdiff(test::mat_of(a), test::mat_of(b), theirs);
  EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << width << "x" << height;
}

TEST(PixelOpenCv, DifferenceEqualsAbsdiff) {
  for (const auto& [width, height] : sizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      compare_difference<uint8_t>(width, height, channels);
      compare_difference<uint16_t>(width, height, channels);
      compare_difference<float>(width, height, channels);
    }
  }
}

TEST(PixelOpenCv, ThresholdEqualsBinary) {
  for (const auto& [width, height] : sizes) {
    Image<uint8_t> src(width, height), ours(width, height);
    verify::fill(src, Pattern::noise, 5);
    for (const double limit : {-1.0, 0.0, 24.999, 25.0, 127.5, 254.0, 255.0, 300.0}) {
      threshold(src, ours, limit);
      cv::Mat theirs;
      cv::threshold(test::mat_of(src), theirs, limit, 255, cv::THRESH_BINARY);
      EXPECT_TRUE(test::equal(theirs, test::mat_of(ours)))
          << width << "x" << height << " limit " << limit;
    }
  }
}

template <class T>
void compare_otsu(int width, int height, Pattern pattern, uint64_t seed, int levels) {
  Image<T> src(width, height);
  verify::fill(src, pattern, seed);
  // Few levels leave empty bins between the peaks: thresholds that tie in exact arithmetic.
  if (levels)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int step = (sizeof(T) == 1 ? 256 : 65536) / levels;
        src.at(x, y) = T(src.at(x, y) / step * step + int(seed % 7));
      }
  std::vector<uint64_t> bins(sizeof(T) == 1 ? 256 : 65536);
  histogram(src, bins);
  cv::Mat theirs;
  const double wanted =
      cv::threshold(test::mat_of(src), theirs, 0, 255, cv::THRESH_BINARY | cv::THRESH_OTSU);
  EXPECT_EQ(otsu_threshold(bins), wanted)
      << width << "x" << height << " " << verify::name_of(pattern) << " levels " << levels
      << " seed " << seed;
}

TEST(PixelOpenCv, OtsuEquals) {
  for (const auto& [width, height] : sizes) {
    for (const auto pattern : {Pattern::natural, Pattern::extremes, Pattern::noise,
                               Pattern::gradient, Pattern::sparse, Pattern::constant}) {
      for (const int levels : {0, 2, 3, 5, 16}) {
        for (uint64_t seed = 1; seed <= 8; ++seed) {
          compare_otsu<uint8_t>(width, height, pattern, seed, levels);
        }
        compare_otsu<uint16_t>(width, height, pattern, 9, levels);
      }
    }
  }
}

}  // namespace
}  // namespace cuesta
