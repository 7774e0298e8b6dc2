// The median against cv::medianBlur, byte for byte.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "cuesta/filter.hpp"
#include "support/opencv.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

using verify::Pattern;

template <class T>
void expect_equal(int32_t width, int32_t height, int32_t channels, Pattern pattern,
                  const std::vector<int>& sizes) {
  Image<T> src(width, height, channels), ours(width, height, channels);
  verify::fill(src, pattern, 7);
  for (const int ksize : sizes) {
    median(src, ours, {.ksize = ksize});
    cv::Mat theirs;
    cv::medianBlur(test::mat_of(src), theirs, ksize);
    EXPECT_TRUE(test::equal(theirs, test::mat_of(ours)))
        << width << "x" << height << "x" << channels << " ksize " << ksize << " "
        << name_of(pattern);
  }
}

constexpr Pattern patterns[] = {Pattern::natural, Pattern::noise, Pattern::extremes,
                                Pattern::gradient};
constexpr std::pair<int32_t, int32_t> small_sizes[] = {
    {1, 1}, {1, 40}, {7, 3}, {64, 48}, {201, 77}};

TEST(MedianOpenCv, BytesEqualAtEverySize) {
  std::vector<int> sizes;
  for (int k = 3; k <= 31; k += 2) sizes.push_back(k);
  for (const int k : {33, 51, 101, 255}) sizes.push_back(k);
  for (const auto& [width, height] : small_sizes)
    for (const Pattern pattern : patterns) expect_equal<uint8_t>(width, height, 1, pattern, sizes);
  // Wider than a tile, higher than a strip.
  expect_equal<uint8_t>(1500, 300, 1, Pattern::natural, {3, 5, 7, 15, 17, 31});
}

TEST(MedianOpenCv, ChannelsEqual) {
  for (const int32_t channels : {3, 4})
    for (const auto& [width, height] : small_sizes)
      for (const Pattern pattern : patterns) {
        expect_equal<uint8_t>(width, height, channels, pattern, {3, 5, 7, 9, 15, 17, 31});
        expect_equal<uint16_t>(width, height, channels, pattern, {3, 5});
        expect_equal<float>(width, height, channels, pattern, {3, 5});
      }
}

TEST(MedianOpenCv, WordsAndFloatsEqual) {
  for (const auto& [width, height] : small_sizes)
    for (const Pattern pattern : patterns) {
      expect_equal<uint16_t>(width, height, 1, pattern, {3, 5});
      expect_equal<float>(width, height, 1, pattern, {3, 5});
    }
}

// OpenCV compares zeros as values; ours have an order. The values are equal.
TEST(MedianOpenCv, ZerosOfBothSignsAreEqualAsValues) {
  Image<float> src(90, 40), ours(90, 40);
  verify::Random random(5);
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x)
      src.at(x, y) = std::copysign(random.below(3) ? 0.0f : 1.0f, random.below(2) ? 1.0f : -1.0f);
  for (const int ksize : {3, 5}) {
    median(src, ours, {.ksize = ksize});
    cv::Mat theirs;
    cv::medianBlur(test::mat_of(src), theirs, ksize);
    EXPECT_EQ(cv::norm(theirs, test::mat_of(ours), cv::NORM_INF), 0) << ksize;
  }
}

}  // namespace
}  // namespace cuesta
