// Sobel against cv::Sobel, byte for byte.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "cuesta/edges.hpp"
#include "support/opencv.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

TEST(SobelOpenCv, GradientsEqual) {
  const std::pair<BorderMode, int> borders[] = {{BorderMode::reflect101, cv::BORDER_REFLECT_101},
                                                {BorderMode::replicate, cv::BORDER_REPLICATE},
                                                {BorderMode::reflect, cv::BORDER_REFLECT}};
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {64, 48}, {201, 77}}) {
    for (const auto pattern : {verify::Pattern::natural, verify::Pattern::extremes}) {
      Image<uint8_t> src(width, height);
      Image<int16_t> gx(width, height), gy(width, height);
      verify::fill(src, pattern, 7);
      for (const int aperture : {3, 5, 7}) {
        for (const auto& [ours, theirs] : borders) {
          sobel(src, {.gx = gx, .gy = gy}, {.aperture = aperture, .border = {ours}});
          cv::Mat dx, dy;
          cv::Sobel(test::mat_of(src), dx, CV_16S, 1, 0, aperture, 1, 0,
                    theirs | cv::BORDER_ISOLATED);
          cv::Sobel(test::mat_of(src), dy, CV_16S, 0, 1, aperture, 1, 0,
                    theirs | cv::BORDER_ISOLATED);
          EXPECT_TRUE(test::equal(dx, test::mat_of(gx)))
              << width << "x" << height << " aperture " << aperture;
          EXPECT_TRUE(test::equal(dy, test::mat_of(gy)))
              << width << "x" << height << " aperture " << aperture;
        }
      }
    }
  }
}

// Whole floats are exact on both sides; others differ by rounding alone, since its order of sums is
// its instructions'.
TEST(SobelOpenCv, FloatGradientsAreClose) {
  Image<float> src(201, 77), gx(201, 77), gy(201, 77);
  for (const bool whole : {true, false}) {
    verify::fill(src, verify::Pattern::noise, 7);
    for (int32_t y = 0; whole && y < 77; ++y)
      for (int32_t x = 0; x < 201; ++x) src.at(x, y) = std::nearbyint(src.at(x, y) * 127);
    for (const int aperture : {3, 5, 7}) {
      sobel(src, {.gx = gx, .gy = gy}, {.aperture = aperture});
      // Of each sum Σ|taps| · 2 · 2^-24 an addition; there are at most `aperture` of these a pass.
      const double taps = aperture == 3 ? 8 : aperture == 5 ? 96 : 1280;
      const double bound = whole ? 0 : 2 * (aperture + 1) * taps * 2 / (1 << 24);
      for (const bool across : {true, false}) {
        cv::Mat theirs;
        cv::Sobel(test::mat_of(src), theirs, CV_32F, across, !across, aperture, 1, 0,
                  cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
        const Image<float>& ours = across ? gx : gy;
        for (int32_t y = 0; y < 77; ++y)
          for (int32_t x = 0; x < 201; ++x)
            ASSERT_LE(std::abs(double(ours.at(x, y)) - theirs.at<float>(y, x)), bound)
                << "aperture " << aperture << " at " << x << "," << y;
      }
    }
  }
}

// The edge of a view is the edge of the picture: a region equals the isolated region.
TEST(SobelOpenCv, MagnitudesOfRegionsEqual) {
  Image<uint8_t> whole(400, 150);
  for (const auto pattern : {verify::Pattern::natural, verify::Pattern::noise}) {
    verify::fill(whole, pattern, 3);
    for (const Rect& part : {Rect{13, 7, 301, 99},
                             {64, 32, 128, 64},
                             {90, 40, 1, 1},
                             {5, 5, 2, 60},
                             {0, 0, 400, 150}}) {
      const auto src = whole.view().region(part);
      cv::Mat dx, dy, ax, ay, expected;
      cv::Sobel(test::mat_of(src), dx, CV_16S, 1, 0, 3, 1, 0,
                cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
      cv::Sobel(test::mat_of(src), dy, CV_16S, 0, 1, 3, 1, 0,
                cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
      cv::convertScaleAbs(dx, ax);
      cv::convertScaleAbs(dy, ay);
      cv::add(ax, ay, expected);
      Image<uint8_t> magnitude(part.width, part.height);
      sobel(src, {.magnitude = magnitude});
      EXPECT_TRUE(test::equal(expected, test::mat_of(magnitude)))
          << part.width << "x" << part.height;
    }
  }
}

}  // namespace
}  // namespace cuesta
