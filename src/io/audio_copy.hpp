// The sound of one file, copied packet by packet into another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/av.hpp"
#include "io/video_input.hpp"

namespace cuesta::io {

class AudioCopy {
 public:
  /// Opens `source` and adds a stream to `out` for each of its sound tracks that the container
  /// takes. One that is no regular file, so that it cannot be read twice, or has none, adds
  /// nothing. Throws Error{input} where a file cannot be opened a second time.
  AudioCopy(const std::string& source, AVFormatContext& out);

  bool any() const { return !tracks_.empty(); }
  /// "sound copied (aac)"; empty where none is.
  const std::string& description() const { return description_; }
  /// "without its sound (mp4 does not take pcm_s16le)"; empty where all of it is copied.
  const std::string& loss() const { return loss_; }
  /// Copies what begins before `seconds` (counted from the file's beginning). The header is
  /// written. Returns a libav error of the output, else 0; a fault in the source ends the sound
  /// there. Throws std::bad_alloc.
  int copy_until(double seconds, AVFormatContext& out);

 private:
  struct Track {
    int from = 0, to = 0;
    int64_t start = 0;  // of the file, in the track's time base
    int64_t last_dts = INT64_MIN;
  };
  std::unique_ptr<VideoInput> input_;
  std::vector<Track> tracks_;
  av::PacketPtr packet_{av_packet_alloc()};
  bool waits_ = false, ended_ = false;
  std::string description_, loss_;
};

}  // namespace cuesta::io
