#include "bench/model/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cuesta::bench::model {
namespace {

std::string amount_of(double value, const char* unit) {
  if (value >= 1e6) return fmt::format("{:.2f} million {}", value / 1e6, unit);
  return fmt::format("{:.0f} {}", value, unit);
}

std::string words_of(const KernelTime& time) {
  const Kernel& kernel = time.kernel;
  std::string text = fmt::format(
      "\n  {}{}{}: {:.0f} blocks of {} threads, {} registers a thread, {} bytes of shared "
      "memory.\n",
      kernel.stage, kernel.stage.empty() || kernel.stage == kernel.name ? "" : ", ",
      kernel.stage == kernel.name ? "" : kernel.name, kernel.blocks, kernel.threads,
      kernel.registers, kernel.shared_bytes);
  text += fmt::format(
      "    A multiprocessor keeps {} of them, so they come in {:.2f} waves; the busiest has {:.2f} "
      "times its share.\n",
      time.resident, time.waves, time.rounding);
  for (const auto* parts : {&time.inside, &time.outside}) {
    for (const Part& part : *parts) {
      if (part.amount <= 0) continue;
      text += fmt::format("    {:<22} {:>9.2f} us   {}\n", part.of, part.us,
                          amount_of(part.amount, part.unit));
    }
  }
  text += fmt::format(
      "    {:<22} {:>9.2f} us   {:g} round trips to device memory and {:g} to the second-level "
      "cache that wait for one another, every wave\n",
      "latency", time.latency_us, kernel.memory_trips, kernel.l2_trips);
  text += fmt::format("    {:<22} {:>9.2f} us\n", "launch", time.launch_us);
  if (kernel.waited_with >= 0)
    text += fmt::format("    {:<22} {:>9.2f} us   it enqueues {} things more, and waits\n",
                        "the host, each time", time.host_us, kernel.waited_with);
  const auto most = [](const std::vector<Part>& parts) {
    return *std::max_element(parts.begin(), parts.end(),
                             [](const Part& a, const Part& b) { return a.us < b.us; });
  };
  text += fmt::format(
      "    Inside a multiprocessor {} decides, with the latency beside it; outside {}. The longer "
      "of the two and the launch: {:.2f} us, bound by {}.\n",
      most(time.inside).of, most(time.outside).of, time.us, time.bound_by);
  return text;
}

}  // namespace

std::string words_of(const Prediction& prediction, const std::string& what, const GpuModel& gpu) {
  std::string text = fmt::format("{}, on {} ({})\n", what, gpu.name, gpu.source);
  text += fmt::format(
      "  It attains {:.0f} GB/s to device memory, {:.0f} from the second-level cache, {:.0f} "
      "billion warp instructions a second,\n  {:.0f} billion wavefronts from the first-level cache "
      "and {:.0f} from shared memory; a round trip takes {:.0f} ns, to the\n  second-level cache "
      "{:.0f} ns; a kernel follows another after {:.1f} us.\n",
      gpu.ceilings.copy_gbs, gpu.ceilings.l2_gbs, gpu.ceilings.issue_ginstructions,
      gpu.ceilings.l1_gwavefronts, gpu.ceilings.shared_gwavefronts, gpu.ceilings.memory_ns,
      gpu.ceilings.l2_ns, gpu.ceilings.launch_us);
  for (const KernelTime& time : prediction.kernels) text += words_of(time);
  if (prediction.waits_us > 0)
    text += fmt::format("\n  The host, enqueuing and waiting: {:.2f} us.\n", prediction.waits_us);
  text += fmt::format("\n  Together {:.2f} us, bound by {}.\n", prediction.us, prediction.bound_by);
  return text;
}

}  // namespace cuesta::bench::model
