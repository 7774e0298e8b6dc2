#include "bench/model/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/model/model.hpp"
#include "bench/model/predict.hpp"

namespace cuesta::bench::model {
namespace {

// Times a copy of every step of the published climb, by strategy (docs/ladder).
struct Published {
  std::string gpu{};
  std::map<std::string, double> copies{};
  std::vector<std::string> order{};
};

Published published(const LadderRequest& request) {
  Published found;
  const bool same = request.type == PixelType::u8 &&
                    (request.operation != "convolve" || request.words == "filter gaussian:5");
  std::ifstream file(data_file("ladder.json"), std::ios::binary);
  if (!same || !file) return found;
  const auto json = nlohmann::json::parse(file);
  found.gpu = json.at("values").at("run").at(0).get<std::string>();
  for (const auto& row : json.at("tables").at(request.operation + "_climb").at("rows")) {
    const auto cell = row.at(0).get<std::string>();  // `name`, or a link on it
    const size_t begin = cell.find('`') + 1;
    const std::string name = cell.substr(begin, cell.find('`', begin) - begin);
    found.copies[name] = row.at(3).get<double>();
    found.order.push_back(name);
  }
  return found;
}

std::string sentence_of(std::string_view idea) {
  std::string text(idea);
  if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

std::string why_none(const std::string& operation, const std::string& strategy) {
  for (const Unpredicted& none : unpredicted())
    if (none.operation == operation && none.strategy == strategy) return std::string(none.why);
  return "the model has no formula for this step";
}

// Sets what the model says; true where it has formulas for the whole call.
bool predict_step(const LadderRequest& request, const GpuModel& gpu, LadderStep& step) {
  const Rung* rung = find(request.operation, step.strategy);
  if (!rung) {
    step.bound_by = why_none(request.operation, step.strategy);
    return false;
  }
  Work work;
  work.window = request.window;
  work.result = request.type;
  if (request.operation == "canny") work.window.search_depth = request.search_steps;
  Row row;
  row.operation = request.operation;
  row.strategy = step.strategy;
  row.variant = defaults_of(*rung);
  row.type = name_of(request.type);
  row.width = request.width;
  row.height = request.height;
  Workload workload;
  const bool known = request_of(work, row, gpu, workload);
  const auto kernels = known ? rung->kernels(workload) : std::vector<Kernel>();
  if (kernels.empty()) return false;  // the step does not take this request
  if (rung->whole && !rung->whole(workload)) {
    step.bound_by = "its other stages are production's, without formulas";
    return true;
  }
  const Prediction made = model::predict(kernels, gpu);
  step.us = made.us;
  step.bound_by = made.bound_by;
  return true;
}

int32_t channels_of(const LadderRequest& request) { return request.operation == "motion" ? 3 : 1; }

// Steps of the papers that take the request, then production as the published climb has it.
std::vector<LadderStep> steps_of(const LadderRequest& request, const GpuModel& gpu,
                                 const Published& measured) {
  std::vector<LadderStep> steps;
  std::vector<LadderStep> production;
  for (const StrategyDescription& one : list_strategies()) {
    if (one.space != Space::device || one.operation != request.operation) continue;
    if (one.tier != Tier::ladder && one.tier != Tier::production) continue;
    LadderStep step{.strategy = std::string(one.name), .idea = sentence_of(one.idea)};
    const auto known = measured.copies.find(step.strategy);
    if (known != measured.copies.end()) step.measured_copies = known->second;
    const bool taken = predict_step(request, gpu, step);
    if (!taken && step.bound_by.empty()) continue;
    if (one.tier == Tier::ladder && (taken || step.measured_copies > 0 || measured.order.empty()))
      steps.push_back(std::move(step));
    else if (one.tier == Tier::production && step.measured_copies > 0)
      production.push_back(std::move(step));
  }
  std::ranges::stable_sort(production, std::ranges::greater(), &LadderStep::measured_copies);
  std::ranges::move(production, std::back_inserter(steps));
  return steps;
}

std::vector<std::string> notes_of(const LadderRequest& request, const Ladder& ladder) {
  std::vector<std::string> notes = {
      "Every time is predicted; no kernel ran. A gain is over the row above. `cuesta bench climb "
      "--device cuda` measures."};
  const auto has_formula = [](const LadderStep& step) { return step.us > 0; };
  if (request.operation == "canny")
    notes.push_back(
        fmt::format("The search of canny is taken to gain pixels in {:g} steps; --steps "
                    "sets another number.",
                    request.search_steps));
  if (!std::ranges::all_of(ladder.steps, has_formula)) {
    std::map<std::string, std::string> whys;
    for (const LadderStep& step : ladder.steps)
      if (step.us == 0)
        whys[step.bound_by] += (whys[step.bound_by].empty() ? "" : ", ") + step.strategy;
    for (const auto& [why, names] : whys)
      notes.push_back(fmt::format("-: no prediction ({}): {}.", names, why));
  }
  notes.push_back(
      ladder.measured_on.empty()
          ? "docs/ladder has measured times of other requests. `--explain` of a verb names the "
            "production strategy of this one."
          : fmt::format(
                "The last column is measured, on an {} with pictures of 2048 x 2048. So are "
                "gains beside no prediction. Production steps are those of that GPU.",
                ladder.measured_on));
  return notes;
}

}  // namespace

Ladder climb(const LadderRequest& asked, const GpuModel& gpu) {
  LadderRequest request = asked;
  if (request.search_steps <= 0)
    request.search_steps = std::max(request.width, request.height) / 8.0;
  const Published measured = published(request);
  Ladder ladder;
  const char* kind = request.operation == "label" ? " mask"
                     : channels_of(request) == 3  ? " RGB"
                                                  : "";
  ladder.title = fmt::format("{}, {} x {} {}{}", request.words, request.width, request.height,
                             name_of(request.type), kind);
  ladder.gpu = gpu.name;
  ladder.source = gpu.source;
  ladder.measured_on = measured.gpu;
  const double bytes = 2.0 * request.width * request.height * bytes_per_sample(request.type);
  ladder.copy_us =
      bytes * channels_of(request) / gpu.ceilings.copy_gbs / 1e3 + gpu.ceilings.launch_us;
  ladder.steps = steps_of(request, gpu, measured);
  const LadderStep* before = nullptr;
  for (LadderStep& step : ladder.steps) {
    step.copies = step.us / ladder.copy_us;
    if (before && before->us > 0 && step.us > 0)
      step.gain = before->us / step.us;
    else if (before && step.measured_copies > 0)
      step.gain = before->measured_copies / step.measured_copies;
    before = &step;
  }
  ladder.notes = notes_of(request, ladder);
  return ladder;
}

}  // namespace cuesta::bench::model
