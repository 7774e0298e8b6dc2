#include "cli/fence.hpp"

#include <CLI/CLI.hpp>
#include <string_view>

#include "cli/common.hpp"
#include "cli/config.hpp"
#include "io/address.hpp"
#include "io/frames.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/fence_results.hpp"
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

}  // namespace

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

std::vector<std::string> inputs_of(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options())
    if (option->get_positional() && option->count() > 0) return option->results();
  return {};
}

bool wants_sandbox(const CLI::App& verb) {
  const CLI::Option* asked = find_option(verb, "--sandbox");
  if (!asked || asked->count() == 0) return false;
  for (const char* name : {"--mqtt", "--on-event", "--cameras"})
    for (const auto& value : values_of(verb, name))
      usage_error(value,
                  "{} {}: --sandbox does not support connections, programs or lists of cameras; "
                  "leave one of them out",
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

namespace fs = std::filesystem;

/// Answers what the child asks.
class Answers {
 public:
  Answers(int listener, int child, FencedResults& results)
      : listener_(listener), child_(child), results_(results) {}

  /// One question, if there still is one.
  void answer() {
    seccomp_notif question{};
    if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) return;
    asked_ = &question;
    const int error = done();
    if (error == answered) return;
    seccomp_notif_resp reply{};
    reply.id = question.id;
    reply.error = -error;
    (void)ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &reply);
  }

 private:
  static constexpr int answered = -1;

  uint64_t argument(int n) const { return asked_->data.args[n]; }

  // What was asked, done here; errno, or `answered`.
  int done() {
    switch (asked_->data.nr) {
#if defined(__x86_64__)
      case __NR_open: return open_file(path_at(0), int(argument(1)), mode_t(argument(2)));
      case __NR_mkdir: return make_folder(path_at(0), mode_t(argument(1)));
      case __NR_unlink: return remove(path_at(0));
      case __NR_rename: return rename_file(path_at(0), path_at(1));
#endif
      case __NR_openat: return open_file(path_at(1, 0), int(argument(2)), mode_t(argument(3)));
      case __NR_mkdirat: return make_folder(path_at(1, 0), mode_t(argument(2)));
      case __NR_unlinkat: return argument(2) ? EPERM : remove(path_at(1, 0));
      case __NR_renameat: return rename_file(path_at(1, 0), path_at(3, 2));
      case __NR_linkat: return link_file(path_at(1, 0), path_at(3, 2));
      case __NR_fchmod: return change_rights(int(argument(0)), mode_t(argument(1)));
    }
    return EPERM;
  }

  // A path in the child's memory, copied: what the child does to it later changes nothing. Nothing
  // for what begins elsewhere than in the folder that both work in.
  std::optional<std::string> path_at(int n, int folder = -1) const {
    if (folder >= 0 && int(argument(folder)) != AT_FDCWD) {
      const auto first = text_at(argument(n));
      return first && first->starts_with('/') ? first : std::nullopt;
    }
    return text_at(argument(n));
  }
  std::optional<std::string> text_at(uint64_t address) const {
    std::string text;
    while (text.size() < PATH_MAX) {
      char block[256];
      // Up to the end of a page: the next one need not be there.
      const size_t size = std::min<size_t>(sizeof block, 4096 - address % 4096);
      const iovec here{block, size}, there{reinterpret_cast<void*>(address), size};
      if (process_vm_readv(pid_t(asked_->pid), &here, 1, &there, 1, 0) != ssize_t(size)) break;
      const size_t length = strnlen(block, size);
      text.append(block, length);
      if (length < size) {
        // Who asked is still there, and no other process by its number.
        if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked_->id) != 0) break;
        return text;
      }
      address += size;
    }
    return std::nullopt;
  }

  int open_file(const std::optional<std::string>& path, int flags, mode_t mode) {
    if (!path) return EPERM;
    constexpr int known = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_CLOEXEC |
                          O_NOFOLLOW | O_TMPFILE | O_LARGEFILE | O_NOCTTY | O_NONBLOCK;
    if (flags & ~known) return EPERM;
    if ((flags & O_TMPFILE) == O_TMPFILE) {
      const Descriptor folder(open(path->c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!folder) return errno;
      const auto where = identity_of(folder.get());
      if (!where || !results_.has_results(*where)) return EPERM;
      return hand_over(Descriptor(openat(folder.get(), ".", flags, mode & 0666)), flags);
    }
    auto spot = spot_of(flags & O_NOFOLLOW ? fs::path(*path) : io::end_of_links(*path));
    if (!spot) return ENOENT;
    if (!results_.may_be(*spot)) return EPERM;
    // A pipe that nobody reads must not keep all others waiting.
    const int more = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct stat old {};
    const bool is_new =
        fstatat(spot->folder.get(), spot->name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0;
    Descriptor file(openat(spot->folder.get(), spot->name.c_str(), flags | more, mode & 0666));
    if (!file) return errno;
    if (!(flags & O_NONBLOCK)) fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);
    if (is_new) results_.made(std::move(*spot));
    return hand_over(std::move(file), flags);
  }
  int hand_over(Descriptor file, int flags) {
    if (!file) return errno;
    seccomp_notif_addfd given{};
    given.id = asked_->id;
    given.flags = SECCOMP_ADDFD_FLAG_SEND;
    given.srcfd = uint32_t(file.get());
    given.newfd_flags = uint32_t(flags & O_CLOEXEC);
    return ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &given) >= 0 ? answered : errno;
  }

  int make_folder(const std::optional<std::string>& path, mode_t mode) {
    if (!path) return EPERM;
    const fs::path folder = folder_at(*path);
    if (!results_.may_be_folder(folder)) return EPERM;
    if (mkdir(folder.c_str(), mode & 0777) != 0) return errno;
    results_.made_folder(folder);
    return 0;
  }
  int remove(const std::optional<std::string>& path) {
    const auto spot = path ? spot_of(*path) : std::nullopt;
    if (!spot) return path ? ENOENT : EPERM;
    const bool is_stage = spot->name.starts_with('.') && results_.may_be(*spot);
    if (!is_stage && !results_.has_made(*spot)) return EPERM;
    if (unlinkat(spot->folder.get(), spot->name.c_str(), 0) != 0) return errno;
    results_.forget(*spot);
    return 0;
  }
  int rename_file(const std::optional<std::string>& from, const std::optional<std::string>& to) {
    if (!from || !to) return EPERM;
    const auto old = spot_of(*from);
    auto spot = spot_of(*to);
    if (!old || !spot) return ENOENT;
    if (!results_.has_made(*old) || !results_.may_be(*spot)) return EPERM;
    struct stat status {};
    const bool is_new =
        fstatat(spot->folder.get(), spot->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0;
    if (renameat(old->folder.get(), old->name.c_str(), spot->folder.get(), spot->name.c_str()) != 0)
      return errno;
    results_.forget(*old);
    if (is_new) results_.made(std::move(*spot));
    return 0;
  }
  // The descriptor that the child has by this number, if it has one that is open for writing: all
  // of these were given to it here, or by whoever started the command.
  Descriptor written_by_child(int number) const {
    Descriptor copy(int(syscall(__NR_pidfd_getfd, child_, number, 0)));
    const int flags = copy ? fcntl(copy.get(), F_GETFL) : O_RDONLY;
    return (flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) ? Descriptor() : std::move(copy);
  }
  int link_file(const std::optional<std::string>& from, const std::optional<std::string>& to) {
    constexpr std::string_view own = "/proc/self/fd/";
    if (!from || !to || !from->starts_with(own) || int(argument(4)) != AT_SYMLINK_FOLLOW)
      return EPERM;
    const Descriptor file = written_by_child(std::atoi(from->c_str() + own.size()));
    auto spot = spot_of(*to);
    if (!spot) return ENOENT;
    struct stat status {};
    // Only what has no name yet.
    if (!file || !results_.may_be(*spot) || fstat(file.get(), &status) != 0 || status.st_nlink != 0)
      return EPERM;
    const auto link = fmt::format("{}{}", own, file.get());
    if (linkat(AT_FDCWD, link.c_str(), spot->folder.get(), spot->name.c_str(), AT_SYMLINK_FOLLOW) !=
        0)
      return errno;
    results_.made(std::move(*spot));
    return 0;
  }
  int change_rights(int number, mode_t mode) {
    const Descriptor file = written_by_child(number);
    if (!file || number <= STDERR_FILENO) return EPERM;
    return fchmod(file.get(), mode & 0777) == 0 ? 0 : errno;
  }

  int listener_, child_;
  FencedResults& results_;
  const seccomp_notif* asked_ = nullptr;
};

// A byte, as there must be one, with room for a descriptor beside it.
struct DescriptorMessage {
  char byte = 0;
  iovec text{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr head{};

  DescriptorMessage() {
    head.msg_iov = &text, head.msg_iovlen = 1;
    head.msg_control = control, head.msg_controllen = sizeof control;
  }
  DescriptorMessage(const DescriptorMessage&) = delete;  // it points into itself
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;
};

// What the child holds, sent over a socket.
bool send_descriptor(int to, int descriptor) {
  DescriptorMessage message;
  cmsghdr* head = CMSG_FIRSTHDR(&message.head);
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return sendmsg(to, &message.head, 0) == 1;
}
Descriptor receive_descriptor(int from) {
  DescriptorMessage message;
  if (recvmsg(from, &message.head, MSG_CMSG_CLOEXEC) != 1) return Descriptor();
  const cmsghdr* head = CMSG_FIRSTHDR(&message.head);
  if (!head || head->cmsg_type != SCM_RIGHTS) return Descriptor();
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  return Descriptor(descriptor);
}

// Those that the child has its own answers to (cli/common.cpp).
constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU};

[[noreturn]] void fail(const char* what, int error) {
  throw Error(ErrorCode::device, fmt::format("--sandbox: {}: {}", what, io::reason_of(error)));
}

// Answers until the child ends, and returns how it did. The second signal ends any work of ours;
// what works on after the third, or for two seconds after the time of --max-time, is ours no more.
int wait_answering(pid_t child, int process, int signals, const Descriptor& listener,
                   FencedResults& results, std::vector<int>& passed) {
  Answers answers(listener.get(), process, results);
  pollfd events[] = {{process, POLLIN, 0}, {signals, POLLIN, 0}, {listener.get(), POLLIN, 0}};
  int patience = -1;  // milliseconds
  while (true) {
    const int came = poll(events, 3, patience);
    if (came < 0 && errno != EINTR) fail("poll", errno);
    if (came < 0) continue;
    if (came == 0) kill(child, SIGKILL);
    if (events[1].revents & POLLIN) {
      signalfd_siginfo signal{};
      if (read(signals, &signal, sizeof signal) == ssize_t(sizeof signal)) {
        passed.push_back(int(signal.ssi_signo));
        kill(child, passed.size() > 2 ? SIGKILL : passed.back());
        if (passed.back() == SIGALRM) patience = 2000;
      }
    }
    if (events[2].revents & POLLIN)
      answers.answer();
    else if (events[2].revents)
      events[2].fd = -1;  // nobody can ask any more
    if (events[0].revents) break;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// The child's own part, before a byte of any file is read.
void enter_child(pid_t parent, const Descriptor& to_parent, const sigset_t& usual) {
  // Whoever ends the parent by SIGKILL means both.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(exit_interrupted);
  // The terminal's signals come once, from the parent.
  setpgid(0, 0);
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  const Descriptor listener(enter_asking_sandbox());
  if (!send_descriptor(to_parent.get(), listener.get())) fail("sendmsg", errno);
}

}  // namespace

int run_fenced(const std::vector<std::string>& inputs, const std::vector<std::string>& results,
               const std::function<int()>& work) {
  sigset_t mine, usual;
  sigemptyset(&mine);
  for (const int signal : passed_on) sigaddset(&mine, signal);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) fail("socketpair", errno);
  Descriptor here(pair[0]), there(pair[1]);
  const pid_t parent = getpid();
  std::fflush(nullptr);
  pthread_sigmask(SIG_BLOCK, &mine, &usual);
  const pid_t child = fork();
  if (child == 0) {
    here = Descriptor();
    enter_child(parent, there, usual);
    there = Descriptor();
    return work();
  }
  const int error = errno;
  there = Descriptor();
  const Descriptor signals(child < 0 ? -1 : signalfd(-1, &mine, SFD_CLOEXEC));
  const Descriptor process(child < 0 ? -1 : int(syscall(__NR_pidfd_open, child, 0)));
  if (child < 0) fail("fork", error);
  if (!signals || !process) {
    kill(child, SIGKILL);
    fail("signalfd, pidfd_open", errno);
  }
  FencedResults allowed(results, child);
  const Descriptor listener = receive_descriptor(here.get());
  std::vector<int> passed;
  const int status = wait_answering(child, process.get(), signals.get(), listener, allowed, passed);
  allowed.clean();
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal != 0 && std::ranges::find(passed, signal) != passed.end()) {
    std::signal(signal, SIG_DFL);  // ends this process as it did the child
    raise(signal);
  }
  pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  if (signal == 0) return WEXITSTATUS(status);
  if (signal == SIGKILL && !passed.empty()) {
    if (passed.back() != SIGALRM) return exit_interrupted;
    throw Error(ErrorCode::device, "the run exceeded --max-time and was stopped");
  }
  throw Error(ErrorCode::input,
              fmt::format("{}: the decoder of {} was stopped by signal {} ({}); the file is "
                          "damaged or hostile, or memory ran out",
                          inputs.size() == 1 ? (inputs[0] == "-" ? "standard input" : inputs[0])
                                             : fmt::format("{} inputs", inputs.size()),
                          inputs.size() == 1 ? "it" : "them", signal, strsignal(signal)));
}
#else
int run_fenced(const std::vector<std::string>&, const std::vector<std::string>&,
               const std::function<int()>&) {
  throw Error(ErrorCode::unsupported,
              "--sandbox is supported on Linux only, on x86-64 and aarch64");
}
#endif

}  // namespace cuesta::cli
