// cuesta list: what this build holds.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/nearest.hpp"
#include "core/threads.hpp"
#include "cuesta/device.hpp"
#include "verify/verify.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const StrategyDescription& row) {
  Json parameters = Json::array();
  for (const auto& parameter : row.parameters) {
    Json entry = {
        {"name", parameter.name},
        {"meaning", parameter.meaning},
        {"values", std::vector<std::string>(parameter.values.begin(), parameter.values.end())}};
    if (parameter.max > 0) entry["min"] = parameter.min, entry["max"] = parameter.max;
    parameters.push_back(std::move(entry));
  }
  return {{"operation", row.operation}, {"space", name_of(row.space)},
          {"strategy", row.name},       {"tier", name_of(row.tier)},
          {"idea", row.idea},           {"paper", row.paper},
          {"exactness", row.exactness}, {"parameters", std::move(parameters)},
          {"allocates", row.allocates}, {"host_sync", row.host_sync},
          {"built", row.built}};
}

void list_all_strategies(bool as_json) {
  const auto rows = list_strategies();
  if (as_json) {
    Json out = Json::array();
    for (const auto& row : rows) out.push_back(json_of(row));
    return print_data(out.dump(2) + "\n");
  }
  std::string text = fmt::format("{:<11} {:<7} {:<17} {:<11} {:<12} {}\n", "operation", "space",
                                 "strategy", "tier", "paper", "idea");
  int unbuilt = 0;
  for (const auto& row : rows) {
    unbuilt += !row.built;
    text += fmt::format("{:<11} {:<7} {:<17} {:<11} {:<12} {}\n", row.operation,
                        fmt::format("{}{}", name_of(row.space), row.built ? "" : "*"), row.name,
                        name_of(row.tier), row.paper, row.idea);
    for (const auto& parameter : row.parameters) {
      text += fmt::format("{:>63}--param {}={}  {}{}\n", "", parameter.name,
                          fmt::join(parameter.values, "|"), parameter.meaning,
                          parameter.max > 0 ? "; " + parameter.choices() : "");
    }
  }
  print_data(text);
  if (unbuilt > 0)
    note("device*: {} strategies for NVIDIA GPUs that this build, without CUDA, only lists",
         unbuilt);
}

// Each type of source and space: which tier's strategies the small requests of verify go to.
Json served_json(std::string_view name) {
  Json cells = Json::array();
  for (const verify::Operation& operation : verify::operations()) {
    if (operation.name != name) continue;
    for (const verify::Coverage& cell : operation.coverage()) {
      Json by = Json::array();
      for (const auto& [tier, served] : cell.tiers) {
        by.push_back(
            {{"tier", name_of(tier)}, {"strategies", served.first}, {"requests", served.second}});
      }
      cells.push_back({{"type", name_of(cell.type)},
                       {"space", name_of(cell.space)},
                       {"by", by},
                       {"unserved", cell.unserved}});
    }
  }
  return cells;
}

void list_all_operations(bool as_json) {
  const auto entries = list_operations();
  if (as_json) {
    Json out = Json::array();
    for (const auto& entry : entries) {
      out.push_back({{"operation", entry.name},
                     {"summary", entry.summary},
                     {"served", served_json(entry.name)}});
    }
    return print_data(out.dump(2) + "\n");
  }
  std::string text;
  for (const auto& entry : entries) text += fmt::format("{:<11} {}\n", entry.name, entry.summary);
  print_data(text);
}

void list_all_devices(bool as_json) {
  const auto targets = simd_targets();
  std::string why_none;
  const auto gpus = list_devices(&why_none);
  if (as_json) {
    Json out = Json::array();
    out.push_back({{"device", "cpu"},
                   {"threads", thread_count(0)},
                   {"simd", std::vector<std::string>(targets.begin(), targets.end())},
                   {"simd_in_use", simd_target()}});
    for (const auto& gpu : gpus) {
      out.push_back({{"device", fmt::format("cuda:{}", gpu.index)},
                     {"name", gpu.name},
                     {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                     {"multiprocessors", gpu.multiprocessors},
                     {"memory_bytes", gpu.memory_bytes},
                     {"l2_bytes", gpu.l2_bytes},
                     {"driver", gpu.driver},
                     {"runtime", gpu.runtime}});
    }
    return print_data(out.dump(2) + "\n");
  }
  std::string text = fmt::format("cpu     {} threads; instruction sets {}, in use {}\n",
                                 thread_count(0), fmt::join(targets, ", "), simd_target());
  for (const auto& gpu : gpus) {
    text += fmt::format("cuda:{}  {}, compute capability {}.{}, {} multiprocessors, {} MiB\n",
                        gpu.index, gpu.name, gpu.major, gpu.minor, gpu.multiprocessors,
                        gpu.memory_bytes >> 20);
  }
  print_data(text);
  if (gpus.empty()) note("no GPU: {}", why_none);
}

}  // namespace

Verb add_list(CLI::App& parent) {
  struct State {
    CommonOptions common;
    std::string what = "strategies";
  };
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand(
      "list",
      "Lists operations, strategies or devices of this build.\nA strategy is one implementation "
      "of an operation, by name.");
  app->add_option("WHAT", state->what, "operations, strategies (default) or devices")
      ->type_name("")
      ->check(one_of_names({"operations", "strategies", "devices"}));
  add_common(*app, state->common, takes_json,
             {"cuesta list", "cuesta list operations", "cuesta list strategies --json"});
  return {app, [state] {
            if (state->what == "operations")
              list_all_operations(state->common.json);
            else if (state->what == "devices")
              list_all_devices(state->common.json);
            else
              list_all_strategies(state->common.json);
            return int(exit_done);
          }};
}

}  // namespace cuesta::cli
