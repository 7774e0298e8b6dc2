// cuesta tune: the options of edges or detect, tried on a picture or video in the browser.
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/inputs.hpp"
#include "cli/tune/film.hpp"
#include "cli/tune/page.hpp"
#include "cli/tune/photo.hpp"
#include "io/errors.hpp"

extern char** environ;  // NOLINT: POSIX has it so

namespace cuesta::cli {
namespace {

using namespace tune;

struct TuneOptions {
  CommonOptions common;
  std::string input;
  int port = 0;
  bool stays_closed = false;
};

// The desktop's browser, without a shell; where there is none, the address stands in the terminal.
void open_in_browser(const std::string& address) {
  std::string program = "xdg-open", argument = address;
  char* words[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, "xdg-open", &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) detail("xdg-open: {}", io::reason_of(error));
}

Reply answered(Subject& subject, const Request& request) {
  const auto refused = [](int status, const std::string& why) {
    return Reply{
        .status = status,
        .body = Json({{"error", why}}).dump(-1, ' ', false, Json::error_handler_t::replace)};
  };
  try {
    if (!request.posts) {
      if (request.path == "about") return {.body = subject.about().dump()};
      const std::string path = request.path.empty() ? "index.html" : request.path;
      for (const PageFile& file : page_files)
        if (path == file.name)
          return {.type = std::string(file.type), .body = std::string(file.text)};
    }
    return subject.answer(request);
  } catch (const Error& error) {
    return refused(400, message_of(error));
  } catch (const std::bad_alloc&) {
    return refused(507, "out of memory");
  } catch (const std::exception& error) {
    return refused(400, error.what());
  }
}

std::unique_ptr<Subject> subject_of(const TuneOptions& options) {
  if (kind_of(options.input) == InputKind::picture)
    return std::make_unique<Photo>(options.input, options.common);
  return std::make_unique<Film>(options.input, options.common);
}

int run(const TuneOptions& options) {
  if (options.input == "-")
    usage_error("-", "tune: a file is needed, for its name stands in what is copied");
  const auto subject = subject_of(options);
  Server server(options.port, [&](const Request& request) { return answered(*subject, request); });
  const StopOnSignal stop;
  print_data(server.address() + "\n");
  note("{} is tuned at this address, which is for nobody else; Ctrl-C ends it", options.input);
  if (!options.stays_closed) open_in_browser(server.address());
  server.run(*stop.signal());
  return exit_done;
}

}  // namespace

Verb add_tune(CLI::App& parent) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* app = parent.add_subcommand(
      "tune",
      "Tries the options of edges on a picture, or of detect on a video, in the browser. Serves "
      "one "
      "page\non this machine alone; what is found there is copied as a command, a program or a "
      "file.");
  app->add_option("FILE", options->input, "a picture, or a video")->type_name("")->required();
  app->add_option("--port", options->port, "listen on this port; 0 (default) takes a free one")
      ->type_name("N")
      ->check(CLI::Range(0, 65535));
  app->add_flag("--no-open", options->stays_closed, "say the address and leave the browser to you");
  add_common(*app, options->common, takes_threads | takes_region | takes_limits,
             {"cuesta tune photo.jpg", "cuesta tune street.mp4",
              "cuesta tune photo.jpg --no-open --port 8700"});
  return {app, [options] { return run(*options); }};
}

}  // namespace cuesta::cli
