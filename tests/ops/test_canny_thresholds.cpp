// The arithmetic of Canny's automatic thresholds, which the host and the GPU share.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "cuesta/objects.hpp"
#include "ops/canny/otsu.hpp"
#include "ops/canny/thresholds.hpp"

namespace cuesta {
namespace {

using Bins = std::vector<uint64_t>;

double value_of(bool of_floats, size_t bin) {
  ThresholdRule rule{};
  rule.of_floats = of_floats;
  return canny_rules::value_of(rule, int32_t(bin));
}

// Decreasing shapes of many sizes, with gaps or without.
Bins drawn_bins(int shape, bool of_floats, std::mt19937_64& random) {
  Bins bins(of_floats ? size_t(canny_float_bins) : size_t(canny_bins));
  const double scale = std::pow(10.0, 1 + shape % 4);
  for (size_t bin = 0; bin < bins.size(); bin += shape % 5 == 4 ? 7 : 1) {
    const double v = value_of(of_floats, bin), width = of_floats ? v / 256 : 1;
    const double share = std::exp(-v / scale) + 0.02 * std::exp(-v / (10 * scale));
    bins[bin] = uint64_t(1e6 * share * width / scale * double(90 + random() % 20));
  }
  return bins;
}

// The variance of each bin, from long sums.
std::vector<long double> variances_of(bool of_floats, const Bins& bins) {
  long double all = 0, sum = 0;
  for (size_t i = 1; i < bins.size(); ++i)
    all += bins[i], sum += (long double)value_of(of_floats, i) * bins[i];
  std::vector<long double> variances(bins.size());
  long double lower = 0, lower_sum = 0;
  for (size_t i = 1; i < bins.size(); ++i) {
    lower += bins[i], lower_sum += (long double)value_of(of_floats, i) * bins[i];
    if (bins[i] == 0 || lower == all || std::min(lower, all - lower) < 1.2e-7L * all) continue;
    const long double apart = sum / all * lower - lower_sum;
    variances[i] = apart / lower * apart / (all - lower);
  }
  return variances;
}

TEST(CannyOtsu, ChoosesTheLargestVariance) {
  std::mt19937_64 random(20261130);
  for (int shape = 0; shape < 40; ++shape) {
    const bool of_floats = shape % 2 == 1;
    const Bins bins = drawn_bins(shape, of_floats, random);
    const auto chosen = size_t(canny_otsu::choose(of_floats, bins));
    const auto variances = variances_of(of_floats, bins);
    const long double most = *std::max_element(variances.begin(), variances.end());
    EXPECT_GE(variances[chosen], most * (of_floats ? 1 - 1e-5L : 1 - 1e-12L)) << "shape " << shape;
  }
}

TEST(CannyOtsu, IsOtsusThresholdOfTheMagnitudes) {
  std::mt19937_64 random(7);
  for (int shape = 0; shape < 10; ++shape) {
    Bins bins = drawn_bins(2 * shape, false, random);
    const int32_t chosen = canny_otsu::choose(false, bins);
    bins[0] = 0;
    const int32_t other = otsu_threshold(bins);
    const auto variances = variances_of(false, bins);
    // Rounding decides between bins as close as this.
    EXPECT_NEAR(double(variances[size_t(chosen)] / variances[size_t(other)]), 1, 1e-9) << shape;
  }
}

TEST(CannyOtsu, PassesOverEmptyBinsAndBinZero) {
  Bins bins(2041);
  EXPECT_EQ(canny_otsu::choose(false, bins), 0);
  bins[0] = 1000;
  EXPECT_EQ(canny_otsu::choose(false, bins), 0);
  bins[10] = 70;
  EXPECT_EQ(canny_otsu::choose(false, bins), 0) << "one value has no second class";
  bins[200] = 30;
  EXPECT_EQ(canny_otsu::choose(false, bins), 10);
  bins[400] = 1'000'000'000;
  EXPECT_EQ(canny_otsu::choose(false, bins), 0) << "the others are lighter than FLT_EPSILON";
}

TEST(CannyOtsu, TakesTheFirstOfEquals) {
  Bins bins(2041);
  bins[40] = bins[80] = bins[120] = 50;
  EXPECT_EQ(canny_otsu::choose(false, bins), 40);
}

TEST(CannyOtsu, OfFloatsFollowsTheirScale) {
  std::mt19937_64 random(3);
  Bins bins(size_t{canny_float_bins});
  for (size_t bin = 120 * 256; bin < 128 * 256; ++bin) bins[bin] = random() % 1000;
  const int32_t chosen = canny_otsu::choose(true, bins);
  for (const int exponents : {1, 7, 100, -1, -50, -119}) {
    Bins moved(bins.size());
    for (size_t bin = 120 * 256; bin < 128 * 256; ++bin)
      moved[size_t(int64_t(bin) + 256 * exponents)] = bins[bin];
    EXPECT_EQ(canny_otsu::choose(true, moved), chosen + 256 * exponents) << exponents;
  }
}

TEST(CannyRules, LogarithmIsTheLogarithm) {
  for (double v = 1; v < 1e18; v *= 1.37)
    EXPECT_NEAR(canny_rules::logarithm(v), std::log(v), 4e-16 * std::max(1.0, std::log(v))) << v;
}

}  // namespace
}  // namespace cuesta
