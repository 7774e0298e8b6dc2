// A file is written beside its target and renamed when it is whole, so that nobody ever meets half
// of one.
#pragma once

#include <filesystem>
#include <string>

namespace cuesta::io {

class StagedFile {
 public:
  /// Makes an empty file in the target's folder, with the target's extension. A target that is a
  /// symbolic link is followed; one that is no regular file is refused. Throws Error{output} naming
  /// the target and the reason.
  explicit StagedFile(const std::filesystem::path& target);
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  /// Removes what was not committed.
  ~StagedFile();

  /// Where to write.
  const std::filesystem::path& path() const { return staged_; }
  const std::filesystem::path& target() const { return target_; }
  /// Renames over the target. Throws Error{output}.
  void commit();

 private:
  std::filesystem::path target_, staged_;
  int slot_ = -1;
};

/// Removes every staged file that is still there. Async-signal-safe: for signal handlers that end
/// the process.
void remove_staged_files() noexcept;

}  // namespace cuesta::io
