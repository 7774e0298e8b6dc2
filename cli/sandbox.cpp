#include "cli/sandbox.hpp"

#include <fmt/format.h>

#include "cuesta/error.hpp"
#include "io/errors.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <vector>

#if !defined(__NR_clone3)
#define __NR_clone3 435
#endif
constexpr unsigned waits_killable = 1U << 5;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV

namespace cuesta::cli {
namespace {

#if defined(__x86_64__)
constexpr uint32_t machine = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t machine = AUDIT_ARCH_AARCH64;
#endif

// A leak check at the end stops its threads by a process that traces them.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool checks_leaks = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool checks_leaks = true;
#else
constexpr bool checks_leaks = false;
#endif
#else
constexpr bool checks_leaks = false;
#endif

// What is refused whatever it is called with.
const long refused[] = {
    // programs and processes
    __NR_execve, __NR_execveat,
#if defined(__x86_64__)
    __NR_fork, __NR_vfork,
#endif
    // sockets: those that are there can be read, written to and accepted from
    __NR_socket, __NR_socketpair, __NR_connect, __NR_bind, __NR_listen,
    // files but for reading them
    __NR_mknodat, __NR_symlinkat, __NR_renameat2, __NR_truncate, __NR_fallocate, __NR_fchmodat,
    __NR_fchownat, __NR_fchown, __NR_utimensat, __NR_setxattr, __NR_lsetxattr, __NR_fsetxattr,
    __NR_removexattr, __NR_lremovexattr, __NR_fremovexattr, __NR_openat2, __NR_open_by_handle_at,
    __NR_name_to_handle_at, __NR_copy_file_range,
#if defined(__x86_64__)
    __NR_mknod, __NR_rmdir, __NR_symlink, __NR_link, __NR_creat, __NR_chmod, __NR_chown,
    __NR_lchown, __NR_utime, __NR_utimes, __NR_futimesat,
#endif
    __NR_mount, __NR_umount2, __NR_pivot_root, __NR_chroot, __NR_unshare, __NR_setns, __NR_swapon,
    __NR_swapoff, __NR_fanotify_init, __NR_open_tree, __NR_move_mount, __NR_fsopen, __NR_fsmount,
    __NR_fspick,
    // other processes, and the kernel
    __NR_process_vm_readv, __NR_process_vm_writev, __NR_pidfd_open, __NR_pidfd_getfd,
    __NR_pidfd_send_signal, __NR_rt_sigqueueinfo, __NR_rt_tgsigqueueinfo, __NR_tkill, __NR_kcmp,
    __NR_bpf, __NR_perf_event_open, __NR_io_uring_setup, __NR_io_uring_enter,
    __NR_io_uring_register, __NR_userfaultfd, __NR_keyctl, __NR_add_key, __NR_request_key,
    __NR_init_module, __NR_finit_module, __NR_delete_module, __NR_kexec_load, __NR_reboot,
    __NR_settimeofday, __NR_clock_settime, __NR_sethostname, __NR_setdomainname, __NR_acct,
    __NR_quotactl, __NR_shmget, __NR_msgget, __NR_semget, __NR_mq_open};

// What is refused, or asked; opening is, too, where it is for writing.
const long of_results[] = {__NR_mkdirat, __NR_unlinkat, __NR_linkat, __NR_renameat, __NR_fchmod,
#if defined(__x86_64__)
                           __NR_mkdir,   __NR_unlink,   __NR_rename
#endif
};

/// A filter in the kernel's small language: every check ends in a verdict or continues behind
/// itself.
class Filter {
 public:
  /// `on_results`: the verdict on what makes results.
  explicit Filter(uint32_t on_results) : on_results_(on_results) {
    load(offsetof(seccomp_data, arch));
    unless_equal(machine, 1);
    give(SECCOMP_RET_KILL_PROCESS);  // another machine's calls have other numbers
    // loaded again by every check
  }
  static constexpr uint32_t fails_with(int error) { return SECCOMP_RET_ERRNO | uint32_t(error); }

  void fail(long call, int error) { give_to(call, fails_with(error)); }
  void makes_results(long call) { give_to(call, on_results_); }
  void refuse(long call) { fail(call, EPERM); }
  void refuse_from(uint32_t number) {
    load(offsetof(seccomp_data, nr));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, number, 0, 1));
    give(fails_with(EPERM));
  }
  // By an argument's lower half: where one of `bits` is set, where none is, where it is `value`,
  // where it is not.
  void makes_results_with(long call, int argument, uint32_t bits) {
    give_by(call, argument, BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), on_results_);
  }
  void refuse_with(long call, int argument, uint32_t bits) {
    give_by(call, argument, BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), fails_with(EPERM));
  }
  void refuse_without(long call, int argument, uint32_t bits) {
    give_by(call, argument, BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), fails_with(EPERM));
  }
  void refuse_where(long call, int argument, uint32_t value) {
    give_by(call, argument, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), fails_with(EPERM));
  }
  void refuse_unless(long call, int argument, uint32_t value) {
    give_by(call, argument, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0), fails_with(EPERM));
  }
  /// Returns what seccomp(2) does with these flags; the first ones that this kernel knows are
  /// taken. Throws Error{unsupported}.
  int enter(std::initializer_list<unsigned> flags) {
    give(SECCOMP_RET_ALLOW);
    const sock_fprog program{.len = (unsigned short)(code_.size()), .filter = code_.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
      for (const unsigned some : flags) {
        const auto entered = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, some, &program);
        if (entered >= 0) return int(entered);
      }
    }
    throw Error(ErrorCode::unsupported,
                fmt::format("this system's kernel does not support the sandbox (seccomp: {})",
                            io::reason_of(errno)));
  }

 private:
  void give_to(long call, uint32_t verdict) {
    load(offsetof(seccomp_data, nr));
    if_equal(uint32_t(call), 1);
    give(verdict);
  }
  // Gives the verdict unless `test` of the argument jumps over that.
  void give_by(long call, int argument, sock_filter test, uint32_t verdict) {
    load(offsetof(seccomp_data, nr));
    if_equal(uint32_t(call), 3);
    load_argument(argument);
    code_.push_back(test);
    give(verdict);
  }
  void load(size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset)));
  }
  void load_argument(int n) {
    load(offsetof(seccomp_data, args) + size_t(n) * 8);
  }  // little-endian
  void give(uint32_t verdict) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
  void if_equal(uint32_t value, uint8_t else_over) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, else_over));
  }
  void unless_equal(uint32_t value, uint8_t over) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, over, 0));
  }

  uint32_t on_results_;
  std::vector<sock_filter> code_{};
};

Filter filter_with(uint32_t verdict_on_results) {
  Filter filter(verdict_on_results);
#if defined(__x86_64__)
  filter.refuse_from(0x40000000);  // x32, whose calls have numbers of their own
#endif
  for (const long call : refused) {
    if (checks_leaks && (call == __NR_tkill)) continue;
    filter.refuse(call);
  }
  constexpr uint32_t writes =
      O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
  filter.makes_results_with(__NR_openat, 2, writes);
#if defined(__x86_64__)
  filter.makes_results_with(__NR_open, 1, writes);
#endif
  for (const long call : of_results) filter.makes_results(call);
  const auto self = uint32_t(getpid());
  filter.refuse_unless(__NR_kill, 0, self);
  filter.refuse_unless(__NR_tgkill, 0, self);
  filter.refuse_with(__NR_prlimit64, 0, 0xffffffff);  // other processes'
  filter.refuse_where(__NR_ioctl, 1, TIOCSTI);        // typing into the terminal
  filter.refuse_where(__NR_ioctl, 1, 0x541c);         // TIOCLINUX, pasting into it
  if (!checks_leaks) {
    filter.fail(__NR_clone3, ENOSYS);  // whose flags are in memory; libraries then take clone
    filter.refuse_without(__NR_clone, 0, CLONE_THREAD);
    filter.refuse(__NR_ptrace);
  }
  const rlimit nothing{0, 0};
  setrlimit(RLIMIT_CORE, &nothing);  // what was decoded stays in memory
  return filter;
}

}  // namespace

void enter_sandbox() { filter_with(Filter::fails_with(EPERM)).enter({SECCOMP_FILTER_FLAG_TSYNC}); }

int enter_asking_sandbox() {
  Filter filter = filter_with(SECCOMP_RET_USER_NOTIF);
  filter.refuse(__NR_seccomp);
  // A call that is being answered is not disturbed by a signal, where the kernel can (Linux 5.19).
  return filter.enter(
      {SECCOMP_FILTER_FLAG_NEW_LISTENER | waits_killable, SECCOMP_FILTER_FLAG_NEW_LISTENER});
}

}  // namespace cuesta::cli

#else

namespace cuesta::cli {
void enter_sandbox() {
  throw Error(ErrorCode::unsupported,
              "the sandbox is supported on Linux only, on x86-64 and aarch64");
}
int enter_asking_sandbox() {
  enter_sandbox();
  return -1;
}
}  // namespace cuesta::cli

#endif
