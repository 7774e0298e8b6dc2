#include "cli/common.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <typeinfo>

#include "cli/config.hpp"
#include "cli/nearest.hpp"
#include "cli/options.hpp"
#include "cuesta/device.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/record_file.hpp"
#include "io/errors.hpp"

namespace cuesta::cli {
namespace {

int current_verbosity = 0;

std::atomic<io::StopSignal*> first_stop{nullptr};
std::atomic<bool> signal_came{false};
std::atomic<int> handlers{0};
static_assert(std::atomic<io::StopSignal*>::is_always_lock_free);

extern "C" void end_on_signal(int) {
  signal_came.store(true);
  ++handlers;  // a StopOnSignal waits for them before its signal goes
  if (io::StopSignal* stop = first_stop.exchange(nullptr)) {
    stop->request();
    --handlers;
    return;
  }
  --handlers;
  io::remove_unfinished_files();
  _exit(exit_interrupted);
}

extern "C" void end_as_by_default(int signal) {
  io::remove_unfinished_files();
  raise(signal);  // the handler is the default's again
}

// Where nothing can be thrown or allocated any more.
[[noreturn]] void end_here(std::string_view words) {
  (void)!write(STDERR_FILENO, words.data(), words.size());
  io::remove_unfinished_files();
  _exit(exit_device);
}

extern "C" void end_out_of_time(int) {
  end_here("error: the run took longer than --max-time allows, and was ended\n");
}

// Some libraries allocate where they have promised not to throw: nlohmann-json's destructor.
std::terminate_handler usual_end = std::abort;
[[noreturn]] void end_without_memory() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  if (thrown && *thrown == typeid(std::bad_alloc)) end_here("error: out of memory\n");
  usual_end();
  std::abort();
}

// The control code that begins at text[i], those of UTF-8's C1 set too; -1 for none.
int control_at(std::string_view text, size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
  if (byte < 0x20 || byte == 0x7f) return byte;
  return byte == 0xc2 && next >= 0x80 && next < 0xa0 ? next : -1;
}

// What names of files hold must not steer a terminal: control codes as C writes them. Lines and
// tabs are ours.
std::string harmless(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int control = control_at(text, i);
    if (control < 0 || control == '\n' || control == '\t') {
      out += text[i];
      continue;
    }
    out += fmt::format("\\x{:02x}", control);
    if (control >= 0x80) ++i;
  }
  return out;
}

void print_line(const char* color, std::string_view label, std::string_view text) {
  // A progress bar may stand on this line.
  const char* clear = stderr_is_terminal() ? "\r\033[K" : "";
  const bool colored = stderr_has_color() && !label.empty();
  print_raw(fmt::format("{}{}{}{}{}\n", clear, colored ? color : "", label,
                        colored ? "\033[0m" : "", harmless(io::without_passwords(text))));
}

}  // namespace

bool has_control(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i)
    if (control_at(text, i) >= 0) return true;
  return false;
}

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::unsupported: return exit_usage;
    case ErrorCode::input: return exit_input;
    case ErrorCode::output: return exit_output;
    case ErrorCode::device:
    case ErrorCode::out_of_memory: return exit_device;
  }
  return exit_usage;
}

std::string message_of(const Error& error) {
  const std::string_view says = error.what();
  if (dynamic_cast<const io::TooMuchMemory*>(&error))
    return fmt::format("{}; --max-memory raises it", says);
  switch (error.hint()) {
    case Hint::none:
      return std::string(says) +
             (error.code() == ErrorCode::input ? did_you_mean_file(error.value()) : std::string());
    case Hint::use_cpu: return fmt::format("{}; --device cpu does without a GPU", says);
    case Hint::raise_max_pixels: return fmt::format("{}; --max-pixels raises it", says);
    case Hint::choose_page: return fmt::format("{} with --page", says);
    case Hint::choose_band: return fmt::format("{} with --band", says);
    case Hint::allow_partial: return fmt::format("{}; --partial takes what can be read", says);
  }
  return std::string(says);
}

Exec CommonOptions::exec() const {
  Exec exec;
  exec.strategy = strategy;
  exec.threads = threads;
  for (const auto& text : parameters) exec.parameters.push_back(parse_parameter(text));
  return exec;
}

std::optional<Rect> CommonOptions::region_rect() const {
  if (region.empty()) return std::nullopt;
  return parse_region(region);
}

namespace {
void add_execution_options(CLI::App& app, CommonOptions& common, unsigned which) {
  const char* group = "How it runs";
  if (which & (takes_device | takes_devices)) {
    app.add_option(
           "--device", common.device,
           which & takes_devices
               ? "run on auto (default), cpu, cuda, cuda:N or cuda:all. cuda:all shares pictures, "
                 "frames, bands and videos among all GPUs"
               : "run on auto (default), cpu, cuda or cuda:N")
        ->type_name("DEVICE")
        ->group(group);
  }
  if (which & takes_strategy) {
    app.add_option("--strategy", common.strategy,
                   "run this implementation; see cuesta list strategies")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--param", common.parameters,
                   "set a parameter of this implementation; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->group(group);
  }
  if (which & takes_threads) {
    app.add_option("--threads", common.threads, "use N CPU threads; 0 (default): every core")
        ->type_name("N")
        ->check(CLI::Range(0, 4096))
        ->group(group);
  }
}

void add_limits(CLI::App& app, CommonOptions& common) {
  app.add_option("--max-pixels", common.max_pixels, "limit the pixels of a picture (default 2^28)")
      ->type_name("N")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
      ->group("Input");
  app.add_option("--max-memory", common.max_memory,
                 "limit a decoded picture or frame (default 2^30)")
      ->type_name("BYTES")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 50))
      ->group("Input");
  app.add_option("--max-time")
      ->description("end with an error after this time")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e9))
      ->group("Input");
  app.add_flag("--partial", common.partial, "read damaged or truncated files as far as possible")
      ->group("Input");
  app.add_option("--timeout", common.timeout,
                 "treat live video as lost after this silence (default 10)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 1e6))
      ->group("Input");
  app.add_option(
         "--reconnect", common.reconnect,
         "retry an address or camera that is absent or lost for this long (default: forever). 0: "
         "it is an error at once")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber)
      ->group("Input");
  app.add_option("--passwords", common.passwords,
                 "read passwords of cameras and brokers: machine HOST login USER password PASSWORD "
                 "(.netrc). CUESTA_PASSWORDS names the file as well")
      ->type_name("FILE")
      ->group("Input");
}
}  // namespace

void add_common(CLI::App& app, CommonOptions& common, unsigned which,
                std::initializer_list<std::string_view> examples) {
  common.verb = &app;
  std::string head;
  for (const auto example : examples) head += fmt::format("  {}\n", example);
  app.footer(head);
  if (which & takes_region) {
    app.add_option("--region", common.region,
                   "process only this rectangle. Its edges are the borders of the picture")
        ->type_name("X,Y,W,H");
  }
  add_execution_options(app, common, which);
  if (which & takes_limits) add_limits(app, common);
  if (which & takes_sandbox) {
    app.add_flag("--sandbox", common.sandbox,
                 "decode untrusted files in a restricted process. It can write the results named "
                 "here and nothing else (Linux, on the CPU)")
        ->group("Input");
  }
  app.add_option("--config")
      ->description("read options from a TOML file. The command line overrides it")
      ->type_name("FILE")
      ->group("Configuration");
  app.add_option("--save-config")
      ->description("write the given options to a TOML file if the run succeeds")
      ->type_name("FILE")
      ->group("Configuration");
  if (which & takes_json)
    app.add_flag("--json", common.json, "write results as JSON to stdout")->group("Messages");
  if (which & takes_explain) {
    app.add_flag("--explain", common.explain, "report strategies, reasons and times")
        ->group("Messages");
  }
  app.add_flag_callback(
         "-q,--quiet", [] { set_verbosity(-1); }, "report errors only")
      ->group("Messages");
  app.add_flag_callback(
         "-v,--verbose", [] { set_verbosity(1); }, "report what was selected")
      ->group("Messages");
}

void group_since(CLI::App& app, const std::vector<CLI::Option*>& known, const char* heading) {
  for (CLI::Option* option : app.get_options())
    if (!option->get_group().empty() && std::ranges::find(known, option) == known.end())
      option->group(heading);
}

void start_time_limit(const CLI::App& verb) {
  const CLI::Option* limit = find_option(verb, "--max-time");
  if (!limit || limit->count() == 0) return;
  const auto seconds = limit->as<double>();
  struct sigaction action {};
  action.sa_handler = end_out_of_time;
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, nullptr);
  struct itimerval timer {};
  timer.it_value.tv_sec = time_t(seconds);
  timer.it_value.tv_usec = suseconds_t((seconds - std::floor(seconds)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

bool find_gpu(const CommonOptions& common, std::string& why_not) {
  const std::string& text = common.device;
  const bool automatic = text == "auto";
  if (text == "cpu" || (automatic && common.sandbox)) return false;
  const int wanted = automatic ? 0 : parse_cuda_device(text);
  const auto devices = list_devices(&why_not);
  if (size_t(wanted) < devices.size()) {
    use_device(wanted);
    detail_once("there is " + devices[size_t(wanted)].name);
    return true;
  }
  if (!devices.empty()) {
    why_not = fmt::format("there {} {} GPU{}", devices.size() == 1 ? "is" : "are", devices.size(),
                          devices.size() == 1 ? "" : "s");
  }
  if (!automatic)
    throw Error(ErrorCode::device, fmt::format("--device {}: {}", text, why_not), text,
                Hint::use_cpu);
  return false;
}

std::vector<int> find_gpus(const CommonOptions& common, std::string& why_not) {
  if (common.device != "cuda:all") {
    if (!find_gpu(common, why_not)) return {};
    return {current_device()};
  }
  std::vector<int> found;
  for (const DeviceInfo& device : list_devices(&why_not)) {
    found.push_back(device.index);
    detail_once(fmt::format("there is {}, cuda:{}", device.name, device.index));
  }
  if (found.empty())
    throw Error(ErrorCode::device, fmt::format("--device cuda:all: {}", why_not), "cuda:all",
                Hint::use_cpu);
  return found;
}

namespace {
int reported_in_words(const std::function<int()>& work, std::string_view whose) {
  const auto say = [&](std::string_view what) {
    print_error(whose.empty() ? std::string(what) : fmt::format("{}: {}", whose, what));
  };
  try {
    return work();
  } catch (const Interrupted&) {
    return exit_interrupted;
  } catch (const io::ClosedPipe&) {
    return exit_output;  // who stopped reading knows
  } catch (const Error& error) {
    say(message_of(error));
    return exit_code_of(error.code());
  } catch (const std::bad_alloc&) {
    say("out of memory");
    return exit_device;
  } catch (const std::exception& error) {
    say(error.what());
    return exit_device;
  }
}
}  // namespace

int reported(const std::function<int()>& work, std::string_view whose) {
  try {
    return reported_in_words(work, whose);
  } catch (...) {  // no memory for the words either
    print_raw("error: out of memory\n");
    return exit_device;
  }
}

void set_verbosity(int verbosity) { current_verbosity = verbosity; }
int verbosity() { return current_verbosity; }

void print_error(std::string_view text) { print_line("\033[1;31m", "error: ", text); }
void print_warning(std::string_view text) {
  if (current_verbosity >= 0) print_line("\033[1;33m", "warning: ", text);
}
void print_note(std::string_view text) {
  if (current_verbosity >= 0) print_line("", "", text);
}
void print_detail(std::string_view text) {
  if (current_verbosity >= 1) print_line("", "", text);
}

void detail_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(text).second) print_detail(text);
}

void print_explanation(std::string_view text) { print_raw(text); }

void print_raw(std::string_view text) noexcept {
  (void)!std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_data(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  io::throw_output_errno("standard output", errno);
}

bool stderr_is_terminal() {
  static const bool is_terminal = isatty(STDERR_FILENO) == 1;
  return is_terminal;
}

bool stderr_has_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return stderr_is_terminal() && !(no_color && *no_color) && terminal &&
         std::string_view(terminal) != "dumb";
}

void install_signal_handlers() {
  usual_end = std::set_terminate(end_without_memory);
  struct sigaction action {};
  action.sa_handler = end_on_signal;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  action.sa_handler = SIG_IGN;
  // Both are errors where they are written to.
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaction(signal, &action, nullptr);
  action.sa_handler = end_as_by_default;
  action.sa_flags = int(SA_RESETHAND);
  for (const int signal : {SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGABRT, SIGTRAP, SIGSEGV,
                           SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction was {};  // a sanitizer's stays, and so does what the caller ignores
    if (sigaction(signal, nullptr, &was) == 0 && was.sa_handler == SIG_DFL)
      sigaction(signal, &action, nullptr);
  }
}

void keep_standard_streams() {
  // As glibc does it for programs with more rights than who runs them: what was closed cannot be
  // read from or written to, and no file that is opened later takes its number.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    (void)!open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

StopOnSignal::StopOnSignal() : signal_(std::make_shared<io::StopSignal>()) {
  first_stop.store(signal_.get());
}
StopOnSignal::~StopOnSignal() {
  first_stop.store(nullptr);
  while (handlers.load() > 0) std::this_thread::yield();
}
bool StopOnSignal::came() const { return signal_came.load(); }

}  // namespace cuesta::cli
