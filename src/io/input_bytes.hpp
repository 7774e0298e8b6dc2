// The bytes of a file, pipe or device, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/io/frames.hpp"

namespace cuesta::io {

/// Reads that wait end by StreamLimits::stop, as at the end of the stream; silence longer than
/// StreamLimits::timeout is reported, once, and so is its end.
class InputBytes {
 public:
  /// Of a descriptor, which the caller closes.
  InputBytes(int descriptor, std::string name, const StreamLimits& limits);
  /// Of a path. Throws Error{input}.
  InputBytes(const std::string& path, const StreamLimits& limits);
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;
  ~InputBytes();

  /// The next bytes, which stay to be read: fewer than `count` at the end only.
  std::string_view peek(size_t count);
  /// Reads what is there, at least one byte; 0 at the end. Throws Error{input}.
  size_t read_some(char* to, size_t count);
  /// Reads all of `count`; fewer at the end only.
  size_t read(void* to, size_t count);
  /// The next byte; −1 at the end.
  int get();

  const std::string& name() const { return name_; }
  bool stopped() const { return limits_.stop->requested(); }
  void stop() const { limits_.stop->request(); }
  /// Bytes of a regular file; −1 of one that grows, a pipe or a device; these have no seek().
  int64_t size() const { return size_; }
  int64_t position() const { return position_; }
  void seek(int64_t position);
  /// All that is left. Throws Error{input}.
  std::vector<uint8_t> read_all();

 private:
  friend std::unique_ptr<InputBytes> take_standard_input(const StreamLimits&);
  void look();
  size_t take(char* to, size_t count);
  bool wait_for_data();
  bool wait_for_growth();

  int descriptor_;
  bool owned_ = false;
  bool grows_ = false;  // a regular file; false again from its end on
  std::string name_;
  StreamLimits limits_;
  int64_t size_ = -1, position_ = 0;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // what is read and not taken
};

/// Standard input, with what was peeked at; once a process.
std::unique_ptr<InputBytes> take_standard_input(const StreamLimits& limits);

}  // namespace cuesta::io
