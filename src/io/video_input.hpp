// An opened container, and nothing it may refer to.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cuesta/io/frames.hpp"
#include "io/av.hpp"
#include "io/input_bytes.hpp"

namespace cuesta::io {

/// The place of a live video: an address, or the path of a camera.
struct Live {
  std::string place;
};

/// Opens exactly one file, stream of bytes, address or camera. Playlists and external tracks cannot
/// reach any other file: whatever libav wants to open beside a file is refused, and beside an
/// address all but the network's protocols.
class VideoInput {
 public:
  /// A file. Throws Error{input} naming it: missing, a folder, empty, no known format, a picture.
  VideoInput(const std::string& path, int64_t max_pixels);
  /// Reads `bytes`, which stay the caller's and must outlive this; `name` is for messages.
  VideoInput(std::span<const uint8_t> bytes, std::string name, int64_t max_pixels);
  /// Standard input, a pipe.
  VideoInput(std::unique_ptr<InputBytes> bytes, int64_t max_pixels);
  /// An address or camera. Opening, and each read(), may take StreamLimits::timeout and are ended
  /// by its `stop`. Throws Error{input} naming it, without a password: nobody answers, it is
  /// refused, no known format.
  VideoInput(const Live& place, const StreamLimits& limits);
  VideoInput(const VideoInput&) = delete;
  VideoInput& operator=(const VideoInput&) = delete;
  ~VideoInput();

  AVFormatContext& context() const { return *context_; }
  const std::string& name() const { return name_; }
  /// Microseconds that the container's clock shows at its beginning; 0 where it does not say.
  int64_t start() const;
  /// Comes from a pipe, an address or a camera: what is broken there is passed over.
  bool is_live() const { return limits_.has_value() || (bytes_ && bytes_->size() < 0); }
  /// The next packet, as av_read_frame() gives it.
  int read(AVPacket& packet);
  /// What the demuxer of a file said of its packets first, in libav's words: it passes over what it
  /// cannot read. Null where it said nothing.
  const char* complaint() const { return complaints_.first(); }
  /// Words for an error of read(): libav's, or that nothing came in time.
  std::string words(int error) const;

 private:
  struct Memory {
    std::span<const uint8_t> bytes;
    int64_t at = 0;
  };
  using Clock = std::chrono::steady_clock;

  void make_io(void* opaque, int (*get)(void*, uint8_t*, int),
               int64_t (*seek)(void*, int64_t, int));
  void open(int64_t max_pixels);
  int open_context();
  void close() noexcept;
  void wait_no_longer_than(double seconds);
  bool is_over();
  bool stopped() const;

  std::string name_, place_;
  av::Complaints complaints_;
  AVFormatContext* context_ = nullptr;
  AVIOContext* io_ = nullptr;
  Memory memory_;
  std::unique_ptr<InputBytes> bytes_;
  bool own_io_ = false;
  std::optional<StreamLimits> limits_;  // of an address or camera
  Clock::time_point deadline_ = Clock::time_point::max();
  bool timed_out_ = false;
};

}  // namespace cuesta::io
