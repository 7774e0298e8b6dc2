// Canny against cv::Canny, byte for byte.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "cuesta/edges.hpp"
#include "ops/canny/args.hpp"
#include "support/opencv.hpp"
#include "support/strategies.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

cv::Mat ours(const cv::Mat& src, const CannyOptions& options, std::string_view strategy = "") {
  cv::Mat in = src, edges(src.size(), CV_8U);
  canny(test::view_of<const uint8_t>(in), test::view_of<uint8_t>(edges), options,
        {.strategy = std::string(strategy)});
  return edges;
}

cv::Mat theirs(const cv::Mat& src, const CannyOptions& options) {
  const Given given = std::get<Given>(options.thresholds);
  cv::Mat edges;
  cv::Canny(src, edges, given.low, given.high, options.aperture, options.norm == Norm::l2);
  return edges;
}

CannyOptions plain(int aperture, Norm norm, double low, double high) {
  CannyOptions options;
  options.sigma = 0;
  options.aperture = aperture;
  options.norm = norm;
  options.thresholds = Thresholds::given(low, high);
  return options;
}

constexpr std::pair<double, double> threshold_pairs[] = {
    {50, 150},   {150, 50},       {0, 0},        {-3, 40},   {99.7, 100.2}, {100.2, 700.999},
    {400, 1600}, {1500.5, 33000}, {40000, 9000}, {1.5, 1e5}, {2000, 2000.5}};

TEST(CannyOpenCv, PatternsEqual) {
  using verify::Pattern;
  int turn = 0;
  for (const auto& [width, height] : {std::pair{1, 1},
                                      {1, 2},
                                      {2, 1},
                                      {1, 40},
                                      {53, 1},
                                      {2, 2},
                                      {3, 3},
                                      {5, 90},
                                      {63, 17},
                                      {64, 33},
                                      {65, 8},
                                      {129, 64},
                                      {640, 97},
                                      {1100, 70},
                                      {201, 300}}) {
    for (const auto pattern :
         {Pattern::noise, Pattern::natural, Pattern::extremes, Pattern::gradient, Pattern::blobs}) {
      Image<uint8_t> src(width, height);
      verify::fill(src, pattern, uint64_t(width * 7 + height));
      for (const int aperture : {3, 5, 7}) {
        for (const Norm norm : {Norm::l1, Norm::l2}) {
          for (int i = 0; i < 4; ++i) {
            const auto& [low, high] = threshold_pairs[turn++ % std::size(threshold_pairs)];
            const CannyOptions options = plain(aperture, norm, low, high);
            const cv::Mat mat = test::mat_of(src);
            ASSERT_TRUE(test::equal(theirs(mat, options), ours(mat, options)))
                << width << "x" << height << " " << verify::name_of(pattern) << " aperture "
                << aperture << (norm == Norm::l2 ? " l2 " : " l1 ") << low << " " << high;
          }
        }
      }
    }
  }
}

// Three channels: the strongest at each pixel, the first of equal ones.
TEST(CannyOpenCv, ThreeChannelsEqual) {
  using verify::Pattern;
  int turn = 0;
  for (const auto& [width, height] :
       {std::pair{1, 1}, {3, 2}, {1, 40}, {53, 1}, {63, 17}, {129, 64}, {1100, 30}, {201, 150}}) {
    for (const auto pattern :
         {Pattern::noise, Pattern::natural, Pattern::extremes, Pattern::blobs}) {
      Image<uint8_t> src(width, height, 3);
      verify::fill(src, pattern, uint64_t(width * 7 + height));
      for (const int aperture : {3, 5, 7}) {
        for (const Norm norm : {Norm::l1, Norm::l2}) {
          const auto& [low, high] = threshold_pairs[turn++ % std::size(threshold_pairs)];
          const CannyOptions options = plain(aperture, norm, low, high);
          const cv::Mat mat = test::mat_of(src);
          for (const std::string_view strategy : test::host_strategies<CannyArgs>()) {
            ASSERT_TRUE(test::equal(theirs(mat, options), ours(mat, options, strategy)))
                << width << "x" << height << " " << verify::name_of(pattern) << " aperture "
                << aperture << (norm == Norm::l2 ? " l2 " : " l1 ") << low << " " << high << " "
                << strategy;
          }
        }
      }
    }
  }
}

// A region of a larger picture: cv::Canny looks past its edge unless it is cut out; we never do.
TEST(CannyOpenCv, EdgeOfAViewIsTheEdgeOfThePicture) {
  Image<uint8_t> src(300, 200), out(300, 200);
  verify::fill(src, verify::Pattern::natural, 5);
  for (const Rect& rect :
       {Rect{0, 0, 300, 200}, {17, 11, 131, 64}, {299, 0, 1, 200}, {3, 3, 5, 5}}) {
    for (const std::string_view strategy : test::host_strategies<CannyArgs>()) {
      const CannyOptions options = plain(3, Norm::l1, 60, 130);
      canny(src.view().region(rect), out.view().region(rect), options,
            {.strategy = std::string(strategy)});
      const cv::Rect r(rect.x, rect.y, rect.width, rect.height);
      const cv::Mat alone = test::mat_of(src)(r).clone();
      EXPECT_TRUE(test::equal(theirs(alone, options), test::mat_of(out)(r))) << strategy;
    }
  }
}

TEST(CannyOpenCv, SmoothedPatternsEqual) {
  const std::pair<int, double> smoothings[] = {{5, 1.4}, {3, 0.7}, {7, 2}, {15, 2.6}, {19, 3}};
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 5}, {33, 20}, {130, 75}, {1500, 64}}) {
    for (const auto pattern : {verify::Pattern::natural, verify::Pattern::extremes}) {
      Image<uint8_t> src(width, height);
      verify::fill(src, pattern, 3);
      for (const auto& [ksize, sigma] : smoothings) {
        CannyOptions options = plain(3, Norm::l1, 20, 60);
        options.sigma = sigma;
        options.ksize = ksize;
        cv::Mat smoothed;
        cv::GaussianBlur(test::mat_of(src), smoothed, {ksize, ksize}, sigma);
        EXPECT_TRUE(test::equal(theirs(smoothed, options), ours(test::mat_of(src), options)))
            << width << "x" << height << " ksize " << ksize;
      }
    }
  }
}

// Every picture of opencv-doc's examples/data that OpenCV reads.
TEST(CannyOpenCv, PhotographsEqual) {
  const char* folder = std::getenv("CUESTA_OPENCV_DATA");
  if (!folder || !std::filesystem::is_directory(folder))
    GTEST_SKIP() << "CUESTA_OPENCV_DATA names no folder of pictures";
  int pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const cv::Mat color = cv::imread(entry.path().string(), cv::IMREAD_COLOR);
    if (color.empty()) continue;
    ++pictures;
    cv::Mat gray;
    cv::cvtColor(color, gray, cv::COLOR_BGR2GRAY);
    for (const int aperture : {3, 5, 7}) {
      for (const Norm norm : {Norm::l1, Norm::l2}) {
        const double scale = aperture == 3 ? 1 : aperture == 5 ? 12 : 100;
        const CannyOptions options = plain(aperture, norm, 50 * scale, 120.5 * scale);
        EXPECT_TRUE(test::equal(theirs(gray, options), ours(gray, options)))
            << entry.path() << " aperture " << aperture << (norm == Norm::l2 ? " l2" : " l1");
      }
    }
    CannyOptions options = plain(3, Norm::l1, 30, 90);
    options.sigma.reset();  // the papers' Gaussian
    cv::Mat smoothed;
    cv::GaussianBlur(gray, smoothed, {5, 5}, 1.4);
    EXPECT_TRUE(test::equal(theirs(smoothed, options), ours(gray, options))) << entry.path();
    cv::GaussianBlur(color, smoothed, {5, 5}, 1.4);
    EXPECT_TRUE(test::equal(theirs(smoothed, options), ours(color, options))) << entry.path();
  }
  EXPECT_GT(pictures, 50);
}

// cv::Canny's 32 bits overflow where |gx| · (2^16 + 13573) does.
constexpr int whole_range = 27145;

TEST(CannyOpenCv, GivenGradientsEqual) {
  using verify::Pattern;
  int turn = 0;
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {53, 1}, {65, 40}, {201, 130}}) {
    for (const int32_t channels : {1, 3}) {
      for (const auto pattern : {Pattern::noise, Pattern::natural, Pattern::extremes}) {
        Image<int16_t> gx(width, height, channels), gy(width, height, channels);
        verify::fill(gx, pattern, 1);
        verify::fill(gy, pattern, 2);
        // Of all sizes, so that directions and ties of all kinds come.
        const int most = std::array{whole_range, 1020, 40}[size_t(turn % 3)];
        for (Image<int16_t>* g : {&gx, &gy})
          for (int32_t y = 0; y < height; ++y)
            for (int32_t x = 0; x < width * channels; ++x)
              g->row(y)[x] = int16_t(int(g->row(y)[x]) * most / 32768);
        for (const Norm norm : {Norm::l1, Norm::l2}) {
          const auto& [low, high] = threshold_pairs[size_t(turn++) % std::size(threshold_pairs)];
          cv::Mat expected;
          cv::Canny(test::mat_of(gx), test::mat_of(gy), expected, low, high, norm == Norm::l2);
          for (const std::string_view strategy : test::host_strategies<CannyArgs>()) {
            cv::Mat edges(expected.size(), CV_8U);
            canny_of_gradients(gx, gy, test::view_of<uint8_t>(edges),
                               {.thresholds = Thresholds::given(low, high), .norm = norm},
                               {.strategy = std::string(strategy)});
            ASSERT_TRUE(test::equal(expected, edges))
                << width << "x" << height << "x" << channels << " " << verify::name_of(pattern)
                << " up to " << most << (norm == Norm::l2 ? " l2 " : " l1 ") << low << " " << high
                << " by " << strategy;
          }
        }
      }
    }
  }
}

TEST(CannyOpenCv, SobelsGradientsGiveThePicturesEdges) {
  Image<uint8_t> src(201, 130);
  verify::fill(src, verify::Pattern::natural, 3);
  for (const int aperture : {3, 5}) {
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      const CannyOptions options = plain(aperture, norm, 60, 140);
      const auto g = sobel_gradients(
          src, SobelOptions{.aperture = aperture, .border = {BorderMode::replicate}});
      auto found = canny_of_gradients(g.gx, g.gy, {.thresholds = options.thresholds, .norm = norm});
      ASSERT_TRUE(test::equal(theirs(test::mat_of(src), options), test::mat_of(found)));
    }
  }
}

}  // namespace
}  // namespace cuesta
