#include "io/staged_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <system_error>

#include "io/errors.hpp"

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

}  // namespace

StagedFile::StagedFile(const std::filesystem::path& target) : target_(target) {
  if (target.filename().empty()) throw_output(target, "that names a folder");
  std::error_code error;
  const auto status = std::filesystem::status(target, error);
  if (std::filesystem::is_directory(status)) throw_output(target, "that is a folder");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw_output(target, "it exists and is no regular file");
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(target, error))) {
    target_ = std::filesystem::weakly_canonical(target, error);
    if (error) throw_output(target, error.message());
  }
  // What may not be written may not be replaced either.
  if (std::filesystem::exists(status) && access(target_.c_str(), W_OK) != 0)
    throw_output(target, reason_of(errno));

  static std::atomic<unsigned> counter{0};
  int file = -1;
  for (int attempt = 0; attempt < 100 && file < 0; ++attempt) {
    // A long name is cut, so that the staged one is not too long where the target's is not.
    const std::string stem = target_.stem().string().substr(0, 100);
    staged_ = target_.parent_path() /
              fmt::format(".{}.{}-{}{}", stem, getpid(), counter++, target_.extension().string());
    file = open(staged_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) {
    const int cause = errno;
    staged_.clear();
    throw_output(target, cause == ENOENT ? "its folder does not exist" : reason_of(cause));
  }
  struct stat old {};
  if (stat(target_.c_str(), &old) == 0) (void)fchmod(file, old.st_mode & 07777);
  close(file);
  slot_ = take_slot(std::filesystem::absolute(staged_).string());
}

StagedFile::~StagedFile() {
  if (!staged_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(staged_, ignored);
  }
  if (slot_ >= 0) slots[slot_].state.store(0);
}

void StagedFile::commit() {
  if (rename(staged_.c_str(), target_.c_str()) != 0) throw_output(target_, reason_of(errno));
  staged_.clear();
  if (slot_ >= 0) slots[slot_].state.store(0);
  slot_ = -1;
}

void remove_staged_files() noexcept {
  for (auto& slot : slots) {
    if (slot.state.load() == 2) unlink(slot.path);
  }
}

}  // namespace cuesta::io
