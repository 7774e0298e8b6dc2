#include "ops/measure/measures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace cuesta::measuring {
namespace {

__extension__ typedef __int128 Signed;

// Moments about a point, exact: [i][j] of (x − x0)^i (y − y0)^j for i + j <= 3.
using Moments = std::array<std::array<Signed, 4>, 4>;

Moments moments_of(const Sums& sums) {
  Moments m{};
  m[0][0] = Signed(sums.area);
  for (int i = 0; i < power_count; ++i)
    m[size_t(power_at(i).x)][size_t(power_at(i).y)] = Signed(sums.coordinates[i].value());
  return m;
}

// The same about a point (x, y) away. Binomials: (a − x)^i is a sum over k of C(i, k) a^k
// (−x)^(i−k).
Moments shifted(const Moments& m, int64_t x, int64_t y) {
  constexpr int choose[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};
  const auto power = [](int64_t base, size_t exponent) {
    Signed value = 1;
    for (size_t i = 0; i < exponent; ++i) value *= -base;
    return value;
  };
  Moments to{};
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; i + j < 4; ++j) {
      for (size_t k = 0; k <= i; ++k)
        for (size_t l = 0; l <= j; ++l)
          to[i][j] += choose[i][k] * power(x, i - k) * choose[j][l] * power(y, j - l) * m[k][l];
    }
  }
  return to;
}

int64_t nearest(Signed sum, Signed count) { return int64_t((2 * sum + count) / (2 * count)); }

// About the centroid. Its whole pixels are subtracted exactly; what is left is below one pixel, so
// that hardly any digits cancel.
void set_central(Measures& to, const Moments& local, int64_t x, int64_t y) {
  const Moments m = shifted(local, x, y);
  const auto raw = [&](size_t i, size_t j) { return double(m[i][j]); };
  const double area = raw(0, 0), dx = raw(1, 0) / area, dy = raw(0, 1) / area;
  auto& mu = to.central_moments;
  mu[0][0] = area;
  mu[0][2] = raw(2, 0) - dx * raw(1, 0);
  mu[1][1] = raw(1, 1) - dx * raw(0, 1);
  mu[2][0] = raw(0, 2) - dy * raw(0, 1);
  mu[0][3] = raw(3, 0) - 3 * dx * raw(2, 0) + 2 * dx * dx * raw(1, 0);
  mu[3][0] = raw(0, 3) - 3 * dy * raw(0, 2) + 2 * dy * dy * raw(0, 1);
  mu[1][2] = raw(2, 1) - 2 * dx * raw(1, 1) - dy * raw(2, 0) + 2 * dx * dx * raw(0, 1);
  mu[2][1] = raw(1, 2) - 2 * dy * raw(1, 1) - dx * raw(0, 2) + 2 * dy * dy * raw(1, 0);
}

// The ellipse with the component's second moments: eigenvalues of its inertia tensor, as
// scikit-image.
void set_ellipse(Measures& to) {
  const auto& mu = to.central_moments;
  const double rows = mu[0][2] / mu[0][0], columns = mu[2][0] / mu[0][0];
  const double both = -mu[1][1] / mu[0][0];
  if (rows == columns) {
    to.orientation = both < 0 ? std::numbers::pi / 4 : -std::numbers::pi / 4;
  } else {
    to.orientation = 0.5 * std::atan2(-2 * both, columns - rows);
  }
  const double root = std::sqrt((rows - columns) * (rows - columns) + 4 * both * both);
  const double major = std::max(0.0, (rows + columns + root) / 2);
  const double minor = std::max(0.0, (rows + columns - root) / 2);
  to.eccentricity = major == 0 ? 0 : std::sqrt(std::max(0.0, 1 - minor / major));
  to.major_axis = 4 * std::sqrt(major);
  to.minor_axis = 4 * std::sqrt(minor);
}

void set_shape(Measures& to, const Sums& sums) {
  const Moments all = moments_of(sums);
  const auto left = int32_t(least(sums.left)), top = int32_t(least(sums.top));
  const Moments local = shifted(all, left, top);
  to.box = {left, top, int32_t(sums.right) - left, int32_t(sums.bottom) - top};
  to.area = int64_t(sums.area);
  const double area = double(to.area);
  to.centroid_x = double(all[1][0]) / area;
  to.centroid_y = double(all[0][1]) / area;
  to.extent = area / (double(to.box.width) * double(to.box.height));
  to.perimeter = double(sums.steps[0]) + double(sums.steps[1]) * std::numbers::sqrt2 +
                 double(sums.steps[2]) * ((1 + std::numbers::sqrt2) / 2);
  to.equivalent_diameter = std::sqrt(4 * area / std::numbers::pi);
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; i + j < 4; ++j) to.moments[j][i] = double(local[i][j]);
  set_central(to, local, nearest(local[1][0], local[0][0]), nearest(local[0][1], local[0][0]));
  set_ellipse(to);
}

// A sum of f32 in words, rounded once to a double.
double rounded(const Sums& sums) {
  constexpr size_t digits = sample_words + 2;
  std::array<uint32_t, digits> digit{};
  int64_t carry = 0;
  for (size_t i = 0; i < digits; ++i) {
    if (i < size_t(sample_words)) carry += sums.samples[i];
    digit[i] = uint32_t(carry);
    carry >>= 32;
  }
  const bool negative = carry < 0;
  if (negative) {
    uint64_t one = 1;
    for (uint32_t& d : digit) {
      one += uint32_t(~d);
      d = uint32_t(one);
      one >>= 32;
    }
  }
  // The upper 64 bits from the highest one that is set; what is below them only decides ties.
  size_t top = digits;
  while (top > 0 && digit[top - 1] == 0) --top;
  if (top == 0) return 0;
  Wide window = 0;
  for (size_t i = 0; i < 3; ++i) window = window << 32 | (top > i ? digit[top - 1 - i] : 0);
  int exponent = 32 * (int(top) - 3);
  const int excess = std::bit_width(uint64_t(window >> 64));
  bool below = (window & ((Wide(1) << excess) - 1)) != 0;
  for (size_t i = 0; i + 3 < top; ++i) below |= digit[i] != 0;
  const uint64_t significant = uint64_t(window >> excess) | uint64_t(below);
  exponent += excess;
  const double value = std::ldexp(double(significant), exponent - 149);
  return negative ? -value : value;
}

template <class T>
double sample_of(uint32_t key) {
  if constexpr (std::is_floating_point_v<T>) {
    const uint32_t upper = uint32_t(1) << 31;
    return double(std::bit_cast<float>(key & upper ? key ^ upper : ~key));
  } else {
    return double(key);
  }
}

void set_intensity(Measures& to, const Sums& sums, PixelType type) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (sums.area == 0 || sums.nan > 0) {
    to.mean = to.min = to.max = nan;
    return;
  }
  const bool floats = type == PixelType::f32;
  const uint32_t lowest = least(sums.lowest);
  to.min = floats ? sample_of<float>(lowest) : sample_of<uint16_t>(lowest);
  to.max = floats ? sample_of<float>(sums.highest) : sample_of<uint16_t>(sums.highest);
  const double sum = floats ? rounded(sums) : double(sums.samples[0]);
  to.mean = sum / double(sums.area);
  if (sums.positive > 0) to.mean = sums.negative > 0 ? nan : infinity;
  if (sums.positive == 0 && sums.negative > 0) to.mean = -infinity;
}

}  // namespace

Measures measures_of(const Sums& sums, int32_t label, PixelType type, bool intensity) {
  Measures to{.label = label};
  if (sums.area > 0) set_shape(to, sums);
  set_intensity(to, intensity ? sums : Sums{}, type);
  return to;
}

}  // namespace cuesta::measuring
