// Joins basins, those between which boundaries are weakest first.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "ops/regions/reference.hpp"

namespace cuesta::regions_of {
namespace {

constexpr int64_t small = 1024;     // pixels; regions below join earlier
constexpr int32_t small_rate = 71;  // of strength a 32nd of a doubling of the area

// 32nds of log2(v), linear between powers of two; v >= 1.
int32_t log_of(uint32_t v) {
  const int32_t power = 31 - std::countl_zero(v);
  return power * 32 + int32_t((power >= 5 ? v >> (power - 5) : v << (5 - power)) & 31);
}

int32_t strength_at(ImageView<const uint16_t> src, int32_t x, int32_t y) {
  int32_t most = src.at(x, y);
  if (x > 0) most = std::max<int32_t>(most, src.at(x - 1, y));
  if (y > 0) most = std::max<int32_t>(most, src.at(x, y - 1));
  if (x + 1 < src.width) most = std::max<int32_t>(most, src.at(x + 1, y));
  if (y + 1 < src.height) most = std::max<int32_t>(most, src.at(x, y + 1));
  return most;
}

uint64_t key_of(int32_t a, int32_t b) {
  return uint64_t(uint32_t(std::min(a, b))) << 32 | uint32_t(std::max(a, b));
}

class Join {
 public:
  Join(std::vector<Arc>& arcs, std::vector<int64_t> areas)
      : arcs_(arcs), areas_(std::move(areas)), of_region_(areas_.size()), degrees_(areas_.size()) {
    links_.reserve(arcs.size());
    found_.reserve(arcs.size());
    for (size_t i = 0; i < arcs.size(); ++i) {
      const Arc& arc = arcs[i];
      const auto at = int32_t(i);
      links_.push_back({arc.a, arc.b, arc.strengths, arc.pairs, at, at, 0, true});
      found_.emplace(key_of(arc.a, arc.b), at);
      for (const int32_t region : {arc.a, arc.b}) {
        of_region_[size_t(region)].push_back(at);
        ++degrees_[size_t(region)];
      }
    }
    next_.assign(arcs.size(), -1);
    for (size_t i = 0; i < links_.size(); ++i) price(int32_t(i), true);
  }

  void run() {
    int32_t level = 0;
    while (!heap_.empty()) {
      const Priced best = heap_.top();
      heap_.pop();
      const Link& link = links_[size_t(best.link)];
      if (!link.lives || link.price != best.cost || link.a != best.a || link.b != best.b) continue;
      level = std::max(level, best.cost);
      for (int32_t i = link.first; i >= 0; i = next_[size_t(i)]) arcs_[size_t(i)].level = level;
      join(best.link);
    }
  }

 private:
  // What is between two regions: a list of arcs.
  struct Link {
    int32_t a, b;
    int64_t strengths, pairs;
    int32_t first, last;
    int32_t price;
    bool lives;
  };
  // Ordered so that the heap has the least cost on top, of equal ones the least numbers.
  struct Priced {
    int32_t cost, a, b, link;
    friend bool operator<(const Priced& one, const Priced& other) {
      return std::tie(one.cost, one.a, one.b) > std::tie(other.cost, other.a, other.b);
    }
  };

  void price(int32_t at, bool is_new) {
    Link& link = links_[size_t(at)];
    const int64_t area = std::min(areas_[size_t(link.a)], areas_[size_t(link.b)]);
    const int32_t cost = cost_of(link.strengths, link.pairs, area);
    if (!is_new && cost == link.price) return;
    link.price = cost;
    heap_.push({cost, link.a, link.b, at});
  }

  // The region with more neighbours keeps its number; of equal ones, that with the lower number.
  void join(int32_t at) {
    const Link joined = links_[size_t(at)];
    const bool swaps = degrees_[size_t(joined.b)] > degrees_[size_t(joined.a)];
    const int32_t to = swaps ? joined.b : joined.a, from = swaps ? joined.a : joined.b;
    end(at);
    const int64_t before = areas_[size_t(to)];
    areas_[size_t(to)] += areas_[size_t(from)];
    for (const int32_t i : of_region_[size_t(from)])
      if (links_[size_t(i)].lives) move(i, from, to);
    std::vector<int32_t>().swap(of_region_[size_t(from)]);
    if (before >= small) return;  // other links keep their price
    std::erase_if(of_region_[size_t(to)], [&](int32_t i) { return !links_[size_t(i)].lives; });
    for (const int32_t i : of_region_[size_t(to)]) price(i, false);
  }

  void end(int32_t at) {
    Link& link = links_[size_t(at)];
    link.lives = false;
    found_.erase(key_of(link.a, link.b));
    --degrees_[size_t(link.a)];
    --degrees_[size_t(link.b)];
  }

  // A link of `from` becomes one of `to`, or part of the one that `to` has.
  void move(int32_t at, int32_t from, int32_t to) {
    Link& link = links_[size_t(at)];
    const int32_t other = link.a == from ? link.b : link.a;
    end(at);
    if (const auto known = found_.find(key_of(to, other)); known != found_.end()) {
      Link& into = links_[size_t(known->second)];
      into.strengths += link.strengths, into.pairs += link.pairs;
      next_[size_t(into.last)] = link.first;
      into.last = link.last;
      price(known->second, false);
      return;
    }
    link.a = std::min(to, other), link.b = std::max(to, other), link.lives = true;
    found_.emplace(key_of(to, other), at);
    of_region_[size_t(to)].push_back(at);
    ++degrees_[size_t(to)];
    ++degrees_[size_t(other)];
    price(at, true);
  }

  std::vector<Arc>& arcs_;
  std::vector<int64_t> areas_;
  std::vector<Link> links_;
  std::vector<int32_t> next_;  // arcs of a link
  std::vector<std::vector<int32_t>> of_region_;
  std::vector<int32_t> degrees_;
  std::unordered_map<uint64_t, int32_t> found_;
  std::priority_queue<Priced> heap_;
};

}  // namespace

int32_t cost_of(int64_t strengths, int64_t pairs, int64_t area) {
  const auto mean = int32_t(strengths / pairs);
  if (area >= small) return mean;
  return mean - small_rate * (log_of(small) - log_of(uint32_t(area)));
}

std::vector<Arc> arcs_between(ImageView<const uint16_t> src, ImageView<const int32_t> basins) {
  std::unordered_map<uint64_t, size_t> found;
  std::vector<Arc> arcs;
  const auto add = [&](int32_t a, int32_t b, int32_t strength) {
    if (a > b) std::swap(a, b);
    const auto [at, is_new] = found.try_emplace(key_of(a, b), arcs.size());
    if (is_new) arcs.push_back({a, b, 0, 0, 0});
    arcs[at->second].strengths += strength;
    ++arcs[at->second].pairs;
  };
  for (int32_t y = 0; y < src.height; ++y) {
    for (int32_t x = 0; x < src.width; ++x) {
      const int32_t here = basins.at(x, y);
      const auto look = [&](int32_t i, int32_t j) {
        if (i >= src.width || j >= src.height || basins.at(i, j) == here) return;
        add(here, basins.at(i, j), std::max(strength_at(src, x, y), strength_at(src, i, j)));
      };
      look(x + 1, y);
      look(x, y + 1);
    }
  }
  std::ranges::sort(arcs, {}, [](const Arc& arc) { return key_of(arc.a, arc.b); });
  return arcs;
}

void join_all(std::vector<Arc>& arcs, std::vector<int64_t> areas) {
  Join(arcs, std::move(areas)).run();
}

}  // namespace cuesta::regions_of
