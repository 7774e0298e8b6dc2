// Paper 004: labelling against the number of components, squares of 20 x 20 in 2048 x 2048. Their
// figure 14 is a chart: OpenCV stays level, their GPU is faster up to about half of the 3600
// squares that fit.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bench/papers/experiments.hpp"
#include "bench/works/objects.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

constexpr int32_t square = 20;
// A square lies anywhere in a cell of its own, one column and row clear of the next cell; 60 x 60
// cells fit 2048 x 2048.
constexpr int32_t cell = 34;

int32_t max_squares(int32_t side) { return (side / cell) * (side / cell); }

// `count` cells chosen at random, the same on every machine.
Image<uint8_t> squares(int32_t side, int32_t count) {
  verify::Random random(4);
  std::vector<int32_t> cells(size_t(max_squares(side)));
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = int32_t(i);
    std::swap(cells[i], cells[random.below(uint32_t(i) + 1)]);
  }
  Image<uint8_t> mask(side, side);
  for (int32_t y = 0; y < side; ++y) std::fill_n(mask.row(y), side, uint8_t(0));
  for (int32_t i = 0; i < count; ++i) {
    const int32_t across = side / cell, at = cells[size_t(i)];
    const int32_t left = at % across * cell + int32_t(random.below(cell - square));
    const int32_t top = at / across * cell + int32_t(random.below(cell - square));
    for (int32_t y = top; y < top + square; ++y)
      std::fill_n(mask.row(y) + left, square, uint8_t(255));
  }
  return mask;
}

// Every square is whole and alone.
bool as_promised(Session& session, const Image<uint8_t>& mask, int32_t count) {
  std::vector<Component> found;
  label(mask, {}, &found, {}, session.exec());
  const bool whole = int32_t(found.size()) == count &&
                     std::all_of(found.begin(), found.end(),
                                 [](const Component& c) { return c.area == square * square; });
  return session.expect(whole, fmt::format("label-density: not {} squares", count));
}

}  // namespace

void bench_label_density(Session& session) {
  for (const int32_t side : session.sizes({2048})) {
    const int32_t most = max_squares(side), steps = session.quick() ? 4 : 12;
    for (int32_t step = 0, before = -1; step <= steps; ++step) {
      const int32_t count = int32_t(int64_t(most) * step / steps);
      if (std::exchange(before, count) == count) continue;  // a small picture has few
      const Image<uint8_t> mask = squares(side, count);
      const std::string request =
          fmt::format("{0} squares of {1}x{1}, labels and components", count, square);
      if (!as_promised(session, mask, count) ||
          !same_components(session, mask, "label-density, " + request))
        continue;
      Work work = label_work("label-density", request, mask);
      work.stages = true;
      session.measure(work,
                      [&](Row& row) { row.statistics.emplace_back("components", double(count)); });
    }
  }
}

}  // namespace cuesta::bench
