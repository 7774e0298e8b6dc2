#include "cli/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "cli/common.hpp"
#include "cli/inputs.hpp"

namespace cuesta::cli {

struct RunLock {
  explicit RunLock(int open) : descriptor(open) {}
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  ~RunLock() {
    if (descriptor >= 0) close(descriptor);
  }
  /// Whether another run has what is open.
  bool is_taken() const {
    return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  }
  const int descriptor;
};

namespace {

void check(const RunLock& mine, const std::string& path, std::string_view option,
           std::string_view kind) {
  if (mine.is_taken())
    throw Error(ErrorCode::output,
                fmt::format("{} {}: another run writes to this {}; name another, or end that run "
                            "first",
                            option, path, kind),
                path);
}

}  // namespace

std::shared_ptr<const RunLock> lock_folder(const std::string& folder, std::string_view option) {
  make_folder(folder);
  auto mine =
      std::make_shared<const RunLock>(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  check(*mine, folder, option, "folder");
  return mine;
}

std::shared_ptr<const RunLock> lock_file(const std::string& path, std::string_view option) {
  // For writing: a sandbox lets files be locked that it lets be written. A pipe does not hold it
  // up.
  auto mine = std::make_shared<const RunLock>(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (mine->descriptor < 0) return nullptr;
  check(*mine, path, option, "file");
  return mine;
}

}  // namespace cuesta::cli
