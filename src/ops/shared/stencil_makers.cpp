// Stencils by name, and the Gaussian's taps.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.hpp"
#include "core/options.hpp"
#include "cuesta/stencil.hpp"
#include "ops/shared/stencil_factors.hpp"

namespace cuesta {
namespace {

void check_odd_side(int n, std::string_view what, std::string_view way) {
  const std::string must_be = wrong(n, odd(1, Stencil::max_size).or_by(way));
  if (!must_be.empty())
    throw_invalid(std::to_string(n), "{} is {}; it must be {}", what, n, must_be);
}

void check_gaussian(int ksize, double sigma, std::string_view what) {
  // The sentence is made only when it is needed: smoothing calls allocate nothing.
  if (ksize < 1 || ksize > Stencil::max_size || ksize % 2 == 0)
    check_odd_side(ksize, fmt::format("{}: ksize", what), smooth_twice);
  if (!std::isfinite(sigma))
    throw_invalid(std::to_string(sigma), "{}: sigma is not finite; it must be a finite number",
                  what);
}

void check_side(int n, std::string_view what) {
  if (n < 1 || n > Stencil::max_size)
    throw_invalid(std::to_string(n), "{}: n is {}; it must be {}", what, n,
                  wrong(n, between(1, Stencil::max_size).or_by(smaller_in_turn)));
}

Stencil outer(std::span<const int32_t> column, std::span<const int32_t> row, int64_t divisor = 1) {
  std::vector<int32_t> taps;
  taps.reserve(column.size() * row.size());
  for (const int32_t c : column)
    for (const int32_t r : row) taps.push_back(c * r);
  return Stencil::integers(int(row.size()), int(column.size()), taps, divisor);
}

// d across s: d along x for (1, 0), along y for (0, 1).
Stencil derivative(int dx, int dy, std::span<const int32_t> d, std::span<const int32_t> s,
                   std::string_view what) {
  if (!((dx == 1 && dy == 0) || (dx == 0 && dy == 1))) {
    throw_invalid(fmt::format("({}, {})", dx, dy),
                  "{}: (dx, dy) is ({}, {}); it must be (1, 0) or (0, 1)", what, dx, dy);
  }
  return dx ? outer(s, d) : outer(d, s);
}

Stencil ring(int n, int32_t around, int32_t centre, int64_t divisor) {
  std::vector<int32_t> taps(size_t(n) * size_t(n), around);
  taps[taps.size() / 2] = centre;
  return Stencil::integers(n, n, taps, divisor);
}

}  // namespace

std::vector<int32_t> gaussian_taps_q8(int ksize, double sigma) {
  check_gaussian(ksize, sigma, "gaussian_taps_q8");
  std::vector<int32_t> taps(static_cast<size_t>(ksize));
  fill_gaussian_q8(taps, sigma);
  return taps;
}

void gaussian_taps_q8(std::span<int32_t> taps, double sigma) {
  check_gaussian(int(std::min<size_t>(taps.size(), 1 << 30)), sigma, "gaussian_taps_q8");
  fill_gaussian_q8(taps, sigma);
}

std::vector<double> gaussian_taps(int ksize, double sigma) {
  check_gaussian(ksize, sigma, "gaussian_taps");
  std::vector<double> taps(static_cast<size_t>(ksize));
  fill_gaussian(taps, sigma);
  return taps;
}

int gaussian_size(double sigma) {
  const double size = std::nearbyint(sigma * 6 + 1);
  // Past 255 | 1 no window holds it; the comparison is false for NaN.
  if (!(sigma > 0 && size <= Stencil::max_size)) {
    throw_invalid(std::to_string(sigma),
                  "gaussian: sigma is {}; without a ksize it must be above 0 and at most 42{}",
                  sigma, sigma > 0 ? fmt::format(" (for more, {})", smooth_twice) : "");
  }
  return int(size) | 1;
}

namespace stencils {

Stencil average(int n) {
  check_side(n, "average");
  return ring(n, 1, 1, int64_t(n) * n);
}

Stencil sharpen(int n) {
  check_odd_side(n, "sharpen: n", smaller_first);
  return ring(n, -1, n * n, 1);
}

Stencil unsharp(int n) {
  check_odd_side(n, "unsharp: n", smaller_first);
  return ring(n, -1, 2 * n * n - 1, int64_t(n) * n);
}

Stencil gaussian(int ksize, double sigma) {
  check_gaussian(ksize, sigma, "gaussian");
  const auto taps = gaussian_taps_q8(ksize, sigma);
  return outer(taps, taps, 65536);
}

Stencil sobel(int dx, int dy, int aperture) {
  using Taps = std::vector<int32_t>;
  switch (aperture) {
    case 1: return derivative(dx, dy, Taps{-1, 0, 1}, Taps{1}, "sobel");
    case 3: return derivative(dx, dy, Taps{-1, 0, 1}, Taps{1, 2, 1}, "sobel");
    case 5: return derivative(dx, dy, Taps{-1, -2, 0, 2, 1}, Taps{1, 4, 6, 4, 1}, "sobel");
    case 7:
      return derivative(dx, dy, Taps{-1, -4, -5, 0, 5, 4, 1}, Taps{1, 6, 15, 20, 15, 6, 1},
                        "sobel");
    default:
      throw_invalid(std::to_string(aperture), "sobel: aperture is {}; it must be {}", aperture,
                    wrong(aperture, one_of(1, 3, 5, 7).or_by(smooth_first)));
  }
}

Stencil scharr(int dx, int dy) {
  return derivative(dx, dy, std::array{-1, 0, 1}, std::array{3, 10, 3}, "scharr");
}

Stencil prewitt(int dx, int dy) {
  return derivative(dx, dy, std::array{-1, 0, 1}, std::array{1, 1, 1}, "prewitt");
}

Stencil laplacian() { return Stencil::integers(3, 3, std::array{0, 1, 0, 1, -4, 1, 0, 1, 0}); }

Stencil paper_gaussian() {
  constexpr auto& g = PaperGaussian::taps;
  return outer(g, g, PaperGaussian::sum * PaperGaussian::sum);
}

Stencil log() {
  constexpr auto& g = PaperGaussian::taps;
  constexpr int32_t l[3][3] = {{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};
  std::array<int32_t, 49> taps = {};
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 5; ++x)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
          taps[size_t(y + j) * 7 + size_t(x + i)] += g[y] * g[x] * l[j][i];
  return Stencil::integers(7, 7, taps, 289);
}

}  // namespace stencils
}  // namespace cuesta
