// From counts to a time. Decision 0014 tells why it has this form.
#pragma once

#include <string>
#include <vector>

#include "bench/model/gpu.hpp"
#include "bench/model/kernel.hpp"

namespace cuesta::bench::model {

/// What a launch takes of one thing, were that all it waited for.
struct Part {
  const char* of = "";    ///< "issue", "device memory"
  double amount = 0;      ///< of `unit`
  const char* unit = "";  ///< "warp instructions"
  double us = 0;
};

/// One launch: its parts, and how they make its time.
struct KernelTime {
  Kernel kernel{};
  int resident = 1;     ///< blocks that a multiprocessor keeps
  double waves = 1;     ///< times that all multiprocessors are filled with blocks
  double rounding = 1;  ///< the busiest multiprocessor's blocks over the mean
  /// Inside a multiprocessor: issue, first-level cache and shared memory, textures, blocks.
  std::vector<Part> inside{};
  /// Outside: second-level cache, device memory.
  std::vector<Part> outside{};
  double latency_us = 0;  ///< round trips that nothing hides
  double launch_us = 0;
  double us = 0;
  double host_us = 0;  ///< until the host has enqueued it and what goes with it, and waited
  std::string bound_by{};
  /// All its launches, and the host's part.
  double all_us() const { return kernel.times * (us + host_us); }
};

KernelTime time_of(const Kernel& kernel, const GpuModel& gpu);

struct Prediction {
  std::vector<KernelTime> kernels{};
  double waits_us = 0;  ///< of the host for the GPU, inside the call; what it enqueues before too
  double us = 0;
  std::string bound_by{};  ///< of the kernel that takes longest
};

/// A call: its kernels one after another, and what the host waits inside it.
Prediction predict(const std::vector<Kernel>& kernels, const GpuModel& gpu);

}  // namespace cuesta::bench::model
