#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include "cli/sandbox_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <set>

#include "cli/fence_results.hpp"
#include "cuesta/error.hpp"
#include "io/errors.hpp"

namespace cuesta::cli {
namespace {

// linux/landlock.h of Linux 6.12; distributions build with older ones.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr unsigned asks_version = 1, path_beneath = 1;
constexpr uint64_t read_file = 1U << 2, read_dir = 1U << 3;
struct RulesetAttr {
  uint64_t files = 0, net = 0, scoped = 0;
};
struct [[gnu::packed]] PathBeneathAttr {
  uint64_t allowed = 0;
  int32_t parent = -1;
};

RulesetAttr all_of(long version) {
  RulesetAttr all;
  const int kinds = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  all.files = (uint64_t(1) << kinds) - 1;
  if (version >= 4) all.net = 3;     // binding and connecting TCP
  if (version >= 6) all.scoped = 3;  // abstract sockets, signals
  return all;
}

// Members that this version does not know are not passed.
size_t size_of_attr(long version) {
  return version >= 6   ? 3 * sizeof(uint64_t)
         : version >= 4 ? 2 * sizeof(uint64_t)
                        : sizeof(uint64_t);
}

class Ruleset {
 public:
  explicit Ruleset(long version) {
    const RulesetAttr all = all_of(version);
    ruleset_ = Descriptor(int(syscall(create_ruleset, &all, size_of_attr(version), 0)));
  }
  // What is not there, or cannot be opened, stays out of reach.
  void allow(const std::string& path, uint64_t rights) {
    const Descriptor file(open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) rights &= read_file;
    const PathBeneathAttr rule{rights, file.get()};
    if (rights) syscall(add_rule, ruleset_.get(), path_beneath, &rule, 0);
  }
  void enter() const {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
        syscall(restrict_self, ruleset_.get(), 0) == 0)
      return;
    throw Error(ErrorCode::unsupported,
                fmt::format("this system's kernel does not support the sandbox (Landlock: {})",
                            io::reason_of(errno)));
  }

 private:
  Descriptor ruleset_{};
};

constexpr const char* of_the_system[] = {
    "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts",
    "/etc/ImageMagick-6", "/etc/ImageMagick-7",
    // processors, memory and their limits
    "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems",
    "/proc/sys/vm", "/sys/devices/system", "/sys/kernel/mm", "/sys/fs/cgroup", "/dev/null",
    "/dev/zero", "/dev/random", "/dev/urandom"};

// Where the libraries that are loaded are, their modules are below.
std::set<std::string> library_folders() {
  std::set<std::string> folders;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        const std::string path = info->dlpi_name ? info->dlpi_name : "";
        const size_t end = path.rfind('/');
        if (end != path.npos && end > 0)
          static_cast<std::set<std::string>*>(out)->insert(path.substr(0, end));
        return 0;
      },
      &folders);
  return folders;
}

}  // namespace

bool restrict_files(const std::vector<std::string>& read, const std::vector<std::string>& listed) {
  const long version = syscall(create_ruleset, nullptr, 0, asks_version);
  if (version < 1) return false;
  Ruleset rules(version);
  for (const char* path : of_the_system) rules.allow(path, read_file | read_dir);
  for (const std::string& path : library_folders()) rules.allow(path, read_file | read_dir);
  for (const std::string& path : read) rules.allow(path, read_file | read_dir);
  for (const std::string& path : listed) rules.allow(path, read_dir);
  rules.enter();
  return true;
}

}  // namespace cuesta::cli
#endif
