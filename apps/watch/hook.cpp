#include "apps/watch/hook.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <thread>

#include "cli/common.hpp"

extern char** environ;

namespace cuesta::cli {

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool is_word = false;
  char quote = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
      is_word = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      is_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (std::exchange(is_word, false)) words.push_back(std::exchange(word, {}));
    } else {
      word += c;
      is_word = true;
    }
  }
  if (quote) usage_error(command, "--on-event {}: a {} is not closed", command, quote);
  if (is_word) words.push_back(word);
  if (words.empty()) usage_error(command, "--on-event \"{}\": name a program", command);
  return words;
}

namespace {

using Clock = std::chrono::steady_clock;

// What a program is fed is in a file without a name: it may read late, or not at all.
std::FILE* input_of(const std::string& line) {
  std::FILE* file = std::tmpfile();
  if (!file) return nullptr;
  if (std::fwrite(line.data(), 1, line.size(), file) == line.size() && std::fflush(file) == 0 &&
      lseek(fileno(file), 0, SEEK_SET) == 0)
    return file;
  std::fclose(file);
  return nullptr;
}

// The program's process, or 0 and the error's number.
pid_t started(const std::vector<std::string>& words, int input, int& error) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  // The command ignores SIGPIPE; a program need not.
  sigset_t pipe_signal;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = 0;
  error = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? process : 0;
}

class Hook final : public EventSink {
 public:
  Hook(const std::string& command, const WatchFacts& facts)
      : command_(command), words_(words_of(command)), facts_(facts) {}

  void frame(const io::Frame&, const SceneStep&) override {
    if (!running_.empty() || !waiting_.empty()) go_on();
  }
  void began(const Event& event) override { call(event, "began"); }
  void ended(const Event& event) override { call(event, "ended"); }
  void finish() override {
    const auto until = Clock::now() + std::chrono::seconds(10);
    while (go_on(), !running_.empty() || !waiting_.empty()) {
      if (Clock::now() > until) {
        warn("--on-event {}: {} still running; the command does not wait for them", command_,
             running_.size() + waiting_.size());
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

 private:
  void call(const Event& event, const char* state) {
    if (waiting_.size() >= 1000) return complain("1000 events wait for it; one is left out");
    waiting_.push_back(line_of(notice_of(event, state, facts_)) + "\n");
    go_on();
  }

  // Looks who is done, and starts who waits.
  void go_on() {
    std::erase_if(running_, [&](pid_t process) {
      int status = 0;
      const pid_t done = waitpid(process, &status, WNOHANG);
      if (done == 0) return false;
      if (done == process && WIFSIGNALED(status))
        complain(fmt::format("ended by signal {}", WTERMSIG(status)));
      else if (done == process && WEXITSTATUS(status) != 0)
        complain(fmt::format("exit status {}", WEXITSTATUS(status)));
      return true;
    });
    while (!waiting_.empty() && running_.size() < 8) {
      std::FILE* input = input_of(waiting_.front());
      waiting_.pop_front();
      int error = errno;
      const pid_t process = input ? started(words_, fileno(input), error) : 0;
      if (input) std::fclose(input);
      if (process > 0)
        running_.push_back(process);
      else
        complain(std::strerror(error));
    }
  }
  void complain(const std::string& why) { warn("--on-event {}: {}", command_, why); }

  std::string command_;
  std::vector<std::string> words_;
  const WatchFacts& facts_;
  std::deque<std::string> waiting_;
  std::vector<pid_t> running_;
};

}  // namespace

std::unique_ptr<EventSink> event_hook(const std::string& command, const WatchFacts& facts) {
  return std::make_unique<Hook>(command, facts);
}

}  // namespace cuesta::cli
