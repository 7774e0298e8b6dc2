#include "io/staged_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "cuesta/io/record_file.hpp"
#include "io/errors.hpp"
#include "io/folder.hpp"

namespace cuesta::io {
namespace {

// What a signal handler may touch: fixed memory and lock-free flags.
struct Slot {
  std::atomic<int> state{0};  // 0 free, 1 being filled, 2 in use
  char path[PATH_MAX];
};
constexpr int slot_count = 64;
Slot slots[slot_count];
static_assert(std::atomic<int>::is_always_lock_free);

int take_slot(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (int i = 0; i < slot_count; ++i) {
    int free = 0;
    if (!slots[i].state.compare_exchange_strong(free, 1)) continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].state.store(2);
    return i;
  }
  return -1;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// How linkat() finds a file that has no name.
std::string link_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

int open_nameless(const std::filesystem::path& folder, mode_t mode) {
#if defined(O_TMPFILE)
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (file < 0) return file;
  if (access(link_of(file).c_str(), F_OK) == 0) return file;
  close(file);  // without /proc it could not be named
#endif
  return -1;
}

}  // namespace

int sync_descriptor(int descriptor) noexcept {
  while (fsync(descriptor) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP || errno == EROFS ? 0 : errno;
  }
  return 0;
}

StagedFile::StagedFile(const std::filesystem::path& target, bool is_private)
    : target_(target), is_private_(is_private) {
  if (target.filename().empty()) throw_output(target, "this is a folder; name a file");
  std::error_code error;
  const auto status = std::filesystem::status(target, error);
  if (std::filesystem::is_directory(status)) throw_output(target, "this is a folder; name a file");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw_output(target, "it exists and is not a regular file; choose another name");
  target_ = end_of_links(target);
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(target_, error)))
    throw_output(target, reason_of(ELOOP));
  // What may not be written may not be replaced either.
  if (std::filesystem::exists(status) && access(target_.c_str(), W_OK) != 0)
    throw_output(target, reason_of(errno));
  descriptor_ = open_nameless(folder_of(target_), mode());
  if (descriptor_ >= 0) return;
  try {
    make_name();
  } catch (...) {
    if (descriptor_ >= 0) close(descriptor_);
    forget_name();
    throw;
  }
}

StagedFile::~StagedFile() {
  if (descriptor_ >= 0) close(descriptor_);
  forget_name();
}

void StagedFile::fail(int error) const { throw_output(target_, reason_of(error)); }

// Gives the file a name beside its target, or makes it there.
void StagedFile::make_name() {
  static std::atomic<unsigned> counter{0};
  // A long name is cut, so that the staged one is not too long where the target's is not.
  const std::string stem = target_.stem().string().substr(0, 100);
  const std::string extension = target_.extension().string().substr(0, 100);
  const auto folder = std::filesystem::absolute(folder_of(target_));
  for (int attempt = 0; attempt < 100; ++attempt) {
    const auto name = folder / fmt::format(".{}.{}-{}{}", stem, getpid(), counter++, extension);
    slot_ = take_slot(name.string());
    staged_ = name;
    int failed = 0;
    if (descriptor_ < 0) {
      descriptor_ = open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, mode());
      failed = descriptor_ < 0;
    } else {
      failed =
          linkat(AT_FDCWD, link_of(descriptor_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
    }
    if (failed == 0) return;
    const int cause = errno;
    if (slot_ >= 0) slots[slot_].state.store(0);
    slot_ = -1;
    staged_.clear();  // it is somebody else's, or nobody's
    if (cause == ENOENT && descriptor_ < 0)
      throw_output(target_, "its folder does not exist; create it first");
    if (cause != EEXIST) fail(cause);
  }
  fail(EEXIST);
}

void StagedFile::forget_name() noexcept {
  if (!staged_.empty()) unlink(staged_.c_str());
  staged_.clear();
  if (slot_ >= 0) slots[slot_].state.store(0);
  slot_ = -1;
}

void StagedFile::commit() {
  struct stat old {};
  const bool replaces = stat(target_.c_str(), &old) == 0;
  // Not its owner's special bits: the file is ours.
  if (replaces && !is_private_) (void)fchmod(descriptor_, old.st_mode & 0777);
  if (const int error = sync_descriptor(descriptor_)) fail(error);
  // Some file systems tell at close() what they could not write, and it is asked before the name
  // is.
  const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || (close(copy) != 0 && errno != EINTR)) fail(errno);
  bool is_new = !replaces && staged_.empty() &&
                linkat(AT_FDCWD, link_of(descriptor_).c_str(), AT_FDCWD, target_.c_str(),
                       AT_SYMLINK_FOLLOW) == 0;
  if (!is_new) {  // a name cannot be given over another but by renaming
    if (staged_.empty()) make_name();
    if (rename(staged_.c_str(), target_.c_str()) != 0) fail(errno);
    is_new = !replaces;
    staged_.clear();
    forget_name();
  }
  const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // One that may be written to and not be read cannot be synced.
  const int error = folder >= 0 ? sync_descriptor(folder) : errno == EACCES ? 0 : errno;
  if (folder >= 0) close(folder);
  close(std::exchange(descriptor_, -1));
  if (error == 0) return;
  if (is_new) unlink(target_.c_str());
  fail(error);
}

void remove_unfinished_files() noexcept {
  for (auto& slot : slots) {
    if (slot.state.load() == 2) unlink(slot.path);
  }
}

}  // namespace cuesta::io
