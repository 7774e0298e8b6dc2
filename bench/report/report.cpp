#include "bench/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/text_file.hpp"

namespace cuesta::bench {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json pairs(const std::vector<std::pair<std::string, double>>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

Json json_of(const KernelUse& use) {
  return {{"name", use.name},
          {"launches", use.launches},
          {"blocks", use.blocks},
          {"threads", use.threads},
          {"registers", use.registers},
          {"static_shared_bytes", use.static_shared},
          {"dynamic_shared_bytes", use.dynamic_shared},
          {"local_bytes", use.local_bytes},
          {"occupancy", use.occupancy}};
}

Json json_of(const std::optional<PictureCosts>& costs) {
  if (!costs) return nullptr;
  return {{"host_allocate", costs->host_allocate},
          {"device_allocate", costs->device_allocate},
          {"first_upload", costs->first_upload},
          {"upload", costs->upload},
          {"first_download", costs->first_download},
          {"download", costs->download},
          {"release", costs->release}};
}

Json json_of(const Row& row) {
  Json json = {{"experiment", row.experiment},
               {"operation", row.operation},
               {"strategy", row.strategy},
               {"space", row.space},
               {"parameters", row.parameters},
               {"strategy_parameters", row.variant},
               {"type", row.type},
               {"width", row.width},
               {"height", row.height},
               {"threads", row.threads},
               {"ms", row.ms},
               {"ms_spread", row.ms_spread},
               {"copy_ms", row.copy_ms},
               {"times_copy", row.times_copy()},
               {"serial_ms", or_null(row.serial_ms)},
               {"speedup", or_null(row.speedup())},
               {"gflops", or_null(row.gflops)},
               {"bytes_per_pixel", row.bytes_per_pixel},
               {"intensity", or_null(row.intensity)},
               {"intensity_paper", or_null(row.intensity_paper)},
               {"roofline_gflops", or_null(row.roofline_gflops)},
               {"roofline_percent", or_null(row.roofline_percent())},
               {"pageable_ms", or_null(row.pageable_ms)},
               {"pinned_ms", or_null(row.pinned_ms)},
               {"set_up_ms", or_null(row.set_up_ms)},
               {"run_ms", or_null(row.run_ms)},
               {"border", row.border},
               {"pictures", row.pictures},
               {"pageable_costs", json_of(row.pageable_costs)},
               {"pinned_costs", json_of(row.pinned_costs)},
               {"predicted_ms", or_null(row.predicted_ms)},
               {"bound_by", row.bound_by},
               {"predicted_stages", pairs(row.predicted_stages)},
               {"paper", row.paper},
               {"paper_figure", nullptr},
               {"accesses", nullptr},
               {"kernels", Json::array()},
               {"stages", pairs(row.stages)},
               {"statistics", pairs(row.statistics)}};
  if (row.paper_figure) {
    json["paper_figure"] = {{"what", row.paper_figure->what},
                            {"value", row.paper_figure->value},
                            {"unit", row.paper_figure->unit}};
  }
  if (row.accesses)
    json["accesses"] = {{"paper", or_null(row.accesses->paper)},
                        {"counted", or_null(row.accesses->counted)}};
  for (const KernelUse& use : row.kernels) json["kernels"].push_back(json_of(use));
  json["answer"] = row.answer;
  return json;
}

Json json_of(const TheoryPoint& point) {
  return {{"strategy", point.strategy},      {"tiles", point.tiles},
          {"filter", point.filter},          {"paper_gpu_gflops", point.paper_gpu_gflops},
          {"gflops", or_null(point.gflops)}, {"printed_gflops", or_null(point.printed_gflops)}};
}

Json json_of(const Figure& figure) {
  return {{"experiment", figure.experiment},
          {"parameters", figure.parameters},
          {"width", figure.width},
          {"height", figure.height},
          {"source", figure.source},
          {"subject", figure.subject},
          {"detail", figure.detail},
          {"what", figure.what},
          {"unit", figure.unit},
          {"value", figure.value},
          {"words", figure.words}};
}

Json gpu_json(const Result& result) {
  if (!result.gpu) return nullptr;
  const Gpu& gpu = *result.gpu;
  Json ceilings = Json::object();
  for (const auto& [name, member] : ceiling_fields) ceilings[name] = gpu.ceilings.*member;
  return {{"name", gpu.name},
          {"compute_capability", gpu.compute_capability},
          {"driver", gpu.driver},
          {"runtime", gpu.runtime},
          {"multiprocessors", gpu.multiprocessors},
          {"memory_bytes", gpu.memory_bytes},
          {"l2_bytes", gpu.l2_bytes},
          {"ceilings", std::move(ceilings)}};
}

std::string listed(const Json& object) {
  std::string out;
  for (const auto& [name, value] : object.items())
    out += fmt::format("{}{}={}", out.empty() ? "" : ";", name, value.dump());
  return out;
}

std::string cell(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return io::csv_cell(value.get<std::string>());
  if (value.is_object()) return io::csv_cell(listed(value));
  return value.dump();
}

}  // namespace

std::string json_of(const Result& result) {
  const Machine& machine = result.machine;
  Json rows = Json::array();
  for (const auto& row : result.rows) rows.push_back(json_of(row));
  Json theory = Json::array();
  for (const auto& point : result.theory) theory.push_back(json_of(point));
  Json figures = Json::array();
  for (const auto& figure : result.figures) figures.push_back(json_of(figure));
  const Json json = {{"machine",
                      {{"cpu", machine.cpu},
                       {"threads", machine.threads},
                       {"simd", machine.simd},
                       {"system", machine.system},
                       {"compiler", machine.compiler},
                       {"peers", machine.peers}}},
                     {"gpu", gpu_json(result)},
                     {"why_no_gpu", result.why_no_gpu},
                     {"libraries", result.libraries},
                     {"commit", result.commit},
                     {"date", result.date},
                     {"differences", result.differences},
                     {"notes", result.notes},
                     {"theory", std::move(theory)},
                     {"figures", std::move(figures)},
                     {"rows", std::move(rows)}};
  // A name in a file that is not UTF-8 must not lose a run of an hour.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string csv_of(const Result& result) {
  std::string out;
  for (const Row& row : result.rows) {
    Json json = json_of(row);
    // A call's kernels by their extremes.
    Json registers = nullptr, shared = nullptr, occupancy = nullptr;
    for (const KernelUse& use : row.kernels) {
      registers = std::max(registers.is_null() ? 0 : registers.get<int>(), use.registers);
      shared = std::max(shared.is_null() ? size_t(0) : shared.get<size_t>(),
                        use.static_shared + use.dynamic_shared);
      occupancy = std::min(occupancy.is_null() ? 1.0 : occupancy.get<double>(), use.occupancy);
    }
    json.erase("kernels");
    json["max_registers"] = registers;
    json["max_shared_bytes"] = shared;
    json["min_occupancy"] = occupancy;
    std::string head, line;
    for (const auto& [name, value] : json.items()) {
      head += fmt::format("{}{}", head.empty() ? "" : ",", name);
      line += fmt::format("{}{}", &value == &json.front() ? "" : ",", cell(value));
    }
    if (out.empty()) out = head + "\n";
    out += line + "\n";
  }
  return out;
}

}  // namespace cuesta::bench
