// A sigma is a Gaussian of that sigma, in every operation that smooths; the papers' window of 5 is
// what canny() and log_edges() take without one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuesta/edges.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/stencil.hpp"
#include "ops/canny/args.hpp"
#include "ops/canny/options.hpp"
#include "support/errors.hpp"
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

// A disk of radius 100 in the middle of 400 x 400 pixels.
template <class T>
Image<T> disk(T dark, T bright) {
  Image<T> picture(400, 400);
  for (int32_t y = 0; y < 400; ++y)
    for (int32_t x = 0; x < 400; ++x)
      picture.at(x, y) = std::hypot(x - 200, y - 200) < 100 ? bright : dark;
  return picture;
}

void expect_one_outline(const Image<uint8_t>& edges, const std::string& what) {
  const auto pieces = label(edges).components;
  ASSERT_EQ(pieces.size(), 1U) << what;
  EXPECT_GT(pieces[0].area, 670) << what;
  EXPECT_LT(pieces[0].area, 750) << what;
}

// Rounding the smoothed picture would draw contour lines, and comparing sums of gradients would
// part the outline where its direction goes over to the next.
TEST(CannyFractions, ADiskHasOneOutlineAtEverySigma) {
  const auto bytes = disk<uint8_t>(50, 200);
  const auto words = disk<uint16_t>(50 * 257, 200 * 257);
  const auto numbers = disk<float>(50, 200);
  for (const double sigma : {1.0, 1.4, 2.0, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0,
                             25.0, 30.0, 36.0, 42.0}) {
    const std::string at = " at sigma " + std::to_string(sigma);
    const auto of_numbers = canny(numbers, {.sigma = sigma});
    expect_one_outline(of_numbers, "f32" + at);
    const auto of_bytes = canny(bytes, {.sigma = sigma});
    expect_one_outline(of_bytes, "u8" + at);
    expect_one_outline(canny(words, {.sigma = sigma}), "u16" + at);
    if (sigma > 3) {
      EXPECT_TRUE(equal(of_bytes, of_numbers)) << at;
    }
  }
}

TEST(CannyFractions, EveryStrategyOfTheHostKeepsThem) {
  Image<uint8_t> picture = natural(131, 90);
  Image<float> numbers(picture.size());
  scale(picture, numbers, 1);
  for (const int aperture : {3, 7}) {
    const CannyOptions options{.sigma = 6, .aperture = aperture};
    const auto expected = canny(numbers, options, {.strategy = "serial"});
    Image<float> strengths(picture.size()), made(picture.size());
    canny(numbers, strengths, options, {.strategy = "serial"});
    for (const std::string& strategy : test::host_strategies<CannyArgs>()) {
      const Exec exec{.strategy = strategy, .threads = 2};
      EXPECT_TRUE(equal(canny(picture, options, exec), expected)) << strategy;
      canny(picture, made, options, exec);
      for (int32_t y = 0; y < made.height(); ++y)
        ASSERT_TRUE(std::equal(made.row(y), made.row(y) + made.width(), strengths.row(y)));
    }
  }
}

TEST(CannyFractions, ABatchKeepsThemWithThresholdsAndMasksOfEach) {
  Image<uint8_t> pictures = natural(80, 120), masks(80, 120), made(80, 120), alone(80, 40);
  verify::fill(masks, verify::Pattern::blobs, 3);
  const auto part = [](Image<uint8_t>& all, int i) {
    return AnyView(all).region({0, 40 * i, 80, 40});
  };
  const ptrdiff_t step = AnyView(pictures).stride_bytes * 40;
  const Thresholds pairs[] = {Thresholds::given(9, 30), Thresholds(), Thresholds::given(1, 90)};
  CannyResult used[3];
  canny({part(pictures, 0), 3, step}, {part(made, 0), 3, step}, {.sigma = 5},
        {.thresholds = pairs, .mask = {part(masks, 0), 3, step}, .results = used});
  for (int i = 0; i < 3; ++i) {
    const CannyOptions options{.sigma = 5, .thresholds = pairs[i], .mask = part(masks, i)};
    const CannyResult one = canny(part(pictures, i), alone, options);
    EXPECT_EQ(one.low, used[i].low);
    EXPECT_EQ(one.high, used[i].high);
    for (int32_t y = 0; y < 40; ++y)
      ASSERT_TRUE(std::equal(alone.row(y), alone.row(y) + 80, made.row(40 * i + y))) << i;
  }
}

TEST(CannyFractions, AWiderSigmaIsRefusedByItsName) {
  const Image<uint8_t> picture(9, 9);
  const auto said = [&](auto call) {
    return test::error_of(ErrorCode::invalid_argument, [&] { call(); });
  };
  EXPECT_EQ(said([&] { canny(picture, {.sigma = 43}); }),
            "canny: sigma is 43; without a ksize it must be at most 42 (for more, make the picture "
            "smaller first)");
  EXPECT_EQ(said([&] { gaussian(picture, {.sigma = 43}); }),
            "gaussian: sigma is 43; without a ksize it must be above 0 and at most 42 (for more, "
            "smooth twice by sigma / 1.414, or make the picture smaller first)");
  EXPECT_NO_THROW(canny(picture, {.sigma = 43, .ksize = 255}));
}

TEST(CannyFractions, TheTypeOfStrengthsFollowsTheSpreadOfTheWindow) {
  const auto type = [](PixelType source, const CannyOptions& options) {
    return canny_strength_type(source, options);
  };
  EXPECT_EQ(type(PixelType::u8, {}), PixelType::u16);
  EXPECT_EQ(type(PixelType::u8, {.sigma = 3}), PixelType::u16);
  EXPECT_EQ(type(PixelType::u8, {.sigma = 3.1}), PixelType::f32);
  EXPECT_EQ(type(PixelType::u8, {.sigma = 20, .ksize = 7}), PixelType::u16);
  // canny() refuses it by name; the type of its result has to be known before.
  EXPECT_EQ(type(PixelType::u8, {.sigma = std::nan("")}), PixelType::u16);
  EXPECT_FALSE(canny_keeps_fractions(PixelType::u16, {.sigma = 5}));
  EXPECT_TRUE(canny_keeps_fractions(PixelType::u16, {.sigma = 5.1}));
  EXPECT_FALSE(canny_keeps_fractions(PixelType::f32, {.sigma = 42}));
}

// Whether a pixel of a picture of gradients is longer than both neighbours along its gradient.
bool is_longest(const Image<float>& gx, const Image<float>& gy, int32_t x, int32_t y) {
  const auto length = [&](int32_t dx, int32_t dy) {
    const int32_t i = x + dx, j = y + dy;
    if (i < 0 || j < 0 || i >= gx.width() || j >= gx.height()) return 0.0;
    return double(gx.at(i, j)) * gx.at(i, j) + double(gy.at(i, j)) * gy.at(i, j);
  };
  const double across = std::abs(gx.at(x, y)), down = std::abs(gy.at(x, y)), own = length(0, 0);
  constexpr double tan = 13573.0 / 32768;
  if (down < across * tan) return own > length(-1, 0) && own >= length(1, 0);
  if (down > across * (tan + 2)) return own > length(0, -1) && own >= length(0, 1);
  const int32_t to = (gx.at(x, y) < 0) == (gy.at(x, y) < 0) ? 1 : -1;
  return own > length(-to, -1) && own > length(to, 1);
}

// Above a spread of 5, what thresholds compare is the norm's, and what thinning compares a length.
TEST(CannyFractions, WideGaussiansAreThinnedByLength) {
  Image<float> numbers(90, 70), smooth(90, 70), gx(90, 70), gy(90, 70), strengths(90, 70);
  verify::fill(numbers, verify::Pattern::natural, 5);
  int64_t maxima = 0, differ = 0;
  for (const Norm norm : {Norm::l1, Norm::l2}) {
    const CannyOptions options{.sigma = 6, .norm = norm};
    gaussian(numbers, smooth, {.sigma = 6});
    sobel(smooth, {.gx = gx, .gy = gy}, {.border = {BorderMode::replicate}});
    canny(numbers, strengths, options);
    for (int32_t y = 0; y < 70; ++y) {
      for (int32_t x = 0; x < 90; ++x) {
        const double sum = std::abs(double(gx.at(x, y))) + std::abs(double(gy.at(x, y)));
        const double length = std::hypot(double(gx.at(x, y)), double(gy.at(x, y)));
        const bool is_maximum = is_longest(gx, gy, x, y);
        const auto expected = float(norm == Norm::l1 ? sum : length);
        maxima += is_maximum;
        differ += std::abs(sum - length) > 0.01 * length;
        ASSERT_NEAR(strengths.at(x, y), is_maximum ? expected : 0, 1e-6 * expected)
            << x << "," << y;
      }
    }
  }
  EXPECT_GT(maxima, 300);
  EXPECT_GT(differ, 3000);
}

}  // namespace
}  // namespace cuesta
