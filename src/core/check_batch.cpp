#include "core/check_batch.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/memory.hpp"

namespace cuesta {
namespace {

// The bytes from the first sample of a batch to its last, whatever is between.
struct Extent {
  uintptr_t first = UINTPTR_MAX, end = 0;
  explicit Extent(const ConstBatch& batch) {
    for (const int32_t i : {0, batch.count - 1}) {
      const ConstAnyView p = batch[i];
      const auto rows = ptrdiff_t(p.height - 1) * p.stride_bytes;
      const auto at = reinterpret_cast<uintptr_t>(p.data);
      const auto row = uintptr_t(detail::row_bytes(p));
      first = std::min({first, at, at + uintptr_t(rows)});
      end = std::max({end, at + row, at + uintptr_t(rows) + row});
    }
  }
};

}  // namespace

void check_batch(const ConstBatch& batch, std::string_view what) {
  if (batch.count < 1) {
    throw_invalid(std::to_string(batch.count), "{} has {} pictures; it must have at least 1", what,
                  batch.count);
  }
  using enum PixelType;
  check_view(batch.first, what, {u8, u16, s16, s32, f32, bit}, 1, 4);
  const int sample = batch.first.type == bit ? 8 : bytes_per_sample(batch.first.type);
  if (batch.count > 1 && batch.step_bytes % sample != 0) {
    throw_invalid(std::to_string(batch.step_bytes),
                  "{} has a step of {} bytes between pictures; it must be a multiple of {}, the "
                  "size of a sample",
                  what, batch.step_bytes, sample);
  }
}

void check_disjoint(const ConstBatch& batch, std::string_view what) {
  for (int32_t i = 1; i < batch.count; ++i)
    check_no_overlap(batch[0], batch[i], what, "its next pictures");
}

void check_same_count(const ConstBatch& a, const ConstBatch& b, std::string_view what_a,
                      std::string_view what_b) {
  if (a.count == b.count) return;
  throw_invalid(std::to_string(b.count), "{} has {} pictures and {} has {}; the counts must match",
                what_a, a.count, what_b, b.count);
}

void check_no_overlap(const ConstBatch& a, const ConstBatch& b, std::string_view what_a,
                      std::string_view what_b) {
  const Extent of_a(a), of_b(b);
  if (of_a.end <= of_b.first || of_b.end <= of_a.first) return;
  for (int32_t i = 0; i < a.count; ++i) {
    for (int32_t j = 0; j < b.count; ++j) {
      // Equal steps: how two pictures are to each other depends on j − i alone.
      if (a.step_bytes == b.step_bytes && i > 0 && j > 0) break;
      check_no_overlap(a[i], b[j], what_a, what_b);
    }
  }
}

int32_t check_batches(std::initializer_list<NamedBatch> sources,
                      std::initializer_list<NamedBatch> results, bool in_place) {
  const NamedBatch& first = *(sources.size() ? sources : results).begin();
  const auto check = [&](const NamedBatch& b) {
    check_batch(b.batch, b.what);
    check_same_count(first.batch, b.batch, first.what, b.what);
  };
  for (const NamedBatch& source : sources) check(source);
  for (const NamedBatch& result : results) check(result);
  for (auto result = results.begin(); result != results.end(); ++result) {
    const ConstBatch& r = result->batch;
    check_disjoint(r, result->what);
    for (const auto* other = results.begin(); other != result; ++other)
      check_no_overlap(other->batch, r, other->what, result->what);
    for (const NamedBatch& source : sources) {
      const ConstBatch& s = source.batch;
      const bool same = s.first.data == r.first.data && s.step_bytes == r.step_bytes &&
                        s.first.stride_bytes == r.first.stride_bytes;
      if (!(in_place && same)) check_no_overlap(s, r, source.what, result->what);
    }
  }
  return first.batch.count;
}

}  // namespace cuesta
