// Which kernel of `mma-march` a window takes, and the rows of strips. No CUDA type.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "cuesta/border.hpp"
#include "ops/convolve/cuda/factors.hpp"

namespace cuesta::convolve_mma {

inline constexpr int running = -1;  ///< products down of sums that run

/// How far that many products of depth 32 reach.
CUESTA_HOST_DEVICE constexpr int reach_of_products(int products) { return 16 * products - 8; }

/// Products of depth 32 that a reach needs.
inline int products_of(int64_t reach) { return int(std::max<int64_t>((reach + 8 + 15) / 16, 1)); }

/// How far a window reaches in one direction at most.
inline int64_t reach_in(int32_t n, int32_t anchor) { return std::max(anchor, n - 1 - anchor); }

/// Rows of a strip, for `slots` blocks at a time: as few rounds of them as possible, since each
/// strip begins with rows of sums across alone, `lead` of them, which cost about half.
inline int rows_of_strip(int32_t height, int64_t columns, int64_t slots, int lead) {
  constexpr int step = 16;
  int best = height;
  double least = 1e30;
  for (int rounds = 1; rounds <= 8; ++rounds) {
    const int64_t strips = std::max<int64_t>(rounds * slots / columns, 1);
    const auto rows = int((height + strips - 1) / strips + step - 1) / step * step;
    const int64_t blocks = columns * ((height + rows - 1) / rows);
    const double time = double((blocks + slots - 1) / slots) * (rows + 0.5 * lead + 16);
    if (time < least) least = time, best = rows;
  }
  return best;
}

/// Rows from which on sums that run down cost less: each step is three products, whatever the
/// height.
constexpr int32_t running_rows = 80;
inline bool runs(const ConvolveArgs& args) {
  const auto taps = args.integers.column;
  return args.height >= running_rows &&
         std::all_of(taps.begin(), taps.end(), [](int32_t tap) { return tap == 1; });
}

/// Products across and down of a kernel; 0 down: sums that run.
struct MarchSize {
  int across, down;
};
/// What there is, cheapest first.
inline constexpr std::array<MarchSize, 12> march_sizes{{{2, 1},
                                                         {2, 2},
                                                         {3, 3},
                                                         {4, 2},
                                                         {5, 2},
                                                         {4, 4},
                                                         {5, 5},
                                                         {7, 3},
                                                         {9, 3},
                                                         {3, 0},
                                                         {5, 0},
                                                         {9, 0}}};

/// Whether both directions have the same taps, as kernels of as many products across and down want
/// them.
inline bool has_same_factors(const ConvolveArgs& args) {
  return args.src.channels == 1 && args.width == args.height && args.anchor_x == args.anchor_y &&
         std::equal(args.integers.row.begin(), args.integers.row.end(),
                    args.integers.column.begin(), args.integers.column.end());
}

/// The size of the kernel for a window of factors; {0, 0} where there is none.
inline MarchSize march_size_of(const ConvolveArgs& args) {
  const int across = products_of(reach_in(args.width, args.anchor_x) * args.src.channels);
  const int down = runs(args) ? 0 : products_of(reach_in(args.height, args.anchor_y));
  for (const MarchSize size : march_sizes) {
    const bool fits = across <= size.across &&
                      (down == 0 ? size.down == 0 : down <= size.down) &&
                      (size.across != size.down || has_same_factors(args));
    if (fits) return size;
  }
  return {0, 0};
}

}  // namespace cuesta::convolve_mma
