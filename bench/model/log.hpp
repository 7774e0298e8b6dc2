// What the kernels of log's rungs do: the picture extended by three samples as f32, Gaussian 5 × 5,
// Laplacian 3 × 3 by the convolve rung of that name, and the rule.
#pragma once

#include <vector>

#include "bench/model/convolve.hpp"

namespace cuesta::bench::model::log {

using Rung = std::vector<Kernel> (*)(const Workload&);

/// A thread a pixel in blocks of 32 × 8, from one picture to another, three samples aside: a warp's
/// loads reach into one sector more.
inline Kernel plain_kernel(const char* name, double width, double height, int in_bytes,
                           int out_bytes, double instructions) {
  Kernel kernel;
  kernel.name = name;
  kernel.threads = 256;
  kernel.blocks = covers(width, 32) * covers(height, 8);
  kernel.instructions = kernel.warps() * instructions;
  const double pixels = width * height;
  kernel.load_sectors = covers(width, 32) * height * (in_bytes + 1);
  kernel.store_sectors = pixels * out_bytes / 32;
  kernel.wavefronts = pixels / 16;
  kernel.l2_sectors = kernel.load_sectors + kernel.store_sectors;
  kernel.memory_bytes = pixels * (in_bytes + out_bytes);
  return kernel;
}

inline std::vector<Kernel> two_pass(const Workload& q, Rung gaussian, Rung laplacian) {
  Workload pass = q;
  pass.width += 6, pass.height += 6;
  pass.floats = true;
  pass.words = false;
  pass.frame = false;
  pass.separable = true;
  pass.k = 5;
  std::vector<Kernel> kernels = {plain_kernel("extend", pass.width, pass.height, q.bytes(), 4, 55)};
  const double between = pass.pixels() * 4;
  const auto add = [&](std::vector<Kernel> more) {
    for (Kernel& kernel : more) {
      kernel.kept_bytes = between;
      kernels.push_back(std::move(kernel));
    }
  };
  add(gaussian(pass));
  pass.k = 3;
  pass.separable = false;
  add(laplacian(pass));
  add({plain_kernel("rule", q.width, q.height, 4, 1, 60)});
  return kernels;
}

}  // namespace cuesta::bench::model::log
