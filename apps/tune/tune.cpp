// cuesta tune: the options of edges or detect, tried on a picture or video in the browser.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>
#include <optional>

#include "apps/tune/film.hpp"
#include "apps/tune/page.hpp"
#include "apps/tune/photo.hpp"
#include "cli/fence.hpp"
#include "cli/inputs.hpp"
#include "cli/run_files.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::cli {
namespace {

using namespace tune;

struct TuneOptions {
  CommonOptions common;
  std::string input;
  int port = 0, page = 0, band = 0;
  bool stays_closed = false, is_trusted = false;
};

// The desktop's browser, without a shell; where there is none, the address stands in the terminal.
// In the sandbox no program can be started: a child that was made before waits for the word.
class Browser {
 public:
  explicit Browser(const std::string& address) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t child = fork();
    if (child == 0) wait_and_open(ends, address);
    close(ends[0]);
    if (child > 0)
      word_ = ends[1];
    else
      close(ends[1]);
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;
  ~Browser() {
    if (word_ >= 0) close(word_);
  }
  void open() { (void)!::write(word_, "o", 1); }
  int descriptor() const { return word_; }

 private:
  // Nothing is read where the tuner ended before it had anything to show.
  [[noreturn]] static void wait_and_open(const int (&ends)[2], const std::string& address) {
    close(ends[1]);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    char word = 0;
    if (::read(ends[0], &word, 1) != 1) _exit(0);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      dup2(nowhere, descriptor);
    execlp("xdg-open", "xdg-open", address.c_str(), nullptr);
    _exit(0);
  }
  int word_ = -1;
};

Reply answered(Subject& subject, const HttpRequest& request) {
  const auto refused = [](int status, const std::string& why) {
    return Reply{.status = status, .body = line_of(Json({{"error", why}}))};
  };
  try {
    if (!request.posts) {
      if (request.path == "about") return {.body = line_of(subject.about())};
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
  if (options.page > 0 || kind_of(options.input) == InputKind::picture)
    return std::make_unique<Photo>(options.input, options.common, options.page, options.band);
  return std::make_unique<Film>(options.input, options.common);
}

int run(const TuneOptions& options) {
  if (options.input == "-") usage_error("-", "tune: standard input is not supported; name a file");
  if (io::is_live(options.input)) {
    throw Error(ErrorCode::input,
                fmt::format("{}: live video is not supported; record a file first", options.input),
                options.input);
  }
  RunFiles(*options.common.verb).reads_input(options.input);
  std::unique_ptr<Subject> subject;
  web::Server server(
      {.port = options.port,
       .page = "the tuner's page",
       .refusal =
           options.port == 0
               ? "tune: no port on 127.0.0.1 is available"
               : fmt::format(
                     "--port is {}, which is in use or not permitted; leave it out to use a free "
                     "port",
                     options.port)},
      [&](const HttpRequest& request) { return answered(*subject, request); });
  std::optional<Browser> browser;
  if (!options.stays_closed) browser.emplace(server.address());
  // Nothing of the file was looked at so far.
  const auto serve = [&] {
    subject = subject_of(options);
    const StopOnSignal stop;
    print_data(server.address() + "\n");
    note("{} is tuned at this address, which is for nobody else; Ctrl-C ends it", options.input);
    if (browser) browser->open();
    server.run(*stop.signal());
    return int(exit_done);
  };
  if (options.is_trusted) return serve();
  FencedRun fenced = fenced_run_of(*options.common.verb);
  fenced.serves = true;
  fenced.descriptors.push_back(server.descriptor());
  if (browser) fenced.descriptors.push_back(browser->descriptor());
  bool has_entered = false;
  try {
    return run_fenced(fenced, [&] {
      has_entered = true;
      return serve();
    });
  } catch (const Error& error) {
    if (has_entered || error.code() != ErrorCode::unsupported) throw;
    throw Error(error.code(), fmt::format("{}; use --no-sandbox to run without it", error.what()));
  }
}

}  // namespace

Verb add_tune(CLI::App& parent) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* app =
      parent.add_subcommand("tune",
                            "Tunes edges on a picture, or detect on a video, in the "
                            "browser.\nServes one page, on this machine only. The page copies "
                            "the settings as a command, a program or an options file.");
  app->add_option("FILE", options->input, "a picture or a video")->type_name("")->required();
  app->add_option("--port", options->port, "listen on this port; 0 (default): a free one")
      ->type_name("N")
      ->check(CLI::Range(0, 65535));
  app->add_option("--page", options->page, "read this page of a file with several, from 1")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20))
      ->group("Input");
  add_band(*app, options->band);
  app->get_option("--band")->group("Input");
  app->add_flag("--no-open", options->stays_closed, "print the address without opening a browser");
  app->add_flag("--no-sandbox", options->is_trusted,
                "decode FILE with all of your rights. By default a decoder cannot start programs, "
                "connect or write")
      ->group("Input");
  add_common(*app, options->common, takes_threads | takes_region | takes_limits,
             {"cuesta tune photo.jpg", "cuesta tune street.mp4",
              "cuesta tune photo.jpg --no-open --port 8700"});
  return {app, [options] { return run(*options); }};
}

}  // namespace cuesta::cli
