#include "bench/model/model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "bench/model/explain.hpp"
#include "bench/model/works.hpp"
#include "cuesta/error.hpp"

namespace cuesta::bench {
namespace model {
namespace {

int integer_of(const Row& row, const std::string& name, int fallback) {
  const std::string text = parameter_of(row, name, "");
  return text.empty() ? fallback : std::atoi(text.c_str());
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Rung& rung : rungs())
    names.push_back(fmt::format("{}:{}", rung.operation, rung.strategy));
  return names;
}

}  // namespace

const Rung* find(std::string_view operation, std::string_view strategy) {
  for (const Rung& rung : rungs())
    if (rung.operation == operation && rung.strategy == strategy) return &rung;
  return nullptr;
}

std::string defaults_of(const Rung& rung) {
  std::string text;
  for (const StrategyDescription& strategy : list_strategies()) {
    if (strategy.space != Space::device || strategy.operation != rung.operation ||
        strategy.name != rung.strategy)
      continue;
    for (const ParameterInfo& info : strategy.parameters)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", info.name, info.values.front());
  }
  return text;
}

// The papers' kernels beside ours have no formulas.
static bool is_papers_kernel(const Row& row) {
  return parameter_of(row, "loads", "") == "four" || parameter_of(row, "unroll", "") == "all" ||
         parameter_of(row, "shape", "") == "row" || parameter_of(row, "threads", "") == "columns";
}

bool request_of(const Work& work, const Row& row, const GpuModel& gpu, Workload& request) {
  const bool known = row.type == "f32" || row.type == "u8" || row.type == "u16";
  if (!known || work.window.width != work.window.height || is_papers_kernel(row)) return false;
  request = {};
  request.root = row.parameters.find("L2") != std::string::npos;
  request.depth = work.window.search_depth;
  for (const auto& [name, value] : row.statistics)
    if (request.depth < 0 && name == "bfs depth") request.depth = value;
  request.search = parameter_of(row, "hysteresis", "bfs-launch") == "bfs-launch";
  request.suppress_on_host = parameter_of(row, "suppression", "gpu") != "gpu";
  request.width = row.width;
  request.height = row.height;
  request.k = work.window.width;
  request.separable = work.window.separable;
  request.frame = work.window.frame;
  request.floats = row.type == "f32";
  request.words = row.type == "u16";
  request.float_result = work.result == PixelType::f32;
  request.block = integer_of(row, "block", 32);
  request.tiles = integer_of(row, "T", 4);
  request.grid = integer_of(row, "grid", 0);
  request.one_each = parameter_of(row, "load", "") == "one-each";
  request.transpose = parameter_of(row, "transpose", "on") == "on";
  request.multiprocessors = gpu.multiprocessors;
  request.shared_limit =
      parameter_of(row, "limit", "") == "48k" ? 48 * 1024 : gpu.residency.shared_block;
  return true;
}

void Model::predict(const Work& work, Row& row) const {
  const Rung* rung = find(row.operation, row.strategy);
  Workload request;
  if (!rung || !request_of(work, row, gpu_, request)) return;
  const std::vector<Kernel> kernels = rung->kernels(request);
  if (kernels.empty()) return;
  const Prediction prediction = model::predict(kernels, gpu_);
  for (const KernelTime& time : prediction.kernels) {
    if (time.kernel.stage.empty()) continue;
    auto& stages = row.predicted_stages;
    if (stages.empty() || stages.back().first != time.kernel.stage)
      stages.emplace_back(time.kernel.stage, 0);
    stages.back().second += time.all_us() / 1e3;
  }
  if (rung->whole && !rung->whole(request)) return;
  row.predicted_ms = prediction.us / 1e3;
  row.bound_by = prediction.bound_by;
}

std::string explain(const std::string& what, const GpuModel& gpu, std::span<const int32_t> sizes) {
  const size_t colon = what.find(':');
  const Rung* rung = colon == what.npos ? nullptr
                                        : find(std::string_view(what).substr(0, colon),
                                               std::string_view(what).substr(colon + 1));
  for (const Unpredicted& none : unpredicted()) {
    if (fmt::format("{}:{}", none.operation, none.strategy) == what)
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("the model has no formulas for '{}': {}", what, none.why), what);
  }
  if (!rung) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the model has no formulas for '{}'; it has {}", what,
                            fmt::join(all_names(), ", ")),
                what);
  }
  std::string text;
  const std::vector<int32_t> usual = {2048};
  for (const int32_t side : sizes.empty() ? std::span<const int32_t>(usual) : sizes) {
    const ModelWorks works(side);
    for (const Work& work : works.works) {
      if (work.operation != rung->operation) continue;
      Row row;
      row.operation = rung->operation;
      row.strategy = rung->strategy;
      row.variant = defaults_of(*rung);
      row.type = name_of(work.sources[0].type);
      row.parameters = work.parameters;
      row.width = row.height = side;
      Workload request;
      if (!request_of(work, row, gpu, request)) continue;
      const bool searches = row.operation == "canny" && request.depth < 0;
      if (searches) request.depth = 0;
      const auto kernels = rung->kernels(request);
      if (kernels.empty()) continue;
      text += words_of(model::predict(kernels, gpu),
                       fmt::format("{} {}, {} {} x {} {}", what, row.variant, work.parameters, side,
                                   side, row.type),
                       gpu);
      if (searches)
        text +=
            "  Its search is taken to gain nothing: each step that gains, as many as the picture "
            "asks for, is one launch of `step`\n  more, and one wait.\n";
      if (rung->whole && !rung->whole(request))
        text += "  These are not all of its stages; the others have no formulas.\n";
      break;
    }
  }
  return text;
}

}  // namespace model

void bench_model(Session& session) {
  constexpr double allowed = 0.2;
  int within = 0, all = 0;
  std::vector<std::string> outside;
  for (const int32_t side : session.sizes({1024, 2048, 4096})) {
    ModelWorks works(side);
    for (Work& work : works.works) {
      const auto all_rungs = model::rungs();
      if (std::none_of(all_rungs.begin(), all_rungs.end(),
                       [&](const model::Rung& rung) { return rung.operation == work.operation; }))
        continue;
      work.takes = [](const StrategyDescription& s) { return s.space == Space::device; };
      session.measure(work, [&](Row& row) {
        if (row.space != name_of(Space::device) || row.predicted_ms <= 0 || row.ms <= 0) return;
        const double error = row.predicted_ms / row.ms - 1;
        ++all;
        within += std::fabs(error) <= allowed;
        if (std::fabs(error) <= allowed) return;
        outside.push_back(fmt::format("{} {} {} {} {}: {:+.0f} %", row.operation, row.strategy,
                                      row.type, row.parameters, row.width, 100 * error));
      });
    }
  }
  if (!session.gpu()) session.note("model: nothing is measured beside it without a GPU");
  if (all == 0) return;
  session.note(fmt::format("model: {} of {} rows within {:.0f} %", within, all, 100 * allowed));
  for (const std::string& line : outside) session.note("model: outside: " + line);
}

}  // namespace cuesta::bench
