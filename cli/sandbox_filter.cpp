#include "cli/sandbox_filter.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "cuesta/error.hpp"
#include "io/errors.hpp"

namespace cuesta::cli {
namespace {

#if defined(__x86_64__)
constexpr uint32_t machine = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t machine = AUDIT_ARCH_AARCH64;
#endif

// Numbers that are the same on both machines, and newer than some systems' headers.
constexpr long clone3 = 435, close_range = 436, futex_waitv = 449, map_shadow_stack = 453,
               mseal = 462;
constexpr uint32_t highest_known = 469;  // file_setattr, Linux 6.17

// Whatever their arguments. What opens a file for reading is bounded by Landlock.
const long always[] = {
    // memory
    __NR_mmap,
    __NR_mprotect,
    __NR_munmap,
    __NR_mremap,
    __NR_brk,
    __NR_get_mempolicy,
    __NR_set_mempolicy,
    // threads
    __NR_futex,
    futex_waitv,
    __NR_sched_yield,
    __NR_set_robust_list,
    __NR_rseq,
    __NR_set_tid_address,
    __NR_membarrier,
    __NR_sched_getaffinity,
    __NR_sched_getparam,
    __NR_sched_getscheduler,
    __NR_sched_get_priority_max,
    __NR_sched_get_priority_min,
    __NR_sched_getattr,
    __NR_getpriority,
    __NR_getcpu,
    __NR_exit,
    __NR_exit_group,
    // signals
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_rt_sigpending,
    __NR_rt_sigtimedwait,
    __NR_rt_sigsuspend,
    __NR_sigaltstack,
    __NR_restart_syscall,
    // time
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_gettimeofday,
    __NR_times,
    __NR_getrusage,
    // open files
    __NR_read,
    __NR_pread64,
    __NR_readv,
    __NR_preadv,
    __NR_preadv2,
    __NR_write,
    __NR_pwrite64,
    __NR_writev,
    __NR_pwritev,
    __NR_pwritev2,
    __NR_lseek,
    __NR_close,
    close_range,
    __NR_dup,
    __NR_dup3,
    __NR_fsync,
    __NR_fdatasync,
    __NR_ftruncate,
    __NR_fadvise64,
    __NR_getdents64,
    __NR_fstat,
    __NR_fstatfs,
    __NR_pipe2,
    __NR_eventfd2,
    __NR_epoll_create1,
    __NR_epoll_ctl,
    __NR_epoll_pwait,
    __NR_ppoll,
    __NR_pselect6,
    // what is there
    __NR_statx,
    __NR_newfstatat,
    __NR_statfs,
    __NR_faccessat,
    439 /* faccessat2 */,
    __NR_readlinkat,
    __NR_getcwd,
    // the process itself, and the machine
    __NR_getpid,
    __NR_gettid,
    __NR_getppid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_getresuid,
    __NR_getresgid,
    __NR_getgroups,
    __NR_getpgid,
    __NR_getsid,
    __NR_uname,
    __NR_sysinfo,
    __NR_umask,
    __NR_getrandom,
#if defined(__x86_64__)
    __NR_getpgrp,
    __NR_getrlimit,
    __NR_time,
    __NR_pause,
    __NR_dup2,
    __NR_getdents,
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_readlink,
    __NR_pipe,
    __NR_eventfd,
    __NR_epoll_create,
    __NR_epoll_wait,
    __NR_poll,
    __NR_select,
#endif
};

// Opening is one, too, where it is for writing.
const long of_results[] = {__NR_mkdirat, __NR_unlinkat, __NR_linkat, __NR_renameat,
                           __NR_fchmod,  __NR_flock,
#if defined(__x86_64__)
                           __NR_mkdir,   __NR_unlink,   __NR_rename
#endif
};

// On sockets that were there: no connection is made, and nothing is sent to another address.
void add_serving(SandboxFilter& filter) {
  for (const long call : {__NR_accept, __NR_accept4, __NR_recvfrom, __NR_shutdown, __NR_getsockname,
                          __NR_getpeername, __NR_getsockopt})
    filter.allow(call);
  filter.allow_where(__NR_sendto, {{4, {0}}, {4, {0}, ~0U, true}});  // without an address
  filter.allow_where(__NR_setsockopt,
                     {{1, {SOL_SOCKET, 6 /* IPPROTO_TCP */}},
                      // TCP_NODELAY has the number of SO_DEBUG, which needs rights of root
                      {2, {1, SO_REUSEADDR, SO_LINGER, SO_RCVTIMEO, SO_SNDTIMEO, 66, 67}}});
}

void add_own(SandboxFilter& filter) {
  const auto self = uint32_t(getpid());
  filter.allow_where(__NR_kill, {{0, {self}}});
  filter.allow_where(__NR_tgkill, {{0, {self}}});
  filter.allow_where(__NR_sched_setaffinity, {{0, {0, self}}});  // of encoders' threads
  // Limits are read, of this process.
  filter.allow_where(__NR_prlimit64, {{0, {0, self}}, {2, {0}}, {2, {0}, ~0U, true}});
  filter.allow_where(__NR_prctl,
                     {{0, {PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, 0x53564d41 /* SET_VMA */}}});
  // Threads, as the C library makes them; clone3 has its flags in memory.
  constexpr uint32_t of_threads = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM |
                                  CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |
                                  CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED;
  filter.allow_where(__NR_clone, {{0, {CLONE_THREAD}, CLONE_THREAD}, {0, {0}, ~of_threads}});
  filter.allow_where(__NR_madvise,
                     {{2,
                       {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED,
                        MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_DONTDUMP}}});
}

}  // namespace

SandboxFilter::SandboxFilter() {
  load(offsetof(seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);  // another machine's calls have other numbers
  load(offsetof(seccomp_data, nr));                // stays loaded between the rules
}

void SandboxFilter::load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset)); }

void SandboxFilter::give(long call, uint32_t verdict) {
  add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 1);
  add(BPF_RET | BPF_K, verdict);
}

void SandboxFilter::allow_where(long call, const std::vector<ArgumentTest>& tests) {
  size_t left = 2;  // the verdict, and loading the number again
  for (const ArgumentTest& test : tests) left += 2 + test.values.size();
  add(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, uint8_t(left));
  for (const ArgumentTest& test : tests) {
    // little-endian
    load(offsetof(seccomp_data, args) + size_t(test.argument) * 8 + (test.is_upper_half ? 4U : 0U));
    add(BPF_ALU | BPF_AND | BPF_K, test.bits);
    left -= 2;
    size_t more = test.values.size();
    for (const uint32_t value : test.values) {
      --left, --more;
      // One that is equal jumps over the others; the last that is not, to the end.
      add(BPF_JMP | BPF_JEQ | BPF_K, value, uint8_t(more), uint8_t(more ? 0 : left - 1));
    }
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  load(offsetof(seccomp_data, nr));
}

int SandboxFilter::enter(std::initializer_list<unsigned> flags) {
  // x32's calls have numbers above all others.
  add(BPF_JMP | BPF_JGT | BPF_K, highest_known, 0, 1);
  add(BPF_RET | BPF_K, fails_with(ENOSYS));
  add(BPF_RET | BPF_K, fails_with(EPERM));
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

SandboxFilter sandbox_filter(uint32_t on_results, bool serves) {
  SandboxFilter filter;
  for (const long call : always) filter.allow(call);
  add_own(filter);
  constexpr uint32_t writes =
      O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
  filter.allow_where(__NR_openat, {{2, {0}, writes}});
  filter.give(__NR_openat, on_results);
#if defined(__x86_64__)
  filter.allow_where(__NR_open, {{1, {0}, writes}});
  filter.give(__NR_open, on_results);
#endif
  for (const long call : of_results) filter.give(call, on_results);
  // No owner, signal, lease or lock of a file.
  filter.allow_where(__NR_fcntl, {{1, {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL}}});
  filter.allow_where(__NR_fcntl, {{1, {F_SETFL}}, {2, {0}, O_ASYNC}});
  filter.allow_where(__NR_ioctl, {{1, {TCGETS, 0x802c542a /* TCGETS2 */, TIOCGWINSZ, FIONREAD}}});
  for (const long call : {clone3, mseal, map_shadow_stack})
    filter.give(call, SandboxFilter::fails_with(ENOSYS));  // libraries have another way
  if (serves) add_serving(filter);
  return filter;
}

}  // namespace cuesta::cli
#endif
