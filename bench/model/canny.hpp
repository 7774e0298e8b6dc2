// What the kernels of canny's rungs do that come before hysteresis, and of hysteresis what is a
// launch a step. Aperture 3, L1, thresholds given, no mask. How many steps there are is the
// picture's: Workload::depth. What else hysteresis costs depends on where its edges are.
#pragma once

#include <initializer_list>
#include <vector>

#include "bench/model/convolve.hpp"

namespace cuesta::bench::model::canny {

/// Blocks of `block` × `block` threads, each with a pixel. `loads` and `stores` are the samples of
/// a pixel, bytes each, that the kernel reads and writes in step; what it reads the one before
/// wrote.
inline Kernel pixels_of(const Workload& q, int block, const char* stage, const char* name,
                        std::initializer_list<int> loads, std::initializer_list<int> stores) {
  Workload shape = q;
  shape.block = block;
  const double rows = q.pixels() / convolve::lanes(shape);
  Kernel kernel;
  kernel.stage = stage;
  kernel.name = name;
  kernel.blocks = covers(q.width, block) * covers(q.height, block);
  kernel.threads = block * block;
  kernel.instructions = kernel.warps() * canny_code_of(name);
  for (const int bytes : loads) {
    kernel.load_sectors += convolve::row_sectors(shape, bytes);
    kernel.kept_bytes += q.pixels() * bytes;
    kernel.wavefronts += rows;
  }
  kernel.memory_bytes = kernel.kept_bytes;
  for (const int bytes : stores) {
    kernel.store_sectors += convolve::row_sectors(shape, bytes);
    kernel.memory_bytes += q.pixels() * bytes;
    kernel.wavefronts += rows;
  }
  kernel.l2_sectors = kernel.load_sectors + kernel.store_sectors;
  return kernel;
}

inline Kernel measure(const Workload& q, int block) {
  return pixels_of(q, block, "magnitude", "measure", {2, 2}, {4, 1});
}

/// The pixel and its direction; then, direction by direction, a neighbour of each lane and, where
/// that is less, the other one. A maximum is read once more.
inline Kernel suppress(const Workload& q, int block) {
  Kernel kernel = pixels_of(q, block, "suppression", "suppress", {1, 4}, {4});
  // Sectors that eight lanes of 32 touch, and four; the bench's picture by the profiler.
  constexpr double first = 3.2, second = 2.2, again = 2.8;
  kernel.load_sectors += kernel.warps() * (4 * (first + second) + again);
  kernel.wavefronts += kernel.warps() * (4 * (1.2 + 1.1) + 1);
  kernel.l2_trips = 2;
  return kernel;
}

inline Kernel compare(const Workload& q, int block) {
  return pixels_of(q, block, "threshold", "compare", {4}, {1});
}

/// A thread looks at its own mark; only candidates look further.
inline Kernel step(const Workload& q, int block) {
  Kernel kernel = pixels_of(q, block, "hysteresis", "step", {1}, {});
  kernel.times = q.depth + 1;
  kernel.waited_with = 2;  // the counter's clearing and its copy
  return kernel;
}

inline Kernel write(const Workload& q, int block) {
  return pixels_of(q, block, "hysteresis", "write", {1}, {1});
}

/// Hysteresis by a launch a step, where it is known how many steps there are.
inline void add_search(std::vector<Kernel>& kernels, const Workload& q, int block) {
  if (q.depth < 0 || !q.search) return;
  kernels.push_back(step(q, block));
  kernels.push_back(write(q, block));
}

/// From gradients on.
inline std::vector<Kernel> finish(const Workload& q, int block, std::vector<Kernel> kernels) {
  kernels.push_back(measure(q, block));
  if (!q.suppress_on_host) kernels.push_back(suppress(q, block));
  kernels.push_back(compare(q, block));
  add_search(kernels, q, block);
  return kernels;
}

/// Whether kernels() are the whole call.
inline bool whole(const Workload& q) { return q.depth >= 0 && q.search && !q.suppress_on_host; }

inline std::vector<Kernel> global(const Workload& q) {
  if (q.k < 1 || q.words) return {};
  std::vector<Kernel> kernels;
  if (q.k > 1) {
    Kernel kernel = pixels_of(q, q.block, "gaussian", "gaussian", {}, {1});
    kernel.memory_bytes += q.pixels();
    kernel.instructions = kernel.warps() * canny_gaussian(q.k);
    convolve::add_window(kernel, q, q.k, q.k, 1);
    // Row after row of the window: its loads wait, all but the first for what a block beside it or
    // a warp before it has fetched.
    kernel.l2_trips = 1;
    kernels.push_back(std::move(kernel));
  }
  Kernel kernel = pixels_of(q, q.block, "sobel", "sobel", {}, {2, 2});
  kernel.memory_bytes += q.pixels();
  if (q.k > 1) kernel.kept_bytes = q.pixels();
  convolve::add_window(kernel, q, 3, 3, 1);
  // The window's middle counts for neither gradient.
  const double middle = kernel.warps() * convolve::rows_a_warp(q);
  const int n = convolve::lanes(q);
  kernel.load_sectors -= middle * sectors(n, n, 1, 0);
  kernel.wavefronts -= middle * lines(n, n, 1, 0);
  kernels.push_back(std::move(kernel));
  return finish(q, q.block, std::move(kernels));
}

/// Whole rows in shared memory, rolling down, blocks of 256 threads. `trips`: the round trips of
/// four loads of a thread.
inline Kernel rolling(const Workload& q, const char* name, int k, int out, const RollCode& code,
                      int trips) {
  const double grid = std::min(q.height, double(q.grid > 0 ? q.grid : q.multiprocessors));
  const double rows = covers(q.height, grid), wide = q.width + k - 1;
  Kernel kernel;
  kernel.name = kernel.stage = name;
  kernel.blocks = covers(q.height, rows);
  kernel.threads = 256;
  kernel.registers = 40;
  kernel.shared_bytes = int(k * wide);
  const double loaded_rows = kernel.blocks * (rows + k - 1), loads = loaded_rows * wide / 32;
  const double pixels = q.pixels() / 32;
  kernel.instructions = kernel.warps() * code.once + loaded_rows * 8 * code.row +
                        loads * code.load + pixels * code.pixel(k);
  kernel.load_sectors = loads * sectors(32, 32, 1, -(k / 2));
  kernel.store_sectors = pixels * out;
  kernel.l2_sectors = loads + kernel.store_sectors;
  kernel.wavefronts = loads + pixels * (out > 1 ? 2 : 1);
  // Of an aperture of 3 the middle is not read.
  kernel.shared_wavefronts = loads + pixels * (out > 1 ? k * k - 1 : k * k);
  kernel.memory_bytes = q.pixels() * (1 + out);
  kernel.memory_trips = rows * covers(q.width, 4 * kernel.threads) * trips;
  kernel.l2_trips = (k - 1) * covers(q.width, 4 * kernel.threads) * trips;
  return kernel;
}

inline std::vector<Kernel> row_cyclic(const Workload& q) {
  if (q.k < 1 || q.words) return {};
  std::vector<Kernel> kernels;
  if (q.k > 1) kernels.push_back(rolling(q, "gaussian", q.k, 1, canny_gaussian_rows, 2));
  kernels.push_back(rolling(q, "sobel", 3, 4, canny_sobel_rows, 1));
  if (q.k > 1) kernels.back().kept_bytes = q.pixels();
  constexpr int block = 16;  // of the stages after them
  return finish(q, block, std::move(kernels));
}

/// Behind the production gradient and suppression, which is not predicted.
inline std::vector<Kernel> bfs_launch(const Workload& q) {
  std::vector<Kernel> kernels;
  add_search(kernels, q, 16);
  return kernels;
}

/// The same from a queue: marks are collected once, a step is the work of those that joined last,
/// few enough for one block.
inline std::vector<Kernel> bfs_queue(const Workload& q) {
  if (q.depth < 0) return {};
  Kernel collect = pixels_of(q, 16, "hysteresis", "collect", {1}, {});
  collect.waited_with = 2;
  Kernel step;
  step.name = "step";
  step.stage = "hysteresis";
  step.threads = 512;
  step.instructions = 16 * 400;
  // The entry, nine marks one after the other, a claim, a place in the queue.
  step.memory_trips = 0;
  step.l2_trips = 12;
  step.times = q.depth + 1;
  step.waited_with = 2;
  return {collect, step, write(q, 16)};
}

inline bool nothing_whole(const Workload&) { return false; }

}  // namespace cuesta::bench::model::canny
