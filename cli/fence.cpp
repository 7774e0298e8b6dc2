#include "cli/fence.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "cli/common.hpp"
#include "cli/config.hpp"
#include "cli/scene_file.hpp"
#include "cuesta/io/address.hpp"
#include "cuesta/io/clip.hpp"
#include "cuesta/io/frames.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "cli/fence_answers.hpp"
#include "cli/fence_watch.hpp"
#include "cli/inputs.hpp"
#include "cli/sandbox.hpp"
#include "io/errors.hpp"
#include "io/folder.hpp"
#endif

namespace cuesta::cli {

namespace {

std::vector<std::string> values_of(const CLI::App& verb, const std::string& name) {
  const CLI::Option* option = find_option(verb, name);
  if (!option || option->count() == 0 || option->get_items_expected_max() == 0) return {};
  return option->results();
}

std::vector<std::string> results_of(const CLI::App& verb) {
  std::vector<std::string> results;
  for (const CLI::Option* option : verb.get_options()) {
    const std::string type = option->get_type_name();
    if (type.substr(0, type.find(':')) != "OUT" || option->count() == 0) continue;
    for (const auto& one : option->results())
      if (!one.empty() && one != "-") results.push_back(one);
  }
  return results;
}

// Masks, kernels, scenes: what options name that is there, and what a scene names.
std::vector<std::string> also_read_by(const CLI::App& verb) {
  std::vector<std::string> paths;
  std::error_code ignored;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional() || option->get_type_name().starts_with("OUT")) continue;
    for (const auto& one : option->results())
      if (std::filesystem::is_regular_file(one, ignored)) paths.push_back(one);
  }
  for (auto& journal : values_of(verb, "--resume")) paths.push_back(std::move(journal));
  for (const auto& scene : values_of(verb, "--scene")) {
    paths.push_back(mask_of_scene(scene));
    paths.push_back(privacy_of_scene(scene));
  }
  return paths;
}

std::vector<std::string> inputs_of(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    if (option->get_positional() && option->count() > 0) return option->results();
  return {};
}

}  // namespace

FencedRun fenced_run_of(const CLI::App& verb) {
  FencedRun run{inputs_of(verb), results_of(verb), also_read_by(verb)};
  const CLI::Option* joins = find_option(verb, "--join-inputs");
  if (joins && joins->count() > 0) {
    // Files that appear later are read, too.
    auto& folders = verb.count("--growing") > 0 ? run.also_read : run.listed;
    for (const std::string& input : run.inputs) {
      for (std::string& file : io::recording_files(input)) run.also_read.push_back(std::move(file));
      const std::string folder = input.substr(0, input.find_first_of("*?["));
      folders.push_back(folder.substr(0, folder.rfind('/') + 1) + ".");
    }
  }
  const CLI::Option* limit = find_option(verb, "--max-memory");
  if (limit && limit->count() > 0) run.max_memory = limit->as<int64_t>();
  // `<(command)` of a shell is a descriptor that the input names.
  for (const std::string& input : run.inputs)
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
      if (input.starts_with(folder))
        run.descriptors.push_back(std::atoi(input.c_str() + folder.size()));
  return run;
}

bool wants_sandbox(const CLI::App& verb) {
  const CLI::Option* asked = find_option(verb, "--sandbox");
  if (!asked || asked->count() == 0) return false;
  for (const char* name : {"--mqtt", "--on-event", "--cameras", "--live", "--record"})
    for (const auto& value : values_of(verb, name))
      usage_error(value,
                  "{} {}: --sandbox does not support connections, programs, recordings or lists of "
                  "cameras; leave one of them out",
                  name, value);
  for (const char* name : {"--device", "--decode"})
    for (const auto& value : values_of(verb, name))
      if (value != "cpu" && value != "auto")
        usage_error(value, "{} {}: --sandbox does not support GPUs; use {} cpu", name, value, name);
  for (const auto& input : inputs_of(verb))
    if (input != "-" && io::is_live(input))
      usage_error(input,
                  "{}: --sandbox does not support connections or cameras; record a file first, or "
                  "leave --sandbox out",
                  io::without_password(input));
  for (const auto& result : results_of(verb))
    if (result.find("{name}") != std::string::npos)
      usage_error(result, "{}: --sandbox supports one video at a time; run each separately",
                  result);
  return true;
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
namespace {

// Those that the child has its own answers to (cli/common.cpp).
constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

[[noreturn]] void fail(const char* what, int error) {
  throw Error(ErrorCode::device, fmt::format("--sandbox: {}: {}", what, io::reason_of(error)));
}

// The child's own part, before a byte of any file is read.
void enter_child(pid_t parent, Descriptor to_parent, const sigset_t& usual, SandboxRights rights) {
  // Whoever ends the parent by SIGKILL means both. The filter refuses to undo this.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(exit_interrupted);
  // The terminal's signals come once, from the parent.
  setpgid(0, 0);
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  rights.descriptors.push_back(to_parent.get());
  const Descriptor listener(enter_sandbox(rights));
  // The parent takes it, and says so.
  const int number = listener.get();
  char taken = 0;
  if (::write(to_parent.get(), &number, sizeof number) != ssize_t(sizeof number) ||
      ::read(to_parent.get(), &taken, 1) != 1)
    _exit(exit_interrupted);
}

// What the child reads: of a folder, what links there lead to, too.
SandboxRights rights_of(const FencedRun& run) {
  namespace fs = std::filesystem;
  SandboxRights rights{run.inputs, run.listed, run.descriptors, run.serves};
  rights.read.insert(rights.read.end(), run.also_read.begin(), run.also_read.end());
  std::error_code error;
  for (const fs::path input : run.inputs)
    for (const auto& name :
         fs::is_directory(input, error) ? io::names_in(input, error) : std::vector<std::string>())
      if (fs::is_symlink(input / name, error)) rights.read.push_back((input / name).string());
  // Their folders are synced, those that are made, too.
  for (const auto& result : run.results) {
    fs::path folder = folder_at(result);
    do folder = folder.parent_path();
    while (!fs::is_directory(folder, error) && folder.has_relative_path());
    rights.listed.push_back(folder.string());
    rights.listed.push_back(result);
  }
  return rights;
}

// A child in its sandbox, seen from the parent.
class Child {
 public:
  Child(pid_t number, const sigset_t& signals)
      : number_(number),
        process_(int(syscall(__NR_pidfd_open, number, 0))),
        signals_(signalfd(-1, &signals, SFD_CLOEXEC)) {
    if (process_ && signals_) return;
    const int error = errno;
    kill(number, SIGKILL);
    fail("signalfd, pidfd_open", error);
  }

  // Takes the descriptor that the child's questions come from; none where the child has ended.
  void take_listener(const Descriptor& from_child) {
    int number = -1;
    if (::read(from_child.get(), &number, sizeof number) != ssize_t(sizeof number)) return;
    listener_ = Descriptor(int(syscall(__NR_pidfd_getfd, process_.get(), number, 0)));
    if (!listener_) {
      const int error = errno;
      end();
      fail("pidfd_getfd", error);
    }
    (void)!::write(from_child.get(), "", 1);
  }

  // Answers until the child ends, and returns how it did. The second signal ends any work of ours;
  // what works on after the third, or for two seconds after the time of --max-time, is ours no
  // more, nor is what takes more memory than it may.
  int wait(FencedResults& results, Watch& watch) {
    Answers answers(listener_.get(), process_.get(), results);
    pollfd events[] = {
        {process_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    while (!(events[0].revents & POLLIN)) {
      if (poll(events, 3, watch.patience()) < 0) {
        if (errno == EINTR) continue;
        const int error = errno;
        end();
        fail("poll", error);
      }
      if (watch.look()) end();
      if (events[1].revents & POLLIN) pass_on(watch);
      if (events[2].revents & POLLIN)
        answers.answer();
      else if (events[2].revents)
        events[2].fd = -1;  // nobody can ask any more
    }
    int status = 0;
    while (waitpid(number_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }
  const std::vector<int>& passed() const { return passed_; }

 private:
  // By a descriptor: never another process that has the number of one that has ended.
  void signal(int what) const { syscall(__NR_pidfd_send_signal, process_.get(), what, nullptr, 0); }
  void end() const { signal(SIGKILL); }
  void pass_on(Watch& watch) {
    signalfd_siginfo came{};
    if (::read(signals_.get(), &came, sizeof came) != ssize_t(sizeof came)) return;
    passed_.push_back(int(came.ssi_signo));
    signal(passed_.size() > 2 ? SIGKILL : passed_.back());
    if (passed_.back() == SIGALRM) watch.end_at(Watch::Clock::now() + std::chrono::seconds(2));
  }

  pid_t number_;
  Descriptor process_, signals_, listener_{};
  std::vector<int> passed_{};
};

std::string shown_inputs(const std::vector<std::string>& inputs) {
  if (inputs.size() != 1) return fmt::format("{} inputs", inputs.size());
  return inputs[0] == "-" ? "standard input" : inputs[0];
}

// Of a child that a signal ended that was not passed on.
[[noreturn]] void tell_end(const FencedRun& run, int signal, bool is_over_memory,
                           const std::vector<int>& passed) {
  const std::string shown = shown_inputs(run.inputs);
  const int64_t limit = memory_limit(run.max_memory);
  if (is_over_memory)
    throw Error(ErrorCode::input,
                fmt::format("{}: with --max-memory {}, a run in the sandbox may take {} MiB of "
                            "memory, and this one took more; raise --max-memory if you trust {}",
                            shown, run.max_memory, limit >> 20,
                            run.inputs.size() == 1 ? "the file" : "the files"));
  if (signal == SIGKILL && !passed.empty() && passed.back() == SIGALRM)
    throw Error(ErrorCode::device, "the run exceeded --max-time and was stopped");
  throw Error(
      ErrorCode::input,
      fmt::format("{}: the decoder of {} was stopped by signal {} ({}); the file is "
                  "damaged or hostile, or memory ran out",
                  shown, run.inputs.size() == 1 ? "it" : "them", signal, strsignal(signal)));
}

}  // namespace

int run_fenced(const FencedRun& run, const std::function<int()>& work) {
  sigset_t mine, usual;
  sigemptyset(&mine);
  for (const int signal : passed_on) sigaddset(&mine, signal);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) fail("socketpair", errno);
  Descriptor here(pair[0]), there(pair[1]);
  const pid_t parent = getpid();
  std::fflush(nullptr);
  pthread_sigmask(SIG_BLOCK, &mine, &usual);
  const pid_t number = fork();
  if (number == 0) {
    here = Descriptor();
    enter_child(parent, std::move(there), usual, rights_of(run));
    return work();
  }
  if (number < 0) fail("fork", errno);
  there = Descriptor();
  Child child(number, mine);
  FencedResults allowed(run.results, number);
  Watch watch(number, memory_limit(run.max_memory));
  child.take_listener(here);
  const int status = child.wait(allowed, watch);
  allowed.clean();
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const auto& passed = child.passed();
  if (signal != 0 && std::ranges::find(passed, signal) != passed.end()) {
    std::signal(signal, SIG_DFL);  // ends this process as it did the child
    raise(signal);
  }
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  if (signal == 0) return WEXITSTATUS(status);
  if (signal == SIGKILL && !passed.empty() && passed.back() != SIGALRM && !watch.is_over_memory())
    return exit_interrupted;
  tell_end(run, signal, watch.is_over_memory(), passed);
}
#else
int run_fenced(const FencedRun&, const std::function<int()>&) {
  throw Error(ErrorCode::unsupported,
              "--sandbox is supported on Linux only, on x86-64 and aarch64");
}
#endif

}  // namespace cuesta::cli
