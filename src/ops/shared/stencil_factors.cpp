#include "ops/shared/stencil_factors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace cuesta {

bool factor(std::span<const int32_t> taps, std::span<int32_t> column, std::span<int32_t> row) {
  const size_t width = row.size();
  const auto first = std::find_if(taps.begin(), taps.end(), [](int32_t t) { return t != 0; });
  if (first == taps.end()) return false;
  const auto pivot = size_t(first - taps.begin());
  const std::span<const int32_t> pivot_row = taps.subspan(pivot / width * width, width);
  int64_t divisor = 0;
  for (const int32_t t : pivot_row) divisor = std::gcd(divisor, int64_t(t));
  if (*first < 0) divisor = -divisor;
  for (size_t i = 0; i < width; ++i) {
    // Only −2^31 over −1 leaves 32 bits.
    const int64_t reduced = pivot_row[i] / divisor;
    if (reduced > std::numeric_limits<int32_t>::max()) return false;
    row[i] = int32_t(reduced);
  }
  for (size_t j = 0; j < column.size(); ++j) {
    const std::span<const int32_t> here = taps.subspan(j * width, width);
    const int64_t multiple = here[pivot % width] / int64_t(row[pivot % width]);
    column[j] = int32_t(multiple);
    for (size_t i = 0; i < width; ++i) {
      if (multiple * row[i] != here[i]) return false;
    }
  }
  return true;
}

namespace {
// The greatest common divisor of whole numbers below 2^24, else 1.
float common_divisor(std::span<const float> values) {
  int64_t divisor = 0;
  for (const float v : values) {
    if (!(std::abs(v) < float(1 << 24)) || v != std::nearbyint(v)) return 1;
    divisor = std::gcd(divisor, int64_t(v));
  }
  return divisor ? float(divisor) : 1;
}
}  // namespace

bool factor(std::span<const float> taps, std::span<float> column, std::span<float> row) {
  const size_t width = row.size();
  const auto largest = std::max_element(taps.begin(), taps.end(),
                                        [](float a, float b) { return std::abs(a) < std::abs(b); });
  if (*largest == 0) return false;
  const auto pivot = size_t(largest - taps.begin());
  std::copy_n(taps.begin() + ptrdiff_t(pivot / width * width), width, row.begin());
  // Whole taps of rank 1 get whole factors, so that sums of whole samples stay exact.
  const float divisor = common_divisor(row);
  for (float& t : row) t /= divisor;
  const double bound = 1e-6 * std::abs(double(*largest));
  for (size_t j = 0; j < column.size(); ++j) {
    column[j] = float(double(taps[j * width + pivot % width]) / double(row[pivot % width]));
    for (size_t i = 0; i < width; ++i) {
      if (std::abs(double(column[j]) * row[i] - taps[j * width + i]) > bound) return false;
    }
  }
  return true;
}

namespace {

// cv::getGaussianKernel has these for sizes up to 9 without a sigma.
constexpr double small_taps[5][5] = {{1},
                                     {0.25, 0.5},
                                     {0.0625, 0.25, 0.375},
                                     {0.03125, 0.109375, 0.21875, 0.28125},
                                     {0.015625, 0.05078125, 0.1171875, 0.19921875, 0.234375}};

}  // namespace

void fill_gaussian(std::span<double> taps, double sigma) {
  const size_t n = taps.size(), half = n / 2;
  if (sigma <= 0 && n <= 9) {
    for (size_t i = 0; i <= half; ++i) taps[i] = taps[n - 1 - i] = small_taps[half][i];
    return;
  }
  // The order of operations is cv::getGaussianKernel's: from the outside in, doubled, the centre.
  if (sigma <= 0) sigma = std::fma(double(n), 0.15, 0.35);
  const double scale = -0.125 / (sigma * sigma);
  double sum = 0;
  for (size_t i = 0; i < half; ++i) {
    const double twice = 2 * double(i) + 1 - double(n);  // distance from the centre, doubled
    taps[i] = std::exp(twice * twice * scale);
    sum += taps[i];
  }
  const double norm = 1 / (2 * sum + 1);
  for (size_t i = 0; i < half; ++i) taps[i] = taps[n - 1 - i] = taps[i] * norm;
  taps[half] = norm;
}

void fill_gaussian_q8(std::span<int32_t> taps, double sigma) {
  std::array<double, 255> exact;
  const size_t n = taps.size(), half = n / 2;
  fill_gaussian(std::span(exact).first(n), sigma);
  double error = 0;
  int32_t sum = 0;
  for (size_t i = 0; i < half; ++i) {
    const double wanted = exact[i] * 256 + error;
    const double rounded = std::nearbyint(wanted);
    error = wanted - rounded;
    taps[i] = taps[n - 1 - i] = int32_t(rounded);
    sum += int32_t(rounded);
  }
  taps[half] = 256 - 2 * sum;
}

}  // namespace cuesta
