// Streams of frames: what video files, y4m pipes and the command agree on.
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
#include "io/output_file.hpp"
#include "io/stop.hpp"

namespace cuesta::io {

/// How the color planes of a stream are sampled. `none`: luma only.
enum class Chroma : uint8_t { none, c420, c422, c444 };

/// The size of a color plane of a stream: (0, 0) for `none`.
struct PlaneSize {
  int32_t width = 0, height = 0;
};
PlaneSize chroma_size(Chroma chroma, int32_t width, int32_t height);

/// Who says what time of day it is.
enum class ClockSource : uint8_t {
  none,     ///< nobody
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

/// What holds for every frame of a stream.
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

/// What a live stream lost: its source was away, and came back or did not.
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

  bool has_picture() const { return luma || gpu_luma; }
};

class PacketRing;

class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual const StreamFormat& format() const = 0;
  /// The next frame, whose views hold as long as its owner; false after the last one. Throws
  /// Error{input} naming the file: truncated or corrupt data, a frame of another size.
  virtual bool next(Frame& frame) = 0;
  /// How many frames there will be, where the container says so; for progress only.
  virtual std::optional<int64_t> expected_frames() const { return std::nullopt; }
  /// The name for messages.
  virtual const std::string& name() const = 0;
  /// Format, size and the like in a few words, for -v; may be empty.
  virtual std::string description() const { return {}; }
  /// What allow_partial passed over so far, as one sentence without the name; empty for nothing.
  virtual std::string damage() const { return {}; }
  /// What is away as long as the stream ends with it; null for nothing.
  virtual std::shared_ptr<const Gap> open_gap() const { return nullptr; }
  /// Ends a next() of this source that waits, from any thread; there are no more frames then.
  virtual void stop() {}
};

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// Frames come in order, of the size and chroma the sink was made for. Throws Error{output}.
  virtual void write(const Frame& frame) = 0;
  /// Only after this is the file whole, and one that is placed then under its name; destroyed
  /// before, such a sink leaves nothing, and a growing one what was written.
  virtual void finish() = 0;
  /// Format, sound and the like in a few words, for -v; may be empty.
  virtual std::string description() const { return {}; }
  /// What of the source is not in the result though it could be in another, as a sentence without
  /// the name; empty for nothing.
  virtual std::string loss() const { return {}; }
};

/// Who offers a GPU's decoder: NVIDIA's driver, VA-API (Intel, AMD) or Quick Sync (Intel).
enum class GpuDecoders : uint8_t { cuda, vaapi, qsv };

/// Decoding by a GPU's own decoder. Frames of VA-API and Quick Sync come back to host memory.
struct GpuDecoding {
  GpuDecoders by = GpuDecoders::cuda;
  int device = 0;           ///< of cuda
  bool required = false;    ///< else what that decoder does not take, the CPU decodes
  bool host_planes = true;  ///< frames have their planes in host memory, too
  int decoders = 1;         ///< of a file without host planes: parts that are decoded at once
};

struct StreamLimits {
  int64_t max_pixels = int64_t(1) << 28;  ///< of one frame
  bool allow_partial = false;             ///< a stream that breaks off ends there, without an error
  int threads = 0;                        ///< of the decoder; 0 takes every core
  std::shared_ptr<StopSignal> stop{};     ///< ends reading of every source it is given to, or null
  double timeout = 10;  ///< seconds that a live input may be silent before that is reported
  /// Seconds for which a lost address or camera is sought again; 0 not at all.
  double reconnect = std::numeric_limits<double>::infinity();
  std::function<void(const std::string&)>
      report{};             ///< is notified of such things; from any thread
  bool keep_depth = false;  ///< fills Frame::deep_luma
  int64_t max_memory = std::numeric_limits<int64_t>::max();  ///< bytes of a frame's luma
  VideoPart part{};                  ///< of a file that libav reads; else the whole
  std::optional<GpuDecoding> gpu{};  ///< else the CPU decodes
  bool waits = false;                ///< seeks an address or camera that is not there at first, too
  /// Seconds without more at the end of a regular file that end it; 0 where it does not grow.
  double growing = 0;
  std::shared_ptr<PacketRing> ring{};  ///< is given the packets of a live input; or null

  /// Makes a signal to stop where the caller brought none.
  void with_stop() {
    if (!stop) stop = std::make_shared<StopSignal>();
  }
};

/// "cuda:0", "vaapi", "qsv".
std::string name_of(const GpuDecoding& asked);
/// Whether this machine has a device that VA-API or Quick Sync may decode on.
bool has_render_node();

/// Whether a video comes as it happens, so that it cannot be read twice and may have no end: an
/// address, a camera, a pipe, by its name or as standard input ("-").
bool is_live(const std::string& path);

/// Whether a video is a file that libav reads, so that it may be cut into parts. Throws
/// Error{input} where there is none.
bool is_coded_file(const std::string& path);

/// The part of a file that begins with the last key frame at or before this time, and has all that
/// follows; the whole file where it cannot be cut (video_parts()). Throws Error{input}.
VideoPart part_from(const std::string& path, double seconds, int64_t max_pixels);

/// Opens a video: a file, "-" for standard input, a named pipe, an address (rtsp://, http:// and
/// the others of io/address.hpp), a camera (/dev/video0). What begins as y4m is read as such, all
/// else goes to libav. Of addresses and cameras, see open_live() in io/video.hpp. Throws
/// Error{input | unsupported} naming the file.
std::unique_ptr<FrameSource> open_frames(const std::string& path, const StreamLimits& limits = {});

/// Whether a video of this name is an animation that libvips writes: .gif, .webp.
bool is_animation_name(const std::string& path);

/// How libav codes a video; y4m is exact.
enum class Coding : uint8_t {
  for_viewing,    ///< what plays everywhere, by the container: H.264 and the like
  lossless_gray,  ///< the luma alone, exact: FFV1 (RFC 9043); the format has no chroma
};

/// A video to be written: "-" is y4m on standard output, *.y4m a y4m file, *.gif and *.webp
/// animations, which are held in memory until they are whole; all others go to libav.
/// A growing file can be played at any moment, whatever ends the process. `audio_from` names the
/// file whose sound is copied; empty for none. Throws Error{output | unsupported} naming the file.
std::unique_ptr<FrameSink> create_frames(const std::string& path, const StreamFormat& format,
                                         const std::string& audio_from = {},
                                         const StreamLimits& limits = {},
                                         Placing placing = Placing::when_whole,
                                         Coding coding = Coding::for_viewing);

}  // namespace cuesta::io
