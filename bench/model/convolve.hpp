// What the kernels of convolve's rungs do, a short function a rung. K is the side of the window, B
// of the block; blocks are B × B threads unless a rung says otherwise. Counts are of the inside of
// the picture: what blocks at its edge leave out is below a hundredth at 1024² and above.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bench/model/codes.hpp"
#include "bench/model/kernel.hpp"

namespace cuesta::bench::model::convolve {

/// Pixels that a warp has in one row, and the rows it has.
inline int lanes(const Workload& q) { return std::min(q.block, 32); }
inline int rows_a_warp(const Workload& q) { return 32 / lanes(q); }

/// Sectors of all pixels' samples, a warp's row of them at a time.
inline double row_sectors(const Workload& q, int bytes) {
  return q.pixels() / lanes(q) * sectors(lanes(q), lanes(q), bytes, 0);
}

/// Blocks of B × B threads that make wide × high pixels each; the store of every pixel.
inline Kernel grid_of(const Workload& q, std::string name, double wide, double high, int in_bytes,
                      int out_bytes) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.blocks = covers(q.width, wide) * covers(q.height, high);
  kernel.threads = q.block * q.block;
  kernel.memory_bytes = q.pixels() * (in_bytes + out_bytes);
  kernel.store_sectors = row_sectors(q, out_bytes);
  kernel.l2_sectors = kernel.store_sectors;
  kernel.wavefronts = q.pixels() / 32;
  return kernel;
}

/// The frame's launch: few threads, a round trip.
inline Kernel frame_kernel(const Workload& q) {
  Kernel kernel;
  kernel.name = "frame";
  kernel.threads = 64;
  const double pixels = 2 * (q.width + q.height) * (q.k / 2);
  kernel.blocks = covers(pixels, 64);
  kernel.instructions = kernel.warps() * (300 + 40 * q.k + 4 * q.k * q.k);
  // Half of them are in rows, half in columns; each of them has a sector of its own.
  kernel.load_sectors = pixels * q.k * q.k * (0.5 + 1 / 32.0);
  kernel.wavefronts = pixels * q.k * q.k / 4;
  kernel.l2_sectors = pixels * (q.k + 1);
  kernel.memory_bytes = pixels * 32;
  return kernel;
}

inline std::vector<Kernel> with_frame(const Workload& q, std::vector<Kernel> kernels) {
  if (q.frame) kernels.push_back(frame_kernel(q));
  return kernels;
}

/// Loads of columns × rows samples around every pixel from global memory: a warp's line, or two
/// where it is shifted. What its neighbours have read before comes from the first-level cache.
inline void add_window(Kernel& kernel, const Workload& q, int columns, int rows, int bytes) {
  const int n = lanes(q);
  for (int i = 0; i < columns; ++i) {
    const int shift = i - columns / 2;
    const double loads = kernel.warps() * rows_a_warp(q) * rows;
    kernel.load_sectors += loads * sectors(n, n, bytes, shift);
    kernel.wavefronts += loads * lines(n, n, bytes, shift);
  }
  kernel.l2_sectors += kernel.blocks * (q.block + rows - 1) *
                       sectors(q.block + columns - 1, q.block, bytes, -(columns / 2));
}

/// Taps that every thread of a warp reads from one place: half a wavefront each, two at a time.
inline void add_taps(Kernel& kernel, int taps, double wavefronts = 0.5) {
  kernel.load_sectors += kernel.warps() * taps;
  kernel.wavefronts += kernel.warps() * taps * wavefronts;
}

/// Passes of a warp that reads samples side by side from rows of shared memory `pitch` samples
/// long.
inline double row_passes(const Workload& q, double pitch, int bytes) {
  return passes(lanes(q), 1, int(pitch), bytes);
}

/// Loads of wide × high samples a block, row by row in pieces of B, and their stores to shared
/// memory, a row after the other unless a store takes other passes. Returns the loads of all warps.
inline double add_tile(Kernel& kernel, const Workload& q, double wide, double high, int bytes,
                       int left, double store_passes = 0) {
  const int b = q.block, n = lanes(q);
  double loads = 0;
  for (int x = 0; x < wide; x += b) {
    const int samples = std::min(n, int(wide) - x);
    const double rows = kernel.blocks * high * std::max(1, std::min(b, int(wide) - x) / n);
    kernel.load_sectors += rows * sectors(samples, n, bytes, x - left);
    kernel.wavefronts += rows * lines(samples, n, bytes, x - left);
    loads += rows / rows_a_warp(q);
  }
  kernel.l2_sectors += kernel.blocks * high * sectors(int(wide), b, bytes, -left);
  kernel.shared_wavefronts +=
      loads * (store_passes > 0 ? store_passes : row_passes(q, wide, bytes));
  return loads;
}

/// Round trips of a loop over `loads` loads of a thread that the compiler unrolls by four.
inline double trips_of(double loads) {
  const int n = int(std::ceil(loads));
  return n / 4 + n % 4;
}

// Window rungs, one kernel each.

inline std::vector<Kernel> from_global(const Workload& q, const char* name, bool taps_loaded) {
  Kernel kernel = grid_of(q, name, q.block, q.block, q.bytes(), q.bytes());
  kernel.instructions = kernel.warps() * code_of(name, q.bytes())(q.k);
  add_window(kernel, q, q.k, q.k, q.bytes());
  if (taps_loaded) add_taps(kernel, q.k * q.k);
  // Two more than two blocks have.
  if (taps_loaded && q.bytes() == 1 && q.k == 5) kernel.registers = 34;
  return with_frame(q, {kernel});
}
inline std::vector<Kernel> naive(const Workload& q) { return from_global(q, "naive", true); }
inline std::vector<Kernel> constant(const Workload& q) { return from_global(q, "constant", false); }

inline std::vector<Kernel> from_texture(const Workload& q, const char* name, bool taps_loaded) {
  Kernel kernel = grid_of(q, name, q.block, q.block, q.bytes(), q.bytes());
  kernel.instructions = kernel.warps() * code_of(name, q.bytes())(q.k);
  kernel.fetches = kernel.warps() * 32 * q.k * q.k;
  kernel.l2_sectors += kernel.blocks * (q.block + q.k - 1) *
                       sectors(q.block + q.k - 1, q.block, q.bytes(), -(q.k / 2));
  // The compiler keeps many fetches in flight, in more registers than two blocks have.
  if (!taps_loaded && q.k == 5) kernel.registers = 38;
  if (taps_loaded) add_taps(kernel, q.k * q.k);
  return with_frame(q, {kernel});
}
inline std::vector<Kernel> texture(const Workload& q) { return from_texture(q, "texture", true); }
inline std::vector<Kernel> texture_constant(const Workload& q) {
  return from_texture(q, "texture-constant", false);
}

/// Own sample and those B further right go first, then those further down: two round trips.
inline std::vector<Kernel> from_shared(const Workload& q, const char* name, bool taps_loaded) {
  const double made = q.one_each ? q.block - q.k + 1 : q.block;
  const double side = q.one_each ? q.block : q.block + q.k - 1;
  Kernel kernel = grid_of(q, name, made, made, q.bytes(), q.bytes());
  kernel.shared_bytes = int(side * side) * q.bytes();
  // Of two ways through the second round of loads a warp takes one, by the profile of 2026-11-22;
  // with one load neither.
  const double unused = q.one_each ? 85 : q.floats ? 28 : 49;
  kernel.instructions = kernel.warps() * (code_of(name, q.bytes())(q.k) - unused);
  add_tile(kernel, q, side, side, q.bytes(), q.k / 2);
  kernel.shared_wavefronts += kernel.warps() * q.k * q.k * row_passes(q, side, q.bytes());
  if (taps_loaded) add_taps(kernel, q.k * q.k, 1);
  kernel.l2_trips = q.one_each ? 0 : 1;
  return with_frame(q, {kernel});
}
inline std::vector<Kernel> shared(const Workload& q) { return from_shared(q, "shared", true); }
inline std::vector<Kernel> shared_constant(const Workload& q) {
  return from_shared(q, "shared-constant", false);
}

/// One-dimensional tile, four loads a thread.
inline std::vector<Kernel> shared_1d(const Workload& q) {
  if (q.k != 3) return {};
  Kernel kernel = grid_of(q, "shared-1d", q.block, q.block, q.bytes(), q.bytes());
  const double side = q.block + 2;
  kernel.shared_bytes = int(side * side) * q.bytes();
  kernel.instructions = kernel.warps() * (q.floats ? 153.5 : 198);
  add_tile(kernel, q, side, side, q.bytes(), 1);
  kernel.shared_wavefronts += kernel.warps() * 9 * row_passes(q, side, q.bytes());
  kernel.l2_trips = 1;
  return with_frame(q, {kernel});
}

/// T tiles side by side from one load. Where the last block of a row has fewer, the counts are of
/// the tiles there are, but for the loop of loads, which runs on without them.
inline std::vector<Kernel> tiled_by(const Workload& q, int tiles) {
  Kernel kernel = grid_of(q, "tiled", tiles * q.block, q.block, q.bytes(), q.bytes());
  const double wide = tiles * q.block + q.k - 1, high = q.block + q.k - 1;
  kernel.shared_bytes = int(wide * high) * q.bytes();
  const double passes_a_row = row_passes(q, wide, q.bytes());
  kernel.uneven = covers(q.width, tiles * q.block) * tiles / covers(q.width, q.block);
  const double loads = add_tile(kernel, q, wide, high, q.bytes(), q.k / 2);
  for (double* count :
       {&kernel.load_sectors, &kernel.wavefronts, &kernel.l2_sectors, &kernel.shared_wavefronts})
    *count /= kernel.uneven;
  const double pixels = q.pixels() / 32;
  const LoopCode& code = q.floats ? tiled_floats : tiled_bytes;
  kernel.instructions = tiles == 1 ? kernel.warps() * code_of("tiled T=1", q.bytes())(q.k)
                                   : code(kernel.warps(), wide / q.block, loads, pixels, q.k);
  kernel.shared_wavefronts += pixels * q.k * q.k * passes_a_row;
  // Four loads are in flight together; the apron's rows come after the block's own.
  kernel.memory_trips = trips_of(wide / q.block);
  kernel.l2_trips = kernel.memory_trips;
  return with_frame(q, {kernel});
}
inline std::vector<Kernel> tiled(const Workload& q) { return tiled_by(q, q.tiles); }

/// Paper 000, eq. 6 to 8, as src/ops/convolve/ladder/tile_arithmetic.hpp.
inline int adaptive_tiles(const Workload& q) {
  const int samples = q.shared_limit / q.bytes();
  const int tiles = (samples / (q.block + q.k - 1) - (q.k - 1)) / q.block;
  return std::clamp(tiles, 1, std::max(1, int(covers(q.width, q.block))));
}
inline std::vector<Kernel> adaptive_tiled(const Workload& q) {
  return tiled_by(q, adaptive_tiles(q));
}

// Rungs of a stencil with factors: two kernels, 4 bytes a pixel between them.

inline std::vector<Kernel> two_pass(const Workload& q) {
  if (!q.separable) return {};
  Kernel columns = grid_of(q, "columns", q.block, q.block, q.bytes(), 4);
  columns.instructions = columns.warps() * code_of("two-pass columns", q.bytes())(q.k);
  add_window(columns, q, 1, q.k, q.bytes());
  Kernel rows = grid_of(q, "rows", q.block, q.block, 4, q.bytes());
  rows.kept_bytes = q.pixels() * 4;
  rows.instructions = rows.warps() * code_of("two-pass rows", q.bytes())(q.k);
  add_window(rows, q, q.k, 1, 4);
  return with_frame(q, {columns, rows});
}

inline std::vector<Kernel> separable(const Workload& q) {
  if (!q.separable) return {};
  Kernel columns = grid_of(q, "columns", q.block, q.block, q.bytes(), 4);
  const double side = q.block + q.k - 1;
  columns.shared_bytes = int(q.block * side) * q.bytes();
  columns.instructions = columns.warps() * code_of("separable columns", q.bytes())(q.k);
  add_tile(columns, q, q.block, side, q.bytes(), 0);
  columns.shared_wavefronts += columns.warps() * q.k * row_passes(q, q.block, q.bytes());
  columns.l2_trips = 1;
  Kernel rows = grid_of(q, "rows", q.block, q.block, 4, q.bytes());
  rows.kept_bytes = q.pixels() * 4;
  rows.shared_bytes = int(q.block * side) * 4;
  rows.instructions = rows.warps() * code_of("separable rows", q.bytes())(q.k);
  add_tile(rows, q, side, q.block, 4, q.k / 2);
  rows.shared_wavefronts += rows.warps() * q.k * row_passes(q, side, 4);
  rows.l2_trips = 1;
  return with_frame(q, {columns, rows});
}

inline std::vector<Kernel> separable_tiled(const Workload& q) {
  if (!q.separable) return {};
  const double along = q.tiles * q.block + q.k - 1;
  Kernel columns = grid_of(q, "columns", q.block, q.tiles * q.block, q.bytes(), 4);
  columns.shared_bytes =
      int(q.block * (int(along) | 1)) * q.bytes() + (q.transpose ? q.block * (q.block + 1) * 4 : 0);
  const LoopCode& down = q.transpose ? columns_transposed : columns_straight;
  const int b = q.block, n = lanes(q), pitch = q.transpose ? int(along) | 1 : b;
  double loads = add_tile(columns, q, b, along, q.bytes(), 0,
                          q.transpose ? passes(n, pitch, 1, q.bytes()) : 0);
  double pixels = columns.warps() * q.tiles;
  columns.instructions = down(columns.warps(), along / b, loads, pixels, q.k);
  // Down a column of its own each lane row, or side by side; the sums back through a square.
  columns.shared_wavefronts += pixels * q.k * passes(n, 1, pitch, q.bytes());
  if (q.transpose)
    columns.shared_wavefronts += pixels * (passes(n, b + 1, 1, 4) + passes(n, 1, b + 1, 4));
  columns.memory_trips = trips_of(along / q.block);
  columns.l2_trips = 1;

  Kernel rows = grid_of(q, "rows", q.tiles * q.block, q.block, 4, q.bytes());
  rows.kept_bytes = q.pixels() * 4;
  rows.shared_bytes = int(q.block * along) * 4;
  const LoopCode& across = q.floats ? rows_floats : rows_bytes;
  loads = add_tile(rows, q, along, q.block, 4, q.k / 2);
  pixels = rows.warps() * q.tiles;
  rows.instructions = across(rows.warps(), along / b, loads, pixels, q.k);
  rows.shared_wavefronts += pixels * q.k * row_passes(q, along, 4);
  rows.memory_trips = trips_of(along / q.block);
  rows.l2_trips = 1;
  return with_frame(q, {columns, rows});
}

/// K rows in shared memory, rolling down; blocks of 256 threads, each down its share of the rows. A
/// row waits for its load, and its sums for a barrier.
inline std::vector<Kernel> row_cyclic(const Workload& q) {
  const double grid = std::min(q.height, double(q.grid > 0 ? q.grid : q.multiprocessors));
  const double rows = covers(q.height, grid);
  Kernel kernel;
  kernel.name = "row-cyclic";
  kernel.blocks = covers(q.height, rows);
  kernel.threads = 256;
  kernel.shared_bytes = int(q.k * q.width) * q.bytes();
  const double loads = kernel.blocks * (rows + q.k - 1) * q.width / 32;
  const double pixels = q.pixels() / 32;
  const LoopCode& code = q.floats ? cyclic_floats : cyclic_bytes;
  kernel.instructions =
      code(kernel.warps(), 1, loads, pixels, q.k) + kernel.warps() * rows * cyclic_row;
  kernel.load_sectors = loads * q.bytes();
  kernel.store_sectors = pixels * q.bytes();
  kernel.l2_sectors = kernel.load_sectors + kernel.store_sectors;
  kernel.wavefronts = loads + pixels;
  kernel.shared_wavefronts = loads + pixels * q.k * q.k;
  kernel.memory_bytes = 2 * q.pixels() * q.bytes();
  // One load of a thread at a time; the rows that end a block's share began another's.
  kernel.memory_trips = rows * covers(q.width, kernel.threads);
  kernel.l2_trips = (q.k - 1) * covers(q.width, kernel.threads);
  return with_frame(q, {kernel});
}

}  // namespace cuesta::bench::model::convolve
