// A result on its way to its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "io/staged_file.hpp"

namespace cuesta::io {

enum class Placing : uint8_t {
  when_whole,  ///< written beside its name and renamed: whole, or not there
  growing,     ///< under its name from the beginning, and kept as far as it came
};

class OutputFile {
 public:
  /// Makes the file, or empties what is there. A pipe or device that exists grows, as nothing can
  /// be renamed over it. Throws Error{output} naming the target and the reason.
  OutputFile(const std::filesystem::path& target, Placing placing);

  /// Where to write.
  const std::filesystem::path& path() const { return staged_ ? staged_->path() : target_; }
  bool grows() const { return !staged_; }
  /// What is written becomes the result. Throws Error{output}.
  void commit();

 private:
  std::filesystem::path target_;
  std::optional<StagedFile> staged_;
};

/// Records one after the other – lines, frames –, each by one write: whoever reads meanwhile, and
/// whatever ends the process, finds whole ones. One that a full disc cuts is taken back.
class RecordFile {
 public:
  /// Writes to a descriptor that the caller closes; `name` is for messages.
  RecordFile(int descriptor, std::string name);
  RecordFile(const std::string& path, Placing placing);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  /// Throws Error{output} naming the file and the reason; ClosedPipe where nobody reads any more.
  void write(std::span<const char> record);
  /// Closes and commits. Throws Error{output}.
  void finish();

 private:
  std::optional<OutputFile> place_;
  int descriptor_;
  std::string name_;
  int64_t written_ = 0;
};

}  // namespace cuesta::io
