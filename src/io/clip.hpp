// Recordings: which files and frames are read, and parts copied packet by packet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/frames.hpp"

namespace cuesta::io {

/// Where a recording that was partly read before begins.
struct RecordingStart {
  double time = 0;                 ///< of the first frame, seconds
  int64_t frame = 0;               ///< its index
  std::optional<int64_t> clock{};  ///< time of day at time 0, microseconds since 1970
};

/// Which frames of a recording are read.
struct RecordingOptions {
  bool strict = false;  ///< damage is an error; else it is reported and passed over
  double from = 0;      ///< seconds of the recording
  double to = std::numeric_limits<double>::infinity();
  int64_t every = 1;  ///< takes the first of this number of frames
  /// Lists the files again when the last one has ended: those that are new follow, for as long as
  /// `growing` of the limits waits. Null for none.
  std::function<std::vector<std::string>()> more{};
  RecordingStart start{};  ///< of files; with `more`
};

/// Opens files, in this order, as one recording: time continues where a file ends. A single path
/// may be anything that open_frames() takes. Frames count from 0 as they are taken; with `from`,
/// decoding begins at a key frame. Unless `strict`, a damaged file continues after the damage, and
/// one of several that cannot be read is left out; limits.report is notified, and damage() counts.
/// Throws Error{input}: no file can be read, a file has other frames than the first, the recording
/// ends before `from`.
std::unique_ptr<FrameSource> open_recording(std::vector<std::string> files,
                                            const StreamLimits& limits,
                                            const RecordingOptions& options);

/// The files of one recording: those that a folder or a pattern (*, ?, [) has, where numbers in
/// names count as numbers; those that a list names for FFmpeg's concat demuxer; any other path is
/// itself. Throws Error{input} naming it: there are none, an entry of a list that is not
/// supported.
std::vector<std::string> recording_files(const std::string& path);

/// What a clip shows: seconds, as Frame::time counts them.
struct ClipSpan {
  double begin = 0, end = 0;  ///< the end of its last frame
  bool is_cut = false;        ///< ends early: files are encoded differently, or packets were lost
  std::string loss{};         ///< why sound is missing: "without its sound (mp4 does not take …)"
};

/// Writes what a recording of these files shows from `begin` to `end` (seconds, as Frame::time
/// counts them), pictures and sound, into `target`, whose extension names the container. It begins
/// at the last frame before `begin` that can be decoded by itself, of the same file, and ends with
/// the frame at `end` or, where frames are stored out of order, with those that are stored before
/// it. Throws Error{input} for a source that cannot be read a second time, Error{output} naming the
/// target, Error{unsupported} in a build without libav.
ClipSpan cut_clip(std::span<const RecordingFile> files, const std::filesystem::path& target,
                  double begin, double end);

/// The last packets of a live video (StreamLimits::ring); at most `max_bytes` of them.
std::shared_ptr<PacketRing> make_packet_ring(int64_t max_bytes);
/// Whether it was given packets, and clips can be made of them.
bool can_be_clipped(const PacketRing& ring);
/// What is shown earlier, and not needed to decode what is later, may be dropped.
void keep_from(PacketRing& ring, double seconds);
/// Whether it dropped more than that.
bool was_too_small(const PacketRing& ring);

/// A clip of live video, Matroska, with its sound. Until it is whole, it grows under another name:
/// NAME.part.mkv for NAME.mkv. Throws as cut_clip().
class LiveClip {
 public:
  /// Begins with the last frame at or before `begin` that can be decoded by itself; where the ring
  /// has none, with the first after it.
  LiveClip(std::shared_ptr<const PacketRing> ring, const std::filesystem::path& target,
           double begin);
  /// Begins with the packet of this number, from 0, or the first after it that the ring has.
  struct Packet {
    int64_t number = 0;
  };
  LiveClip(std::shared_ptr<const PacketRing> ring, const std::filesystem::path& target,
           Packet first);
  LiveClip(const LiveClip&) = delete;
  LiveClip& operator=(const LiveClip&) = delete;
  ~LiveClip();
  /// Adds what was received up to this time. Returns false where the clip cannot continue: its
  /// source connected again, or the ring was too small; or where it has this length, and a frame
  /// that can be decoded by itself comes.
  bool copy_to(double end, double length = std::numeric_limits<double>::infinity());
  /// The packet that comes next.
  Packet next() const;
  /// The name under which it grows.
  const std::filesystem::path& growing() const;
  /// Gives the clip its name. Empty where the ring had nothing of it: then there is no clip.
  ClipSpan finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The extension for clips of `source`: its own where that is a container that can be written, else
/// ".mkv". Empty for y4m, which is not encoded.
std::string clip_extension(const std::string& source);

}  // namespace cuesta::io
