// A file without a name, or under one beside its target, until it is whole: nobody ever meets half
// of one.
#pragma once

#include <filesystem>
#include <string>

namespace cuesta::io {

class StagedFile {
 public:
  /// Makes an empty file in the target's folder: without a name where the system has O_TMPFILE, so
  /// that nothing can leave it behind; else under a hidden one. A target that is a symbolic link is
  /// followed, whether there is a file at its end or not; one that is no regular file is refused.
  /// Where it `is_private`, its mode is 600, and stays so. Throws Error{output} naming the target
  /// and the reason.
  explicit StagedFile(const std::filesystem::path& target, bool is_private = false);
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  /// Removes what was not committed.
  ~StagedFile();

  /// Where to write, and read back; belongs to this.
  int descriptor() const { return descriptor_; }
  const std::filesystem::path& target() const { return target_; }
  /// Syncs the file, closes it, gives it the target's name in place of what has it, and syncs the
  /// folder. Throws Error{output}; a new name is gone again then, and an old file stays as it was
  /// unless it was the folder's sync that failed.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void make_name();
  unsigned mode() const { return is_private_ ? 0600 : 0666; }
  void forget_name() noexcept;

  std::filesystem::path target_, staged_;  // staged_ is empty while there is no name
  int descriptor_ = -1;
  int slot_ = -1;
  bool is_private_ = false;
};

/// Syncs what a descriptor was given; 0, or the error's number. What cannot be synced (a pipe, a
/// file system without it) is as good as synced.
int sync_descriptor(int descriptor) noexcept;

}  // namespace cuesta::io
