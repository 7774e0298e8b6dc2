#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include "cli/fence_answers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "io/folder.hpp"

namespace cuesta::cli {

namespace fs = std::filesystem;

namespace {

bool is_open_for_writing(const Descriptor& file) {
  const int flags = file ? fcntl(file.get(), F_GETFL) : O_RDONLY;
  return (flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH);
}

// The child may have another number for it.
bool is_standard_stream(const Descriptor& file) {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (identity_of(file.get()) == identity_of(stream)) return true;
  return false;
}

}  // namespace

void Answers::answer() {
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

// What was asked, done here; errno, or `answered`.
int Answers::done() {
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
    case __NR_flock: return lock(int(argument(0)), int(argument(1)));
    case __NR_fchmod: return change_rights(int(argument(0)), mode_t(argument(1)));
  }
  return EPERM;
}

// A path in the child's memory, copied: what the child does to it later changes nothing. Nothing
// for what begins elsewhere than in the folder that both work in.
std::optional<std::string> Answers::path_at(int n, int folder) const {
  if (folder >= 0 && int(argument(folder)) != AT_FDCWD) {
    const auto first = text_at(argument(n));
    return first && first->starts_with('/') ? first : std::nullopt;
  }
  return text_at(argument(n));
}

std::optional<std::string> Answers::text_at(uint64_t address) const {
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

int Answers::open_file(const std::optional<std::string>& path, int flags, mode_t mode) {
  if (!path) return EPERM;
  constexpr int known = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
                        O_TMPFILE | O_LARGEFILE | O_NOCTTY | O_NONBLOCK;
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

int Answers::hand_over(Descriptor file, int flags) {
  if (!file) return errno;
  seccomp_notif_addfd given{};
  given.id = asked_->id;
  given.flags = SECCOMP_ADDFD_FLAG_SEND;
  given.srcfd = uint32_t(file.get());
  given.newfd_flags = uint32_t(flags & O_CLOEXEC);
  return ioctl(listener_, SECCOMP_IOCTL_NOTIF_ADDFD, &given) >= 0 ? answered : errno;
}

int Answers::make_folder(const std::optional<std::string>& path, mode_t mode) {
  if (!path) return EPERM;
  const fs::path folder = folder_at(*path);
  if (!results_.may_be_folder(folder)) return EPERM;
  if (mkdir(folder.c_str(), mode & 0777) != 0) return errno;
  results_.made_folder(folder);
  return 0;
}

int Answers::remove(const std::optional<std::string>& path) {
  const auto spot = path ? spot_of(*path) : std::nullopt;
  if (!spot) return path ? ENOENT : EPERM;
  const bool is_stage = spot->name.starts_with('.') && results_.may_be(*spot);
  if (!is_stage && !results_.has_made(*spot)) return EPERM;
  if (unlinkat(spot->folder.get(), spot->name.c_str(), 0) != 0) return errno;
  results_.forget(*spot);
  return 0;
}

int Answers::rename_file(const std::optional<std::string>& from,
                         const std::optional<std::string>& to) {
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

// The descriptor that the child has by this number, if it has one.
Descriptor Answers::opened_by_child(int number) const {
  return Descriptor(int(syscall(__NR_pidfd_getfd, child_, number, 0)));
}

// The same, if it is open for writing: all of these were given to it here, or by whoever started
// the command.
Descriptor Answers::written_by_child(int number) const {
  Descriptor copy = opened_by_child(number);
  return is_open_for_writing(copy) ? std::move(copy) : Descriptor();
}

int Answers::link_file(const std::optional<std::string>& from,
                       const std::optional<std::string>& to) {
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

int Answers::change_rights(int number, mode_t mode) {
  const Descriptor file = written_by_child(number);
  if (!file || is_standard_stream(file)) return EPERM;
  return fchmod(file.get(), mode & 0777) == 0 ? 0 : errno;
}

int Answers::lock(int number, int how) {
  // The lock belongs to the open file, which both have; nobody waits for it here. Folders of
  // results are open for reading.
  const Descriptor file = opened_by_child(number);
  if (!file || is_standard_stream(file)) return EPERM;
  const auto where = identity_of(file.get());
  if (!is_open_for_writing(file) && !(where && results_.has_results(*where))) return EPERM;
  return flock(file.get(), how | LOCK_NB) == 0 ? 0 : errno;
}

}  // namespace cuesta::cli
#endif
