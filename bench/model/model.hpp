// The model of the rungs: what `cuesta bench` prints beside what it measures, and instead of it
// where there is no GPU.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/engine/predictor.hpp"
#include "bench/model/gpu.hpp"
#include "bench/model/kernel.hpp"

namespace cuesta::bench::model {

/// A strategy that the model has formulas for.
struct Rung {
  std::string_view operation{}, strategy{};
  std::vector<Kernel> (*kernels)(const Workload&) = nullptr;
  /// Whether they are all of a call; null: they are. Else some stages alone are predicted.
  bool (*whole)(const Workload&) = nullptr;
};
std::span<const Rung> rungs();
/// A rung without formulas, and why; steps of a paper on the device, of operations that have some.
struct Unpredicted {
  std::string_view operation{}, strategy{}, why{};
};
std::span<const Unpredicted> unpredicted();
const Rung* find(std::string_view operation, std::string_view strategy);
/// The first value of each of its parameters, "block=32 T=4".
std::string defaults_of(const Rung& rung);

/// The request of a row, its strategy's parameters among it. False where the model knows no such
/// request: other types, windows of unequal sides.
bool request_of(const Work& work, const Row& row, const GpuModel& gpu, Workload& request);

class Model final : public Predictor {
 public:
  explicit Model(GpuModel gpu) : gpu_(std::move(gpu)) {}
  const std::string& gpu() const override { return gpu_.name; }
  void predict(const Work& work, Row& row) const override;

 private:
  GpuModel gpu_;
};

/// What predicts "OPERATION:STRATEGY" of the first request of `bench model` that it takes, in
/// words. Throws Error{invalid_argument} for a strategy without formulas.
std::string explain(const std::string& what, const GpuModel& gpu, std::span<const int32_t> sizes);

}  // namespace cuesta::bench::model

namespace cuesta::bench {

class Session;
/// Predicted beside measured for every rung that has formulas; a note for each that is more than a
/// fifth off.
void bench_model(Session& session);

}  // namespace cuesta::bench
