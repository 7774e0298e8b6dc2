// cuesta bench: the program cuesta-bench, where it is installed.
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
  return arguments[0] == "bench" ||
         (arguments.size() > 1 && arguments[0] == "help" && arguments[1] == "bench");
}

int run_bench(std::span<const std::string> arguments) {
  const std::string path = find_program(program);
  if (path.empty()) {
    throw Error(ErrorCode::unsupported,
                "bench: cuesta-bench is not installed; build it with -D CUESTA_BENCH=ON, and put "
                "it beside cuesta or into a folder of PATH",
                program);
  }
  std::vector<const char*> words = {program};
  if (arguments[0] == "help")
    words.push_back("--help");
  else
    for (const std::string& word : arguments.subspan(1)) words.push_back(word.c_str());
  words.push_back(nullptr);
  execv(path.c_str(), const_cast<char* const*>(words.data()));
  throw Error(ErrorCode::unsupported, fmt::format("{} does not start: {}", path, strerror(errno)),
              path);
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
