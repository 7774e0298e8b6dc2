// An opened container: one file or one block of memory, and nothing it may refer to.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/av.hpp"

namespace cuesta::io {

/// Opens exactly one file. Playlists and external tracks cannot reach any other file or address:
/// whatever libav wants to open beside it is refused.
class VideoInput {
 public:
  /// Throws Error{input} naming the file: missing, a folder, empty, an address, no known format, a
  /// picture.
  VideoInput(const std::string& path, int64_t max_pixels);
  /// Reads `bytes`, which stay the caller's and must outlive this; `name` is for messages.
  VideoInput(std::span<const uint8_t> bytes, std::string name, int64_t max_pixels);
  VideoInput(const VideoInput&) = delete;
  VideoInput& operator=(const VideoInput&) = delete;
  ~VideoInput();

  AVFormatContext& context() const { return *context_; }
  const std::string& name() const { return name_; }
  /// Microseconds that the container's clock shows at its beginning; 0 where it does not say.
  int64_t start() const;

 private:
  struct Memory {
    std::span<const uint8_t> bytes;
    int64_t at = 0;
  };
  void open(int64_t max_pixels);
  void close() noexcept;

  std::string name_;
  AVFormatContext* context_ = nullptr;
  AVIOContext* io_ = nullptr;
  Memory memory_;
  bool from_memory_ = false;
};

}  // namespace cuesta::io
