#if defined(CUESTA_HAS_PICTURES)
#include "io/resolved_rows.hpp"

#include <algorithm>
#include <bit>

#include "core/threads.hpp"
#include "cuesta/objects.hpp"

namespace cuesta::io {

ResolvedRows::ResolvedRows(const CannyBands& bands, const BandStage& stage, int32_t width,
                           int threads, int64_t memory)
    : bands_(bands), stage_(stage), width_(width), threads_(thread_count(threads)) {
  for (const auto& strip : bands.strips()) max_ = std::max(max_, strip.end - strip.first);
  const int64_t strip_bytes = int64_t(max_) * width * 2;
  per_group_ = int32_t(std::clamp<int64_t>(memory / 4 / strip_bytes, 1, 4 * threads_));
  scratch_.resize(size_t(per_group_));
  counted_.resize(bands.strips().size() / size_t(per_group_) + 1, false);
}

std::shared_ptr<const ResolvedRows::Group> ResolvedRows::group_of(int32_t y) {
  const auto strips = bands_.strips();
  const auto at = std::upper_bound(strips.begin(), strips.end(), y,
                                   [](int32_t row, const auto& strip) { return row < strip.end; });
  const auto index = int32_t(at - strips.begin()) / per_group_;
  const std::lock_guard lock(mutex_);
  for (const auto& [number, group] : groups_)
    if (number == index) return group;
  // Encoders ask for rows of two groups where one ends.
  auto& [number, group] = groups_[size_t(next_++ % 2)];
  number = -1;
  // Memory is kept for the next: malloc would hold several times as much.
  group.reset();
  group = pool_.take();
  make(index, *group);
  number = index;
  return group;
}

void ResolvedRows::make(int32_t index, Group& group) {
  const auto strips = bands_.strips();
  const int32_t begin = index * per_group_,
                end = std::min(int32_t(strips.size()), begin + per_group_);
  group.first = strips[size_t(begin)].first;
  if (group.edges.height() == 0) group.edges = Image<uint8_t>(width_, per_group_ * max_);
  std::vector<int64_t> counts(size_t(end) - size_t(begin), 0);
  parallel_tasks(end - begin, threads_, [&](int i) {
    const auto [first, last] = strips[size_t(begin) + size_t(i)];
    const int64_t words = bands_.mark_words(), rows = last - first;
    auto& [marks, edges] = scratch_[size_t(i)];
    marks.resize(size_t(words * rows));
    edges.resize(size_t(words / 2 * rows));
    stage_.read(first, 0, words * 8 * rows, marks.data());
    bands_.resolve(begin + i, marks.data(), edges.data());
    for (const uint64_t word : edges) counts[size_t(i)] += std::popcount(word);
    const ConstBitView bits{edges.data(), width_, int32_t(rows), ptrdiff_t(words / 2)};
    unpack_mask(ConstAnyView(bits),
                group.edges.region({0, first - group.first, width_, int32_t(rows)}),
                Exec{.threads = 1});
  });
  if (!counted_[size_t(index)]) {  // encoders come back to rows, and to some before others
    for (const int64_t n : counts) edge_pixels_ += n;
    counted_[size_t(index)] = true;
  }
}

}  // namespace cuesta::io
#endif
