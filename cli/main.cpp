// The cuesta command: one subcommand a verb, one file each.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cli/fence.hpp"
#include "cli/program.hpp"

namespace {

using namespace cuesta::cli;

int run(std::vector<std::string> arguments) {
  if (wants_bench(arguments)) return run_bench(arguments);
  CLI::App app("Finds edges and moving objects in pictures and video.", "cuesta");
  app.footer(
      "  cuesta edges photo.jpg -o edges.png\n"
      "  cuesta detect street.mp4 -o boxes.mp4 --json objects.ndjson\n"
      "  cuesta verify\n\n"
      "`cuesta VERB --help` explains a verb; `man cuesta` has the details.\n");
  const auto add = [](CLI::App& parent) -> std::vector<Verb> {
    return {add_edges(parent),          add_filter(parent),  add_label(parent),  add_detect(parent),
            add_tune(parent),           add_list(parent),    add_verify(parent), add_bench(parent),
            add_explain_ladder(parent), add_generate(parent)};
  };
  return run_verb(app, add, std::move(arguments), [](const Verb& verb) {
    if (!wants_sandbox(*verb.app)) return verb.run();
    return run_fenced(fenced_run_of(*verb.app), verb.run);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return main_of([&] { return run({argv + 1, argv + argc}); });
}
