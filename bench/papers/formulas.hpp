// The papers' formulas, beside what our rungs do. Plain arithmetic, tested against the papers' own
// figures.
#pragma once

#include <algorithm>
#include <string_view>

namespace cuesta::bench::formulas {

/// The papers' GPU (000, table 1).
inline constexpr double paper_bandwidth_gbs = 80, paper_peak_gflops = 1403;

// Operations a byte of an Mx × My window, paper 000. f32, as there.

/// Eq. 9: every tap and every sample from global memory.
constexpr double intensity_naive(int mx, int my) { return 2.0 * mx * my / (8.0 * mx * my); }
/// Eq. 10: four sample loads a thread, taps from global memory.
constexpr double intensity_shared(int mx, int my) { return 2.0 * mx * my / (16 + 4.0 * mx * my); }
/// Eq. 11: four sample loads a thread.
constexpr double intensity_constant(int mx, int my) { return 2.0 * mx * my / 16; }
/// Eq. 12: the mean of the two passes, two loads a thread each.
constexpr double intensity_separable(int mx, int my) { return (2.0 * mx / 8 + 2.0 * my / 8) / 2; }
/// Eq. 13: T tiles; four loads in the first and last, two in those between.
constexpr double intensity_tiled(int mx, int my, int t) {
  return 2.0 * mx * my * t / (4 * (2 * 4 + (t - 2) * 2.0));
}
/// Eq. 14: two loads in the first and last tile, one in those between.
constexpr double intensity_separable_tiled(int mx, int my, int t) {
  return 2.0 * (mx + my) * t / (4 * (2 * 2 + (t - 2.0)));
}

/// The formula of a convolve strategy; 0 where the paper has none. `tiles`: of the tiled ones.
constexpr double intensity_of(std::string_view strategy, int mx, int my, int tiles) {
  if (strategy == "naive" || strategy == "global") return intensity_naive(mx, my);
  if (strategy == "shared") return intensity_shared(mx, my);
  if (strategy == "shared-constant") return intensity_constant(mx, my);
  if (strategy == "separable") return intensity_separable(mx, my);
  if (strategy == "tiled" || strategy == "adaptive-tiled") return intensity_tiled(mx, my, tiles);
  if (strategy == "separable-tiled") return intensity_separable_tiled(mx, my, tiles);
  return 0;
}

/// The roofline (2.3.2).
constexpr double attainable(double intensity, double bandwidth_gbs, double peak_gflops) {
  return std::min(peak_gflops, intensity * bandwidth_gbs);
}

// Global memory accesses a pixel, paper 002, for an L × P window (their table has L = P).

/// Theirs, tile 16; what it prints for `shared` leaves the filter out. 0: not in the table.
constexpr double accesses_paper(std::string_view strategy, int l, int p) {
  constexpr double tile = 16;
  if (strategy == "naive") return 2.0 * l * p + 1;
  if (strategy == "constant" || strategy == "texture") return 1.0 * l * p + 1;
  if (strategy == "shared") return (1 + 2 * (l / 2) / tile) * (1 + 2 * (p / 2) / tile) + 1;
  return 0;
}

/// What of a rung's launch its accesses and its idle threads depend on.
struct Shape {
  int block = 16;                    ///< threads along each side
  int tiles = 1;                     ///< side by side in a block
  bool one_each = false;             ///< load=one-each
  double rows_per_block = 1;         ///< of `row-cyclic`
  int threads = 256, columns = 256;  ///< the same: of a block, and of the picture
};

/// Ours, all reads and writes of a pixel away from the picture's edge: samples (through a texture
/// too), taps in global memory, intermediates, the result. 0: not counted.
constexpr double accesses_counted(std::string_view strategy, int l, int p, const Shape& shape) {
  const double window = 1.0 * l * p, b = shape.block, wide = shape.tiles * b;
  const double tile = shape.one_each ? b * b / ((b - l + 1) * (b - p + 1))
                                     : (wide + l - 1) * (b + p - 1) / (wide * b);
  if (strategy == "naive" || strategy == "global" || strategy == "texture") return 2 * window + 1;
  if (strategy == "constant" || strategy == "texture-constant") return window + 1;
  if (strategy == "shared") return tile + window + 1;
  if (strategy == "shared-constant" || strategy == "tiled" || strategy == "adaptive-tiled" ||
      strategy == "shared-1d")
    return tile + 1;
  if (strategy == "registers") return p * (l + 3) / 4.0 + 1;  // for four pixels of a column
  if (strategy == "two-pass") return p + 1.0 + l + 1.0;
  if (strategy == "separable" || strategy == "separable-tiled")
    return (wide + p - 1) / wide + 1 + (wide + l - 1) / wide + 1;
  if (strategy == "row-cyclic") return (shape.rows_per_block + p - 1) / shape.rows_per_block + 1;
  return 0;
}

/// Threads of one block, away from the picture's edge.
struct Threads {
  int all = 0;
  int load_nothing = 0;     ///< into shared memory, or of their own window where there is none
  int compute_nothing = 0;  ///< no pixel
};

/// Ours, for an L × P window; 0 threads: not counted. Of load=one-each paper 000 says 2K(2B + 2K)
/// where B is the side of what a block makes: with ours, the side of the block, B² less the rest.
constexpr Threads threads_of(std::string_view strategy, int l, int p, const Shape& shape) {
  if (accesses_counted(strategy, l, p, shape) == 0) return {};
  if (strategy == "row-cyclic") {  // threads stride over the columns
    const int idle = std::max(0, shape.threads - shape.columns);
    return {shape.threads, idle, idle};
  }
  const int all = shape.block * shape.block;
  return {all, 0, shape.one_each ? all - (shape.block - l + 1) * (shape.block - p + 1) : 0};
}

}  // namespace cuesta::bench::formulas
