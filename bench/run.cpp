// Every experiment by name, and what a run says of the machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>

#include "bench/bench.hpp"
#include "bench/cpu.hpp"
#include "bench/engine/device_timing.hpp"
#include "bench/engine/session.hpp"
#include "bench/model/model.hpp"
#include "bench/papers/experiments.hpp"
#include "bench/peers/peers.hpp"
#include "bench/production/production.hpp"
#include "bench/report/table.hpp"
#include "bench/surface/surface.hpp"
#include "bench/video/video.hpp"
#include "bench_commit.hpp"
#include "core/threads.hpp"
#include "cuesta/device.hpp"
#include "cuesta/error.hpp"
#include "cuesta/version.hpp"

namespace cuesta::bench {
namespace {

struct Experiment {
  ExperimentInfo info;
  void (*run)(Session&);
};
constexpr Experiment experiments[] = {
    {{"log-ladder", "paper 000: convolution and LoG by kind of memory and tiling"},
     bench_log_ladder},
    {{"memory-ladder", "paper 002: averaging and sharpening by kind of GPU memory"},
     bench_memory_ladder},
    {{"sobel-ladder", "paper 003: Sobel and sharpening at 512x512, blocks of 32 and 16"},
     bench_sobel_ladder},
    {{"canny-stages", "paper 001: time of each stage of Canny, beside the paper's models"},
     bench_canny_stages},
    {{"canny-pipeline", "paper 001: Canny as a pipeline of pictures, on one GPU and on all"},
     bench_canny_pipeline},
    {{"motion-ladder", "paper 004: moving objects by step and version, on a generated video"},
     bench_motion_ladder},
    {{"label-density", "paper 004: labelling against the number of components"},
     bench_label_density},
    {{"filter-sizes", "paper 000: every rung of convolve, by filter side from 3 to 15"},
     bench_filter_sizes},
    {{"roofline", "every strategy under the roofline, and the curves of paper 000"},
     bench_roofline},
    {{"climb", "five requests by every GPU strategy, from the first step to production"},
     bench_climb},
    {{"model", "predicted and measured time of each rung"}, bench_model},
    {{"production", "production strategies of the GPU, as multiples of a copy, and goals"},
     bench_production},
    {{"surface", "requests of every type, channel count and option, beside a copy, and ceilings"},
     bench_surface},
    {{"video", "decoding, detection and encoding, beside OpenCV, DVR-Scan and ffmpeg"},
     bench_video},
    {{"cpu", "CPU operations, beside memcpy and OpenCV"}, bench_cpu},
};

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name"))
      return line.substr(std::min(line.find(": ") + 2, line.size()));
  }
  return "unknown";
}

std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

template <class Infos>
void check_name(std::string_view name, const Infos& infos, std::string_view what) {
  std::vector<std::string_view> names;
  for (const ExperimentInfo& info : infos) {
    if (info.name == name) return;
    names.push_back(info.name);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("no {} '{}'; there are {}", what, name, fmt::join(names, ", ")),
              std::string(name));
}

// A value no strategy declares would be timed nowhere and look like success.
void check_sweep(const Sweep& sweep) {
  std::vector<ParameterInfo> declared;
  for (const auto& strategy : list_strategies()) {
    for (const ParameterInfo& info : strategy.parameters)
      if (strategy.built && info.name == sweep.first) declared.push_back(info);
  }
  if (declared.empty()) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--sweep {}: no strategy of this build has that parameter", sweep.first),
        sweep.first);
  }
  std::vector<std::string> known;
  for (const ParameterInfo& info : declared) {
    if (info.max > 0) known.push_back(info.choices());
    for (const auto& value : info.values)
      if (info.max == 0) known.emplace_back(value);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const std::string& value : sweep.second) {
    if (std::any_of(declared.begin(), declared.end(),
                    [&](const ParameterInfo& info) { return info.takes(value); }))
      continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--sweep {}={}: strategies take {}", sweep.first, value,
                            fmt::join(known, ", ")),
                value);
  }
}

std::string heading(const Result& result) {
  const Machine& machine = result.machine;
  std::string text =
      fmt::format("{}, {} threads, {}; {}\n", machine.cpu, machine.threads, machine.simd,
                  machine.peers.empty() ? std::string("no peers found")
                                        : fmt::format("{}", fmt::join(machine.peers, ", ")));
  if (!result.gpu) return text + fmt::format("CUDA rows are absent: {}\n", result.why_no_gpu);
  const Gpu& gpu = *result.gpu;
  const Ceilings& c = gpu.ceilings;
  return text + fmt::format(
                    "{}, driver {}, CUDA {}; measured now: copy {:.0f} GB/s (spread {:.0f}), FMA "
                    "{:.0f} GFLOP/s (spread {:.0f})\n",
                    gpu.name, gpu.driver, gpu.runtime, c.copy_gbs, c.copy_spread, c.fma_gflops,
                    c.fma_spread);
}

}  // namespace

std::vector<ExperimentInfo> list_experiments() {
  std::vector<ExperimentInfo> out;
  for (const auto& experiment : experiments) out.push_back(experiment.info);
  return out;
}

void check(std::span<const std::string> names, const Settings& settings) {
  for (const std::string& name : names) {
    if (name != "all") check_name(name, list_experiments(), "experiment");
  }
  for (const std::string& name : settings.only) {
    const auto operations = list_operations();
    if (std::ranges::none_of(operations, [&](const auto& one) { return one.name == name; }))
      check_name(name, list_cpu_tables(), "table of cpu");
  }
  for (const Sweep& sweep : settings.sweeps) check_sweep(sweep);
  if (!settings.gpu_model.empty()) model::read_gpu(settings.gpu_model);
}

std::string explain(const std::string& what, const Settings& settings) {
  return model::explain(what,
                        model::read_gpu(settings.gpu_model.empty() ? "h200" : settings.gpu_model),
                        settings.sizes);
}

Gpu describe_gpu(int index, bool quick) {
  use_device(index);
  for (const DeviceInfo& info : list_devices()) {
    if (info.index != index) continue;
    const std::string driver = driver_version();
    return {info.name,
            fmt::format("{}.{}", info.major, info.minor),
            driver.empty() ? "CUDA " + cuda_version(info.driver) : driver,
            cuda_version(info.runtime),
            info.multiprocessors,
            info.memory_bytes,
            info.l2_bytes,
            measure_ceilings(quick)};
  }
  throw Error(ErrorCode::device, fmt::format("there is no GPU {}", index));
}

std::vector<std::string> known_gpus() { return model::known_gpus(); }

Result run(std::span<const std::string> names, const Settings& settings) {
  check(names, settings);
  const bool all = std::find(names.begin(), names.end(), "all") != names.end();
  Result result;
  result.commit = CUESTA_COMMIT;
  result.date = now();
  result.libraries = {"cuesta " CUESTA_VERSION, CUESTA_LIBRARIES};
  utsname system{};
  uname(&system);
  result.machine = {cpu_name(),
                    std::string(simd_target()),
                    fmt::format("{} {} {}", system.sysname, system.release, system.machine),
                    CUESTA_COMPILER,
                    thread_count(0),
                    {}};
  if (settings.device >= 0) {
    result.gpu = describe_gpu(settings.device, settings.quick);
    result.libraries.push_back("CUDA runtime " + result.gpu->runtime);
  } else {
    result.why_no_gpu = settings.why_no_device;
  }
  std::string why_no_npp;
  std::unique_ptr<DevicePeer> npp;
  if (result.gpu) npp = load_device_peer("npp", settings.device, why_no_npp);
  Session session(settings, result, load_peer("opencv"), std::move(npp));
  result.libraries.insert(result.libraries.end(), result.machine.peers.begin(),
                          result.machine.peers.end());
  std::unique_ptr<Predictor> model;
  if (result.gpu)
    model = std::make_unique<model::Model>(model::model_of(*result.gpu));
  else if (!settings.gpu_model.empty())
    model = std::make_unique<model::Model>(model::read_gpu(settings.gpu_model));
  session.predict_with(model.get());
  session.on_measured([&](const Measured& measured) { settings.print(text_of(measured)); });
  settings.print(heading(result));
  if (result.gpu && !settings.gpu_model.empty())
    session.note("predictions are for the GPU in use: --gpu-model is for runs without one");
  if (!why_no_npp.empty()) session.note(fmt::format("no rows of NPP: {}", why_no_npp));
  for (const auto& experiment : experiments) {
    if (!all && std::find(names.begin(), names.end(), experiment.info.name) == names.end())
      continue;
    experiment.run(session);
    // No device row carries the paper's figures then.
    if (!result.gpu) settings.print(paper_text_of(result.figures, experiment.info.name));
  }
  return result;
}

}  // namespace cuesta::bench
