#include "ops/boundaries/cpu/scores.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/threads.hpp"

namespace cuesta::boundary {
namespace {

constexpr int32_t unknown = std::numeric_limits<int32_t>::min();

}  // namespace

Words level_above(Words from, int32_t shift, Scratch& scratch, int threads) {
  const auto to = scratch.image<int32_t>(half(from.width), half(from.height));
  const Strips strips(to.height, threads);
  const int32_t wide = from.width;
  auto* memory = scratch.take<int32_t>(size_t(wide) * size_t(strips.count));
  parallel_tasks(strips.count, threads, [&](int s) {
    int32_t* sums = memory + ptrdiff_t(wide) * s;
    for (int32_t y = strips.begin(s); y < strips.end(s); ++y) {
      const auto row = [&](int32_t j) { return from.row(std::clamp(j, 0, from.height - 1)); };
      const int32_t *a = row(2 * y - 1), *b = row(2 * y), *c = row(2 * y + 1), *d = row(2 * y + 2);
      for (int32_t x = 0; x < wide; ++x)
        sums[x] = (a[x] >> shift) + 3 * ((b[x] >> shift) + (c[x] >> shift)) + (d[x] >> shift);
      const auto at = [&](int32_t x) { return sums[std::clamp(x, 0, wide - 1)]; };
      for (int32_t x = 0; x < to.width; ++x) {
        const int32_t inner = at(2 * x) + at(2 * x + 1), outer = at(2 * x - 1) + at(2 * x + 2);
        to.row(y)[x] = (outer + 3 * inner + 32) >> 6;
      }
    }
  });
  return to;
}

void fill_totals(Shorts activity, HostMaps& maps) {
  int64_t strength = 0, active = 0;
  for (int32_t y = 0; y < activity.height; ++y) {
    for (int32_t x = 0; x < activity.width; ++x) {
      strength += maps.strengths.at(x, y);
      active += activity.at(x, y);
    }
  }
  const int64_t samples = int64_t(activity.width) * activity.height;
  maps.mean_strength = int32_t(strength / samples);
  maps.mean_activity = int32_t(active / samples);
  maps.max_surround = 0;
  for (int32_t y = 0; y < maps.surround.height; ++y)
    for (int32_t x = 0; x < maps.surround.width; ++x)
      maps.max_surround = std::max(maps.max_surround, int32_t(maps.surround.at(x, y)));
}

int32_t StripScores::score_at(int32_t x, int32_t y) {
  if (y_ != y / 2) {
    y_ = y / 2;
    std::fill_n(row_, maps_.strengths.width, unknown);
  }
  x /= 2;
  if (row_[x] == unknown) row_[x] = score_of(CueReader(maps_, x, y_).read());
  return row_[x];
}

void StripScores::settle(int32_t y, uint64_t* candidates, uint64_t* strong, int32_t words) {
  for (int32_t w = 0; w < words; ++w) {
    uint64_t weak_bits = 0, strong_bits = 0;
    for (uint64_t rest = strong[w]; rest != 0; rest &= rest - 1) {
      const int32_t bit = std::countr_zero(rest), score = score_at(64 * w + bit, y);
      weak_bits |= uint64_t(score > limits_.weak) << bit;
      strong_bits |= uint64_t(score > limits_.strong) << bit;
    }
    candidates[w] = weak_bits;
    strong[w] = strong_bits;
  }
}

}  // namespace cuesta::boundary
