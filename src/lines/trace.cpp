// The public entries: points, links, chains; what is short goes, ends meet, the rest is simplified.
// Of pictures on the device edges and responses are found there; the rest is the host's.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check.hpp"
#include "core/device_memory.hpp"
#include "core/memory.hpp"
#include "core/pinned_picture.hpp"
#include "core/threads.hpp"
#include "core/workspace.hpp"
#include "cuesta/device.hpp"
#include "cuesta/lines.hpp"
#include "cuesta/smoothing.hpp"
#include "cuesta/strategies.hpp"
#include "lines/crossings.hpp"
#include "lines/linking.hpp"
#include "lines/options.hpp"
#include "lines/points.hpp"
#include "lines/simplify.hpp"

namespace cuesta {

using namespace lines;

namespace {

// A picture of src's size where src is, for what is found in it.
AnyView scratch_like(Scratch& scratch, ConstAnyView src, PixelType type) {
  const ptrdiff_t stride = detail::padded_stride(detail::row_bytes(type, src.width, 1));
  return {scratch.take<std::byte>(size_t(stride) * size_t(src.height)),
          src.width,
          src.height,
          1,
          stride,
          type,
          src.space};
}

// Where pictures of the device arrive.
struct Landing {
  static constexpr size_t max_kept = 1;
  PinnedPicture src, found;
};

// make(src, found) with both in host memory, for which copies are made on the call's stream of what
// is on the device. Without data `src` is not needed.
template <class Make>
Polylines on_host(ConstAnyView src, ConstAnyView found, const Exec& exec, Make&& make) {
  if (found.space == Space::host) return make(src, found);
  Scratch scratch(exec, Space::device);
  const auto& landing =
      scratch.kept<Landing>(fmt::format("{} x {} {} x {} {}", found.width, found.height,
                                        name_of(src.type), src.channels, name_of(found.type)),
                            [&] {
                              const auto pinned = [](ConstAnyView like) {
                                return PinnedPicture({like.type, like.size(), like.channels});
                              };
                              return Landing{pinned(src), pinned(found)};
                            });
  try {
    if (src) detail::enqueue_download(src, landing.src.view(), exec.stream);
    detail::enqueue_download(found, landing.found.view(), exec.stream);
  } catch (...) {
    try {
      wait(exec.stream);      // the first copy may be in flight
    } catch (const Error&) {  // the first fault is the one to tell
    }
    throw;
  }
  wait(exec.stream);
  return make(landing.src.view(), landing.found.view());
}

double distance(const EdgePoint& a, const EdgePoint& b) {
  return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

double length_of(const Chain& chain, std::span<const EdgePoint> points) {
  double length = 0;
  for (size_t i = 1; i < chain.points.size(); ++i)
    length += distance(points[size_t(chain.points[i - 1])], points[size_t(chain.points[i])]);
  if (chain.closed)
    length += distance(points[size_t(chain.points.back())], points[size_t(chain.points.front())]);
  return length;
}

// The Gaussian's window whose cut-off tails no longer bend what is measured (5 at sigma 1.4, as in
// paper 001, leaves a third more bias at curves).
int whole_window(double sigma) {
  return std::min(2 * int(std::ceil(std::min(3 * sigma, 127.0))) + 1, 255);
}

enum class Shift : uint8_t { of_crest, of_zero };

// Smoothing of variance s² moves the crest of an edge of curvature κ by s² κ / 2 to the middle of
// the curve, and the Laplacian's zero as far away from it (Verbeek & van Vliet 1994,
// doi:10.1109/34.308479); both hold for κ s well below 1. A parabola along an axis adds to the
// first: its outer samples are a step along the axis away; its part along the edge, t,
// takes them t² κ / 2 off the curve. The curvature is the mean of some points of the chain, which
// noise moves less.
void unshift(const Chain& chain, std::span<EdgePoint> points, double variance, Shift shift) {
  constexpr int window = 3;
  const auto count = int(chain.points.size());
  const double most = 0.5 / std::sqrt(variance);
  std::vector<double> curvature(chain.points.size());
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    int terms = 0;
    for (int j = i - window; j <= i + window; ++j) {
      if (!chain.closed && (j < 0 || j >= count)) continue;
      sum += points[size_t(chain.points[size_t((j % count + count) % count)])].curvature;
      ++terms;
    }
    curvature[size_t(i)] = std::clamp(sum / terms, -most, most);
  }
  for (int i = 0; i < count; ++i) {
    EdgePoint& point = points[size_t(chain.points[size_t(i)])];
    const double along = std::min(point.tx * point.tx, point.ty * point.ty);
    const double by =
        (shift == Shift::of_crest ? variance + along : -variance) * curvature[size_t(i)] / 2;
    // Away from the bright side, which is at the right of the tangent: (-ty, tx).
    point.x += by * point.ty;
    point.y -= by * point.tx;
  }
}

// Where an open line's end has another line's point ahead, within reach, that point becomes its
// end.
class Junctions {
 public:
  Junctions(std::span<const EdgePoint> points, std::span<const Chain> chains, Size size)
      : points_(points), chains_(chains), index_(points, size), place_(points.size()) {
    for (size_t c = 0; c < chains.size(); ++c)
      for (size_t i = 0; i < chains[c].points.size(); ++i)
        place_[size_t(chains[c].points[i])] = {int32_t(c), int32_t(i)};
  }
  /// The point that the chain's first or last one continues to, or -1.
  int32_t beyond(int32_t chain, bool last) const {
    const Chain& own = chains_[size_t(chain)];
    const int32_t end = last ? own.points.back() : own.points.front();
    const EdgePoint& e = points_[size_t(end)];
    int32_t best = -1;
    double least = 0;
    index_.each_near(end, [&](int32_t other) {
      const Place place = place_[size_t(other)];
      if (place.chain < 0) return;
      const auto away = std::abs(place.at - place_[size_t(end)].at);
      if (place.chain == chain && away <= 2 * reach) return;
      // Of two ends that face each other one continues to the other.
      const Chain& met = chains_[size_t(place.chain)];
      const bool is_end =
          !met.closed && (place.at == 0 || place.at + 1 == int32_t(met.points.size()));
      if (is_end && other > end) return;
      const EdgePoint& o = points_[size_t(other)];
      const double ahead = (o.x - e.x) * e.tx + (o.y - e.y) * e.ty;
      if (last ? !(ahead > 0) : !(ahead < 0)) return;
      const double far = distance(o, e);
      if (best < 0 || far < least) best = other, least = far;
    });
    return best;
  }

 private:
  struct Place {
    int32_t chain = -1, at = 0;
  };
  std::span<const EdgePoint> points_;
  std::span<const Chain> chains_;
  PixelIndex index_;
  std::vector<Place> place_;
};

LinePoint line_point(const EdgePoint& point) { return {point.x, point.y, point.strength}; }

Polyline line_of(const Chain& chain, std::span<const EdgePoint> points,
                 std::span<const char> is_met, double tolerance) {
  Polyline line{.closed = chain.closed, .length = length_of(chain, points)};
  std::vector<LinePoint> all;
  std::vector<char> kept;
  for (const int32_t i : chain.points) {
    const LinePoint point = line_point(points[size_t(i)]);
    line.strength += point.strength;
    // A zero of the response is a crossing of its row and of its column.
    if (!all.empty() && all.back().x == point.x && all.back().y == point.y) continue;
    all.push_back(point);
    kept.push_back(!is_met.empty() && is_met[size_t(i)]);
  }
  line.strength /= double(chain.points.size());
  if (line.closed && all.size() > 1 && all.front().x == all.back().x &&
      all.front().y == all.back().y) {
    all.pop_back(), kept.pop_back();
  }
  keep(all, simplified(all, line.closed, tolerance, kept));
  line.points = std::move(all);
  return line;
}

// Lines of points that are linked; they meet where `size` is given, which is the picture's.
Polylines lines_of(std::vector<EdgePoint>& points, const Links& links, const TraceOptions& how,
                   double variance, Shift shift, const Size* size, int threads) {
  std::vector<Chain> chains = chains_of(links);
  const auto each = [&](auto&& body) {
    parallel_rows(
        int32_t(chains.size()), threads,
        [&](int32_t begin, int32_t end) {
          for (int32_t i = begin; i < end; ++i) body(i);
        },
        64);
  };
  if (how.refinement == Refinement::unbiased)
    each([&](int32_t i) { unshift(chains[size_t(i)], points, variance, shift); });
  std::erase_if(chains,
                [&](const Chain& chain) { return length_of(chain, points) < how.min_length; });
  std::vector<char> is_met;
  if (size) {
    const Junctions junctions(points, chains, *size);
    std::vector<std::pair<int32_t, int32_t>> beyond(chains.size(), {-1, -1});
    each([&](int32_t i) {
      if (!chains[size_t(i)].closed)
        beyond[size_t(i)] = {junctions.beyond(i, false), junctions.beyond(i, true)};
    });
    is_met.assign(points.size(), false);
    for (size_t i = 0; i < chains.size(); ++i) {
      auto& own = chains[i].points;
      const auto [first, last] = beyond[i];
      if (last >= 0) own.push_back(last), is_met[size_t(last)] = true;
      if (first >= 0) own.insert(own.begin(), first), is_met[size_t(first)] = true;
    }
  }
  Polylines lines(chains.size());
  each([&](int32_t i) {
    lines[size_t(i)] = line_of(chains[size_t(i)], points, is_met, how.tolerance);
  });
  return lines;
}

// What the response does not contain of its zero crossings, from the gradient of what it was made
// of: directions and curvatures. Returns the variance of all that smoothed.
double add_curvature(std::span<EdgePoint> points, ConstAnyView src, const LogOptions& options,
                     int threads) {
  std::optional<GaussianOptions> smoothing = smoothing_of(options);
  if (smoothing->sigma <= 0 && smoothing->ksize <= 0) smoothing.reset();
  const GradientField field = gradient_field(src, smoothing, 3, threads);
  parallel_rows(
      int32_t(points.size()), threads,
      [&](int32_t begin, int32_t end) {
        for (int32_t i = begin; i < end; ++i) {
          EdgePoint& p = points[size_t(i)];
          const auto x = int32_t(std::round(p.x)), y = int32_t(std::round(p.y));
          const double gx = field.gx.at(x, y), gy = field.gy.at(x, y);
          const double magnitude = std::sqrt(gx * gx + gy * gy);
          if (magnitude > 0) p.tx = gy / magnitude, p.ty = -gx / magnitude;
          p.curvature = curvature_at(field, x, y);
        }
      },
      1024);
  // The Laplacian's window smooths by 1/12 each way, a sample by as much, Sobel's not at all here.
  return field.variance - 0.5 + 2.0 / 12;
}

}  // namespace

namespace {
void check_traced(ConstAnyView src) {
  check_view(src, "trace: src", {PixelType::u8, PixelType::u16, PixelType::f32}, 1, 4);
  if (src.channels != 1 && src.channels != 3) {
    throw_invalid(std::to_string(src.channels), "trace: src has {} channels; it must have 1 or 3",
                  src.channels);
  }
}
}  // namespace

Polylines trace(ConstAnyView src, const CannyOptions& options, const TraceOptions& how,
                const Exec& exec) {
  check_options(how, "trace");
  check_traced(src);
  if (exec.choices) {
    canny(src, placeholder(src.width, src.height, PixelType::u8, 1, src.space), options, exec);
    return {};
  }
  Scratch scratch(exec, src.space);
  const AnyView edges = scratch_like(scratch, src, PixelType::u8);
  canny(src, edges, options, exec);
  return trace(src, edges, options, how, exec);
}

Polylines trace(ConstAnyView src, ConstAnyView edges, const CannyOptions& options,
                const TraceOptions& how, const Exec& exec) {
  check_options(how, "trace");
  check_traced(src);
  check_view(edges, "trace: edges", {PixelType::u8});
  check_same_size(src, edges, "trace: src", "edges");
  if (exec.choices) return {};
  const int threads = thread_count(exec.threads);
  std::optional<GaussianOptions> smoothing = smoothing_of(options);
  if (smoothing->sigma == 0)
    smoothing.reset();  // whatever ksize is
  else if (how.refinement == Refinement::unbiased)
    smoothing->ksize = whole_window(smoothing->sigma);
  return on_host(src, edges, exec, [&](ConstAnyView picture, ConstAnyView mask) {
    const GradientField field =
        gradient_field(picture, smoothing, options.aperture, threads, options.color);
    std::vector<EdgePoint> points =
        points_of_mask(mask.as<uint8_t>(), field, how.refinement, threads);
    const Size size = picture.size();
    const Links links = linked(points, size, threads);
    return lines_of(points, links, how, field.variance, Shift::of_crest, &size, threads);
  });
}

Polylines trace(ConstAnyView src, const LogOptions& options, const TraceOptions& how,
                const Exec& exec) {
  check_options(how, "trace");
  check_view(src, "trace: src", {PixelType::u8, PixelType::u16});
  if (exec.choices) {
    log_edges(src, placeholder(src.width, src.height, PixelType::s32, 1, src.space), options, exec);
    return {};
  }
  Scratch scratch(exec, src.space);
  const AnyView response = scratch_like(scratch, src, PixelType::s32);
  log_edges(src, response, options, exec);
  const int threads = thread_count(exec.threads);
  const bool unbiased = how.refinement == Refinement::unbiased;
  const ConstAnyView looked_at = unbiased ? src : ConstAnyView();
  return on_host(looked_at, response, exec, [&](ConstAnyView picture, ConstAnyView l) {
    Crossings found =
        crossings_of(l.as<int32_t>(), options.threshold, scale_of(options), unbiased, threads);
    double variance = 0;
    if (unbiased)
      variance = add_curvature(found.points, picture, options, threads);
    else if (how.refinement == Refinement::pixel)
      for (EdgePoint& p : found.points) p.x = std::round(p.x), p.y = std::round(p.y);
    return lines_of(found.points, found.links, how, variance, Shift::of_zero, nullptr, threads);
  });
}

}  // namespace cuesta
