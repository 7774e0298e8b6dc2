// cuesta-bench, which `cuesta bench` runs: verify each operation first, then time it.
#include "bench/bench.hpp"
#include "bench/explain_ladder.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/report/report.hpp"
#include "cli/common.hpp"
#include "cli/nearest.hpp"
#include "cli/options.hpp"
#include "cli/program.hpp"
#include "cli/run_files.hpp"
#include "cuesta/device.hpp"
#include "io/output_file.hpp"
#include "verify/verify.hpp"

namespace cuesta::cli {
namespace {

struct State {
  CommonOptions common;
  std::vector<std::string> experiments;
  std::vector<std::string> sweeps;
  std::string json_file, csv_file, baseline;
  std::string explain;
  bench::Settings settings;
};

// A fast wrong answer has no time.
std::vector<std::string> differences(std::string_view operation, bool device) {
  std::vector<Space> spaces = {Space::host};
  if (device) spaces.push_back(Space::device);
  const auto& all = verify::operations();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == operation; });
  if (found == all.end()) return {fmt::format("{}: there is nothing to verify it with", operation)};
  std::vector<std::string> out;
  for (const Space space : spaces) {
    for (const auto& row : found->run({.space = space})) {
      if (row.passed()) continue;
      out.push_back(fmt::format("{} {} {}: {}; cuesta verify says more", name_of(space),
                                row.operation, row.strategy,
                                row.failures.empty() ? "it ran no case" : row.failures.front()));
    }
  }
  return out;
}

bench::Sweep parse_sweep(const std::string& text) {
  const size_t equals = text.find('=');
  bench::Sweep sweep{text.substr(0, equals), {}};
  std::string_view rest =
      equals == text.npos ? std::string_view() : std::string_view(text).substr(equals + 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    sweep.second.emplace_back(rest.substr(0, comma));
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  const bool blank = std::any_of(sweep.second.begin(), sweep.second.end(),
                                 [](const std::string& value) { return value.empty(); });
  if (sweep.first.empty() || sweep.second.empty() || blank)
    usage_error(text, "--sweep is {}; it must be a parameter and its values, as in block=8,16,32",
                text);
  return sweep;
}

// An experiment leaves out what the device has no strategy for.
void choose_device(State& state) {
  std::string why;
  if (find_gpu(state.common, why)) {
    const std::string& text = state.common.device;
    state.settings.device = text == "auto" ? 0 : parse_cuda_device(text);
    return;
  }
  state.settings.why_no_device = why.empty() ? "--device cpu was asked for" : why;
}

// A file that appears whole or not at all; "-" is standard output.
class Output {
 public:
  explicit Output(const std::string& name) : name_(name) {
    if (!name.empty() && name != "-") file_.emplace(name, io::Placing::when_whole);
  }
  void write(const std::string& text) {
    if (name_ == "-") print_data(text);
    if (!file_) return;
    file_->write(text);
    file_->commit();
  }
  explicit operator bool() const { return !name_.empty(); }

 private:
  std::string name_;
  std::optional<io::OutputFile> file_;
};

// What the model says of a strategy: nothing runs.
int explain(const State& state) {
  print_data(bench::explain(state.explain, state.settings));
  return exit_done;
}

int run(State& state) {
  if (!state.explain.empty()) return explain(state);
  bench::Settings& settings = state.settings;
  if (state.experiments.empty()) state.experiments = {"cpu"};
  for (const auto& text : state.sweeps) settings.sweeps.push_back(parse_sweep(text));
  const bool to_stdout = state.json_file == "-" || state.csv_file == "-";
  RunFiles files(*state.common.verb);
  files.writes(state.json_file, "--json");
  files.writes(state.csv_file, "--csv");
  choose_device(state);
  std::optional<bench::Baseline> baseline;
  if (!state.baseline.empty()) baseline.emplace(state.baseline);
  settings.threads = state.common.threads;
  settings.command = find_program("cuesta");
  if (!to_stdout) settings.print = [](std::string_view text) { print_data(text); };
  bench::check(state.experiments, settings);
  Output json(state.json_file), csv(state.csv_file);

  settings.verify = [device = settings.device >= 0](std::string_view operation) {
    return differences(operation, device);
  };
  const bench::Result result = bench::run(state.experiments, settings);

  if (json) json.write(bench::json_of(result));
  if (csv) csv.write(bench::csv_of(result));
  if (baseline) settings.print(baseline->compare(result).table);
  for (const auto& difference : result.differences)
    print_error(fmt::format("not as expected: {}", difference));
  return result.differences.empty() ? exit_done : exit_different;
}

std::string list_of(const std::vector<bench::ExperimentInfo>& infos) {
  std::string text;
  for (const auto& info : infos) text += fmt::format("  {:<14}  {}\n", info.name, info.summary);
  return text;
}

Verb add_bench_itself(CLI::App& parent) {
  auto state = std::make_shared<State>();
  CLI::App* app = parent.add_subcommand(
      "bench",
      std::string(bench_summary) +
          "\nWithout a GPU only CPU strategies are timed. OpenCV is timed where its module is "
          "installed. bench/report/report.py makes tables and charts from a --json file. Exit code "
          "1: a strategy or OpenCV gave another result.\n\nExperiments:\n" +
          list_of(bench::list_experiments()) + "  all             all of the above");
  app->add_option("EXPERIMENT", state->experiments, "what to time; default: cpu")->type_name("");
  app->add_option("--sizes", state->settings.sizes,
                  "set the sides of the square pictures. The defaults depend on the experiment")
      ->type_name("N,N")
      ->delimiter(',')
      ->check(CLI::Range(16, 32768));
  std::vector<std::string> names;
  for (const auto& table : bench::list_cpu_tables()) names.emplace_back(table.name);
  for (const OperationDescription& operation : list_operations()) {
    if (std::ranges::find(names, operation.name) == names.end()) names.emplace_back(operation.name);
  }
  app->add_option("--only", state->settings.only,
                  fmt::format("time these tables of cpu, and these operations of production and "
                              "surface, only. Names: {}",
                              fmt::join(names, ", ")))
      ->type_name("NAME,NAME")
      ->delimiter(',')
      ->check(one_of_names(names));
  app->add_option("--sweep", state->sweeps,
                  "time the values of a parameter and name the fastest; repeatable")
      ->type_name("NAME=V,V")
      ->allow_extra_args(false);
  app->add_flag("--every-row", state->settings.every_row,
                "time every production row that supports a request of production or surface");
  app->add_flag("--quick", state->settings.quick, "time shorter batches");
  app->add_option("--json", state->json_file,
                  "write rows and machine; -: to stdout, without the table")
      ->type_name("OUT");
  app->add_option("--csv", state->csv_file, "write the rows; -: to stdout, without the table")
      ->type_name("OUT");
  app->add_option("--baseline", state->baseline,
                  "compare with an earlier --json file; slower rows are marked")
      ->type_name("FILE");
  app->add_option("--gpu-model", state->settings.gpu_model,
                  fmt::format("predict times on this GPU where none runs. A --json file of a "
                              "run, or one of {}",
                              fmt::join(bench::known_gpus(), ", ")))
      ->type_name("FILE");
  app->add_option("--explain", state->explain,
                  "explain the time that the model predicts for a strategy; nothing runs")
      ->type_name("OPERATION:STRATEGY");
  add_common(
      *app, state->common, takes_device | takes_threads,
      {"cuesta bench cpu --quick --only canny,log", "cuesta bench log-ladder --json log.json",
       "cuesta bench sobel-ladder --sweep block=8,16,32",
       "cuesta bench all --device cuda:0 --baseline before.json",
       "cuesta bench memory-ladder --gpu-model gtx-1060",
       "cuesta bench model --explain convolve:tiled"});
  return {app, [state] { return run(*state); }};
}

// `cuesta bench` with its options, so that both have one help, one configuration and one man page.
int run_bench_program(std::vector<std::string> arguments) {
  CLI::App app("Verifies and times what Cuesta computes.", "cuesta");
  const bool of_program =
      !arguments.empty() && (arguments[0] == "generate" || arguments[0] == explain_ladder_verb ||
                             arguments[0] == "-V" || arguments[0] == "--version");
  if (!of_program) arguments.insert(arguments.begin(), "bench");
  const auto add = [](CLI::App& parent) -> std::vector<Verb> {
    return {add_bench_itself(parent), add_explain_ladder_itself(parent), add_generate(parent)};
  };
  return run_verb(app, add, std::move(arguments), [](const Verb& verb) { return verb.run(); });
}

}  // namespace
}  // namespace cuesta::cli

int main(int argc, char** argv) {
  return cuesta::cli::main_of([&] {
    return cuesta::cli::run_bench_program({argv + 1, argv + argc});
  });
}
