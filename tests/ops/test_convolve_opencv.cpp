// Filters against OpenCV, byte for byte.
#include <gtest/gtest.h>

#include <array>
#include <opencv2/imgproc.hpp>

#include "cuesta/filter.hpp"
#include "support/opencv.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

constexpr std::pair<BorderMode, int> borders[] = {{BorderMode::reflect101, cv::BORDER_REFLECT_101},
                                                  {BorderMode::replicate, cv::BORDER_REPLICATE},
                                                  {BorderMode::reflect, cv::BORDER_REFLECT},
                                                  {BorderMode::constant, cv::BORDER_CONSTANT}};

template <class T>
Image<T> picture(int width, int height, int channels, verify::Pattern pattern, uint64_t seed) {
  Image<T> image(width, height, channels);
  verify::fill(image, pattern, seed);
  return image;
}

TEST(ConvolveOpenCv, GaussianTapsEqual) {
  for (int ksize = 1; ksize <= 63; ksize += 2) {
    for (const double sigma : {0.0, 0.1, 0.3, 0.5, 0.8, 1.0, 1.1, 1.4, 2.0, 2.6, 3.7, 10.0, 60.0}) {
      const cv::Mat theirs = cv::getGaussianKernel(ksize, sigma, CV_64F);
      const auto ours = gaussian_taps(ksize, sigma);
      for (int i = 0; i < ksize; ++i) {
        EXPECT_NEAR(ours[size_t(i)], theirs.at<double>(i), 1e-15)
            << "k " << ksize << " sigma " << sigma << " tap " << i;
      }
    }
  }
}

// The impulse shows the fixed-point taps, the other patterns the rounding.
TEST(ConvolveOpenCv, GaussianOfEverySizeEquals) {
  const auto noise = picture<uint8_t>(75, 41, 1, verify::Pattern::noise, 3);
  const auto extremes = picture<uint8_t>(75, 41, 1, verify::Pattern::extremes, 4);
  Image<uint8_t> impulse(75, 41), ours(75, 41);
  for (int y = 0; y < 41; ++y)
    for (int x = 0; x < 75; ++x) impulse.at(x, y) = x == 37 && y == 20 ? 255 : 0;
  for (int ksize = 3; ksize <= 31; ksize += 2) {
    for (int step = 0; step <= 80; ++step) {
      const double sigma = step * (step < 40 ? 0.05 : 0.21);
      for (const auto* src : {&noise, &extremes, static_cast<const Image<uint8_t>*>(&impulse)}) {
        gaussian(*src, ours, {sigma, ksize});
        cv::Mat theirs;
        cv::GaussianBlur(test::mat_of(src->view()), theirs, {ksize, ksize}, sigma, 0,
                         cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
        ASSERT_TRUE(test::equal(theirs, test::mat_of(ours))) << "k " << ksize << " sigma " << sigma;
      }
    }
  }
}

TEST(ConvolveOpenCv, GaussianOfEveryShapeEquals) {
  for (const auto& [width, height, channels] : {std::array{1, 1, 1},
                                                {3, 2, 3},
                                                {64, 48, 4},
                                                {333, 77, 2},
                                                {1, 50, 1},
                                                {50, 1, 1},
                                                {2100, 9, 1}}) {
    const auto src = picture<uint8_t>(width, height, channels, verify::Pattern::natural, 5);
    Image<uint8_t> ours(width, height, channels);
    for (const auto& [mode, border] : borders) {
      for (const int ksize : {1, 3, 5, 9, 15, 31}) {
        gaussian(src, ours, {.ksize = ksize, .border = {mode}});
        cv::Mat theirs;
        cv::GaussianBlur(test::mat_of(src.view()), theirs, {ksize, ksize}, 0, 0,
                         border | cv::BORDER_ISOLATED);
        EXPECT_TRUE(test::equal(theirs, test::mat_of(ours)))
            << width << "x" << height << "x" << channels << " k " << ksize << " " << name_of(mode);
      }
    }
  }
}

template <class Out>
void expect_filter2d(const Image<uint8_t>& src, const Stencil& stencil) {
  const auto taps = stencil.integer_taps();
  cv::Mat kernel(stencil.height(), stencil.width(), CV_32F);
  for (size_t i = 0; i < taps.size(); ++i)
    kernel.ptr<float>()[i] = float(taps[i]) / float(stencil.divisor());
  Image<Out> ours(src.width(), src.height(), src.channels());
  for (const auto& [mode, border] : borders) {
    for (const int delta : {0, 128}) {
      correlate(src, ours, stencil, {.border = {mode}, .offset = delta});
      cv::Mat theirs;
      cv::filter2D(test::mat_of(src.view()), theirs, test::cv_depth<Out>(), kernel, {-1, -1}, delta,
                   border | cv::BORDER_ISOLATED);
      EXPECT_TRUE(test::equal(theirs, test::mat_of(ours)))
          << src.width() << "x" << src.height() << " window " << stencil.width() << "x"
          << stencil.height() << " " << name_of(mode);
    }
  }
}

// Taps and divisors whose quotients floats hold exactly: elsewhere filter2D itself is not exact.
TEST(ConvolveOpenCv, Filter2dEquals) {
  verify::Random random(9);
  for (const auto& [width, height] : {std::pair{3, 3}, {5, 5}, {4, 2}, {7, 3}, {9, 9}, {1, 6}}) {
    std::vector<int32_t> taps(size_t(width * height));
    for (auto& t : taps) t = int32_t(random.below(21)) - 10;
    for (const int64_t divisor : {1, 16, 256}) {
      const Stencil stencil = Stencil::integers(width, height, taps, divisor);
      for (const int channels : {1, 3}) {
        const auto src = picture<uint8_t>(67, 43, channels, verify::Pattern::noise, 11);
        expect_filter2d<uint8_t>(src, stencil);
        expect_filter2d<int16_t>(src, stencil);
        // From 50 taps on, filter2D to f32 goes by a Fourier transform.
        if (width * height < 50) expect_filter2d<float>(src, stencil);
      }
    }
  }
  const auto src = picture<uint8_t>(67, 43, 1, verify::Pattern::extremes, 12);
  expect_filter2d<uint8_t>(src, stencils::sharpen(3));
  expect_filter2d<int16_t>(src, stencils::scharr(1, 0));
  expect_filter2d<uint8_t>(src, stencils::average(4));
}

TEST(ConvolveOpenCv, LaplacianEquals) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {64, 48}, {201, 77}}) {
    const auto src = picture<uint8_t>(width, height, 1, verify::Pattern::natural, 13);
    Image<int16_t> ours(width, height);
    laplacian(src, ours);
    cv::Mat theirs;
    cv::Laplacian(test::mat_of(src.view()), theirs, CV_16S, 1, 1, 0,
                  cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
    EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << width << "x" << height;
  }
}

TEST(ConvolveOpenCv, BoxEquals) {
  // Odd areas have no ties; cv::blur rounds those of even ones its own way.
  const auto src = picture<uint8_t>(101, 57, 1, verify::Pattern::noise, 14);
  Image<uint8_t> ours(101, 57);
  for (const int n : {1, 3, 5, 7, 15}) {
    box(src, ours, {.n = n});
    cv::Mat theirs;
    cv::blur(test::mat_of(src.view()), theirs, {n, n}, {-1, -1},
             cv::BORDER_REFLECT_101 | cv::BORDER_ISOLATED);
    EXPECT_TRUE(test::equal(theirs, test::mat_of(ours))) << "n " << n;
  }
}

TEST(ConvolveOpenCv, SobelStencilsAreDerivKernels) {
  for (const int aperture : {1, 3, 5, 7}) {
    cv::Mat kx, ky;
    cv::getDerivKernels(kx, ky, 1, 0, aperture, false, CV_32F);
    const Stencil dx = stencils::sobel(1, 0, aperture), dy = stencils::sobel(0, 1, aperture);
    ASSERT_EQ(dx.width(), kx.rows);
    ASSERT_EQ(dx.height(), ky.rows);
    for (int y = 0; y < dx.height(); ++y) {
      for (int x = 0; x < dx.width(); ++x) {
        EXPECT_EQ(dx.tap(x, y), double(kx.at<float>(x)) * double(ky.at<float>(y)));
        EXPECT_EQ(dy.tap(y, x), dx.tap(x, y));
      }
    }
  }
}

}  // namespace
}  // namespace cuesta
