// Paper 004: labelling against the number of components, squares of 20 x 20 in 2048 x 2048, 361
// densities as theirs. Their figure 14 is a chart: OpenCV stays level, their GPU is faster up to
// about half of the 3600 squares that fit. Then by granularity, as they say that it may
// matter: squares of other sizes in a part of the cells that fit.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/papers/experiments.hpp"
#include "bench/papers/squares.hpp"
#include "bench/works/objects.hpp"

namespace cuesta::bench {
namespace {

constexpr int32_t papers_square = 20;

// Every square is whole and alone.
bool as_promised(Session& session, const Image<uint8_t>& mask, int32_t count, int32_t square) {
  std::vector<Component> found;
  label(mask, {}, &found, {}, session.exec());
  const bool whole = int32_t(found.size()) == count &&
                     std::all_of(found.begin(), found.end(), [&](const Component& c) {
                       return c.area == int64_t(square) * square;
                     });
  return session.expect(whole, fmt::format("label-density: not {} squares", count));
}

// `part`: production alone, held against the host's production, briefly, on all threads; of what
// travels the fastest alone.
void time_squares(Session& session, int32_t side, int32_t count, int32_t square, bool part) {
  const Image<uint8_t> mask = squares(side, count, square);
  const std::string request =
      fmt::format("{0} squares of {1}x{1}, labels and components", count, square);
  if (!as_promised(session, mask, count, square) ||
      !same_components(session, mask, "label-density, " + request))
    return;
  Work work = label_work("label-density", request, mask);
  work.stages = true;
  work.one_thread = !part;
  work.end_to_end = part ? EndToEnd::fastest : EndToEnd::all;
  if (part) {
    work.brief = true;
    work.reference = "simd";
    work.takes = [](const StrategyDescription& s) {
      return s.space == Space::device || s.tier == Tier::production;
    };
  }
  session.measure(work, [&](Row& row) {
    row.statistics.emplace_back("square", double(square));
    row.statistics.emplace_back("set, %", 100.0 * count * square * square / (double(side) * side));
    row.statistics.emplace_back("components", double(count));
  });
}

void by_density(Session& session, int32_t side) {
  const int32_t most = max_squares(side, papers_square);
  // Of the paper's 361 every thirtieth with the reference and plain loops too.
  const int32_t steps = session.quick() ? 4 : 360, whole = session.quick() ? 1 : 30;
  for (int32_t step = 0, before = -1; step <= steps; ++step) {
    const int32_t count = int32_t(int64_t(most) * step / steps);
    if (std::exchange(before, count) == count) continue;  // a small picture has few
    time_squares(session, side, count, papers_square, step % whole != 0);
  }
}

void by_granularity(Session& session, int32_t side) {
  const std::vector<int32_t> sizes = session.quick()
                                         ? std::vector<int32_t>{2, 80}
                                         : std::vector<int32_t>{1, 2, 3, 5, 10, 40, 80, 160};
  const std::vector<int32_t> parts =
      session.quick() ? std::vector<int32_t>{2} : std::vector<int32_t>{1, 2, 3, 4};
  for (const int32_t square : sizes) {
    int32_t before = 0;
    for (const int32_t part : parts) {
      const int32_t count = int32_t(int64_t(max_squares(side, square)) * part / 4);
      if (std::exchange(before, count) == count) continue;
      time_squares(session, side, count, square, true);
    }
  }
}

}  // namespace

void bench_label_density(Session& session) {
  for (const int32_t side : session.sizes({2048})) {
    by_density(session, side);
    by_granularity(session, side);
  }
}

}  // namespace cuesta::bench
