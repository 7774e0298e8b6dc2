// A sigma is a Gaussian of that sigma, in every operation that smooths; the papers' window of 5 is
// what canny() and log_edges() take without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuesta/edges.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/stencil.hpp"
#include "ops/canny/args.hpp"
#include "support/strategies.hpp"
#include "verify/patterns.hpp"

namespace cuesta {
namespace {

Image<uint8_t> natural(int32_t width, int32_t height) {
  Image<uint8_t> picture(width, height);
  verify::fill(picture, verify::Pattern::natural, 6);
  return picture;
}

Image<uint8_t> smoothed(const Image<uint8_t>& picture, const GaussianOptions& options) {
  Image<uint8_t> out(picture.size());
  gaussian(picture, out, options);
  return out;
}

bool equal(const Image<uint8_t>& a, const Image<uint8_t>& b) {
  for (int32_t y = 0; y < a.height(); ++y)
    if (!std::equal(a.row(y), a.row(y) + a.width(), b.row(y))) return false;
  return true;
}

// The Gaussian itself, cut where nothing is left of it, at pixels that the border does not reach.
double exactly(const Image<uint8_t>& picture, double sigma, int32_t x, int32_t y) {
  const auto radius = int32_t(std::ceil(5 * sigma));
  double sum = 0, weights = 0;
  for (int32_t j = -radius; j <= radius; ++j) {
    for (int32_t i = -radius; i <= radius; ++i) {
      const double weight = std::exp(-(i * i + j * j) / (2 * sigma * sigma));
      sum += weight * picture.at(x + i, y + j);
      weights += weight;
    }
  }
  return sum / weights;
}

TEST(Smoothing, EverySigmaIsAGaussianOfThatSigma) {
  const Image<uint8_t> picture = natural(90, 70);
  for (const double sigma : {0.8, 1.0, 1.39, 1.4, 1.41, 2.0, 3.0}) {
    const Image<uint8_t> smooth = smoothed(picture, {.sigma = sigma});
    double most = 0;
    for (int32_t y = 16; y < 54; ++y)
      for (int32_t x = 16; x < 74; ++x)
        most = std::max(most, std::abs(smooth.at(x, y) - exactly(picture, sigma, x, y)));
    EXPECT_LT(most, 1.5) << sigma;
  }
}

TEST(Smoothing, AWiderOneIsLower) {
  Image<uint8_t> dot(41, 41);
  for (int32_t y = 0; y < 41; ++y) std::fill_n(dot.row(y), 41, uint8_t(0));
  dot.at(20, 20) = 255;
  int before = 255;
  for (int hundredths = 130; hundredths <= 150; ++hundredths) {
    const double sigma = hundredths / 100.0;
    const int top = smoothed(dot, {.sigma = sigma}).at(20, 20);
    EXPECT_LE(top, before) << sigma;
    EXPECT_NEAR(top, 255 / (2 * std::acos(-1.0) * sigma * sigma), 1) << sigma;
    before = top;
  }
}

TEST(Smoothing, ThePapersGaussianHasAName) {
  EXPECT_EQ(gaussian_taps_q8(PaperGaussian::ksize, PaperGaussian::sigma),
            (std::vector<int32_t>{28, 61, 78, 61, 28}));
  const Stencil papers = stencils::paper_gaussian();
  EXPECT_EQ(papers.width(), 5);
  EXPECT_EQ(papers.height(), 5);
  EXPECT_EQ(papers.divisor(), 289);
  int64_t sum = 0;
  for (const int32_t tap : papers.integer_taps()) sum += tap;
  EXPECT_EQ(sum, 289);
  EXPECT_EQ(papers.integer_taps()[7], 20);
}

TEST(Smoothing, CannyWithoutASigmaTakesThePapers) {
  const Image<uint8_t> picture = natural(160, 120);
  for (const std::string& strategy : test::host_strategies<CannyArgs>()) {
    const Exec exec{.strategy = strategy};
    const auto found = canny(picture, {}, exec);
    EXPECT_TRUE(equal(found, canny(picture, {.sigma = 1.4, .ksize = 5}, exec))) << strategy;
    const auto of_papers = smoothed(picture, {.sigma = 1.4, .ksize = 5});
    EXPECT_TRUE(equal(found, canny(of_papers, {.sigma = 0}, exec))) << strategy;
    const auto given = canny(picture, {.sigma = 1.4}, exec);
    EXPECT_FALSE(equal(given, found)) << strategy;
    EXPECT_TRUE(equal(given, canny(smoothed(picture, {.sigma = 1.4}), {.sigma = 0}, exec)));
    EXPECT_TRUE(equal(canny(picture, {.ksize = 9}, exec), given)) << "the papers' sigma";
  }
}

TEST(Smoothing, LogWithoutASigmaTakesThePapers) {
  const Image<uint8_t> picture = natural(160, 120);
  const auto response = [&](const LogOptions& options) {
    Image<int32_t> out(picture.size());
    log_edges(picture, out, options);
    return out;
  };
  const Image<int32_t> papers = response({}), given = response({.sigma = 1.4});
  Image<float> undivided(picture.size());
  correlate(picture, undivided, Stencil::integers(7, 7, stencils::log().integer_taps()));
  const Image<int32_t> window = response({.sigma = 1.4, .ksize = 9});
  const Image<int32_t> of_nine = response({.ksize = 9});
  for (int32_t y = 0; y < picture.height(); ++y) {
    for (int32_t x = 0; x < picture.width(); ++x) {
      ASSERT_EQ(papers.at(x, y), int32_t(undivided.at(x, y)));
      ASSERT_EQ(given.at(x, y), window.at(x, y));
      ASSERT_EQ(given.at(x, y), of_nine.at(x, y)) << "the papers' sigma";
    }
  }
}

}  // namespace
}  // namespace cuesta
