#include "cli/program.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "cli/config.hpp"
#include "cli/help.hpp"
#include "cli/nearest.hpp"
#include "cli/run_files.hpp"
#include "cuesta/version.hpp"

namespace cuesta::cli {
namespace {

// The words "help", "help VERB" and "version".
void as_options(std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  if (arguments[0] == "version") arguments[0] = "--version";
  if (arguments[0] != "help") return;
  arguments.erase(arguments.begin());
  arguments.push_back("--help");
}

}  // namespace

int run_verb(CLI::App& app, const std::function<std::vector<Verb>(CLI::App&)>& add,
             std::vector<std::string> arguments, const std::function<int(const Verb&)>& run) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "show this text");
  app.set_version_flag("-V,--version", "cuesta " CUESTA_VERSION, "show the version");
  app.require_subcommand(1);
  const std::vector<Verb> verbs = add(app);  // they inherit the formatter and --help
  for (const Verb& verb : verbs)
    if (!verb.app->get_group().empty()) verb.app->group(verb_group);
  try {
    as_options(arguments);
    add_config(app, arguments);
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream text;
    app.exit(asked, text, text);
    print_data(text.str());
    return exit_done;
  } catch (const CLI::ParseError& error) {
    print_error(words_for(app, arguments, error.what()));
    print_raw(fmt::format(
        "cuesta {}--help lists the options\n",
        app.get_subcommands().empty() ? "" : app.get_subcommands()[0]->get_name() + " "));
    return exit_usage;
  }
  for (const Verb& verb : verbs) {
    if (!verb.app->parsed()) continue;
    start_time_limit(*verb.app);
    RunFiles files(*verb.app);  // refuses what no verb may do
    const pid_t self = getpid();
    const int code = run(verb);
    // The child of --sandbox comes back here, too; what it decoded has no say in options.
    const bool succeeded = code == exit_done || code == exit_interrupted;
    if (succeeded && getpid() == self) save_config(*verb.app);
    return code;
  }
  return exit_usage;
}

int main_of(const std::function<int()>& work) {
  keep_standard_streams();
  install_signal_handlers();
  return reported(work);
}

std::string find_program(std::string_view name) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto program_in = [&](const fs::path& folder) {
    const fs::path path = folder / name;
    const bool runs = fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
    return runs ? path.string() : std::string();
  };
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  if (std::string path = program_in(self.parent_path()); !path.empty()) return path;
  const char* folders = std::getenv("PATH");
  std::istringstream list(folders ? folders : "");
  for (std::string folder; std::getline(list, folder, ':');) {
    if (folder.empty()) continue;
    if (std::string path = program_in(folder); !path.empty()) return path;
  }
  return {};
}

}  // namespace cuesta::cli
