// After Grompone von Gioi & Randall 2017 (doi:10.5201/ipol.2017.216), section 3.3: a point is
// linked to one ahead and one behind within two pixels, by direction and distance. Theirs depends
// on the order in which points are visited, and may undo a link for a shorter one; here the
// cheapest links come first, so that no order is left to choose.
#include "lines/linking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/threads.hpp"

namespace cuesta::lines {
namespace {

// The better of two links, by cost and then by points.
struct Link {
  double cost = std::numeric_limits<double>::infinity();
  int32_t from = -1, to = -1;
  bool operator<(const Link& other) const {
    if (cost != other.cost) return cost < other.cost;
    return from != other.from ? from < other.from : to < other.to;
  }
};

}  // namespace

double cost_of_link(const EdgePoint& from, const EdgePoint& to) {
  if (!(from.tx * to.tx + from.ty * to.ty > 0)) return -1;
  const double dx = to.x - from.x, dy = to.y - from.y;
  if (!(dx * from.tx + dy * from.ty > 0) || !(dx * to.tx + dy * to.ty > 0)) return -1;
  const double tx = from.tx + to.tx, ty = from.ty + to.ty;
  return std::sqrt(dx * dx + dy * dy) + std::abs(dx * ty - dy * tx) / std::sqrt(tx * tx + ty * ty);
}

// Where links have a strict order, taking them cheapest first and taking, again and again, those
// that are the best left of both their points give the same set; the second needs no sorting, and
// points can be asked at once.
Links linked(std::span<const EdgePoint> points, Size size, int threads) {
  if (points.size() > size_t(std::numeric_limits<int32_t>::max())) {
    throw_invalid(std::to_string(points.size()),
                  "trace: there are {} edge points; at most 2147483647 are supported",
                  points.size());
  }
  const auto count = int32_t(points.size());
  Links links(points.size());
  const PixelIndex index(points, size);
  std::vector<Link> ahead(points.size()), behind(points.size());
  std::vector<int32_t> seeking_next(points.size()), seeking_previous;
  for (int32_t i = 0; i < count; ++i) seeking_next[size_t(i)] = i;
  seeking_previous = seeking_next;
  const auto in_parallel = [&](const std::vector<int32_t>& who, auto&& body) {
    parallel_rows(
        int32_t(who.size()), threads,
        [&](int32_t begin, int32_t end) {
          for (int32_t k = begin; k < end; ++k) body(who[size_t(k)]);
        },
        1024);
  };
  while (!seeking_next.empty()) {
    in_parallel(seeking_next, [&](int32_t i) {
      Link best;
      index.each_near(i, [&](int32_t other) {
        if (links.previous[size_t(other)] >= 0) return;
        const double cost = cost_of_link(points[size_t(i)], points[size_t(other)]);
        if (cost >= 0) best = std::min(best, Link{cost, i, other});
      });
      ahead[size_t(i)] = best;
    });
    in_parallel(seeking_previous, [&](int32_t i) {
      Link best;
      index.each_near(i, [&](int32_t other) {
        if (links.next[size_t(other)] >= 0) return;
        const double cost = cost_of_link(points[size_t(other)], points[size_t(i)]);
        if (cost >= 0) best = std::min(best, Link{cost, other, i});
      });
      behind[size_t(i)] = best;
    });
    for (const int32_t i : seeking_next) {
      const int32_t to = ahead[size_t(i)].to;
      if (to >= 0 && behind[size_t(to)].from == i)
        links.next[size_t(i)] = to, links.previous[size_t(to)] = i;
    }
    // Whoever has nobody left, or has been taken, is done.
    std::erase_if(seeking_next,
                  [&](int32_t i) { return ahead[size_t(i)].to < 0 || links.next[size_t(i)] >= 0; });
    std::erase_if(seeking_previous, [&](int32_t i) {
      return behind[size_t(i)].from < 0 || links.previous[size_t(i)] >= 0;
    });
  }
  return links;
}

std::vector<Chain> chains_of(const Links& links) {
  std::vector<Chain> chains;
  std::vector<char> taken(links.next.size());
  const auto follow = [&](size_t first, bool closed) {
    Chain chain{.closed = closed};
    for (auto i = int32_t(first); i >= 0 && !taken[size_t(i)]; i = links.next[size_t(i)]) {
      taken[size_t(i)] = true;
      chain.points.push_back(i);
    }
    chains.push_back(std::move(chain));
  };
  for (size_t i = 0; i < links.next.size(); ++i)
    if (links.previous[i] < 0 && links.next[i] >= 0) follow(i, false);
  for (size_t i = 0; i < links.next.size(); ++i)
    if (!taken[i] && links.next[i] >= 0) follow(i, true);
  std::ranges::sort(chains, {}, [](const Chain& chain) { return chain.points.front(); });
  return chains;
}

}  // namespace cuesta::lines
