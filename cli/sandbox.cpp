#include "cli/sandbox.hpp"

#include "cuesta/error.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "cli/common.hpp"
#include "cli/sandbox_files.hpp"
#include "cli/sandbox_filter.hpp"

namespace cuesta::cli {
namespace {

constexpr long close_range = 436;
constexpr unsigned waits_killable = 1U << 5;  // SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV

#ifdef CUESTA_CHECKS_LEAKS
// LeakSanitizer asks at the end of a process. Its check reads files and traces threads, which the
// sandbox refuses; the same code is checked outside.
bool is_inside = false;
extern "C" int __lsan_is_turned_off() { return is_inside; }
#endif

// What was inherited, but for `kept` and the standard streams.
void close_others(std::vector<int> kept) {
  std::ranges::sort(kept);
  unsigned first = STDERR_FILENO + 1;
  for (const int descriptor : kept) {
    if (unsigned(descriptor) < first) continue;
    if (unsigned(descriptor) > first) syscall(close_range, first, unsigned(descriptor) - 1, 0);
    first = unsigned(descriptor) + 1;
  }
  syscall(close_range, first, ~0U, 0);
}

}  // namespace

int enter_sandbox(const SandboxRights& rights) {
#ifdef CUESTA_CHECKS_LEAKS
  is_inside = true;
#endif
  close_others(rights.descriptors);
  if (!restrict_files(rights.read, rights.listed))
    detail("the kernel has no Landlock: the sandbox can read what you can read");
  const rlimit nothing{0, 0};
  setrlimit(RLIMIT_CORE, &nothing);  // what was decoded stays in memory
  SandboxFilter filter = sandbox_filter(SECCOMP_RET_USER_NOTIF, rights.serves);
  // A call that is being answered is not disturbed by a signal, where the kernel can (Linux 5.19).
  return filter.enter(
      {SECCOMP_FILTER_FLAG_NEW_LISTENER | waits_killable, SECCOMP_FILTER_FLAG_NEW_LISTENER});
}

}  // namespace cuesta::cli

#else

namespace cuesta::cli {
int enter_sandbox(const SandboxRights&) {
  throw Error(ErrorCode::unsupported,
              "the sandbox is supported on Linux only, on x86-64 and aarch64");
}
}  // namespace cuesta::cli

#endif
