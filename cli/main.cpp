// The cuesta command: one subcommand a verb, one file each.
#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "cli/common.hpp"
#include "cli/config.hpp"
#include "cli/fence.hpp"
#include "cli/help.hpp"
#include "cli/nearest.hpp"
#include "cuesta/version.hpp"

namespace {

// The words "help", "help VERB" and "version".
void as_options(std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  if (arguments[0] == "version") arguments[0] = "--version";
  if (arguments[0] != "help") return;
  arguments.erase(arguments.begin());
  arguments.push_back("--help");
}

int run(int argc, char** argv) {
  using namespace cuesta::cli;
  CLI::App app("Finds edges and moving objects in pictures and video.", "cuesta");
  app.footer(
      "  cuesta edges photo.jpg -o edges.png\n"
      "  cuesta detect street.mp4 -o boxes.mp4 --json objects.ndjson\n"
      "  cuesta verify\n");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "this text");
  app.set_version_flag("-V,--version", "cuesta " CUESTA_VERSION, "the version");
  app.require_subcommand(1);
  const std::vector<Verb> verbs = {add_edges(app),  add_filter(app), add_label(app),
                                   add_detect(app), add_tune(app),   add_list(app),
                                   add_verify(app), add_bench(app),  add_generate(app)};
  std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    as_options(arguments);
    add_config(app, arguments);
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    save_config(app);
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream text;
    app.exit(asked, text, text);
    print_data(text.str());
    return exit_done;
  } catch (const CLI::ParseError& error) {
    print_error(words_for(app, arguments, error.what()));
    print_raw(fmt::format(
        "cuesta {}--help says more\n",
        app.get_subcommands().empty() ? "" : app.get_subcommands()[0]->get_name() + " "));
    return exit_usage;
  }
  for (const Verb& verb : verbs) {
    if (!verb.app->parsed()) continue;
    start_time_limit(*verb.app);
    if (!wants_sandbox(*verb.app)) return verb.run();
    return run_fenced(inputs_of(*verb.app), results_of(*verb.app), verb.run);
  }
  return exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  cuesta::cli::keep_standard_streams();
  cuesta::cli::install_signal_handlers();
  return cuesta::cli::reported([&] { return run(argc, argv); });
}
