// The undivided response against cv::filter2D with the same integer weights, exactly.
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "cuesta/edges.hpp"
#include "ops/log/reference.hpp"
#include "support/opencv.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

constexpr std::pair<BorderMode, int> borders[] = {{BorderMode::reflect101, cv::BORDER_REFLECT_101},
                                                  {BorderMode::replicate, cv::BORDER_REPLICATE},
                                                  {BorderMode::reflect, cv::BORDER_REFLECT},
                                                  {BorderMode::constant, cv::BORDER_CONSTANT}};

cv::Mat weights_of(const LogOptions& options, int depth) {
  const log::Window window = log::window(options);
  cv::Mat weights(window.size + 2, window.size + 2, CV_32S);
  log_weights(window, weights.ptr<int32_t>());
  weights.convertTo(weights, depth);
  return weights;
}

TEST(LogOpenCv, ResponseEqualsFilter2D) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 9}, {64, 48}, {201, 77}}) {
    for (const auto pattern : {verify::Pattern::natural, verify::Pattern::extremes}) {
      Image<uint8_t> src(width, height);
      Image<int32_t> response(width, height);
      verify::fill(src, pattern, 11);
      for (const auto& [ours, theirs] : borders) {
        // Single precision holds every sum of the papers' window; the others need double.
        for (const auto& [sigma, ksize, depth] : {std::tuple{std::optional<double>(), 0, CV_32F},
                                                  {1.4, 0, CV_64F},
                                                  {1.4, 5, CV_64F},
                                                  {2.0, 0, CV_64F},
                                                  {0.0, 0, CV_64F}}) {
          const LogOptions options{.sigma = sigma, .ksize = ksize, .border = {ours}};
          log_edges(src, response, options);
          cv::Mat sums;
          cv::filter2D(test::mat_of(src), sums, depth, weights_of(options, depth), {-1, -1}, 0,
                       theirs | cv::BORDER_ISOLATED);
          sums.convertTo(sums, CV_32S);
          EXPECT_TRUE(test::equal(sums, test::mat_of(response)))
              << width << "x" << height << " sigma " << sigma.value_or(-1) << " ksize " << ksize
              << " " << name_of(ours);
        }
      }
    }
  }
}

// The edge of a view is the edge of the picture: a region equals the isolated region.
TEST(LogOpenCv, EdgesOfRegionsEqual) {
  Image<uint8_t> whole(300, 120);
  verify::fill(whole, verify::Pattern::natural, 5);
  for (const Rect& part : {Rect{17, 9, 201, 64}, {100, 50, 3, 5}, {0, 0, 300, 7}}) {
    const auto src = whole.view().region(part);
    for (const auto& [ours, theirs] : borders) {
      cv::Mat sums;
      cv::filter2D(test::mat_of(src), sums, CV_32F, weights_of({}, CV_32F), {-1, -1}, 0,
                   theirs | cv::BORDER_ISOLATED);
      for (const double t : {0.0, 5.0, 12.0}) {
        Image<uint8_t> edges(part.width, part.height);
        log_edges(src, edges, {.threshold = t, .border = {ours}});
        const cv::Mat expected = cv::abs(sums) > 289 * t;
        EXPECT_TRUE(test::equal(expected, test::mat_of(edges))) << name_of(ours) << " t=" << t;
      }
    }
  }
}

}  // namespace
}  // namespace cuesta
