// The oracle, by rows, so that `rows` can spread it over threads.
#pragma once

#include "ops/pixel/args.hpp"

namespace cuesta {

/// Rows [first, end) of every point operation but the histogram.
void pixel_reference_rows(const PixelArgs& args, int32_t first, int32_t end);
/// Adds the counts of rows [first, end) to `bins`.
void histogram_reference_rows(const PixelArgs& args, int32_t first, int32_t end, uint64_t* bins);

/// Counts by strips: count(first_row, end_row, bins) adds to zeroed bins of its own; their sum, in
/// the order of the strips, becomes args.bins.
template <class Count>
void histogram_by_strips(const PixelArgs& args, Call& call, Count&& count) {
  const size_t size = args.bins.size();
  const Strips strips(args.a.height, call.threads(), 16, 1);
  auto* partial = call.scratch().take<uint64_t>(size * size_t(strips.count));
  parallel_tasks(strips.count, call.threads(), [&](int s) {
    uint64_t* bins = partial + size * size_t(s);
    std::fill_n(bins, size, uint64_t(0));
    count(strips.begin(s), strips.end(s), bins);
  });
  std::copy_n(partial, size, args.bins.begin());
  for (int32_t s = 1; s < strips.count; ++s)
    for (size_t i = 0; i < size; ++i) args.bins[i] += partial[size * size_t(s) + i];
}

/// Strategy `serial`.
void pixel_serial(const PixelArgs& args, Call& call);
/// Strategy `rows`.
void pixel_rows(const PixelArgs& args, Call& call);
/// Strategy `simd`.
void pixel_simd(const PixelArgs& args, Call& call);

}  // namespace cuesta
