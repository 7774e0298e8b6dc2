#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "cpu/bit_hysteresis.hpp"
#include "cuesta/bands.hpp"
#include "cuesta/edges.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/recipes/samples.hpp"
#include "ops/canny/options.hpp"
#include "ops/canny/reference.hpp"
#include "support/drawings.hpp"
#include "support/errors.hpp"
#include "support/planted.hpp"
#include "support/strategies.hpp"

namespace cuesta {
namespace {

constexpr int thread_counts[] = {1, 2, 3, 8, 99};

Exec with(std::string_view strategy, int threads) {
  return {.strategy = std::string(strategy), .threads = threads};
}

CannyOptions plain(double low, double high) {
  CannyOptions options;
  options.sigma = 0;
  options.thresholds = Thresholds::given(low, high);
  return options;
}

bool equal(const Image<uint8_t>& a, const Image<uint8_t>& b) {
  for (int32_t y = 0; y < a.height(); ++y) {
    if (!std::equal(a.row(y), a.row(y) + a.width(), b.row(y))) return false;
  }
  return true;
}

int64_t count(const Image<uint8_t>& edges) {
  int64_t n = 0;
  for (int32_t y = 0; y < edges.height(); ++y)
    n += std::count(edges.row(y), edges.row(y) + edges.width(), 255);
  return n;
}

// ---- hysteresis over strips

using Marks = std::vector<std::vector<uint8_t>>;  // 0, 1 candidate, 2 strong

// One path through the whole picture, a pixel of space between its parts, strong at its last end.
Marks comb(int32_t width, int32_t height) {
  Marks marks(size_t(height), std::vector<uint8_t>(size_t(width), 0));
  for (int32_t x = 0; x < width; ++x) {
    for (int32_t y = 0; y < height; ++y) {
      const int32_t turn = x % 4 == 1 ? height - 1 : 0;
      if (x % 2 == 0 || y == turn) marks[size_t(y)][size_t(x)] = 1;
    }
  }
  marks[size_t(height) - 1][size_t(width - 1)] = 2;
  return marks;
}

Marks spiral(int32_t width, int32_t height) {
  Marks marks(size_t(height), std::vector<uint8_t>(size_t(width), 0));
  int32_t x = 0, y = 0, dx = 1, dy = 0;
  const auto free = [&](int32_t u, int32_t v) {
    return u >= 0 && v >= 0 && u < width && v < height && marks[size_t(v)][size_t(u)] == 0;
  };
  const auto far = [&](int32_t u, int32_t v) {
    return u < 0 || v < 0 || u >= width || v >= height || marks[size_t(v)][size_t(u)] == 0;
  };
  for (int turns = 0; turns < 2;) {
    marks[size_t(y)][size_t(x)] = 1;
    if (free(x + dx, y + dy) && far(x + 2 * dx, y + 2 * dy)) {
      x += dx, y += dy, turns = 0;
    } else {
      const int32_t old = dx;
      dx = -dy, dy = old;
      ++turns;
    }
  }
  marks[size_t(y)][size_t(x)] = 2;
  return marks;
}

Marks random_marks(int32_t width, int32_t height, uint64_t seed, uint32_t percent) {
  verify::Random random(seed);
  Marks marks(size_t(height), std::vector<uint8_t>(size_t(width), 0));
  for (auto& row : marks) {
    for (auto& mark : row) {
      mark = random.below(100) < percent;
      if (mark && random.below(60) == 0) mark = 2;
    }
  }
  return marks;
}

Marks flooded(Marks marks) {
  const auto height = int32_t(marks.size()), width = int32_t(marks[0].size());
  for (bool again = true; again;) {
    again = false;
    for (int32_t i = 0; i < 2 * height; ++i) {
      const int32_t y = i < height ? i : 2 * height - 1 - i;  // down, then up
      for (int32_t x = 0; x < width; ++x) {
        if (marks[size_t(y)][size_t(x)] != 2) continue;
        for (int32_t v = std::max(0, y - 1); v <= std::min(height - 1, y + 1); ++v) {
          for (int32_t u = std::max(0, x - 1); u <= std::min(width - 1, x + 1); ++u) {
            auto& mark = marks[size_t(v)][size_t(u)];
            again |= mark == 1;
            if (mark == 1) mark = 2;
          }
        }
      }
    }
  }
  return marks;
}

// Floods `marks` in strips of `rows` rows; without `join` the seams stay shut.
Marks flooded_by_strips(Marks marks, int32_t rows, bool join = true) {
  const auto height = int32_t(marks.size()), width = int32_t(marks[0].size());
  std::vector<std::vector<uint64_t>> memory;
  std::vector<BitStrip> strips;
  for (int32_t first = 0; first < height; first += rows) {
    const int32_t n = std::min(rows, height - first);
    // Poisoned: a strip clears what it reads.
    memory.emplace_back(BitStrip::memory_words(width, n), ~uint64_t{0});
    BitStrip strip(width, n, memory.back().data());
    strip.clear();
    for (int32_t y = 0; y < n; ++y) {
      std::vector<uint64_t> candidates(size_t(strip.words()), 0), strong = candidates;
      for (int32_t x = 0; x < width; ++x) {
        const uint8_t mark = marks[size_t(first + y)][size_t(x)];
        candidates[size_t(x) / 64] |= uint64_t(mark > 0) << (x % 64);
        strong[size_t(x) / 64] |= uint64_t(mark > 1) << (x % 64);
      }
      strip.add_row(y, candidates.data(), strong.data());
    }
    strip.close();
    strips.push_back(strip);
  }
  if (join) BitStrip::join(strips.data(), int32_t(strips.size()));
  for (int32_t y = 0; y < height; ++y) {
    const uint64_t* edges = strips[size_t(y / rows)].edges(y % rows);
    for (int32_t x = 0; x < width; ++x) {
      if (edges[x / 64] >> (x % 64) & 1) marks[size_t(y)][size_t(x)] = 2;
    }
  }
  return marks;
}

TEST(CannyHysteresis, SnakesAndNoiseThroughStrips) {
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 40}, {64, 9}, {65, 33}, {63, 64}, {200, 40}, {129, 150}}) {
    std::vector<Marks> pictures = {comb(width, height), spiral(width, height)};
    for (const uint32_t percent : {20, 45, 97})
      pictures.push_back(random_marks(width, height, percent, percent));
    for (size_t i = 0; i < pictures.size(); ++i) {
      const Marks expected = flooded(pictures[i]);
      for (const int32_t rows : {1, 2, 7, 16, 1000}) {
        EXPECT_EQ(flooded_by_strips(pictures[i], rows), expected)
            << width << "x" << height << " picture " << i << " strips of " << rows;
      }
    }
  }
}

TEST(CannyHysteresis, ShutSeamsAreNoticed) {
  EXPECT_NE(flooded_by_strips(spiral(65, 64), 16, false), flooded(spiral(65, 64)));
}

TEST(CannyHysteresis, SpiralsInPicturesOnAnyThreads) {
  const Image<uint8_t> lit = drawn_spiral(400, true), dark = drawn_spiral(400, false);
  CannyOptions options = plain(20, 200);
  options.sigma.reset();
  const Image<uint8_t> expected = canny(lit, options, with("serial", 1));
  EXPECT_GT(count(expected), 5000);
  for (const std::string_view strategy : test::host_strategies<CannyArgs>()) {
    for (const int threads : thread_counts) {
      EXPECT_TRUE(equal(canny(lit, options, with(strategy, threads)), expected))
          << strategy << " on " << threads;
      EXPECT_EQ(count(canny(dark, options, with(strategy, threads))), 0) << strategy;
    }
  }
}

TEST(CannyStages, AreAnnouncedInOrder) {
  struct Recorder : StageObserver {
    std::vector<std::string> stages;
    void stage(std::string_view name, void*) override { stages.emplace_back(name); }
    void statistic(std::string_view, double) override {}
  };
  Image<uint8_t> picture(60, 40);
  verify::fill(picture, verify::Pattern::natural, 3);
  std::vector<std::string> all = {"gaussian",    "sobel",     "magnitude",
                                  "suppression", "threshold", "hysteresis"};
  for (const double sigma : {1.4, 0.0}) {
    for (const std::string_view strategy : {"serial", "rows"}) {
      Recorder recorder;
      Exec exec = with(strategy, 2);
      exec.observer = &recorder;
      CannyOptions options;
      options.sigma = sigma;
      canny(picture, options, exec);
      EXPECT_EQ(recorder.stages, all) << strategy;
    }
    all.erase(all.begin());  // nothing to smooth
  }
}

TEST(CannyThreads, DoNotMatter) {
  Image<uint8_t> picture(333, 410);
  verify::fill(picture, verify::Pattern::natural, 11);
  for (const AutoThreshold rule : {AutoThreshold::otsu, AutoThreshold::median,
                                   AutoThreshold::percentile, AutoThreshold::noise}) {
    CannyOptions options;
    options.thresholds = Thresholds::automatic(rule);
    Image<uint8_t> expected(333, 410), edges(333, 410);
    const CannyResult known = canny(picture, expected, options, with("serial", 1));
    for (const std::string_view strategy : test::held_strategies<CannyArgs>()) {
      for (const int threads : thread_counts) {
        const CannyResult found = canny(picture, edges, options, with(strategy, threads));
        EXPECT_EQ(found.low, known.low);
        EXPECT_EQ(found.high, known.high);
        EXPECT_TRUE(equal(edges, expected)) << strategy << " on " << threads;
      }
    }
  }
}

// ---- thresholds

RC_GTEST_PROP(CannyProperties, RaisingThresholdsAddsNoEdge, ()) {
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  const auto size = [] { return *rc::gen::inRange(1, 90); };
  Image<uint8_t> picture(size(), size());
  verify::fill(picture, *rc::gen::element(verify::Pattern::natural, verify::Pattern::noise), seed);
  const Given pair{double(*rc::gen::inRange(0, 300)), double(*rc::gen::inRange(300, 900))};
  CannyOptions options = plain(pair.low, pair.high);
  options.norm = *rc::gen::element(Norm::l1, Norm::l2);
  const Image<uint8_t> more = canny(picture, options);
  options.thresholds =
      Given{pair.low + *rc::gen::inRange(0, 300), pair.high + *rc::gen::inRange(0, 300)};
  const Image<uint8_t> fewer = canny(picture, options);
  for (int32_t y = 0; y < picture.height(); ++y) {
    for (int32_t x = 0; x < picture.width(); ++x) RC_ASSERT(fewer.at(x, y) <= more.at(x, y));
  }
}

RC_GTEST_PROP(CannyProperties, ANegativeHasTheSameEdges, ()) {
  Image<uint8_t> picture(*rc::gen::inRange(1, 200), *rc::gen::inRange(1, 60));
  verify::fill(picture, verify::Pattern::natural, *rc::gen::arbitrary<uint64_t>());
  CannyOptions options;
  options.sigma = 0;
  options.aperture = *rc::gen::element(3, 5, 7);
  options.norm = *rc::gen::element(Norm::l1, Norm::l2);
  const Image<uint8_t> edges = canny(picture, options);
  for (int32_t y = 0; y < picture.height(); ++y) {
    for (int32_t x = 0; x < picture.width(); ++x)
      picture.at(x, y) = uint8_t(255 - picture.at(x, y));
  }
  RC_ASSERT(equal(canny(picture, options), edges));
}

TEST(CannyThresholds, GivenOnesComeBackInOrder) {
  Image<uint8_t> picture(20, 20), edges(20, 20);
  verify::fill(picture, verify::Pattern::natural, 2);
  const CannyResult used = canny(picture, edges, plain(120.5, 30));
  EXPECT_EQ(used.low, 30);
  EXPECT_EQ(used.high, 120.5);
}

TEST(CannyThresholds, AutomaticOnesGivenAgainFindTheSameEdges) {
  for (const int aperture : {3, 5, 7}) {
    for (const AutoThreshold rule : {AutoThreshold::otsu, AutoThreshold::median,
                                     AutoThreshold::percentile, AutoThreshold::noise}) {
      Image<uint8_t> picture(150, 110), edges(150, 110);
      verify::fill(picture, verify::Pattern::natural, 4);
      CannyOptions options;
      options.aperture = aperture;
      options.thresholds = Thresholds::automatic(rule);
      const CannyResult used = canny(picture, edges, options);
      EXPECT_GT(used.high, 0);
      EXPECT_EQ(used.low, used.high / 2);
      options.thresholds = Thresholds::given(used.low, used.high);
      EXPECT_TRUE(equal(canny(picture, options), edges)) << "aperture " << aperture;
    }
  }
}

// The rules, from their words, on the magnitudes that sobel() gives.
TEST(CannyThresholds, FollowTheirRules) {
  Image<uint8_t> picture(97, 60), edges(97, 60);
  Image<uint16_t> magnitude(97, 60);
  verify::fill(picture, verify::Pattern::natural, 9);
  for (const Norm norm : {Norm::l1, Norm::l2}) {
    sobel(picture, {.magnitude = magnitude}, {.norm = norm, .border = {BorderMode::replicate}});
    std::vector<int> all, nonzero;
    for (int32_t y = 0; y < 60; ++y) {
      for (int32_t x = 0; x < 97; ++x) {
        all.push_back(magnitude.at(x, y));
        if (all.back() > 0) nonzero.push_back(all.back());
      }
    }
    std::sort(all.begin(), all.end());
    std::sort(nonzero.begin(), nonzero.end());
    CannyOptions options;
    options.sigma = 0;
    options.norm = norm;
    options.thresholds = Thresholds::automatic(AutoThreshold::percentile, 75);
    EXPECT_EQ(canny(picture, edges, options).high,
              all[size_t(std::ceil(0.75 * double(all.size()))) - 1]);
    options.thresholds = Thresholds::automatic(AutoThreshold::percentile, 100);
    EXPECT_EQ(canny(picture, edges, options).high, all.back());
    options.thresholds = Thresholds::automatic(AutoThreshold::median);
    EXPECT_EQ(canny(picture, edges, options).high, 1.33 * nonzero[(nonzero.size() - 1) / 2]);
  }
}

TEST(CannyThresholds, FlatPicturesHaveNoEdges) {
  Image<uint8_t> picture(40, 30), edges(40, 30);
  verify::fill(picture, verify::Pattern::constant, 0);
  for (const AutoThreshold rule : {AutoThreshold::otsu, AutoThreshold::median,
                                   AutoThreshold::percentile, AutoThreshold::noise}) {
    CannyOptions options;
    options.thresholds = Thresholds::automatic(rule);
    EXPECT_EQ(canny(picture, edges, options).high, rule == AutoThreshold::noise ? 8 : 0);
    EXPECT_EQ(count(edges), 0);
  }
}

// A gray picture with noise of a deviation, and of a square that many levels brighter in its
// middle.
Image<uint8_t> noise_of(double deviation, int32_t brighter = 0) {
  std::mt19937 bits(5);
  std::normal_distribution<double> noise(0, deviation);
  Image<uint8_t> picture(400, 300);
  for (int32_t y = 0; y < 300; ++y) {
    for (int32_t x = 0; x < 400; ++x) {
      const bool inside = std::abs(x - 200) < 20 && std::abs(y - 150) < 20;
      const double level = std::round(110 + (inside ? brighter : 0) + noise(bits));
      picture.at(x, y) = uint8_t(std::clamp(level, 0.0, 255.0));
    }
  }
  return picture;
}

TEST(CannyThresholds, NoiseHasNoEdgesByItsRule) {
  Image<uint8_t> edges(400, 300);
  // Without a sigma it is the papers' Gaussian.
  for (const std::optional<double> sigma : {std::optional(0.0), {}, {3.0}}) {
    for (const Norm norm : {Norm::l1, Norm::l2}) {
      for (const double deviation : {1.0, 2.0, 5.0, 8.0, 12.0, 20.0, 60.0}) {
        CannyOptions options{.sigma = sigma, .norm = norm};
        const Image<uint8_t> picture = noise_of(deviation);
        options.thresholds = Thresholds::automatic(AutoThreshold::noise);
        canny(picture, edges, options);
        EXPECT_EQ(count(edges), 0) << "sigma " << sigma.value_or(-1) << ", noise of " << deviation;
        options.thresholds = Thresholds::automatic(AutoThreshold::otsu);
        canny(picture, edges, options);
        if (sigma < 3 && deviation >= 5) {
          EXPECT_GT(count(edges), 3000) << "what Otsu's rule makes of it";
        }
      }
    }
  }
}

// A thing in noise is found, and nothing else; a picture of things has Otsu's thresholds.
TEST(CannyThresholds, OfNoiseRuleFindsWhatIsThere) {
  CannyOptions options{.thresholds = Thresholds::automatic(AutoThreshold::noise)};
  Image<uint8_t> edges(400, 300);
  canny(noise_of(10, 80), edges, options);
  int64_t near = 0;
  for (int32_t y = 0; y < 300; ++y) {
    for (int32_t x = 0; x < 400; ++x) {
      const int32_t from = std::max(std::abs(x - 200), std::abs(y - 150));
      near += edges.at(x, y) != 0 && from > 14 && from < 26;
    }
  }
  EXPECT_GT(near, 120) << "of a square's 156 pixels";
  EXPECT_EQ(count(edges), near);

  Image<uint8_t> picture(400, 300);
  verify::fill(picture, verify::Pattern::natural, 4);
  const CannyResult found = canny(picture, edges, options);
  options.thresholds = Thresholds::automatic(AutoThreshold::otsu);
  EXPECT_EQ(found.high, canny(picture, edges, options).high);
}

// ---- mask, 16 bits, bad input

TEST(CannyMask, EmptyFindsNothingAndFullChangesNothing) {
  Image<uint8_t> picture(130, 50), mask(130, 50);
  verify::fill(picture, verify::Pattern::natural, 6);
  CannyOptions options;
  const Image<uint8_t> unmasked = canny(picture, options);
  options.mask = mask;
  for (const uint8_t value : {0, 1, 255}) {
    for (int32_t y = 0; y < 50; ++y) std::fill_n(mask.row(y), 130, value);
    const Image<uint8_t> edges = canny(picture, options);
    EXPECT_TRUE(value ? equal(edges, unmasked) : count(edges) == 0) << int(value);
  }
}

TEST(Canny16Bit, ScalesWithThePicture) {
  Image<uint8_t> small(77, 60);
  Image<uint16_t> large(77, 60);
  verify::fill(small, verify::Pattern::natural, 8);
  for (int32_t y = 0; y < 60; ++y) {
    for (int32_t x = 0; x < 77; ++x) large.at(x, y) = uint16_t(small.at(x, y) * 256);
  }
  for (const Norm norm : {Norm::l1, Norm::l2}) {
    CannyOptions options = plain(60, 150);
    options.norm = norm;
    const Image<uint8_t> edges = canny(small, options);
    options.thresholds = Thresholds::given(60 * 256, 150 * 256);
    EXPECT_TRUE(equal(canny(large, options), edges));
  }
}

// What three channels share is what one has; the structure tensor of it is three times as large.
TEST(CannyColor, EqualChannelsAreOne) {
  Image<uint8_t> one(90, 70), three(90, 70, 3);
  verify::fill(one, verify::Pattern::natural, 9);
  for (int32_t y = 0; y < 70; ++y) {
    for (int32_t x = 0; x < 90; ++x) std::fill_n(&three.view().row(y)[3 * x], 3, one.at(x, y));
  }
  CannyOptions options = plain(60, 150);
  EXPECT_TRUE(equal(canny(three, options), canny(one, options)));
  options.color = ColorGradient::structure;
  const double root = std::sqrt(3.0);
  options.thresholds = Thresholds::given(60 * root, 150 * root);
  const Image<uint8_t> found = canny(three, options);
  CannyOptions l2 = plain(60, 150);
  l2.norm = Norm::l2;
  const Image<uint8_t> edges = canny(one, l2);
  int64_t differ = 0, all = 0;
  for (int32_t y = 0; y < 70; ++y) {
    for (int32_t x = 0; x < 90; ++x) {
      differ += found.at(x, y) != edges.at(x, y);
      all += edges.at(x, y) != 0;
    }
  }
  EXPECT_GT(all, 100);
  EXPECT_LT(differ * 20, all);  // ties along diagonals, and limits, are rounded differently
}

// A step that two channels take against each other: each alone is below the threshold, their
// tensor is not, and gray levels would cancel.
// The border is the smoothing's: what it does not reach is the default's, also where a wide
// Gaussian keeps fractions and thins by length.
template <class T>
void expect_borders(int32_t channels) {
  Image<uint8_t> bytes(150, 130, channels);
  verify::fill(bytes, verify::Pattern::natural, 4);
  Image<T> src(150, 130, channels);
  scale(bytes, src, 1);
  for (const double sigma : {1.4, 7.0}) {
    const Thresholds given = Given{sigma > 5 ? 2.0 : 20.0, sigma > 5 ? 2.0 : 20.0};
    const int32_t reach = reach_of(CannyOptions{.sigma = sigma});
    const Rect inside{reach, reach, 150 - 2 * reach, 130 - 2 * reach};
    const Image<uint8_t> usual = canny(src, CannyOptions{.sigma = sigma, .thresholds = given});
    for (const Border border :
         {Border{BorderMode::replicate}, Border{BorderMode::reflect},
          Border{BorderMode::constant, 40}, Border{BorderMode::wrap}, Border{BorderMode::ignore}}) {
      const CannyOptions options{.sigma = sigma, .thresholds = given, .border = border};
      const Image<uint8_t> made = canny(src, options);
      EXPECT_FALSE(equal(made, usual)) << sigma;
      int64_t edges = 0, differing = 0;
      for (int32_t y = inside.y; y < inside.y + inside.height; ++y)
        for (int32_t x = inside.x; x < inside.x + inside.width; ++x)
          edges += made.at(x, y) != 0, differing += made.at(x, y) != usual.at(x, y);
      EXPECT_EQ(differing, 0) << sigma << ' ' << name_of(border.mode);
      EXPECT_GT(edges, 20) << sigma;
      if (sigma > 5) continue;  // thinned by length
      const Image<T> smooth = gaussian(src, {.sigma = sigma, .border = border});
      EXPECT_TRUE(equal(made, canny(smooth, CannyOptions{.sigma = 0, .thresholds = given})));
    }
  }
}

TEST(CannyBorder, IsTheSmoothings) {
  expect_borders<uint8_t>(1);
  expect_borders<uint8_t>(3);
  expect_borders<float>(1);
}

TEST(CannyColor, StructureSeesWhatChannelsShare) {
  Image<uint8_t> src(20, 12, 3);
  for (int32_t y = 0; y < 12; ++y) {
    for (int32_t x = 0; x < 20; ++x) {
      const int level = x < 10 ? 100 : 120;
      uint8_t* pixel = &src.view().row(y)[3 * x];
      pixel[0] = uint8_t(level);
      pixel[1] = uint8_t(220 - level);
      pixel[2] = 7;
    }
  }
  CannyOptions options = plain(50, 100);  // a channel's magnitude is 80, the tensor's √2 · 80
  const auto count = [&] {
    const Image<uint8_t> edges = canny(src, options);
    int n = 0;
    for (int32_t y = 0; y < 12; ++y) {
      for (int32_t x = 0; x < 20; ++x) n += edges.at(x, y) != 0;
    }
    return n;
  };
  EXPECT_EQ(count(), 0);
  options.color = ColorGradient::structure;
  EXPECT_EQ(count(), 12);
}

// ---- floats

Image<float> floats_of(const Image<uint8_t>& picture, float factor) {
  Image<float> made(picture.width(), picture.height(), picture.view().channels);
  const int32_t samples = picture.width() * picture.view().channels;
  for (int32_t y = 0; y < picture.height(); ++y)
    for (int32_t x = 0; x < samples; ++x) made.row(y)[x] = factor * float(picture.row(y)[x]);
  return made;
}

Image<uint8_t> natural(int32_t channels) {
  Image<uint8_t> picture(90, 70, channels);
  verify::fill(picture, verify::Pattern::natural, 5);
  return picture;
}

TEST(CannyFloats, OfWholeSamplesHaveTheEdgesOfBytes) {
  for (const int32_t channels : {1, 3}) {
    const Image<uint8_t> bytes = natural(channels);
    for (const int aperture : {3, 5}) {
      for (const Norm norm : {Norm::l1, Norm::l2}) {
        CannyOptions options = aperture == 3 ? plain(60, 140) : plain(700, 1600);
        options.aperture = aperture;
        options.norm = norm;
        const Image<uint8_t> expected = canny(bytes, options);
        EXPECT_GT(count(expected), 50);
        EXPECT_TRUE(equal(canny(floats_of(bytes, 1), options), expected))
            << channels << " channels, aperture " << aperture;
      }
    }
  }
}

TEST(CannyFloats, KnowNoLevels) {
  for (const int32_t channels : {1, 3}) {
    const Image<uint8_t> bytes = natural(channels);
    const Image<float> levels = floats_of(bytes, 1), small = floats_of(bytes, 0x1p-20f);
    for (const AutoThreshold rule : {AutoThreshold::otsu, AutoThreshold::median,
                                     AutoThreshold::percentile, AutoThreshold::noise}) {
      for (const Norm norm : {Norm::l1, Norm::l2}) {
        CannyOptions options;
        options.sigma = 0;
        options.thresholds = Thresholds::automatic(rule);
        options.norm = norm;
        Image<uint8_t> of_bytes(90, 70), of_levels(90, 70), of_small(90, 70);
        const CannyResult byte = canny(ConstAnyView(bytes), of_bytes, options),
                          level = canny(ConstAnyView(levels), of_levels, options),
                          tiny = canny(ConstAnyView(small), of_small, options);
        EXPECT_EQ(level.high * 0x1p-20, tiny.high);
        EXPECT_TRUE(equal(of_levels, of_small));
        EXPECT_GT(count(of_levels), 50);
        // Bytes count the floored roots of l2.
        EXPECT_NEAR(level.high, byte.high, 1.4 + byte.high / 100) << int(rule) << " " << int(norm);
      }
    }
  }
}

TEST(CannyFloats, WhatIsNoNumberIsNoEdge) {
  const Image<uint8_t> bytes = natural(1);
  Image<float> picture = floats_of(bytes, 1);
  const CannyOptions options = plain(0, 0);
  const Image<uint8_t> whole = canny(picture, options);
  picture.row(30)[40] = std::numeric_limits<float>::quiet_NaN();
  picture.row(30)[60] = std::numeric_limits<float>::infinity();
  const Image<uint8_t> edges = canny(picture, options);
  for (int32_t y = 0; y < 70; ++y) {
    for (int32_t x = 0; x < 90; ++x) {
      const auto near = [&](int32_t column, int32_t reach) {
        return std::max(std::abs(x - column), std::abs(y - 30)) <= reach;
      };
      if (near(40, 1)) {
        EXPECT_EQ(edges.at(x, y), x == 40 && y == 30 ? edges.at(x, y) : 0);
      } else if (!near(40, 2) && !near(60, 2)) {
        EXPECT_EQ(edges.at(x, y), whole.at(x, y)) << x << " " << y;
      }
    }
  }
}

// λ of 16 bits is that of 8, times 256² and with a fraction.
TEST(CannyColor, StructureOf16BitsAndFloatsIsThatOf8) {
  const Image<uint8_t> bytes = natural(3);
  Image<uint16_t> words(90, 70, 3);
  for (int32_t y = 0; y < 70; ++y)
    for (int32_t x = 0; x < 270; ++x) words.row(y)[x] = uint16_t(bytes.row(y)[x] << 8);
  for (const int aperture : {3, 5, 7}) {
    CannyOptions options = plain(60, 140);
    options.color = ColorGradient::structure;
    options.aperture = aperture;
    const double unit = aperture == 3 ? 1 : aperture == 5 ? 12 : 160;
    options.thresholds = Thresholds::given(60 * unit, 140 * unit);
    const Image<uint8_t> expected = canny(bytes, options),
                         floats = canny(floats_of(bytes, 1), options);
    options.thresholds = Thresholds::given(256 * 60 * unit, 256 * 140 * unit);
    const Image<uint8_t> found = canny(words, options);
    int64_t differ = 0;
    for (int32_t y = 0; y < 70; ++y)
      for (int32_t x = 0; x < 90; ++x)
        differ += (found.at(x, y) != expected.at(x, y)) + (floats.at(x, y) != expected.at(x, y));
    EXPECT_GT(count(expected), 50);
    EXPECT_LT(differ * 20, count(expected)) << aperture;
  }
}

std::string complaint(const CannyOptions& options, ConstAnyView src, AnyView dst) {
  try {
    canny(src, dst, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "none";
}

// Those above low that others above low connect to one above high, 8-way, by searching again and
// again.
Image<uint8_t> linked(const Image<float>& strengths, double low, double high) {
  Image<uint8_t> edges(strengths.width(), strengths.height());
  for (int32_t y = 0; y < edges.height(); ++y) std::fill_n(edges.row(y), edges.width(), uint8_t(0));
  for (bool grew = true; grew;) {
    grew = false;
    for (int32_t y = 0; y < edges.height(); ++y) {
      for (int32_t x = 0; x < edges.width(); ++x) {
        if (edges.at(x, y) != 0 || !(strengths.at(x, y) > low)) continue;
        bool joins = strengths.at(x, y) > high;
        for (int32_t j = std::max(y - 1, 0); j <= std::min(y + 1, edges.height() - 1); ++j)
          for (int32_t i = std::max(x - 1, 0); i <= std::min(x + 1, edges.width() - 1); ++i)
            joins = joins || edges.at(i, j) != 0;
        if (!joins) continue;
        edges.at(x, y) = 255;
        grew = true;
      }
    }
  }
  return edges;
}

template <class T>
void expect_strengths_give_edges(T unit) {
  std::mt19937 random(7);
  for (const int32_t channels : {1, 3}) {
    Image<T> picture(61, 47, channels);
    for (int32_t y = 0; y < 47; ++y)
      for (int32_t x = 0; x < 61 * channels; ++x)
        picture.row(y)[x] = T(unit * T((x * 2 + y * 3) % 97 + (x > 70 ? 90 : 0) + random() % 25));
    for (const int aperture : {3, 5, 7}) {
      for (const Norm norm : {Norm::l1, Norm::l2}) {
        for (const ColorGradient color : {ColorGradient::strongest, ColorGradient::structure}) {
          CannyOptions options{.sigma = 0.8, .norm = norm, .aperture = aperture, .color = color};
          AnyImage made({61, 47}, 1, canny_strength_type(pixel_type_of<T>(), aperture));
          canny(picture, made, options);
          Image<float> strengths(61, 47);
          recipes::convert(made, strengths);
          const double gain = double(unit) * (aperture == 3 ? 1 : aperture == 5 ? 12 : 50);
          for (const double low : {0.0, 30.0, 77.0}) {
            const double floor = low * gain, ceiling = 2.2 * floor;
            // Thresholds that are whole, or floats of float pictures.
            const auto whole = [](double t) {
              return std::is_same_v<T, float> ? double(float(t)) : std::floor(t);
            };
            options.thresholds = Thresholds::given(whole(floor), whole(ceiling));
            EXPECT_TRUE(
                equal(canny(picture, options), linked(strengths, whole(floor), whole(ceiling))))
                << channels << " channels, aperture " << aperture << ", low " << floor;
          }
        }
      }
    }
  }
}

TEST(CannyStrengths, ComparedWithThresholdsGiveTheEdges) {
  expect_strengths_give_edges<uint8_t>(1);
  expect_strengths_give_edges<uint16_t>(257);
  expect_strengths_give_edges<float>(1 / 255.0F);
}

TEST(CannyBadInput, IsNamed) {
  Image<uint8_t> src(8, 8), dst(8, 8), other(8, 7);
  const Image<int16_t> signs(8, 8);
  verify::fill(src, verify::Pattern::natural, 1);
  const auto of = [&](auto change) {
    CannyOptions options = plain(10, 20);
    change(options);
    return complaint(options, src, dst);
  };
  EXPECT_EQ(of([](auto& o) { o.aperture = 4; }), "canny: aperture is 4; it must be 3, 5 or 7");
  EXPECT_EQ(of([](auto& o) { o.sigma = -1; }), "canny: sigma is -1; it must be 0 or more");
  EXPECT_EQ(of([](auto& o) { o.ksize = 6; }),
            "canny: ksize is 6; it must be odd, 1 to 255, or 0 (from sigma)");
  EXPECT_EQ(of([](auto& o) {
              o.thresholds = Given{10, std::numeric_limits<double>::quiet_NaN()};
            }),
            "canny: threshold is 10 and nan; it must be two finite numbers");
  EXPECT_EQ(
      of([](auto& o) { o.thresholds = Thresholds::automatic(AutoThreshold::percentile, 101); }),
      "canny: threshold is auto:percentile:101; it must be a percentile of 0 to 100");
  EXPECT_EQ(of([&](auto& o) { o.mask = other; }),
            "canny: src is 8 x 8 and canny: mask is 8 x 7; the sizes must match");
  EXPECT_EQ(of([&](auto& o) { o.mask = dst; }),
            "canny: mask and canny: dst overlap in memory; give the result a separate picture");
  EXPECT_EQ(complaint(plain(1, 2), signs, dst), "canny: src is s16; it must be u8, u16, f32");
  const auto of_gradients = [&](ConstAnyView gx, ConstAnyView gy) {
    return test::error_of(ErrorCode::invalid_argument, [&] { canny_of_gradients(gx, gy, dst); });
  };
  const Image<float> floats(8, 8);
  EXPECT_EQ(of_gradients(src, src), "canny: gx is u8; it must be s16, f32");
  EXPECT_EQ(of_gradients(signs, floats), "canny: gy is f32; it must be s16");
  EXPECT_EQ(of_gradients(signs, Image<int16_t>(8, 7)),
            "canny: gx is 8 x 8 and canny: gy is 8 x 7; the sizes must match");
  const Image<uint8_t> two(8, 8, 2), four(8, 8, 4);
  EXPECT_EQ(complaint(plain(1, 2), two, dst), "canny: src has 2 channels; it must have 1 or 3");
  EXPECT_EQ(complaint(plain(1, 2), four, dst), "canny: src has 4 channels; it must have 1 or 3");
  EXPECT_EQ(complaint(plain(1, 2), src, src),
            "canny: src and canny: dst overlap in memory; give the result a separate picture");
}

// ---- planted faults

// The reference's stages with a fault between gradient and hysteresis, and hysteresis by strips.
template <class G, class Fault>
void with_fault_in_one(const CannyArgs& args, Call& call, Fault fault, bool join) {
  CannyStagesOf<G> stages = canny_stages<G>(args, call.scratch());
  canny_gradients(args, stages, call, "serial", 1);
  canny_magnitude_rows(args, stages, 0, args.src.height);
  if (args.makes_strengths()) {
    *args.result = {};
  } else if (!args.options.thresholds.is_automatic()) {
    *args.result = canny_given(args.options);
  } else {
    std::vector<uint64_t> bins(canny_bins);
    canny_histogram_rows(args, stages, 0, args.src.height, bins);
    *args.result = canny_automatic(args.options, args.src.type, bins);
  }
  auto limits = canny_limits_in<canny_channels::Magnitude<G>>(args, *args.result);
  fault(stages, limits);
  canny_suppress_rows(stages, 0, args.src.height);
  if (args.makes_strengths()) return canny_strength_rows(args, stages, 0, args.src.height);
  canny_threshold_rows(stages, limits, 0, args.src.height);
  Marks marks;
  for (int32_t y = 1; y <= args.src.height; ++y)
    marks.emplace_back(stages.marks.row(y) + 1, stages.marks.row(y) + 1 + args.src.width);
  marks = flooded_by_strips(marks, 8, join);
  for (int32_t y = 0; y < args.src.height; ++y) {
    for (int32_t x = 0; x < args.src.width; ++x)
      args.dst.as<uint8_t>().at(x, y) = marks[size_t(y)][size_t(x)] == 2 ? 255 : 0;
  }
}

template <class Fault>
void with_fault(const CannyArgs& args, Call& call, Fault fault, bool join = true) {
  for (int32_t i = 0; i < args.count; ++i) {
    const CannyArgs one = args.part(i, 1);
    canny_has_floats(one) ? with_fault_in_one<float>(one, call, fault, join)
                          : with_fault_in_one<int32_t>(one, call, fault, join);
  }
}

TEST(CannyFaults, AreCaught) {
  using verify::expect_caught;
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        with_fault(args, call, [](auto&, auto& limits) { --limits.high; });
      },
      "strong pixels of the high threshold itself");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        with_fault(args, call, [](auto&, auto& limits) { ++limits.low; });
      },
      "a low threshold one too high");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        with_fault(args, call, [](auto& s, auto&) { std::swap(s.gx, s.gy); });
      },
      "suppression along the edge");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        with_fault(args, call, [](auto& s, auto&) {
          for (int32_t y = 0; y < s.gy[0].height; ++y)
            for (int32_t x = 0; x < s.gy[0].width; ++x) s.gy[0].at(x, y) = -s.gy[0].at(x, y);
        });
      },
      "diagonals taken for each other");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        with_fault(
            args, call, [](auto&, auto&) {}, false);
      },
      "hysteresis that stops at seams");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        CannyArgs wrong = args;
        wrong.options.mask = {};
        each_picture<canny_serial>(wrong, call);
      },
      "a mask that is ignored");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        CannyArgs wrong = args;
        wrong.options.color = ColorGradient::strongest;
        each_picture<canny_serial>(wrong, call);
      },
      "the strongest channel for the structure tensor");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        CannyArgs wrong = args;
        wrong.thresholds = {};
        each_picture<canny_serial>(wrong, call);
      },
      "the first picture's thresholds for a whole batch");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        std::vector<Thresholds> wrong(args.thresholds.begin(), args.thresholds.end());
        std::reverse(wrong.begin(), wrong.end());
        CannyArgs batch = args;
        batch.thresholds = wrong;
        each_picture<canny_serial>(batch, call);
      },
      "thresholds of another picture of the batch");
  expect_caught<CannyArgs>(
      [](const CannyArgs& args, Call& call) {
        CannyArgs wrong = args;
        wrong.mask_step = 0;
        each_picture<canny_serial>(wrong, call);
      },
      "the first picture's mask for a whole batch");
}

TEST(CannyFaults, NoFaultPasses) {
  const Strategy<CannyArgs> planted{
      .name = "planted", .idea = "right on purpose", .run = [](const CannyArgs& args, Call& call) {
        with_fault(args, call, [](auto&, auto&) {});
      }};
  const auto report = verify::report_of(planted);
  for (const auto& failure : report.failures) ADD_FAILURE() << failure;
}

}  // namespace
}  // namespace cuesta
