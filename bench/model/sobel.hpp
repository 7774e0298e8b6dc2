// What the kernels of sobel's rungs do, aperture 3, u8 and f32. Of nine samples the one in the
// middle counts for neither gradient, and the compiler leaves its load out. A root of 0 takes a way
// of its own, some 20 instructions a root, which is not counted: how often depends on the picture.
#pragma once

#include <vector>

#include "bench/model/convolve.hpp"

namespace cuesta::bench::model::sobel {

using convolve::grid_of;

/// Blocks of B × B threads, each with its pixel's result stored. Nothing for other apertures.
inline Kernel kernel_of(const Workload& q, const char* name, double instructions) {
  Kernel kernel = grid_of(q, name, q.block, q.block, q.bytes(), q.result_bytes());
  kernel.instructions = kernel.warps() * instructions;
  return kernel;
}

/// The frame's launch, where the border needs one.
inline std::vector<Kernel> with_frame(const Workload& q, Kernel inside) {
  if (!q.frame) return {std::move(inside)};
  Kernel frame = convolve::frame_kernel(q);
  // Where each of three columns and three rows begins is asked out of line: by the profiler.
  frame.instructions = frame.warps() * 416;
  frame.load_sectors *= 8 / 9.0;
  return {std::move(inside), std::move(frame)};
}

inline std::vector<Kernel> global(const Workload& q) {
  if (q.k != 3 || q.words) return {};
  Kernel kernel = kernel_of(q, "global", sobel_code_of("global", q.block)(q.floats, q.root));
  convolve::add_window(kernel, q, 3, 3, q.bytes());
  const int n = convolve::lanes(q);
  const double middle = kernel.warps() * convolve::rows_a_warp(q);
  kernel.load_sectors -= middle * sectors(n, n, q.bytes(), 0);
  kernel.wavefronts -= middle * lines(n, n, q.bytes(), 0);
  return with_frame(q, std::move(kernel));
}

/// Three samples on either side of a row come from beyond the block, and three whole rows above and
/// below it.
inline std::vector<Kernel> shared_no_apron(const Workload& q) {
  if (q.k != 3 || q.words) return {};
  Kernel kernel =
      kernel_of(q, "shared-no-apron", sobel_code_of("shared-no-apron", q.block)(q.floats, q.root));
  const int b = q.block;
  kernel.shared_bytes = b * b * q.bytes();
  const double loads = convolve::add_tile(kernel, q, b, b, q.bytes(), 0);
  const double sides = kernel.blocks * (6.0 * b - 4);
  kernel.load_sectors += sides;
  kernel.wavefronts += sides;
  for (const int shift : {-1, 0, 1}) {
    kernel.load_sectors += 2 * kernel.blocks * sectors(b, b, q.bytes(), shift);
    kernel.wavefronts += 2 * kernel.blocks * lines(b, b, q.bytes(), shift);
  }
  kernel.l2_sectors += kernel.blocks * (2 * sectors(b + 2, b, q.bytes(), -1) + 2.0 * b);
  // A row of its own has no sample in the tile above the first row or below the last.
  kernel.shared_wavefronts +=
      8 * loads * convolve::row_passes(q, b, q.bytes()) - (b == 32 ? 6 * kernel.blocks : 0);
  kernel.l2_trips = 1;
  return with_frame(q, std::move(kernel));
}

/// One tile of B + 2 a side, four loads a thread; all blocks but those of 32 × 32 leap over what a
/// warp has no sample of.
inline std::vector<Kernel> from_apron(const Workload& q, const char* name) {
  if (q.k != 3 || q.words) return {};
  Kernel kernel = kernel_of(q, name, sobel_code_of(name, q.block)(q.floats, q.root));
  const int side = q.block + 2;
  kernel.shared_bytes = side * side * q.bytes();
  convolve::add_tile(kernel, q, side, side, q.bytes(), 1);
  kernel.shared_wavefronts += kernel.warps() * 8 * convolve::row_passes(q, side, q.bytes());
  return with_frame(q, std::move(kernel));
}
inline std::vector<Kernel> shared_apron(const Workload& q) { return from_apron(q, "shared-apron"); }
inline std::vector<Kernel> shared_1d(const Workload& q) { return from_apron(q, "shared-1d"); }

}  // namespace cuesta::bench::model::sobel
