// Timing strategies against each other, a copy, and peers: what cuesta-bench runs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine/result.hpp"
#include "bench/engine/settings.hpp"

namespace cuesta::bench {

struct ExperimentInfo {
  std::string_view name, summary;
};
/// What `run` takes: the papers' experiments, then `cpu`.
std::vector<ExperimentInfo> list_experiments();
/// The tables of experiment `cpu`, which Settings::only chooses from.
std::vector<ExperimentInfo> list_cpu_tables();

/// What run() refuses, reported before anything takes time.
void check(std::span<const std::string> names, const Settings& settings);
/// How the model comes to a strategy's time on the GPU of Settings::gpu_model, else on an H200, in
/// words. `what` is "convolve:tiled"; nothing runs. Throws Error{invalid_argument} for a strategy
/// that the model has no formulas for.
std::string explain(const std::string& what, const Settings& settings);
/// A GPU by the runtime's index: its facts, and its ceilings as they are measured now. Throws
/// Error{device} where there is none of that index.
Gpu describe_gpu(int index, bool quick);
/// GPUs that Settings::gpu_model may name, besides files.
std::vector<std::string> known_gpus();

/// Runs the named experiments (`all`: every one) in the order of the list. Throws
/// Error{invalid_argument} for a name that no experiment or table of `cpu` has, or a sweep that no
/// strategy declares.
Result run(std::span<const std::string> names, const Settings& settings);

}  // namespace cuesta::bench
