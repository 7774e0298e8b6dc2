// cuesta bench: verify first, then time.
#include "bench/bench.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "io/staged_file.hpp"
#include "verify/verify.hpp"

namespace cuesta::cli {
namespace {

using Json = nlohmann::ordered_json;

struct State {
  CommonOptions common;
  std::string device = "cpu";
  std::string json_file;
  bench::Settings settings;
};

Json json_of(const bench::Row& row) {
  return {{"experiment", row.experiment},
          {"operation", row.operation},
          {"strategy", row.strategy},
          {"space", row.space},
          {"parameters", row.parameters},
          {"type", row.type},
          {"width", row.width},
          {"height", row.height},
          {"threads", row.threads},
          {"ms", row.ms},
          {"ms_spread", row.ms_spread},
          {"copy_ms", row.copy_ms},
          {"times_copy", row.times_copy()},
          {"gflops", row.gflops > 0 ? Json(row.gflops) : Json(nullptr)},
          {"bytes_per_pixel", row.bytes_per_pixel},
          {"paper", row.paper}};
}

Json json_of(const bench::Result& result) {
  const bench::Machine& machine = result.machine;
  Json rows = Json::array();
  for (const auto& row : result.rows) rows.push_back(json_of(row));
  return {{"machine",
           {{"cpu", machine.cpu},
            {"threads", machine.threads},
            {"simd", machine.simd},
            {"system", machine.system},
            {"compiler", machine.compiler},
            {"peers", machine.peers}}},
          {"commit", result.commit},
          {"rows", std::move(rows)}};
}

// A fast wrong answer has no time.
bool verified() {
  bool equal = true;
  for (const auto& operation : verify::operations()) {
    for (const auto& row : operation.run({})) {
      if (row.passed()) continue;
      equal = false;
      print_error(fmt::format("{} {} differs from the reference: {}", row.operation, row.strategy,
                              row.failures.empty() ? "it ran no case" : row.failures.front()));
    }
  }
  return equal;
}

int run(State& state) {
  if (!verified()) {
    print_error("nothing was timed: cuesta verify says more");
    return exit_different;
  }
  state.settings.threads = state.common.threads;
  state.settings.print = [](std::string_view text) { print_data(text); };
  std::optional<io::StagedFile> file;
  if (!state.json_file.empty() && state.json_file != "-") file.emplace(state.json_file);
  if (state.json_file == "-") state.settings.print = [](std::string_view) {};

  const bench::Result result = bench::run_cpu(state.settings);

  if (!state.json_file.empty()) {
    const std::string text = json_of(result).dump(1) + "\n";
    if (file) {
      std::ofstream out(file->path(), std::ios::binary);
      if (!(out << text).flush()) {
        throw Error(ErrorCode::output, fmt::format("{}: cannot be written", state.json_file),
                    state.json_file);
      }
      file->commit();
    } else {
      print_data(text);
    }
  }
  for (const auto& difference : result.differences)
    print_error(fmt::format("not equal to OpenCV, so not timed: {}", difference));
  return result.differences.empty() ? exit_done : exit_different;
}

}  // namespace

Verb add_bench(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand(
      "bench",
      "Verifies every strategy, then times them against a copy of the picture and, where its "
      "module\n"
      "is there, OpenCV. Exit code 0: done; 1: a strategy or a peer gave another answer.");
  app->add_option("DEVICE", state->device, "cpu")->type_name("")->check(CLI::IsMember({"cpu"}));
  app->add_option("--sizes", state->settings.sizes, "sides of the square pictures (1024,4096)")
      ->type_name("N,N")
      ->delimiter(',')
      ->check(CLI::Range(16, 32768));
  std::vector<std::string> names;
  for (const auto& experiment : bench::list_experiments()) names.emplace_back(experiment.name);
  app->add_option("--only", state->settings.only,
                  fmt::format("these experiments: {}", fmt::join(names, ", ")))
      ->type_name("NAME,NAME")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app->add_flag("--quick", state->settings.quick, "shorter batches");
  app->add_option("--json", state->json_file, "the rows into a file; - writes them alone to stdout")
      ->type_name("FILE");
  add_common(*app, state->common, takes_threads,
             {"cuesta bench cpu", "cuesta bench cpu --quick --only canny,log",
              "cuesta bench cpu --sizes 1024,4096 --threads 2 --json bench.json"});
  return {app, [state] { return run(*state); }};
}

}  // namespace cuesta::cli
