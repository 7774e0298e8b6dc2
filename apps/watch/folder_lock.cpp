#include "apps/watch/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "cli/common.hpp"
#include "cli/inputs.hpp"

namespace cuesta::cli {

struct FolderLock {
  explicit FolderLock(int open) : descriptor(open) {}
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (descriptor >= 0) close(descriptor);
  }
  const int descriptor;
};

std::shared_ptr<const FolderLock> lock_folder(const std::string& folder, std::string_view option) {
  make_folder(folder);
  auto mine =
      std::make_shared<const FolderLock>(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (mine->descriptor >= 0 && flock(mine->descriptor, LOCK_EX | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK)
    throw Error(ErrorCode::output,
                fmt::format("{} {}: another run writes to this folder; name another, or end that "
                            "run first",
                            option, folder),
                folder);
  return mine;
}

}  // namespace cuesta::cli
