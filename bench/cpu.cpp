// The experiments of the CPU, in the order of their tables.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>

#include "bench/peers.hpp"
#include "bench/session.hpp"
#include "bench_commit.hpp"
#include "core/threads.hpp"
#include "cuesta/error.hpp"

namespace cuesta::bench {
namespace {

constexpr Experiment experiments[] = {
    {{"canny", "Canny, and Gaussian 5x5 then Canny"}, bench_canny},
    {{"log", "Laplacian of Gaussian"}, bench_log},
    {{"gaussian", "Gaussian 5x5 and 15x15"}, bench_gaussian},
    {{"sobel", "gradient magnitude, and both gradients"}, bench_sobel},
    {{"convolve", "stencils 3x3, 5x5, 9x9 on u8 and f32"}, bench_convolve},
    {{"morphology", "close then open with a disk of 15"}, bench_morphology},
    {{"components", "connected components of sparse and random masks"}, bench_components},
    {{"motion", "the whole moving-object chain, a frame at a time"}, bench_motion},
};

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name"))
      return line.substr(std::min(line.find(": ") + 2, line.size()));
  }
  return "unknown";
}

}  // namespace

std::vector<ExperimentInfo> list_experiments() {
  std::vector<ExperimentInfo> out;
  for (const auto& experiment : experiments) out.push_back(experiment.info);
  return out;
}

Result run_cpu(const Settings& settings) {
  for (const std::string& name : settings.only) {
    const auto named = [&](const Experiment& e) { return e.info.name == name; };
    if (std::any_of(std::begin(experiments), std::end(experiments), named)) continue;
    std::vector<std::string_view> names;
    for (const auto& experiment : experiments) names.push_back(experiment.info.name);
    throw Error(ErrorCode::invalid_argument,
                fmt::format("no experiment '{}'; there are {}", name, fmt::join(names, ", ")),
                name);
  }
  Result result;
  result.commit = CUESTA_COMMIT;
  utsname system{};
  uname(&system);
  result.machine = {cpu_name(),
                    std::string(simd_target()),
                    fmt::format("{} {} {}", system.sysname, system.release, system.machine),
                    CUESTA_COMPILER,
                    thread_count(0),
                    {}};
  Session session(settings, result, load_peer("opencv"));
  const Machine& machine = result.machine;
  settings.print(
      fmt::format("{}, {} threads, {}; {}\nmedians over batches that take turns; spread: between "
                  "quartiles; x copy: "
                  "times a memcpy of the source; x opencv: times as fast\n",
                  machine.cpu, machine.threads, machine.simd,
                  machine.peers.empty() ? std::string("no peers found")
                                        : fmt::format("{}", fmt::join(machine.peers, ", "))));
  for (const auto& experiment : experiments) {
    const bool wanted =
        settings.only.empty() || std::find(settings.only.begin(), settings.only.end(),
                                           experiment.info.name) != settings.only.end();
    if (wanted) experiment.run(session);
  }
  return result;
}

}  // namespace cuesta::bench
