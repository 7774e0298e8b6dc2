// Recordings of several files, and clips: parts of a video copied packet by packet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuesta/io/frames.hpp"

namespace cuesta::io {

/// Where a recording begins that was partly read before.
struct RecordingStart {
  double time = 0;                 ///< of the first frame, seconds
  int64_t frame = 0;               ///< its index
  std::optional<int64_t> clock{};  ///< time of day at time 0, microseconds since 1970
};

/// Which frames of a recording are read.
struct RecordingOptions {
  bool strict = false;  ///< damage is an error; otherwise it is reported and passed over
  double from = 0;      ///< seconds of the recording
  double to = std::numeric_limits<double>::infinity();
  int64_t every = 1;  ///< takes the first of this number of frames
  /// Lists the files again when the last one has ended; null for none.
  /// New ones follow, until StreamLimits::growing has passed without any.
  std::function<std::vector<std::string>()> more{};
  RecordingStart start{};  ///< of files; with `more`
};

/// Opens files, in this order, as one recording: time continues where a file ends.
/// A single path may be anything that open_frames() takes. Frames count from 0 as they are taken;
/// with `from`, decoding begins at a key frame. Unless `strict`, a damaged file continues after the
/// damage, and one of several that cannot be read is left out; limits.report is called, and
/// damage() counts. Throws Error{input} if no file can be read, a file has other frames than the
/// first, or the recording ends before `from`.
std::unique_ptr<FrameSource> open_recording(std::vector<std::string> files,
                                            const StreamLimits& limits,
                                            const RecordingOptions& options);

/// Returns the files of one recording.
/// They are those of a folder or pattern (*, ?, [), ordered by name with numbers as numbers, or
/// those that a list for FFmpeg's concat demuxer names. Any other path is itself. Throws
/// Error{input} naming the path if there are none, or if an entry of a list is not supported.
std::vector<std::string> recording_files(const std::string& path);

/// What a clip shows, in seconds as Frame::time counts them.
struct ClipSpan {
  double begin = 0, end = 0;  ///< the end of its last frame
  bool is_cut = false;        ///< ends early: files are encoded differently, or packets were lost
  std::string loss{};         ///< why sound is missing: "without its sound (mp4 does not take …)"
};

/// Copies the part of a recording from `begin` to `end`, with its sound, into a video file.
/// Times are seconds, as Frame::time counts them. The extension of `target` names the container.
/// The clip begins at the last frame before `begin` that can be decoded by itself, of the same
/// file. It ends with the frame at `end` or, if frames are stored out of order, with those stored
/// before it. Throws Error{input} for a source that cannot be read a second time, Error{output}
/// naming the target, Error{unsupported} in a build without libav.
ClipSpan cut_clip(std::span<const RecordingFile> files, const std::filesystem::path& target,
                  double begin, double end);

/// Makes a ring for the last packets of a live video (StreamLimits::ring), of `max_bytes`.
std::shared_ptr<PacketRing> make_packet_ring(int64_t max_bytes);
/// Returns whether clips can be made: the ring has received packets.
bool can_be_clipped(const PacketRing& ring);
/// Allows a ring to drop what is shown before this time and not needed to decode later frames.
void keep_from(PacketRing& ring, double seconds);
/// Returns whether a ring had to drop more than that.
bool was_too_small(const PacketRing& ring);

/// A clip of live video, in Matroska, with its sound.
/// Until it is complete, it grows under another name: NAME.part.mkv for NAME.mkv. Throws as
/// cut_clip() does.
class LiveClip {
 public:
  /// Begins with the last frame at or before `begin` that can be decoded by itself.
  /// If the ring has none, it begins with the first one after `begin`.
  LiveClip(std::shared_ptr<const PacketRing> ring, const std::filesystem::path& target,
           double begin);
  /// A packet of the ring, by its number from 0.
  struct Packet {
    int64_t number = 0;
  };
  /// Begins with this packet, or the first after it that the ring has.
  LiveClip(std::shared_ptr<const PacketRing> ring, const std::filesystem::path& target,
           Packet first);
  LiveClip(const LiveClip&) = delete;
  LiveClip& operator=(const LiveClip&) = delete;
  ~LiveClip();
  /// Adds the packets up to this time. Returns false if the clip has to end.
  /// That is when its source connected again, when the ring was too small, or at a frame that can
  /// be decoded by itself once the clip has this length in seconds.
  bool copy_to(double end, double length = std::numeric_limits<double>::infinity());
  /// Returns the packet that comes next.
  Packet next() const;
  /// Returns the name under which it grows.
  const std::filesystem::path& growing() const;
  /// Completes the clip and returns its times; empty if the ring had nothing, so there is no clip.
  ClipSpan finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the extension for clips of `source`; empty for y4m, which is not encoded.
/// It is the source's own if that container can be written, otherwise ".mkv".
std::string clip_extension(const std::string& source);

}  // namespace cuesta::io
