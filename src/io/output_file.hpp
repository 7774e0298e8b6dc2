// A result in flight to its name. Every byte of every result goes through this one class, which
// looks at what each system call says: encoders that pass over a failed write cannot make a
// result of half of one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "cuesta/io/record_file.hpp"
#include "io/staged_file.hpp"

namespace cuesta::io {

class OutputFile {
 public:
  /// Makes the file, or empties what is there; a growing one keeps its first `kept` bytes. A pipe
  /// or device that exists grows, as nothing can be renamed over it. Throws Error{output} naming
  /// the target and the reason.
  OutputFile(const std::filesystem::path& target, Placing placing, int64_t kept = 0);
  /// Writes to a descriptor that the caller closes; `name` is for messages.
  OutputFile(int descriptor, std::string name);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// What was not committed is gone, unless it grows.
  ~OutputFile();

  bool grows() const { return !staged_; }
  /// A regular file that this has opened: the only kind that can be sought in.
  bool can_seek() const { return is_file_; }

  /// All of the bytes go where the last write ended or seek() led, or write() throws: Error{output}
  /// naming the file and the reason; ClosedPipe where nobody reads any more. Of a growing file,
  /// what a full disc cuts is taken back.
  void write(std::span<const char> bytes);

  // For encoders in C: they never throw, and the first error stays. After it nothing more is
  // written, and commit() throws it.
  bool put(std::span<const char> bytes) noexcept;
  /// As read(2) from the position, of a file that is placed when it is whole; −1 for an error.
  int64_t get(std::span<char> bytes) noexcept;
  /// As lseek(2), but that it costs no system call and goes nowhere; −1 for what is no file.
  int64_t seek(int64_t offset, int whence) noexcept;
  int64_t size() const { return size_; }
  /// Makes it fail, with this errno, for what its encoder cannot say else.
  void fail(int error) noexcept {
    if (error_ == 0) error_ = error;
  }
  /// errno of the first call that failed; 0.
  int error() const { return error_; }
  /// Throws the first error, where there was one.
  void check() const;

  /// What was written becomes the result: synced, then named. Throws Error{output}, also for what
  /// put() could not write.
  void commit();

 private:
  std::filesystem::path target_;
  std::string name_;
  std::optional<StagedFile> staged_;
  int descriptor_ = -1;
  bool owned_ = false, is_file_ = false;
  int64_t position_ = 0, size_ = 0;
  int error_ = 0;
};

}  // namespace cuesta::io
