// The packets of a container's video stream.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "cuesta/io/frames.hpp"
#include "io/av.hpp"
#include "io/video_input.hpp"

namespace cuesta::io {

/// Reads the packets of the best video stream, counts them, and knows how they end.
class VideoPackets {
 public:
  /// Throws Error{input} naming the file: it has no video stream.
  explicit VideoPackets(std::unique_ptr<VideoInput> input);

  VideoInput& input() const { return *input_; }
  const std::string& name() const { return input_->name(); }
  AVFormatContext& context() const { return input_->context(); }
  AVStream& stream() const { return *stream_; }
  /// When the file begins, in the stream's time base.
  int64_t start() const { return start_; }
  bool is_live() const { return input_->is_live(); }
  bool is_mp4() const;
  bool has_sound() const;

  /// Makes the key frame that `part` begins with the next packet. Where seeking by its times does
  /// not lead there, reads the file from its beginning. Returns whether there is such a key frame.
  bool seek(const VideoPart& part);
  /// Reads the next packet. Returns 0, or libav's error.
  int next();
  /// The packet that next() read.
  AVPacket& packet() const { return *packet_; }
  /// How many of the file's packets were read, those before a part included.
  int64_t count() const { return count_; }

  /// Why packets are missing between those that came; empty where none are.
  std::string gap() const;

  /// Gives the ring what next() reads from here on, as of a new connection, and the sound between.
  /// Returns why there is no sound although the source has some; else nothing.
  std::string fill(std::shared_ptr<PacketRing> ring);

  /// Keeps what next() reads, until rewind() or forget().
  void keep() { keeps_ = true; }
  void forget();
  /// next() reads again what was kept.
  void rewind();

  /// Whether the container promised more than came. Only what containers state exactly counts:
  /// their sizes and ends, MP4's index, AVI's number of frames, the length of a lone stream.
  /// `frame_seconds` is how long a frame is shown.
  bool ends_early(double frame_seconds) const;

 private:
  bool find_key_frame(const VideoPart& part);
  bool ends_before_avi_says() const;
  bool ends_before_matroska_says(double frame_seconds) const;

  std::unique_ptr<VideoInput> input_;
  AVStream* stream_ = nullptr;
  int64_t start_ = 0;
  av::PacketPtr packet_{av_packet_alloc()};
  std::shared_ptr<PacketRing> ring_;
  const AVStream* sound_ = nullptr;  // that the ring is given
  bool waits_ = false;               // the key frame that was sought
  bool keeps_ = false;
  std::deque<av::PacketPtr> kept_, again_;
  int64_t first_ = 0;  // packets before the part
  int64_t count_ = 0;
  int64_t good_ = -1;  // packets before the demuxer's first complaint; -1: none
  int64_t end_ = 0;    // when the last of them ends, in the stream's time base
};

}  // namespace cuesta::io
