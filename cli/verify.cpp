// cuesta verify: every strategy against the reference, on this machine.
#include "verify/verify.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/nearest.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;

struct State {
  CommonOptions common;
  std::string operation;
  std::string level = "quick";
  int stride = 1;
};

std::vector<verify::Operation> chosen_operations(const State& state) {
  const auto& all = verify::operations();
  if (state.operation.empty()) return {all.begin(), all.end()};
  std::vector<std::string_view> names;
  for (const auto& operation : all) {
    if (operation.name == state.operation) return {operation};
    names.push_back(operation.name);
  }
  usage_error(state.operation, "operation is {}; it must be one of: {}", state.operation,
              fmt::join(names, ", "));
}

// Without a row to run, verify would show nothing and look like success. Builds without CUDA run no
// device rows at all, which find_gpu tells.
void check_rows(const State& state) {
  const CommonOptions& common = state.common;
  const bool on_cpu = common.device == "cpu", on_cuda = !on_cpu && common.device != "auto";
  const std::string_view kind = on_cpu ? "CPU strategy" : on_cuda ? "CUDA strategy" : "strategy";
  bool any = false;
  std::vector<std::string_view> names;
  for (const auto& row : list_strategies()) {
    if (!row.built || (row.space == Space::host ? on_cuda : on_cpu)) continue;
    any = true;
    if (!state.operation.empty() && row.operation != state.operation) continue;
    if (common.strategy.empty() || row.name == common.strategy) return;
    if (std::find(names.begin(), names.end(), row.name) == names.end()) names.push_back(row.name);
  }
  if (!any) return;
  if (names.empty())
    usage_error(state.operation, "{} has no {} in this build", state.operation, kind);
  const std::string whose =
      state.operation.empty() ? "no operation has a" : state.operation + " has no";
  usage_error(common.strategy, "--strategy {}: {} {} of that name; there are {}", common.strategy,
              whose, kind, fmt::join(names, ", "));
}

Json json_of(const verify::StrategyReport& row) {
  return {{"operation", row.operation},  {"strategy", row.strategy},
          {"space", name_of(row.space)}, {"run", row.run},
          {"refused", row.refused},      {"failed", row.failed},
          {"passed", row.passed()},      {"refusals", row.refusals},
          {"failures", row.failures}};
}

std::string line_of(const verify::StrategyReport& row) {
  std::string text = fmt::format("{:<11} {:<7} {:<13} {:>6} cases equal {:>6} refused  {}\n",
                                 row.operation, name_of(row.space), row.strategy,
                                 row.run - row.failed, row.refused, row.passed() ? "ok" : "FAILED");
  if (row.run == 0) text += "    no case was run, so nothing is shown\n";
  if (row.failed > 0) text += fmt::format("    {} cases differ, among them\n", row.failed);
  for (const auto& failure : row.failures) text += fmt::format("    {}\n", failure);
  return text;
}

int run(const State& state) {
  const auto operations = chosen_operations(state);
  check_rows(state);
  std::vector<Space> spaces;
  if (state.common.device == "auto" || state.common.device == "cpu") spaces.push_back(Space::host);
  if (state.common.device != "cpu") {
    std::string why;
    if (find_gpu(state.common, why))
      spaces.push_back(Space::device);
    else
      detail("the CPU's strategies alone: {}", why);
  }
  int64_t passed = 0, failed = 0;
  Json rows = Json::array();
  for (const auto& operation : operations) {
    for (const Space space : spaces) {
      const auto reports = operation.run({.strategy = state.common.strategy,
                                          .level = verify::level_from(state.level),
                                          .space = space,
                                          .stride = state.stride});
      for (const auto& row : reports) {
        (row.passed() ? passed : failed) += 1;
        if (state.common.json)
          rows.push_back(json_of(row));
        else
          print_data(line_of(row));
      }
    }
  }
  if (state.common.json)
    print_data(Json{{"passed", passed}, {"failed", failed}, {"rows", rows}}.dump(2) + "\n");
  else
    print_data(fmt::format("{} strategies passed, {} failed\n", passed, failed));
  return failed == 0 && passed > 0 ? exit_done : exit_different;
}

}  // namespace

Verb add_verify(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand("verify",
                                        "Compares every strategy with the reference, byte for "
                                        "byte.\nA strategy is one implementation "
                                        "of an operation. The pictures are generated. Exit code 0: "
                                        "all equal; 1: a strategy differs or "
                                        "nothing ran.");
  app->add_option("OPERATION", state->operation, "operation to verify; default all")->type_name("");
  app->add_option(
         "--level", state->level,
         "check quick (default), full or sizes. full: more shapes and options; sizes: all of "
         "1..70 x 1..70")
      ->type_name("LEVEL")
      ->check(one_of_names({"quick", "full", "sizes"}));
  app->add_option("--stride", state->stride, "check every N-th size, with --level sizes")
      ->type_name("N")
      ->check(CLI::Range(1, 4900));
  app->add_option("--strategy", state->common.strategy, "verify strategies of this name only")
      ->type_name("NAME");
  add_common(
      *app, state->common, takes_device | takes_json,
      {"cuesta verify", "cuesta verify canny", "cuesta verify canny --strategy simd --json"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
