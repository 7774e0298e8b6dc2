// Streams of frames: videos in and out, as planes of luma and color.
//
//     const auto video = cuesta::io::open_frames("street.mp4");
//     const auto result = cuesta::io::create_frames("soft.mp4", video->format());
//     for (cuesta::io::Frame frame; video->next(frame);) result->write(frame);
//     result->finish();
//
// cuesta::VideoReader (cuesta/io.hpp) is simpler, for programs that only read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cuesta/image.hpp"
#include "cuesta/io.hpp"
#include "cuesta/io/record_file.hpp"
#include "cuesta/io/stop.hpp"

namespace cuesta::io {

/// How the color planes of a stream are sampled. `none`: luma only.
enum class Chroma : uint8_t { none, c420, c422, c444 };

/// The size of a color plane of a stream.
struct PlaneSize {
  int32_t width = 0, height = 0;
};
/// Returns the size of the color planes of a stream: (0, 0) for `none`.
PlaneSize chroma_size(Chroma chroma, int32_t width, int32_t height);

/// The source of a time of day.
enum class ClockSource : uint8_t {
  none,     ///< unknown
  file,     ///< the time at which a file was made, as its container has it
  camera,   ///< sender reports of RTCP, or producer's times in the stream
  arrival,  ///< this machine's clock when the data came
};

/// A time of day.
struct WallClock {
  ClockSource source = ClockSource::none;
  int64_t micros = 0;  ///< since 1970-01-01T00:00:00Z
  explicit operator bool() const { return source != ClockSource::none; }
};

/// The format of every frame of a stream.
struct StreamFormat {
  int32_t width = 0, height = 0;  ///< as shown, rotation already applied; pixels
  Chroma chroma = Chroma::none;
  bool full_range = false;                        ///< luma 0..255; else 16..235
  int64_t rate_num = 25, rate_den = 1;            ///< nominal frames a second
  int64_t time_base_num = 1, time_base_den = 25;  ///< seconds of one unit of Frame::pts
  int32_t aspect_num = 1, aspect_den = 1;         ///< width to height of one pixel as shown
  /// Color primaries, transfer and matrix as ITU-T H.273 numbers them; 2 by default.
  uint8_t primaries = 2, transfer = 2, matrix = 2;
  double start = 0;   ///< seconds that the container's own clock shows at Frame::time 0
  int32_t bits = 8;   ///< of a sample as stored; more are rounded to the 8 of Frame
  WallClock clock{};  ///< at Frame::time 0, as far as it is known when the stream is opened
};

/// A gap in a live stream: its source was away, and came back or did not.
struct Gap {
  double begin = 0;           ///< seconds: when the next frame should have come
  std::optional<double> end;  ///< when it came; nothing while the source is away
  int attempts = 0;           ///< to reach the source again
  std::string reason{};       ///< why it was lost, in a sentence
  std::string error{};        ///< why the last of these attempts failed; empty where none did
};

/// One of several files that are read as one recording.
struct RecordingFile {
  std::string path;
  double begin = 0;  ///< seconds: Frame::time of what the file shows at its own time 0
};

/// One frame, in planes as decoded.
struct Frame {
  ConstAnyView luma{};  ///< u8, one channel, of the stream's size
  /// u16, one channel: the luma where StreamLimits::keep_depth asks for it and a sample has more
  /// than 8 bits, which stand highest, so that a gray level of 8 bits is 256.
  ConstAnyView deep_luma{};
  /// The luma in the memory of the GPU that decoded it: u8, or u16 as deep_luma; without data
  /// elsewhere. With it the others have data where GpuDecoding::host_planes says so.
  ConstAnyView gpu_luma{};
  ConstAnyView cb{}, cr{};  ///< u8, of chroma_size(); without data where the stream has no color
  int64_t index = 0;        ///< counts from 0
  int64_t pts = 0;          ///< from the stream's own timestamps, in units of its time base
  double time = 0;          ///< the same in seconds; 0 is the beginning of the file
  WallClock clock{};        ///< when it was taken
  bool damaged = false;     ///< decoded from damaged data
  std::shared_ptr<const Gap> gap{};  ///< what was lost before this frame; null for nothing
  /// The file of a joined recording that begins with this frame; null elsewhere.
  std::shared_ptr<const RecordingFile> file{};
  /// Keeps the planes as they are, as long as a copy of it lives. Of frames that no FrameSource
  /// made, null: their views belong to whoever made them.
  std::shared_ptr<const void> owner{};

  /// Returns whether the frame has a picture, in any memory.
  bool has_picture() const { return luma || gpu_luma; }
};

class PacketRing;

/// A video that is read frame by frame.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Returns the format of the frames.
  virtual const StreamFormat& format() const = 0;
  /// Reads the next frame; returns false after the last one.
  /// Its views are valid as long as its owner. Throws Error{input} naming the file: truncated or
  /// corrupt data, a frame of another size.
  virtual bool next(Frame& frame) = 0;
  /// Returns the number of frames, if the container has it; for progress only.
  virtual std::optional<int64_t> expected_frames() const { return std::nullopt; }
  /// Returns the name for messages.
  virtual const std::string& name() const = 0;
  /// Returns format, size and the like in a few words; may be empty.
  virtual std::string description() const { return {}; }
  /// Returns what allow_partial passed over so far, as one sentence; empty for nothing.
  virtual std::string damage() const { return {}; }
  /// Returns the gap at the end of the stream, whose source is still away; null for none.
  virtual std::shared_ptr<const Gap> open_gap() const { return nullptr; }
  /// Ends a next() of this source that waits, from any thread; there are no more frames then.
  virtual void stop() {}
};

/// A video that is written frame by frame.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// Writes the next frame, of the size and chroma of the sink's format. Throws Error{output}.
  virtual void write(const Frame& frame) = 0;
  /// Completes the file. Throws Error{output}.
  /// Destroyed before, a sink leaves no file, unless it grows (Placing).
  virtual void finish() = 0;
  /// Returns format, sound and the like in a few words; may be empty.
  virtual std::string description() const { return {}; }
  /// Returns what of the source the container of the result cannot hold, as a sentence; or empty.
  virtual std::string loss() const { return {}; }
};

/// The interface of a GPU's decoder: NVIDIA's driver, VA-API (Intel, AMD) or Quick Sync (Intel).
enum class GpuDecoders : uint8_t { cuda, vaapi, qsv };

/// Decoding by a GPU's own decoder. Frames of VA-API and Quick Sync come back to host memory.
struct GpuDecoding {
  GpuDecoders by = GpuDecoders::cuda;
  int device = 0;           ///< of cuda
  bool required = false;    ///< otherwise the CPU decodes what that decoder does not take
  bool host_planes = true;  ///< frames have their planes in host memory, too
  int decoders = 1;         ///< of a file without host planes: parts that are decoded at once
};

/// How a video is read, and how much at most.
struct StreamLimits {
  int64_t max_pixels = int64_t(1) << 28;  ///< of one frame
  bool allow_partial = false;             ///< a stream that breaks off ends there, without an error
  int threads = 0;                        ///< of the decoder; 0 takes every core
  std::shared_ptr<StopSignal> stop{};     ///< ends reading of every source it is given to, or null
  double timeout = 10;  ///< seconds that a live input may be silent before that is reported
  /// Seconds for which a lost address or camera is sought again; 0 not at all.
  double reconnect = std::numeric_limits<double>::infinity();
  std::function<void(const std::string&)> report{};  ///< is called for such things, from any thread
  bool keep_depth = false;                           ///< fills Frame::deep_luma
  int64_t max_memory = std::numeric_limits<int64_t>::max();  ///< bytes of a frame's luma
  VideoPart part{};                  ///< of a file that libav reads; by default the whole
  std::optional<GpuDecoding> gpu{};  ///< empty: the CPU decodes
  bool waits = false;                ///< also seeks an address or camera that is absent at first
  /// Seconds without more at the end of a regular file that end it; 0 where it does not grow.
  double growing = 0;
  std::shared_ptr<PacketRing> ring{};  ///< is given the packets of a live input; or null

  /// Makes a signal to stop if the caller brought none.
  void with_stop() {
    if (!stop) stop = std::make_shared<StopSignal>();
  }
};

/// Returns the name of a decoder: "cuda:0", "vaapi", "qsv".
std::string name_of(const GpuDecoding& asked);
/// Returns whether this machine has a device that VA-API or Quick Sync may decode on.
bool has_render_node();

/// Returns whether a video is live, so that it cannot be read twice and may have no end.
/// So are addresses, cameras, pipes, and standard input ("-").
bool is_live(const std::string& path);

/// Returns whether a video is a file that libav reads, so that it may be cut into parts.
/// Throws Error{input} if there is no such file.
bool is_coded_file(const std::string& path);

/// Returns the part of a file from the last key frame at or before this time to the end.
/// It is the whole file if that cannot be cut (video_parts()). Throws Error{input}.
VideoPart part_from(const std::string& path, double seconds, int64_t max_pixels);

/// Opens a video: a file, standard input ("-"), a named pipe, an address or a camera.
/// Addresses are "rtsp://camera/1" and the like, cameras "/dev/video0". y4m, which is detected from
/// content, needs no library; libav reads all other formats. An address or camera that is lost is
/// sought again, and its frames continue with a Gap. Throws Error{input | unsupported} naming the
/// file.
std::unique_ptr<FrameSource> open_frames(const std::string& path, const StreamLimits& limits = {});

/// Returns whether a video of this name is an animation that libvips writes: .gif, .webp.
bool is_animation_name(const std::string& path);

/// How libav codes a video; y4m is exact.
enum class Coding : uint8_t {
  for_viewing,    ///< formats that play everywhere, by the container: H.264 and the like
  lossless_gray,  ///< the luma alone, exact: FFV1 (RFC 9043); the format has no chroma
};

/// Makes a video file; its name says the format.
/// "-" is y4m on standard output, *.y4m a y4m file, *.gif and *.webp animations, which are held in
/// memory until they are complete. libav writes all others. A growing file can be played at any
/// moment, whatever ends the process. `audio_from` names the file whose sound is copied; empty for
/// none. Throws Error{output | unsupported} naming the file.
std::unique_ptr<FrameSink> create_frames(const std::string& path, const StreamFormat& format,
                                         const std::string& audio_from = {},
                                         const StreamLimits& limits = {},
                                         Placing placing = Placing::when_whole,
                                         Coding coding = Coding::for_viewing);

}  // namespace cuesta::io
