#include "bench/model/predict.hpp"

#include <algorithm>
#include <cmath>

namespace cuesta::bench::model {
namespace {

// From an instruction to one that needs its result: 4 for arithmetic, 23 and more for a load from
// shared memory; the mean that rungs with a few warps a multiprocessor show.
constexpr double dependent_cycles = 4.5;

double us_of(double amount, double billions_a_second) {
  return billions_a_second > 0 ? amount / (billions_a_second * 1e3) : 0;
}

const Part& longest(const std::vector<Part>& parts) {
  return *std::max_element(parts.begin(), parts.end(),
                           [](const Part& a, const Part& b) { return a.us < b.us; });
}

// The parts that a multiprocessor's blocks share.
std::vector<Part> parts_inside(const Kernel& kernel, const GpuModel& gpu, const KernelTime& time,
                               double uneven) {
  const Ceilings& c = gpu.ceilings;
  const double mps = gpu.multiprocessors, warps = std::ceil(kernel.threads / 32.0);
  const double start = c.warp_us + (c.block_us - c.warp_us) * (warps - 1) / 31;
  return {{"issue", kernel.instructions, "warp instructions",
           us_of(kernel.instructions, c.issue_ginstructions)},
          {"first-level cache", kernel.wavefronts + kernel.shared_wavefronts, "wavefronts",
           us_of(kernel.wavefronts, c.l1_gwavefronts) +
               us_of(kernel.shared_wavefronts, c.shared_gwavefronts)},
          {"textures", kernel.fetches, "fetches", us_of(kernel.fetches, c.texture_gfetches)},
          {"dependent instructions", kernel.instructions / kernel.warps(), "instructions of a warp",
           std::max(uneven, time.waves * time.rounding) / time.rounding * kernel.instructions /
               kernel.warps() * dependent_cycles / (gpu.gigahertz() * 1e3)},
          {"blocks", kernel.blocks, "blocks", kernel.blocks / mps * start}};
}

}  // namespace

KernelTime time_of(const Kernel& kernel, const GpuModel& gpu) {
  const Ceilings& c = gpu.ceilings;
  KernelTime time;
  time.kernel = kernel;
  time.resident = gpu.blocks_of(kernel.threads, kernel.registers, kernel.shared_bytes);
  const double mps = gpu.multiprocessors, warps = std::ceil(kernel.threads / 32.0);
  time.waves = kernel.blocks / (mps * time.resident);
  // Of several blocks on a multiprocessor one large one is a part.
  const double most = std::ceil(kernel.blocks / mps), uneven = 1 + (kernel.uneven - 1) / most;
  time.rounding = most * mps / kernel.blocks * uneven;

  time.inside = parts_inside(kernel, gpu, time, uneven);
  const bool kept = kernel.kept_bytes > 0 && kernel.kept_bytes <= 0.5 * gpu.l2_bytes;
  const double memory_bytes = kernel.memory_bytes - (kept ? kernel.kept_bytes : 0);
  time.outside = {{"second-level cache", kernel.l2_sectors * 32, "bytes",
                   us_of(kernel.l2_sectors * 32, c.l2_gbs)},
                  {"device memory", memory_bytes, "bytes", us_of(memory_bytes, c.copy_gbs)}};

  // A block's chain of round trips; the blocks that a multiprocessor keeps wait side by side, and
  // what the others of its wave do meanwhile is in `inside` already.
  // A full multiprocessor's round trips take twice those of a single thread.
  const double held = std::min(double(time.resident), std::ceil(kernel.blocks / mps)) * warps;
  const double load = 1 + held * 32 / gpu.residency.threads;
  const double trip_us =
      load * (kernel.memory_trips * (kept ? c.l2_ns : c.memory_ns) + kernel.l2_trips * c.l2_ns) /
      1e3;
  time.latency_us = std::max(1.0, time.waves) * trip_us;
  // The first block waits for its instructions and arguments, the last stores for their way.
  time.launch_us = c.launch_us + 2 * c.memory_ns / 1e3;

  const Part& busiest = longest(time.inside);
  // Two blocks wait at the same time and then both compute; more of them fall out of step, but for
  // the first of a multiprocessor, which all begin at once.
  const double busy = time.rounding * busiest.us;
  const double in_step =
      std::min(1.0, std::max(2.0 / time.resident, 1 / std::max(1.0, time.waves)));
  const double within = std::max(busy, time.latency_us) + std::min(busy, time.latency_us) * in_step;
  const Part& slowest = longest(time.outside);
  time.us = time.launch_us + std::max(within, slowest.us + trip_us);
  if (time.launch_us > 0.5 * time.us)
    time.bound_by = "launch";
  else if (slowest.us + trip_us > within)
    time.bound_by = slowest.of;
  else
    time.bound_by = time.latency_us > time.rounding * busiest.us ? "latency" : busiest.of;
  // A wait is measured with an idle kernel, whose own launch is this one's.
  if (kernel.waited_with >= 0)
    time.host_us = c.wait_us - c.launch_us + kernel.waited_with * c.enqueue_us;
  return time;
}

Prediction predict(const std::vector<Kernel>& kernels, const GpuModel& gpu) {
  Prediction prediction;
  double most = -1;
  for (const Kernel& kernel : kernels) {
    prediction.kernels.push_back(time_of(kernel, gpu));
    const KernelTime& time = prediction.kernels.back();
    prediction.us += time.all_us();
    prediction.waits_us += kernel.times * time.host_us;
    if (kernel.times * time.us > most) prediction.bound_by = time.bound_by;
    most = std::max(most, kernel.times * time.us);
  }
  if (prediction.waits_us > most) prediction.bound_by = "waits";
  return prediction;
}

}  // namespace cuesta::bench::model
