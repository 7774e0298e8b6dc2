#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "cuesta/bands.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/stencil.hpp"
#include "ops/log/reference.hpp"
#include "support/planted.hpp"
#include "support/strategies.hpp"

namespace cuesta {
namespace {

const std::vector<std::string> strategy_names = test::host_strategies<LogArgs>();

Exec with(std::string_view strategy) { return {.strategy = std::string(strategy)}; }

template <class T>
Image<T> map(const Image<T>& in, auto&& value) {
  Image<T> out(in.width(), in.height());
  for (int32_t y = 0; y < in.height(); ++y)
    for (int32_t x = 0; x < in.width(); ++x) out.at(x, y) = value(x, y);
  return out;
}

template <class T>
Image<T> constant(int32_t width, int32_t height, T value) {
  const Image<T> shape(width, height);
  return map(shape, [&](int32_t, int32_t) { return value; });
}

template <class T>
bool equal(const Image<T>& a, const Image<T>& b) {
  if (a.width() != b.width() || a.height() != b.height()) return false;
  for (int32_t y = 0; y < a.height(); ++y)
    if (!std::equal(a.row(y), a.row(y) + a.width(), b.row(y))) return false;
  return true;
}

Image<uint8_t> edges_of(ConstAnyView src, const LogOptions& options, const Exec& exec = {}) {
  Image<uint8_t> out(src.width, src.height);
  log_edges(src, out, options, exec);
  return out;
}

Image<int32_t> response_of(ConstAnyView src, const LogOptions& options = {},
                           const Exec& exec = {}) {
  Image<int32_t> out(src.width, src.height);
  log_edges(src, out, options, exec);
  return out;
}

Image<uint8_t> any_picture(int least = 1, int most = 90) {
  Image<uint8_t> out(*rc::gen::inRange(least, most), *rc::gen::inRange(least, most));
  verify::fill(out,
               *rc::gen::element(verify::Pattern::natural, verify::Pattern::noise,
                                 verify::Pattern::extremes, verify::Pattern::blobs),
               *rc::gen::arbitrary<uint32_t>());
  return out;
}

constexpr std::pair<std::optional<double>, int> papers{};

LogOptions any_options() {
  LogOptions options;
  const auto [sigma, ksize] =
      *rc::gen::element(papers, papers, std::pair(std::optional(1.4), 0),
                        std::pair(std::optional(1.4), 5), std::pair(std::optional(2.2), 0),
                        std::pair(std::optional(0.0), 7), std::pair(std::optional(0.0), 0));
  options.sigma = sigma, options.ksize = ksize;
  options.border = {
      *rc::gen::element(BorderMode::reflect101, BorderMode::replicate, BorderMode::reflect,
                        BorderMode::constant, BorderMode::wrap, BorderMode::ignore),
      double(*rc::gen::inRange(0, 256))};
  return options;
}

// The weights of the papers' stencil at (x, y) from its centre.
int32_t papers_weight(int32_t x, int32_t y) {
  static const std::vector<int32_t> weights = [] {
    std::vector<int32_t> w(49);
    log_weights(log::window({}), w.data());
    return w;
  }();
  return std::abs(x) > 3 || std::abs(y) > 3 ? 0 : weights[size_t((y + 3) * 7 + x + 3)];
}

// ---- planted faults

template <class Change>
void faulty(const LogArgs& args, Call& call, Change&& change) {
  log::Window window = log::window(args.options);
  const auto n = size_t(window.size) + 2;
  auto* weights = call.scratch().take<int32_t>(n * n);
  log_weights(window, weights);
  change(window, weights);
  auto* scratch = call.scratch().take<int64_t>(log_reference_samples(args));
  log_reference_rows(args, window, weights, scratch, 0, args.src.height);
}

TEST(LogFaults, AreCaught) {
  verify::expect_caught<LogArgs>(
      [](const LogArgs& args, Call& call) {
        faulty(args, call, [](log::Window&, int32_t* weights) { weights[8] += 1; });
      },
      "a weight off by one");
  verify::expect_caught<LogArgs>(
      [](const LogArgs& args, Call& call) {
        faulty(args, call, [](log::Window& window, int32_t*) { window.threshold -= 1; });
      },
      ">= for >");
  verify::expect_caught<LogArgs>(
      [](const LogArgs& args, Call& call) {
        LogArgs wrong = args;
        wrong.options.border.mode = BorderMode::replicate;
        log_serial(wrong, call);
      },
      "a border that always replicates");
  verify::expect_caught<LogArgs>(
      [](const LogArgs& args, Call& call) {
        LogArgs wrong = args;
        wrong.options.mode = LogMode::threshold;
        log_serial(wrong, call);
      },
      "a mode that is always threshold");
  verify::expect_caught<LogArgs>(
      [](const LogArgs& args, Call& call) {
        LogArgs wrong = args;
        wrong.options.threshold = std::min(args.options.threshold, 106.7);
        log_serial(wrong, call);
      },
      "a threshold held below what 16 bits compare");
}

// ---- the definition

TEST(Log, StencilIsThePapers) {
  const Stencil published = stencils::log();
  ASSERT_EQ(published.width(), 7);
  ASSERT_EQ(published.height(), 7);
  EXPECT_EQ(published.divisor(), 289);
  int32_t sum = 0, positive = 0;
  for (int32_t y = -3; y <= 3; ++y) {
    for (int32_t x = -3; x <= 3; ++x) {
      const int32_t w = papers_weight(x, y);
      EXPECT_EQ(w, published.integer_taps()[size_t((y + 3) * 7 + x + 3)]) << x << "," << y;
      EXPECT_EQ(w, papers_weight(-x, y));
      EXPECT_EQ(w, papers_weight(y, x));
      sum += w;
      positive += std::max(w, 0);
    }
  }
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(positive * 255, 34680);
}

// The two-pass rungs sum u16 in f32, the Laplacian first: whatever part of the Gaussian has been
// added, row by row or by columns and then across, whole numbers stay within 24 bits.
TEST(Log, AGaussianOfALaplacianFitsFloats) {
  constexpr int32_t g[] = {2, 4, 5, 4, 2};
  // The positive weights of the stencil whose Gaussian has only the taps that `taken` says; the
  // negative ones add up to as much.
  const auto reach = [&](auto taken) {
    int32_t stencil[7][7] = {}, positive = 0;
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 5; ++i) {
        const int32_t tap = taken(i, j) ? g[i] * g[j] : 0;
        stencil[j][i + 1] += tap, stencil[j + 2][i + 1] += tap;
        stencil[j + 1][i] += tap, stencil[j + 1][i + 2] += tap;
        stencil[j + 1][i + 1] -= 4 * tap;
      }
    }
    for (const auto& row : stencil)
      for (const int32_t weight : row) positive += std::max(weight, 0);
    return positive;
  };
  int32_t most = 0;
  for (int n = 1; n <= 25; ++n)
    most = std::max(most, reach([n](int i, int j) { return j * 5 + i < n; }));
  for (int n = 1; n <= 5; ++n) most = std::max(most, reach([n](int i, int) { return i < n; }));
  EXPECT_EQ(most, 181);
  EXPECT_EQ(reach([](int, int) { return true; }) * 255, 34680);
  EXPECT_LT(most * 65535, 1 << 24);
  EXPECT_GT(289 * 65535, 1 << 24) << "the Gaussian first does not";
}

TEST(Log, FactorsMakeTheStencil) {
  for (const LogOptions& options :
       {LogOptions{}, LogOptions{.sigma = 1.4}, LogOptions{.sigma = 0}, LogOptions{.sigma = 0.8},
        LogOptions{.sigma = 2, .ksize = 7}, LogOptions{.sigma = 40, .ksize = 255}}) {
    const log::Window window = log::window(options);
    const log::Factors f = log::factors(window);
    ASSERT_EQ(f.size, window.size + 2);
    std::vector<int32_t> weights(size_t(f.size) * size_t(f.size));
    log_weights(window, weights.data());
    for (int32_t j = 0; j < f.size; ++j) {
      for (int32_t i = 0; i < f.size; ++i) {
        ASSERT_EQ(weights[size_t(j * f.size + i)],
                  f.smooth[j] * f.bend[i] + f.bend[j] * f.smooth[i])
            << i << "," << j << " of " << window.size;
      }
    }
  }
}

// White where the weights are positive, or where they are negative: the largest responses there
// are, past what 16 bits hold.
TEST(Log, ExtremeResponses) {
  for (const int32_t width : {7, 64, 65, 131, 200}) {
    for (const int32_t sign : {1, -1}) {
      const int32_t height = 41, cx = width / 2, cy = 20;
      Image<uint8_t> src(width, height);
      for (int32_t y = 0; y < height; ++y)
        for (int32_t x = 0; x < width; ++x)
          src.at(x, y) = sign * papers_weight(x - cx, y - cy) > 0 ? 255 : 0;
      for (const auto& strategy : strategy_names) {
        EXPECT_EQ(response_of(src, {}, with(strategy)).at(cx, cy), sign * 34680);
        for (const auto& [t, edge] : {std::pair{0.0, 255},
                                      {5.0, 255},
                                      {106.0, 255},
                                      {30855.0 / 289, 255},
                                      {30856.0 / 289, 255},
                                      {34679.5 / 289, 255},
                                      {120.0, 0},
                                      {1e300, 0}}) {
          EXPECT_EQ(edges_of(src, {.threshold = t}, with(strategy)).at(cx, cy), edge)
              << strategy << " t=" << t << " width=" << width << " sign=" << sign;
        }
      }
    }
  }
}

TEST(Log, ThresholdIsTheExactProduct) {
  EXPECT_EQ(log::window({.threshold = 5}).threshold, 1445);
  EXPECT_EQ(log::window({.threshold = 5, .ksize = 5}).threshold, 5 * 65536);
  EXPECT_EQ(log::window({.threshold = 0.0034}).threshold, 0);
  // Thresholds whose product with 289 rounds to a whole number, from below and from above.
  int below = 0, above = 0;
  for (int32_t k = 1; k < 3000; ++k) {
    const double t = k / 289.0, past = std::fma(289.0, t, -double(k));
    if (289.0 * t != k) continue;
    EXPECT_EQ(log::window({.threshold = t}).threshold, past < 0 ? k - 1 : k);
    below += past < 0;
    above += past > 0;
  }
  EXPECT_GT(below, 0);
  EXPECT_GT(above, 0);
}

RC_GTEST_PROP(Log, EqualsSmoothingThenLaplacianInDouble, ()) {
  const auto src = any_picture();
  const auto options = any_options();
  RC_PRE(options.border.mode != BorderMode::ignore);
  const log::Window window = log::window(options);
  const int32_t r = window.size / 2;
  const auto sample = [&](int32_t x, int32_t y) {
    const int32_t sx = map_index(options.border.mode, x, src.width());
    const int32_t sy = map_index(options.border.mode, y, src.height());
    return sx < 0 || sy < 0 ? options.border.value : double(src.at(sx, sy));
  };
  const auto smooth = [&](int32_t x, int32_t y) {
    double sum = 0;
    for (int32_t j = -r; j <= r; ++j)
      for (int32_t i = -r; i <= r; ++i)
        sum += window.taps[j + r] * window.taps[i + r] * sample(x + i, y + j);
    return sum / window.scale;
  };
  const auto response = response_of(src, options);
  for (int turn = 0; turn < 20; ++turn) {
    const int32_t x = *rc::gen::inRange(0, src.width()), y = *rc::gen::inRange(0, src.height());
    const double expected = smooth(x - 1, y) + smooth(x + 1, y) + smooth(x, y - 1) +
                            smooth(x, y + 1) - 4 * smooth(x, y);
    RC_ASSERT(std::abs(response.at(x, y) / double(window.scale) - expected) < 1e-9);
  }
}

RC_GTEST_PROP(Log, EdgesFollowFromTheResponse, ()) {
  const auto src = any_picture();
  auto options = any_options();
  options.threshold = *rc::gen::element(0.0, 0.7, 5.0, 30.0, 110.0);
  const auto response = response_of(src, options);
  const int64_t step = log::window(options).threshold;
  options.mode = LogMode::threshold;
  RC_ASSERT(equal(edges_of(src, options), map(src, [&](int32_t x, int32_t y) -> uint8_t {
                    return std::abs(response.at(x, y)) > step ? 255 : 0;
                  })));
  // Zero crossings, in other words than the library's.
  const auto sign = [](int64_t v) { return (v > 0) - (v < 0); };
  const auto crosses = [&](int32_t x0, int32_t y0, int32_t x1, int32_t y1) {
    if (x0 < 0 || y0 < 0 || x1 >= src.width() || y1 >= src.height()) return false;
    const int64_t a = response.at(x0, y0), b = response.at(x1, y1);
    return sign(a) * sign(b) == -1 && std::abs(a - b) > step;
  };
  options.mode = LogMode::zero_crossings;
  RC_ASSERT(equal(edges_of(src, options), map(src, [&](int32_t x, int32_t y) -> uint8_t {
                    if (crosses(x, y, x + 1, y) || crosses(x, y, x, y + 1)) return 255;
                    const bool through = response.at(x, y) == 0 && (crosses(x - 1, y, x + 1, y) ||
                                                                    crosses(x, y - 1, x, y + 1));
                    return through ? 255 : 0;
                  })));
}

// A ramp of one gray pixel between two flats: L is exactly 0 on it, and nothing else is an edge.
TEST(Log, ZeroCrossingOnAnExactZero) {
  Image<uint8_t> src(40, 30);
  for (int32_t y = 0; y < 30; ++y)
    for (int32_t x = 0; x < 40; ++x) src.at(x, y) = x < 20 ? 0 : x == 20 ? 100 : 200;
  for (const auto& strategy : strategy_names) {
    const auto edges = edges_of(src, {.mode = LogMode::zero_crossings}, with(strategy));
    for (int32_t y = 0; y < 30; ++y)
      for (int32_t x = 0; x < 40; ++x)
        ASSERT_EQ(edges.at(x, y), x == 20 ? 255 : 0) << x << "," << y;
  }
}

TEST(Log, WiderGaussiansAreTwo) {
  Image<uint8_t> src(70, 50), smooth(70, 50);
  Image<uint16_t> deep(70, 50), smooth_deep(70, 50);
  verify::fill(src, verify::Pattern::natural, 3);
  verify::fill(deep, verify::Pattern::natural, 3);
  for (const double sigma : {2.3, 3.5}) {
    const double half = sigma / std::numbers::sqrt2;
    for (const BorderMode mode : {BorderMode::reflect101, BorderMode::wrap, BorderMode::ignore}) {
      const Border border{mode};
      gaussian(src, smooth, {.sigma = half, .border = border});
      gaussian(deep, smooth_deep, {.sigma = half, .border = border});
      const LogOptions whole{LogMode::zero_crossings, 0.3, sigma, 0, border};
      // Its own window, so that this is the second of the two, whichever sigma it has.
      LogOptions second = whole;
      second.sigma = half, second.ksize = gaussian_size(half);
      for (const auto& strategy : strategy_names) {
        EXPECT_TRUE(equal(edges_of(src, whole, with(strategy)), edges_of(smooth, second)));
      }
      EXPECT_TRUE(equal(response_of(deep, whole), response_of(smooth_deep, second)));
    }
    EXPECT_EQ(reach_of(LogOptions{.sigma = sigma}), 2 * (gaussian_size(half) / 2) + 1);
  }
}

// How far the response is from that of an exact Gaussian, of the exact one's norm, away from
// borders.
double roughness(const Image<uint8_t>& src, const LogOptions& options) {
  const int32_t r = 14, n = src.width();
  const auto taps = gaussian_taps(2 * r + 1, *options.sigma);
  std::vector<double> rows(size_t(n) * size_t(n)), exact(rows.size());
  const auto at = [n](std::vector<double>& plane, int32_t x, int32_t y) -> double& {
    return plane[size_t(y) * size_t(n) + size_t(x)];
  };
  for (int32_t y = 0; y < n; ++y)
    for (int32_t x = r; x < n - r; ++x)
      for (int32_t k = -r; k <= r; ++k)
        at(rows, x, y) += taps[size_t(k) + size_t(r)] * src.at(x + k, y);
  for (int32_t y = r; y < n - r; ++y)
    for (int32_t x = r; x < n - r; ++x)
      for (int32_t k = -r; k <= r; ++k)
        at(exact, x, y) += taps[size_t(k) + size_t(r)] * at(rows, x, y + k);
  const auto response = response_of(src, options);
  double off = 0, norm = 0;
  for (int32_t y = r + 1; y < n - r - 1; ++y) {
    for (int32_t x = r + 1; x < n - r - 1; ++x) {
      const double l = at(exact, x - 1, y) + at(exact, x + 1, y) + at(exact, x, y - 1) +
                       at(exact, x, y + 1) - 4 * at(exact, x, y);
      off += (response.at(x, y) / 65536.0 - l) * (response.at(x, y) / 65536.0 - l);
      norm += l * l;
    }
  }
  return std::sqrt(off / norm);
}

TEST(Log, WiderGaussiansAreSmooth) {
  Image<uint8_t> noise(90, 90);
  verify::fill(noise, verify::Pattern::noise, 5);
  EXPECT_GT(roughness(noise, {.sigma = 3, .ksize = gaussian_size(3)}), 0.3);  // at once
  for (const double sigma : {2.5, 3.0, 3.5})
    EXPECT_LT(roughness(noise, {.sigma = sigma}), 0.15) << sigma;
}

TEST(Log, SixteenBitResponsesSaturate) {
  auto src = constant<uint16_t>(9, 9, 0);
  src.at(4, 4) = 65535;
  const auto response = response_of(src, {.sigma = 0});
  EXPECT_EQ(response.at(4, 4), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(response.at(3, 4), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(response.at(2, 4), 0);
  const auto taps_of_paper = response_of(src);
  EXPECT_EQ(taps_of_paper.at(4, 4), papers_weight(0, 0) * 65535);
  // Edges see the exact response: 4 * 65,535 gray levels.
  EXPECT_EQ(edges_of(src, {.threshold = 262139, .sigma = 0}).at(4, 4), 255);
  EXPECT_EQ(edges_of(src, {.threshold = 262140, .sigma = 0}).at(4, 4), 0);
}

// ---- properties

RC_GTEST_PROP(Log, ConstantsVanish, ()) {
  auto options = any_options();
  RC_PRE(options.border.mode != BorderMode::constant);
  options.threshold = 0;
  options.mode = *rc::gen::element(LogMode::threshold, LogMode::zero_crossings);
  const auto src = constant<uint8_t>(*rc::gen::inRange(1, 100), *rc::gen::inRange(1, 40),
                                     uint8_t(*rc::gen::inRange(0, 256)));
  const auto edges = edges_of(src, options);
  RC_ASSERT(equal(edges, constant<uint8_t>(src.width(), src.height(), 0)));
}

RC_GTEST_PROP(Log, ImpulseReturnsTheWeights, ()) {
  auto src = constant<uint8_t>(*rc::gen::inRange(7, 150), *rc::gen::inRange(7, 40), 0);
  const int32_t cx = *rc::gen::inRange(3, src.width() - 3);
  const int32_t cy = *rc::gen::inRange(3, src.height() - 3);
  src.at(cx, cy) = 1;
  const auto response = response_of(src, {.border = {BorderMode::constant, 0}});
  RC_ASSERT(equal(response, map(response, [&](int32_t x, int32_t y) {
                    return papers_weight(x - cx, y - cy);
                  })));
  // The packed way, through the threshold that tells one weight from the next.
  const int32_t w = *rc::gen::inRange(0, 101);
  const auto edges =
      edges_of(src, {.threshold = (w + 0.5) / 289, .border = {BorderMode::constant, 0}});
  RC_ASSERT(equal(edges, map(edges, [&](int32_t x, int32_t y) -> uint8_t {
                    return std::abs(papers_weight(x - cx, y - cy)) > w ? 255 : 0;
                  })));
}

RC_GTEST_PROP(Log, MonotoneInTheThreshold, ()) {
  const auto src = any_picture();
  auto low = any_options();
  low.mode = *rc::gen::element(LogMode::threshold, LogMode::zero_crossings);
  auto high = low;
  low.threshold = *rc::gen::inRange(0, 1200) / 10.0;
  high.threshold = low.threshold + *rc::gen::inRange(0, 300) / 10.0;
  const auto more = edges_of(src, low), fewer = edges_of(src, high);
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) RC_ASSERT(fewer.at(x, y) <= more.at(x, y));
}

RC_GTEST_PROP(Log, TransposesNegatesAndShifts, ()) {
  const auto src = any_picture(8);
  auto options = any_options();
  options.threshold = *rc::gen::element(0.0, 5.0, 40.0);
  const auto edges = edges_of(src, options);
  const auto response = response_of(src, options);

  Image<uint8_t> turned(src.height(), src.width());
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) turned.at(y, x) = src.at(x, y);
  const auto turned_edges = edges_of(turned, options);
  for (int32_t y = 0; y < src.height(); ++y)
    for (int32_t x = 0; x < src.width(); ++x) RC_ASSERT(turned_edges.at(y, x) == edges.at(x, y));

  auto opposite = options;
  opposite.border.value = 255 - options.border.value;
  const auto negative = map(src, [&](int32_t x, int32_t y) { return uint8_t(255 - src.at(x, y)); });
  RC_ASSERT(equal(response_of(negative, opposite),
                  map(response, [&](int32_t x, int32_t y) { return -response.at(x, y); })));

  // A region's answers away from its edge are the picture's.
  const Rect part{*rc::gen::inRange(0, src.width() / 2), *rc::gen::inRange(0, src.height() / 2),
                  src.width() / 2, src.height() / 2};
  const auto inner = edges_of(src.view().region(part), options);
  const int32_t r = log::window(options).radius();
  for (int32_t y = r; y < part.height - r; ++y)
    for (int32_t x = r; x < part.width - r; ++x)
      RC_ASSERT(inner.at(x, y) == edges.at(part.x + x, part.y + y) ||
                options.border.mode == BorderMode::ignore);
}

// ---- bad input

void expect_refused(ConstAnyView src, AnyView dst, const LogOptions& options, const char* words) {
  try {
    log_edges(src, dst, options);
    ADD_FAILURE() << "nothing was thrown where '" << words << "' was expected";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Log, RefusesBadInput) {
  Image<uint8_t> src(20, 10), dst(20, 10), other(10, 20), color(20, 10, 3);
  Image<float> real(20, 10);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  expect_refused({}, dst, {}, "log: src has no data; its pointer must not be null");
  expect_refused(src, AnyView(), {}, "log: dst has no data; its pointer must not be null");
  expect_refused(real, dst, {}, "log: src is f32");
  expect_refused(src, real, {}, "log: dst is f32");
  expect_refused(color, dst, {}, "log: src has 3 channels");
  expect_refused(src, other, {}, "the sizes must match");
  expect_refused(src, src, {}, "overlap in memory");
  expect_refused(src, dst, {.threshold = -0.5}, "log: threshold is -0.5");
  expect_refused(src, dst, {.threshold = nan}, "log: threshold is nan");
  expect_refused(src, dst, {.threshold = infinity}, "log: threshold is inf");
  expect_refused(src, dst, {.sigma = -1}, "log: sigma is -1");
  expect_refused(src, dst, {.sigma = nan}, "log: sigma is nan");
  expect_refused(src, dst, {.sigma = 43}, "log: sigma is 43");
  expect_refused(src, dst, {.sigma = 1e300}, "without a ksize it must be at most 42 (for more,");
  expect_refused(src, dst, {.ksize = 4}, "log: ksize is 4");
  expect_refused(src, dst, {.ksize = -3}, "log: ksize is -3");
  expect_refused(src, dst, {.ksize = 257}, "log: ksize is 257");
  EXPECT_NO_THROW(log_edges(src, dst, {.sigma = 42}));
  EXPECT_NO_THROW(log_edges(src, dst, {.sigma = 300, .ksize = 255}));
}

}  // namespace
}  // namespace cuesta
