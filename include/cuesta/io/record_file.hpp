// Results that are files of records: lines of text, frames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace cuesta::io {

class OutputFile;

/// When a result appears under its name.
enum class Placing : uint8_t {
  when_whole,          ///< when it is complete; an interrupted one leaves no file
  private_when_whole,  ///< the same, and only its owner may read it: mode 600
  growing,             ///< from the beginning; an interrupted one keeps what was written
};

/// A file of records, each written at once.
/// Concurrent readers find complete records only, and so does whoever reads after the process has
/// ended, whatever ended it.
class RecordFile {
 public:
  /// Makes the file, or empties the file that exists.
  /// A growing one keeps its first `kept` bytes. A pipe or device that exists grows, because
  /// nothing can be renamed over it. Throws Error{output} naming the file and the reason.
  RecordFile(const std::filesystem::path& path, Placing placing, int64_t kept = 0);
  /// Writes to a descriptor, which the caller closes; `name` is for messages.
  RecordFile(int descriptor, std::string name);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  /// Removes a file that was not finished, unless it grows.
  ~RecordFile();

  /// Returns whether the file has no bytes yet.
  bool is_empty() const;
  /// Writes one record. Throws Error{output} naming the file and the reason.
  void write(std::span<const char> record);
  /// Completes the file: syncs it, then gives it its name. Throws Error{output}.
  void finish();

 private:
  std::unique_ptr<OutputFile> file_;
};

/// Removes the files of this process that are not complete.
/// Async-signal-safe: for signal handlers that end the process.
void remove_unfinished_files() noexcept;

}  // namespace cuesta::io
