// Files: pictures, the frames of a video, and the moving objects in them. A component of its own:
// link cuesta::io (CMake: find_package(cuesta COMPONENTS io); pkg-config: cuesta-io).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cuesta/edges.hpp"
#include "cuesta/filter.hpp"
#include "cuesta/image.hpp"
#include "cuesta/measure.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/objects.hpp"
#include "cuesta/recipes.hpp"
#include "cuesta/tracking.hpp"

namespace cuesta {

/// Consecutive frames of a video file that can be decoded independently, starting at a key frame.
/// Times are in units of the stream. video_parts() returns them; they are valid until the file
/// changes.
struct VideoPart {
  static constexpr int64_t unknown = -1;
  int64_t first = 0;         ///< Frame::index of its first frame
  int64_t frames = unknown;  ///< its length; unknown only for a video that was not cut
  // The frames with display times in [begin, end). The key frame is packet number `packet` of the
  // stream and has the decoding time `seek`.
  int64_t begin = std::numeric_limits<int64_t>::min(), end = std::numeric_limits<int64_t>::max();
  int64_t seek = 0, packet = 0;

  /// Returns whether the part is the whole video.
  bool is_whole() const {
    return begin == std::numeric_limits<int64_t>::min() &&
           end == std::numeric_limits<int64_t>::max();
  }
  friend bool operator==(const VideoPart&, const VideoPart&) = default;
};

/// Options for reading pictures and videos.
struct ReadOptions {
  int64_t max_pixels{int64_t{1} << 28};  ///< of a picture or frame; checked before any is decoded
  bool allow_partial{false};             ///< take what can be read of a damaged or truncated file
  int threads{0};                        ///< of a video's decoder; 0 takes every core
  bool keep_depth{false};                ///< of a video's luma: fills Frame::deep_luma()
  double timeout{10};                    ///< seconds that an address or camera may be silent
  /// Seconds of attempts to reconnect to an address or camera that was lost; 0: none.
  double reconnect{std::numeric_limits<double>::infinity()};
  int page{0};  ///< of a picture file, from 1; 0: the only page of a file with one
  int band{0};  ///< read only this channel of a picture file, from 1; 0: all channels
  /// Reads only this part of a video file. Its frames have the numbers, times and samples that a
  /// reader of the whole file gives them.
  std::optional<VideoPart> part{};
};

/// Cuts a video file at key frames into parts of at least `at_least` frames.
/// The last part has the remainder. Reads the file once and decodes nothing. Returns one part, the
/// whole, where cut parts would not decode to the same frames: live video, y4m and animations;
/// codecs without key frames that are known to be independent (H.264's IDR pictures are, as are
/// those of HEVC, VP8, VP9, MPEG-1, 2 and 4, FFV1 and all intra-only codecs); packets without
/// times, marked as damaged or as not shown; files whose container is damaged. Throws as
/// VideoReader does, and Error{invalid_argument} for `at_least` below 1.
std::vector<VideoPart> video_parts(const std::filesystem::path& path, int64_t at_least = 250,
                                   const ReadOptions& options = {});

/// Reads a picture file.
/// The result is u8 or u16, upright, with 1 to 4 channels (gray; gray and alpha; RGB; RGB
/// and alpha).
/// Formats: JPEG, PNG, TIFF, WebP, PNM, GIF, HEIF, JPEG 2000, JPEG XL, BMP, Radiance and OpenEXR,
/// detected from content. ReadOptions::page selects the page of a file with several. EXIF
/// orientation is applied, palettes are looked up, and CMYK becomes RGB as cv::imread does it.
/// Signed integers, integers of 32 bits and floats become f32. Radiance and OpenEXR hold light and
/// become u16: white is what 1 sample in 100 exceeds, and levels follow sRGB's curve. Throws
/// Error{input} naming the file and the reason, Error{unsupported} in a build without libvips.
AnyImage read(const std::filesystem::path& path, const ReadOptions& options = {});

/// Counts the pages of a picture file.
/// Pages of TIFF and HEIF, frames of an animated GIF, WebP or PNG; 1 for other formats. Overviews
/// and transparency masks of a TIFF do not count. Throws as read().
int count_pages(const std::filesystem::path& path);

/// Reads a picture file as samples of type T.
/// T is uint8_t (of 16 bits the high byte), uint16_t (of 8 bits × 257, so
/// that white stays white) or float (the file's numbers as they are, integers and floats). For the
/// integers, black of other numbers is 0 and white 1, 255 or 65535, the first that fits, or the
/// largest; where a number is below 0, black is the smallest and white the largest.
template <class T>
Image<T> read(const std::filesystem::path& path, const ReadOptions& options = {});

/// Reads one channel of type T: gray as stored, or to_gray() of RGB, without alpha.
template <class T = uint8_t>
Image<T> read_gray(const std::filesystem::path& path, const ReadOptions& options = {});

extern template Image<uint8_t> read(const std::filesystem::path&, const ReadOptions&);
extern template Image<uint16_t> read(const std::filesystem::path&, const ReadOptions&);
extern template Image<float> read(const std::filesystem::path&, const ReadOptions&);
extern template Image<uint8_t> read_gray(const std::filesystem::path&, const ReadOptions&);
extern template Image<uint16_t> read_gray(const std::filesystem::path&, const ReadOptions&);
extern template Image<float> read_gray(const std::filesystem::path&, const ReadOptions&);

/// Writes a picture file.
/// Samples are u8, u16, f32 or s32 (labels of 0 to 65535, as u16), of 1 to 4 channels. The
/// extension names the format (".png"). Formats of 8 bits get the high byte of u16 samples, f32
/// goes to TIFF only. The file appears under its name when it is complete. Throws Error{output}
/// naming the file and the reason, Error{invalid_argument} for a view that cannot be meant.
void write(const std::filesystem::path& path, ConstAnyView pixels);

/// Layout of a TIFF: strips of rows, tiles of 256 x 256, or such tiles at every size down to one
/// tile. Files above 4 GB are BigTIFF.
enum class TiffLayout : uint8_t { strips, tiled, pyramid };

/// Options of the functions that process pictures larger than memory.
struct BandOptions {
  /// Memory limit for rows, in bytes. libvips' decoder and encoder need some tens of MB in
  /// addition. On a GPU bands use at most half of its memory.
  int64_t memory{512'000'000};
  int32_t rows{0};    ///< of a band; 0: as many as `memory` holds
  bool resume{true};  ///< continue from the rows of an interrupted run with the same options
  TiffLayout layout{};
  int64_t max_pixels{std::numeric_limits<int64_t>::max()};
  int page{0};  ///< of the source, from 1; 0: the only page of a file with one
  int band{0};  ///< use only this channel of the source, from 1; 0: all channels
  /// Called with the number of rows that are done, and of all rows; from any thread, one call at a
  /// time. An exception ends the work and reaches the caller.
  std::function<void(int64_t done, int64_t all)> progress{};
};

/// The result of edges_file() and filter_file().
struct FileResult {
  Size size{};
  PixelType type{};
  int32_t channels{1};
  int32_t source_channels{1};
  CannyResult thresholds{};  ///< of canny
  double sigma{0};           ///< of canny, in pixels
  int64_t edge_pixels{0};    ///< of a mask
  int32_t bands{0};          ///< that were worked on
  int32_t resumed_rows{0};   ///< that an earlier process had made
  std::string warning{};     ///< where samples were clipped or a georeference was dropped
};

/// Finds edges in a picture file of any size and writes them to a picture file.
/// The result has the bytes of edges() in one channel. The picture is processed in bands of rows,
/// by the CPU or by the GPUs in exec.devices; one that bands cannot have (another orientation than
/// upright, floats, boundaries()) is read whole if `memory` holds it. `target` appears when it is
/// complete. Until then finished rows are kept beside it in hidden files (.NAME.cuesta-rows,
/// .NAME.cuesta-journal); an interrupted run with the same options resumes from them. Bands take no
/// mask. Throws Error{input} for what read() refuses, Error{output}, Error{invalid_argument} also
/// where `memory` is too small, Error{device}, Error{out_of_memory}.
FileResult edges_file(const std::filesystem::path& source, const std::filesystem::path& target,
                      const EdgesOptions& edges = {}, const BandOptions& options = {},
                      const Exec& exec = {});

/// Filters a picture file of any size and writes the result to a picture file.
/// Filters all channels but alpha; the result has the source's type (morphology: one channel).
/// Otherwise as edges_file().
FileResult filter_file(const std::filesystem::path& source, const std::filesystem::path& target,
                       const PictureFilter& filter, const BandOptions& options = {},
                       const Exec& exec = {});

/// Options of label_file(). The mask is the gray levels above `limit`, as by threshold().
struct LabelFile {
  LabelOptions options{};
  double limit{0};
  /// Also measure() the components, on the CPU; bands read the file twice then.
  bool measure{false};
  /// The picture whose gray levels are the intensities; empty: the source itself.
  std::filesystem::path intensity{};
};
/// The result of label_file().
struct LabelFileResult {
  Size size{};
  std::vector<Component> components{};
  int32_t bands{0};                  ///< that were worked on
  std::vector<Measures> measures{};  ///< of each component, if asked for
};
/// Finds the components of a picture file of any size, as label() lists those of the whole.
/// The file is processed in bands of rows; `memory` does not count the list. There is nothing to
/// resume, as nothing is written, and no file of labels, as no format here holds 32-bit integers:
/// LabelBands (cuesta/bands.hpp) makes their rows. Throws as edges_file().
LabelFileResult label_file(const std::filesystem::path& source, const LabelFile& what = {},
                           const BandOptions& options = {}, const Exec& exec = {});

/// One frame of a VideoReader, upright. Its views are valid until the reader's next frame; hold()
/// keeps them.
class Frame {
 public:
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame();

  /// Return the size in pixels.
  Size size() const;
  int32_t width() const { return size().width; }
  int32_t height() const { return size().height; }
  /// Returns the number of the frame, from 0.
  int64_t index() const;
  /// Returns the display time in seconds from the beginning of the video.
  /// For a live video, from its first frame.
  double time() const;
  /// Returns how long a live video was lost just before this frame, in seconds.
  /// Computed from the frames' times; empty if it was not lost.
  std::optional<double> lost() const;
  /// Returns whether it was decoded from damaged data of a live video.
  bool damaged() const;
  /// Returns the luma, for the operations on gray pictures.
  /// It is a view of the decoder's memory if that has 8 bits a sample. Most videos have 16 for
  /// black and 235 for white.
  ImageView<const uint8_t> luma() const;
  /// Returns the luma of a video of 9 to 16 bits a sample, with ReadOptions::keep_depth.
  /// The bits are the highest of each sample: a gray level of luma() is 256 here for every depth.
  /// Without data for a video of 8 bits.
  ImageView<const uint16_t> deep_luma() const;
  /// Returns the picture in three channels, 0 to 255.
  /// Computed at the first call by the video's own matrix (BT.601 if it names none). Each color
  /// sample is repeated over its pixels.
  ImageView<const uint8_t> rgb() const;
  /// Returns shared ownership of the memory of luma() and deep_luma(), and of rgb() if computed.
  /// The views are valid and unchanged until the last copy is destroyed, so several frames can be
  /// used concurrently, or from another thread.
  std::shared_ptr<const void> hold() const;

 private:
  friend class VideoReader;
  Frame();
  struct State;
  std::unique_ptr<State> state_;
};

/// What goes through a reader by its next(), which gives null at the end.
template <class Reader, class Value>
class NextIterator {
 public:
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  /// Reads the first value.
  explicit NextIterator(Reader& reader) : reader_(&reader), at_(reader.next()) {}
  const Value& operator*() const { return *at_; }
  const Value* operator->() const { return at_; }
  NextIterator& operator++() {
    at_ = reader_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const NextIterator& i, std::default_sentinel_t) { return !i.at_; }

 private:
  Reader* reader_;
  const Value* at_;
};

/// The frames of a video, in the order in which they are shown:
///
///     for (const cuesta::Frame& frame : cuesta::VideoReader("street.mp4")) ...
///
/// It may be live: an address ("rtsp://camera/1"; rtsps, http, https, rtmp, srt, udp, rtp and tcp
/// too, playlists of HLS among them), a camera ("/dev/video0"), a named pipe, or standard input
/// ("-"). An address or camera that is lost is sought again, at first after half a second, at last
/// every thirty, and Frame::lost() reports it. Frames of damaged data are
/// returned, and Frame::damaged() reports them. Such a video may have no end.
class VideoReader {
 public:
  /// Opens a video file, stream or camera.
  /// Throws Error{input} naming the file or address, without its password: it cannot be opened, is
  /// no video, has larger frames than allowed; Error{unsupported} in a build that reads y4m only.
  explicit VideoReader(const std::filesystem::path& path, const ReadOptions& options = {});
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;
  ~VideoReader();

  /// Return the size in pixels.
  Size size() const;
  int32_t width() const { return size().width; }
  int32_t height() const { return size().height; }
  /// Nominal frames a second.
  double rate() const;
  /// Whether it comes as it happens and may have no end: an address, a camera, a pipe.
  bool is_live() const;
  /// How many frames there will be, where the file says so; for progress only.
  std::optional<int64_t> expected_frames() const;
  /// What ReadOptions::allow_partial passed over so far, as one sentence; empty for nothing.
  std::string damage() const;

  /// The next frame; null after the last one. Throws Error{input} naming the file and the frame: it
  /// is damaged or cut off, its size changes, a live one does not come back.
  const Frame* next();
  /// From any thread: a next() that waits gives null soon, and so do all others.
  void stop();

  using Iterator = NextIterator<VideoReader, Frame>;
  /// Reads on: a second begin() starts at the frame after the last one read.
  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Options of VideoDetector.
struct DetectOptions {
  MotionOptions motion{};
  /// `min_area` here and in `motion` are one limit: the larger value applies, to joined objects.
  TrackingOptions tracking{};
  Scene scene{};
  /// The detector sees frames reduced by this factor, 1 to 16. Results stay in pixels of the video,
  /// the mask as well (Downscale).
  int downscale = 1;
};

/// The moving objects of one frame. The views are valid until the next frame.
struct MovingFrame {
  const Frame* frame = nullptr;
  std::span<const Detection> detections{};  ///< of the detector
  FrameState state{};                       ///< of the detector
  /// Identities, crossings, the current event, and the events that ended with this frame or in the
  /// gap before it.
  SceneStep scene{};
};

/// Detects the moving objects of a video, file or live, frame by frame.
/// Combines VideoReader, MotionDetector and SceneWatch:
///
///     cuesta::VideoDetector video("street.mp4");
///     for (const cuesta::MovingFrame& moving : video)
///       for (const cuesta::TrackedObject& object : moving.scene.objects) ...
///     for (const cuesta::Event& event : video.finish()) ...
///
/// The detector sees the luma with all of its bits: deep_luma() where a sample has more than 8. An
/// event ends where a live video was lost.
class VideoDetector {
 public:
  /// Throws as VideoReader, MotionDetector and SceneWatch do.
  explicit VideoDetector(const std::filesystem::path& path, const DetectOptions& options = {},
                         const ReadOptions& reading = {});
  VideoDetector(VideoDetector&&) noexcept;
  VideoDetector& operator=(VideoDetector&&) noexcept;
  ~VideoDetector();

  /// The next frame; null after the last one. Throws as VideoReader::next() does.
  const MovingFrame* next();
  /// Ends the current event and returns it; valid until the next call.
  std::span<const Event> finish();
  /// The crossings of each of Scene::lines so far.
  std::span<const LineCount> counts() const;
  /// The foreground of the last frame, one bit per pixel.
  ConstBitView mask() const;
  /// The video itself: its size, its rate, stop().
  VideoReader& video();

  using Iterator = NextIterator<VideoDetector, MovingFrame>;
  /// Continues: a second begin() starts after the last frame that was read.
  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cuesta
