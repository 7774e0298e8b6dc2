// The command line itself: one argument a line, parsed but not run.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cuesta/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cuesta::cli;
  std::vector<std::string> arguments(1);
  for (size_t i = 0; i < size; ++i) {
    if (data[i] == '\n')
      arguments.emplace_back();
    else
      arguments.back().push_back(char(data[i]));
  }
  CLI::App app("", "cuesta");
  app.require_subcommand(1);
  // A verb owns what its options are parsed into.
  const Verb verbs[] = {add_edges(app), add_filter(app), add_detect(app),
                        add_tune(app),  add_list(app),   add_verify(app)};
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 takes them
  try {
    app.parse(reversed);
  } catch (const CLI::Error&) {
  } catch (const cuesta::Error&) {
  }
  (void)verbs;
  set_verbosity(0);
  return 0;
}
