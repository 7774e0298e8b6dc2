#include "lines/points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/threads.hpp"
#include "cuesta/stencil.hpp"

namespace cuesta::lines {
namespace {

struct Vector {
  double x = 0, y = 0;
};

Vector gradient_at(const GradientField& field, int32_t x, int32_t y) {
  return {field.gx.at(x, y), field.gy.at(x, y)};
}
double magnitude_at(const GradientField& field, int32_t x, int32_t y) {
  const auto [gx, gy] = gradient_at(field, x, y);
  return std::sqrt(gx * gx + gy * gy);
}

bool inside(const GradientField& field, int32_t x, int32_t y) {
  return x >= 0 && y >= 0 && x < field.gx.width() && y < field.gx.height();
}

struct Pixel {
  int32_t x = 0, y = 0;
};
// A step along the axis that the gradient is nearer to.
Pixel step_at(const GradientField& field, Pixel p) {
  const auto [gx, gy] = gradient_at(field, p.x, p.y);
  return std::abs(gx) >= std::abs(gy) ? Pixel{1, 0} : Pixel{0, 1};
}

// Canny's maxima are along one of four directions, ours along one of two: the nearest maximum, two
// pixels away at most.
Pixel climbed(const GradientField& field, Pixel p) {
  for (int turn = 0; turn < 2; ++turn) {
    const Pixel step = step_at(field, p);
    const Pixel ends[2] = {{p.x - step.x, p.y - step.y}, {p.x + step.x, p.y + step.y}};
    Pixel best = p;
    double most = magnitude_at(field, p.x, p.y);
    for (const Pixel end : ends) {
      if (!inside(field, end.x, end.y)) continue;
      const double magnitude = magnitude_at(field, end.x, end.y);
      if (magnitude > most) most = magnitude, best = end;
    }
    if (best.x == p.x && best.y == p.y) break;
    p = best;
  }
  return p;
}

// Where the parabola through (−1, before), (0, middle), (1, after) has its top; 0 where the middle
// is no maximum.
double top_of(double before, double middle, double after) {
  const double bend = before - 2 * middle + after;
  if (!(middle >= before && middle >= after) || !(bend < 0)) return 0;
  return 0.5 * (before - after) / bend;
}

// The offset of the maximum from a pixel, in pixels. At the picture's border, where a neighbour is
// missing, there is none.
Vector offset_at(const GradientField& field, Pixel p, Refinement refinement) {
  if (refinement == Refinement::pixel) return {};
  const Pixel step = step_at(field, p);
  if (!inside(field, p.x - step.x, p.y - step.y) || !inside(field, p.x + step.x, p.y + step.y))
    return {};
  const double middle = magnitude_at(field, p.x, p.y);
  if (refinement == Refinement::parabola) {
    // Where the gradient's line leaves the ring of eight neighbours, between two of them.
    const auto [gx, gy] = gradient_at(field, p.x, p.y);
    const double slope = step.x ? gy / gx : gx / gy;  // at most 1; at a maximum not 0 / 0
    if (!std::isfinite(slope)) return {};
    const int32_t side = slope < 0 ? -1 : 1;
    const Pixel across = step.x ? Pixel{0, side} : Pixel{side, 0};
    if (!inside(field, p.x - 1, p.y - 1) || !inside(field, p.x + 1, p.y + 1)) return {};
    const double weight = std::abs(slope);
    const auto between = [&](int32_t sign) {
      const Pixel q{p.x + sign * step.x, p.y + sign * step.y};
      return (1 - weight) * magnitude_at(field, q.x, q.y) +
             weight * magnitude_at(field, q.x + sign * across.x, q.y + sign * across.y);
    };
    const double offset = top_of(between(-1), middle, between(1));
    return step.x ? Vector{offset, offset * slope} : Vector{offset * slope, offset};
  }
  double before = magnitude_at(field, p.x - step.x, p.y - step.y);
  double after = magnitude_at(field, p.x + step.x, p.y + step.y);
  double offset = 0;
  if (refinement == Refinement::unbiased && before > 0 && after > 0)
    offset = top_of(std::log(before), std::log(middle), std::log(after));
  else
    offset = top_of(before, middle, after);
  return {offset * step.x, offset * step.y};
}

int window_of(const GaussianOptions& smoothing) {
  return smoothing.ksize ? smoothing.ksize : gaussian_size(smoothing.sigma);
}

// Of the taps that gaussian() takes of a float picture.
double variance_of(const GaussianOptions& smoothing) {
  const int ksize = window_of(smoothing);
  const std::vector<double> taps = gaussian_taps(ksize, smoothing.sigma);
  double variance = 0;
  for (int i = 0; i < ksize; ++i) {
    const int away = i - ksize / 2;
    variance += taps[size_t(i)] * away * away;
  }
  return variance;
}

// One channel of a picture in f32.
template <class T>
void take_channel(ImageView<const T> src, int32_t channel, ImageView<float> dst, int threads) {
  parallel_rows(src.height, threads, [&](int32_t begin, int32_t end) {
    for (int32_t y = begin; y < end; ++y)
      for (int32_t x = 0; x < src.width; ++x) dst.at(x, y) = float(src.at(x, y, channel));
  });
}

Image<float> channel_of(ConstAnyView src, int32_t channel, int threads) {
  Image<float> plane(src.size());
  if (src.type == PixelType::u8)
    take_channel(src.as<uint8_t>(), channel, plane.view(), threads);
  else if (src.type == PixelType::u16)
    take_channel(src.as<uint16_t>(), channel, plane.view(), threads);
  else
    take_channel(src.as<float>(), channel, plane.view(), threads);
  return plane;
}

struct PlaneGradients {
  Image<float> gx, gy;
};

PlaneGradients gradients_of(Image<float> plane, const std::optional<GaussianOptions>& smoothing,
                            int aperture, int threads) {
  const Exec exec{.threads = threads};
  const Size size = plane.size();
  if (smoothing) {
    Image<float> smooth(size);
    gaussian(ConstAnyView(plane), smooth, *smoothing, exec);
    plane = std::move(smooth);
  }
  PlaneGradients made{Image<float>(size), Image<float>(size)};
  sobel(ConstAnyView(plane), SobelOutputs{.gx = made.gx, .gy = made.gy},
        SobelOptions{.aperture = aperture, .border = {BorderMode::replicate}}, exec);
  if (aperture == 7) {
    parallel_rows(size.height, threads, [&](int32_t begin, int32_t end) {
      for (int32_t y = begin; y < end; ++y) {
        for (float* row : {made.gx.row(y), made.gy.row(y)})
          std::transform(row, row + size.width, row, [](float v) { return v / 16; });
      }
    });
  }
  return made;
}

// The strongest of the channels' gradients, the first of equal ones.
Vector strongest_of(std::span<const Vector> channels) {
  Vector best = channels[0];
  double most = best.x * best.x + best.y * best.y;
  for (const Vector& g : channels.subspan(1)) {
    const double square = g.x * g.x + g.y * g.y;
    if (square > most) most = square, best = g;
  }
  return best;
}

// The eigenvector of the largest eigenvalue of the sum of g gT, as long as the eigenvalue's root.
Vector principal_of(std::span<const Vector> channels) {
  double xx = 0, yy = 0, xy = 0;
  Vector sum;
  for (const Vector& g : channels) {
    xx += g.x * g.x, yy += g.y * g.y, xy += g.x * g.y;
    sum.x += g.x, sum.y += g.y;
  }
  const double largest = (xx + yy + std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)) / 2;
  Vector along = xx >= yy ? Vector{largest - yy, xy} : Vector{xy, largest - xx};
  const double length = std::sqrt(along.x * along.x + along.y * along.y);
  if (!(length > 0)) return {};
  double by = std::sqrt(largest) / length;
  if (along.x * sum.x + along.y * sum.y < 0) by = -by;
  return {along.x * by, along.y * by};
}

PlaneGradients joined(const std::array<PlaneGradients, 3>& of, ColorGradient color, int threads) {
  const Size size = of[0].gx.size();
  PlaneGradients made{Image<float>(size), Image<float>(size)};
  parallel_rows(size.height, threads, [&](int32_t begin, int32_t end) {
    for (int32_t y = begin; y < end; ++y) {
      for (int32_t x = 0; x < size.width; ++x) {
        std::array<Vector, 3> channels;
        for (size_t c = 0; c < 3; ++c) channels[c] = {of[c].gx.at(x, y), of[c].gy.at(x, y)};
        const Vector one =
            color == ColorGradient::structure ? principal_of(channels) : strongest_of(channels);
        made.gx.at(x, y) = float(one.x);
        made.gy.at(x, y) = float(one.y);
      }
    }
  });
  return made;
}

}  // namespace

GradientField gradient_field(ConstAnyView src, const std::optional<GaussianOptions>& smoothing,
                             int aperture, int threads, ColorGradient color) {
  const auto of_channel = [&](int32_t channel) {
    return gradients_of(channel_of(src, channel, threads), smoothing, aperture, threads);
  };
  PlaneGradients made = src.channels == 1
                            ? of_channel(0)
                            : joined({of_channel(0), of_channel(1), of_channel(2)}, color, threads);
  GradientField field{std::move(made.gx), std::move(made.gy), 0, aperture / 2 + 1};
  if (smoothing) field.reach += window_of(*smoothing) / 2;
  // Sobel's window smooths by (K − 1) / 4 along the edge, and by 1/3 + (K − 3) / 4 across it; a
  // sample, the mean of its area, by 1/12.
  field.variance = (smoothing ? variance_of(*smoothing) : 0) + (aperture - 1) / 4.0;
  return field;
}

double curvature_at(const GradientField& field, int32_t x, int32_t y) {
  if (x < field.reach || y < field.reach || x + field.reach >= field.gx.width() ||
      y + field.reach >= field.gx.height()) {
    return 0;
  }
  const auto [gx, gy] = gradient_at(field, x, y);
  const double square = gx * gx + gy * gy;
  const auto slope = [](float before, float after) { return 0.5 * (double(after) - before); };
  const double xx = slope(field.gx.at(x - 1, y), field.gx.at(x + 1, y));
  const double yy = slope(field.gy.at(x, y - 1), field.gy.at(x, y + 1));
  const double xy = 0.5 * (slope(field.gx.at(x, y - 1), field.gx.at(x, y + 1)) +
                           slope(field.gy.at(x - 1, y), field.gy.at(x + 1, y)));
  const double curvature =
      -(xx * gy * gy - 2 * xy * gx * gy + yy * gx * gx) / (square * std::sqrt(square));
  return std::isfinite(curvature) ? curvature : 0;
}

std::vector<EdgePoint> points_of_mask(ImageView<const uint8_t> edges, const GradientField& field,
                                      Refinement refinement, int threads) {
  const Strips strips(edges.height, threads);
  std::vector<std::vector<int64_t>> found(size_t(std::max(strips.count, 0)));
  parallel_tasks(strips.count, threads, [&](int strip) {
    for (int32_t y = strips.begin(strip); y < strips.end(strip); ++y) {
      const uint8_t* row = edges.row(y);
      for (int32_t x = 0; x < edges.width; ++x) {
        if (!row[x]) continue;
        const Pixel top = climbed(field, {x, y});
        found[size_t(strip)].push_back(int64_t(top.y) * edges.width + top.x);
      }
    }
  });
  std::vector<int64_t> pixels;
  for (const auto& some : found) pixels.insert(pixels.end(), some.begin(), some.end());
  std::ranges::sort(pixels);
  pixels.erase(std::unique(pixels.begin(), pixels.end()), pixels.end());

  std::vector<EdgePoint> points(pixels.size());
  parallel_rows(
      int32_t(pixels.size()), threads,
      [&](int32_t begin, int32_t end) {
        for (int32_t i = begin; i < end; ++i) {
          const Pixel p{int32_t(pixels[size_t(i)] % edges.width),
                        int32_t(pixels[size_t(i)] / edges.width)};
          const auto [gx, gy] = gradient_at(field, p.x, p.y);
          const double magnitude = std::sqrt(gx * gx + gy * gy);
          const Vector offset = offset_at(field, p, refinement);
          EdgePoint& point = points[size_t(i)];
          point = {.px = p.x, .py = p.y, .x = p.x + offset.x, .y = p.y + offset.y};
          point.strength = magnitude;
          if (magnitude > 0) point.tx = gy / magnitude, point.ty = -gx / magnitude;
          if (refinement == Refinement::unbiased) point.curvature = curvature_at(field, p.x, p.y);
        }
      },
      1024);
  return points;
}

}  // namespace cuesta::lines
