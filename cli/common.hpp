// What every verb of the command shares: exit codes, common options, messages, the device.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/error.hpp"
#include "cuesta/image.hpp"
#include "cuesta/io/stop.hpp"
#include "cuesta/strategies.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cuesta::cli {

enum ExitCode : int {
  exit_done = 0,
  exit_different = 1,  ///< verify found a strategy that is not equal; bench, results that differ
  exit_usage = 2,      ///< an option or argument that cannot be meant, or that this build refuses
  exit_input = 3,      ///< a file, stream or picture that cannot be read
  exit_output = 4,     ///< a result that cannot be written
  exit_device = 5,     ///< no usable GPU, a fault on it, or memory or time that is not there
  exit_interrupted = 130,
};
ExitCode exit_code_of(ErrorCode code);
/// The library's sentence, and the option that mends what it reports, where there is one.
std::string message_of(const Error& error);
/// Whether a text has control codes, those of UTF-8's C1 set too.
bool has_control(std::string_view text);

/// A verb as main() sees it: its subcommand, and what runs when it was named. `run` returns the
/// exit code and may throw cuesta::Error.
struct Verb {
  CLI::App* app = nullptr;
  std::function<int()> run{};
};

// One file each.
Verb add_edges(CLI::App& parent);
Verb add_filter(CLI::App& parent);
Verb add_label(CLI::App& parent);
Verb add_detect(CLI::App& parent);
Verb add_tune(CLI::App& parent);
Verb add_list(CLI::App& parent);
Verb add_verify(CLI::App& parent);
Verb add_bench(CLI::App& parent);
Verb add_explain_ladder(CLI::App& parent);
Verb add_generate(CLI::App& parent);

/// Every verb that a configuration may have a table for, whichever programs are installed.
inline constexpr std::string_view verbs_with_tables[] = {
    "edges", "filter", "label", "detect", "tune", "list", "verify", "bench", "explain-ladder"};

/// Whether `arguments` ask for a verb of another program, cuesta-bench: bench or explain-ladder.
bool wants_bench(std::span<const std::string> arguments);
/// Replaces this process by cuesta-bench. Throws Error{unsupported} where it is not installed.
int run_bench(std::span<const std::string> arguments);

/// The options that verbs have in common, with their defaults. Text is kept as given and parsed by
/// the members below, so that every message can name the option and the value.
struct CommonOptions {
  std::string device = "auto";
  std::string strategy;
  std::vector<std::string> parameters;
  int threads = 0;
  std::string region;
  int64_t max_pixels = int64_t(1) << 28;
  int64_t max_memory = int64_t(1) << 30;
  bool partial = false, sandbox = false;
  double timeout = 10;
  double reconnect = std::numeric_limits<double>::infinity();
  std::string passwords{};  ///< a file; see io::with_password()
  bool json = false;
  bool explain = false;
  const CLI::App* verb = nullptr;  ///< which has them; set by add_common()

  /// Strategy, parameters and threads as the library takes them. Throws Error{invalid_argument}.
  Exec exec() const;
  /// --region x,y,w,h; nothing where it was not given. That it is inside is checked on a picture.
  std::optional<Rect> region_rect() const;
};

/// Which of them a verb takes; --quiet, --verbose and --help every verb has.
enum : unsigned {
  takes_device = 1,
  takes_strategy = 2,  ///< --strategy and --param
  takes_threads = 4,
  takes_region = 8,
  takes_json = 16,
  takes_limits = 32,  ///< --max-pixels, -memory and -time, --partial, --timeout, --reconnect,
                      ///< --passwords
  takes_explain = 64,
  takes_devices = 128,  ///< --device, cuda:all too
  takes_sandbox = 256,
};
/// Adds them, with --config and --save-config (cli/config.hpp), and `examples` at the head of the
/// verb's help, one line each.
void add_common(CLI::App& app, CommonOptions& common, unsigned which,
                std::initializer_list<std::string_view> examples);

/// Moves the visible options that were added since `known` to one group of --help.
void group_since(CLI::App& app, const std::vector<CLI::Option*>& known, const char* heading);

/// From here on the verb has as long as its --max-time says, whatever it is doing then: the process
/// ends with exit_device, and leaves nothing half-written.
void start_time_limit(const CLI::App& verb);

/// Whether --device lets work go to a GPU, and there is one, which it then makes this thread's;
/// else `why_not` says why (empty for --device cpu). Throws Error{device} where one was requested
/// and is not available, Error{invalid_argument} for other words.
bool find_gpu(const CommonOptions& common, std::string& why_not);
/// The same for work that several GPUs may share: those that --device lets it go to, of cuda:all
/// every one; none for the CPU.
std::vector<int> find_gpus(const CommonOptions& common, std::string& why_not);

/// Runs `work`, which returns an exit code. What it throws is said on stderr, after `whose` where
/// there are several, and becomes the code.
int reported(const std::function<int()>& work, std::string_view whose = {});

/// Messages go to stderr, data to stdout. note() is silent with -q, detail() speaks with -v only.
void set_verbosity(int verbosity);  ///< -1 quiet, 0, 1 verbose
int verbosity();
void print_error(std::string_view text);
void print_warning(std::string_view text);
void print_note(std::string_view text);
void print_detail(std::string_view text);
/// To stderr as it is. One that is full, closed or gone is nobody's loss: nothing is thrown.
void print_raw(std::string_view text) noexcept;
/// What --explain says, on stderr, whatever the verbosity.
void print_explanation(std::string_view text);
template <class... Values>
void warn(fmt::format_string<Values...> text, Values&&... values) {
  print_warning(fmt::format(text, std::forward<Values>(values)...));
}
template <class... Values>
void note(fmt::format_string<Values...> text, Values&&... values) {
  print_note(fmt::format(text, std::forward<Values>(values)...));
}
template <class... Values>
void detail(fmt::format_string<Values...> text, Values&&... values) {
  if (verbosity() >= 1) print_detail(fmt::format(text, std::forward<Values>(values)...));
}
/// detail() of what several threads find out each by itself: the same text once.
void detail_once(const std::string& text);
template <class... Values>
[[noreturn]] void usage_error(std::string value, fmt::format_string<Values...> text,
                              Values&&... values) {
  throw Error(ErrorCode::invalid_argument, fmt::format(text, std::forward<Values>(values)...),
              std::move(value));
}

/// Writes all of `text` to stdout. Throws Error{output} where that fails (a full disc),
/// io::ClosedPipe where nobody reads it any more.
void print_data(std::string_view text);

/// True when stderr is a terminal that takes color, and NO_COLOR is not set.
bool stderr_has_color();
bool stderr_is_terminal();

/// Ends the process with 130 on SIGINT, SIGTERM and SIGHUP, leaving no half-written file, unless
/// a StopOnSignal asks for another end; a closed pipe becomes an error where it is written to.
void install_signal_handlers();

/// Gives standard streams that were closed when the process began a descriptor that refuses what is
/// done with it. Comes before anything is opened.
void keep_standard_streams();

/// Thrown when a StopOnSignal's signal has been obeyed, past all other work; main() ends with 130.
struct Interrupted {};

/// While it lives, the first such signal only ends reading; what was read is worked on and written.
/// The second ends the process.
class StopOnSignal {
 public:
  StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  ~StopOnSignal();
  const std::shared_ptr<io::StopSignal>& signal() const { return signal_; }
  bool came() const;

 private:
  std::shared_ptr<io::StopSignal> signal_;
};

}  // namespace cuesta::cli
