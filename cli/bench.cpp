// cuesta bench and explain-ladder: the program cuesta-bench, where it is installed.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>

#include "cli/common.hpp"
#include "cli/program.hpp"

namespace cuesta::cli {
namespace {

constexpr const char* program = "cuesta-bench";

}  // namespace

bool wants_bench(std::span<const std::string> arguments) {
  if (arguments.empty()) return false;
  const bool asks_help = arguments.size() > 1 && arguments[0] == "help";
  const std::string& verb = arguments[asks_help ? 1 : 0];
  return verb == "bench" || verb == explain_ladder_verb;
}

int run_bench(std::span<const std::string> arguments) {
  const bool asks_help = arguments[0] == "help";
  if (asks_help) arguments = arguments.subspan(1);
  const std::string& verb = arguments[0];
  const std::string path = find_program(program);
  if (path.empty()) {
    throw Error(ErrorCode::unsupported,
                verb +
                    ": cuesta-bench is not installed; build it with -D CUESTA_BENCH=ON, and put "
                    "it beside cuesta or into a folder of PATH",
                program);
  }
  std::vector<const char*> words = {program};
  if (verb != "bench") words.push_back(verb.c_str());  // what the program does without a word
  if (asks_help) words.push_back("--help");
  for (const std::string& word : arguments.subspan(1))
    if (!asks_help) words.push_back(word.c_str());
  words.push_back(nullptr);
  execv(path.c_str(), const_cast<char* const*>(words.data()));
  throw Error(ErrorCode::unsupported, fmt::format("{} does not start: {}", path, strerror(errno)),
              path);
}

Verb add_explain_ladder(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand(
      explain_ladder_verb, fmt::format("{}\nRuns the program cuesta-bench; `cuesta explain-ladder "
                                       "--help` and cuesta-bench(1) list its options.",
                                       explain_ladder_summary));
  app->set_help_flag("-h,--help", "show the options of explain-ladder");
  app->footer("  cuesta explain-ladder\n  cuesta explain-ladder sobel --gpu-model gtx-1060\n");
  if (find_program(program).empty()) app->group("");
  return {app, [] { return int(exit_usage); }};
}

Verb add_bench(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("bench", fmt::format("{}\nRuns the program cuesta-bench; `cuesta bench "
                                                 "--help` and cuesta-bench(1) list its options.",
                                                 bench_summary));
  app->set_help_flag("-h,--help", "show the options of cuesta-bench");
  app->footer("  cuesta bench cpu --quick\n  cuesta bench log-ladder --json log.json\n");
  if (find_program(program).empty()) app->group("");  // help lists what is installed
  return {app, [] { return int(exit_usage); }};       // main() has run the program before
}

}  // namespace cuesta::cli
