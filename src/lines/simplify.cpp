// Ramer, "An iterative procedure for the polygonal approximation of plane curves" (1972); Douglas &
// Peucker, "Algorithms for the reduction of the number of points required to represent a digitized
// line" (1973). Distances are to the segment, not to the line through it, so that a line that turns
// back keeps its end.
#include "lines/simplify.hpp"

#include <algorithm>
#include <utility>

namespace cuesta::lines {
namespace {

double square_distance(const LinePoint& p, const LinePoint& a, const LinePoint& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
  const double along =
      square > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0, 1.0) : 0;
  const double x = p.x - a.x - along * dx, y = p.y - a.y - along * dy;
  return x * x + y * y;
}

}  // namespace

std::vector<char> simplified(std::span<const LinePoint> points, bool closed, double tolerance,
                             std::span<const char> kept) {
  const size_t count = points.size();
  std::vector<char> stays(count, tolerance == 0);
  if (tolerance == 0 || count == 0) return stays;
  std::vector<size_t> cuts{0};
  size_t farthest = 0;
  if (closed) {
    double most = 0;
    for (size_t i = 1; i < count; ++i) {
      const double distance = square_distance(points[i], points[0], points[0]);
      if (distance > most) most = distance, farthest = i;
    }
  }
  for (size_t i = 1; i < count; ++i)
    if ((!kept.empty() && kept[i]) || (closed && i == farthest)) cuts.push_back(i);
  // Of a closed line the last segment ends at the first point.
  const size_t last = closed ? count : count - 1;
  if (cuts.back() != last) cuts.push_back(last);

  const auto at = [&](size_t i) -> const LinePoint& { return points[i == count ? 0 : i]; };
  std::vector<std::pair<size_t, size_t>> open;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) open.emplace_back(cuts[i], cuts[i + 1]);
  for (const size_t cut : cuts) stays[cut == count ? 0 : cut] = true;
  while (!open.empty()) {
    const auto [begin, end] = open.back();
    open.pop_back();
    size_t worst = begin;
    double most = tolerance * tolerance;
    for (size_t i = begin + 1; i < end; ++i) {
      const double distance = square_distance(points[i], at(begin), at(end));
      if (distance > most) most = distance, worst = i;
    }
    if (worst == begin) continue;
    stays[worst] = true;
    open.emplace_back(begin, worst);
    open.emplace_back(worst, end);
  }
  return stays;
}

}  // namespace cuesta::lines
