// The cuesta command: one subcommand a verb, one file each.
#include <CLI/CLI.hpp>
#include <new>

#include "cli/common.hpp"
#include "cli/help.hpp"
#include "cuesta/version.hpp"
#include "io/errors.hpp"

namespace {

using cuesta::Error;

int run(const std::vector<cuesta::cli::Verb>& verbs) {
  using namespace cuesta::cli;
  try {
    for (const auto& verb : verbs) {
      if (verb.app->parsed()) return verb.run();
    }
  } catch (const Interrupted&) {
    return exit_interrupted;
  } catch (const cuesta::io::ClosedPipe&) {
    return exit_output;  // who stopped reading knows
  } catch (const Error& error) {
    print_error(message_of(error));
    return exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return exit_device;
  } catch (const std::exception& error) {
    print_error(error.what());
    return exit_device;
  }
  return exit_usage;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace cuesta::cli;
  install_signal_handlers();
  CLI::App app("Finds edges and moving objects in pictures and video.", "cuesta");
  app.footer(
      "  cuesta edges photo.jpg -o edges.png\n"
      "  cuesta detect street.mp4 -o boxes.mp4 --json objects.ndjson\n"
      "  cuesta verify\n");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "this text");
  app.set_version_flag("--version", "cuesta " CUESTA_VERSION, "the version");
  app.require_subcommand(1);
  const std::vector<Verb> verbs = {add_edges(app), add_filter(app), add_detect(app),
                                   add_list(app),  add_verify(app), add_bench(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    print_error(error.what());
    fmt::print(stderr, "cuesta {}--help says more\n",
               app.get_subcommands().empty() ? "" : app.get_subcommands()[0]->get_name() + " ");
    return exit_usage;
  } catch (const Error& error) {
    print_error(message_of(error));
    return exit_code_of(error.code());
  }
  return run(verbs);
}
