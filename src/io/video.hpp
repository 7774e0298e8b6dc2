// Video files through FFmpeg's libav*.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cuesta/io/frames.hpp"
#include "io/input_bytes.hpp"

namespace cuesta::io {

class VideoInput;

/// Frames of a video file, in the order and at the times they are shown, upright. Luma is the
/// decoded plane, in place wherever the decoder keeps 8 bits a sample; sound, subtitles and covers
/// are passed over. Times count from the beginning of the file, as players show them.
class VideoReader final : public FrameSource {
 public:
  /// Decodes the first frame. Throws Error{input} naming the file: it cannot be opened, has no
  /// video stream, no decoder in this build, no frame, or larger ones than allowed.
  explicit VideoReader(const std::string& path, const StreamLimits& limits = {});
  /// Reads `bytes`, which stay the caller's and must outlive this; `name` is for messages.
  VideoReader(std::span<const uint8_t> bytes, std::string name, const StreamLimits& limits = {});
  /// Any other: what is damaged of a live one is reported by limits.report and by damage(), and
  /// passed over; its end before the container says so is an error all the same.
  VideoReader(std::unique_ptr<VideoInput> input, const StreamLimits& limits);
  ~VideoReader() override;

  const StreamFormat& format() const override;
  /// Throws Error{input} naming the file and the frame: damaged data, an end before the container
  /// says so, a frame of another size. With allow_partial the first two end or thin out the stream
  /// and damage() tells.
  bool next(Frame& frame) override;
  std::optional<int64_t> expected_frames() const override;
  const std::string& name() const override;
  std::string description() const override;
  std::string damage() const override;
  void stop() override;
  /// Of a live stream: how often data were.
  int64_t damaged_frames() const;
  /// Whether the container says how long it is: a file, wherever it is, not a camera.
  bool has_end() const;
  /// Continues with a later part of the same file, whatever was read of the one before: what next()
  /// gives is that part's. Throws Error{input}.
  void take(const VideoPart& part);
  bool decodes_on_gpu() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// VideoReader::damaged_frames() as a sentence; empty for 0.
std::string damage_of_live(int64_t count);

/// Writes a video file: H.264 (libx264) where libav and the container have it, else MPEG-4 or the
/// container's own format, unless `coding` says otherwise; the same size, the frames' own times,
/// and the sound of another file. The same frames make the same bytes, whatever the machine's
/// cores. One that grows can be played at any moment: a second at most of it is still in memory,
/// fragments of MP4 and clusters of Matroska are as long, and no frame waits in the encoder for
/// later ones.
class VideoWriter final : public FrameSink {
 public:
  /// Throws Error{output} naming the file: its name is not that of a container, or of none that
  /// takes the coding, or it cannot be made.
  VideoWriter(const std::string& path, const StreamFormat& format,
              const std::string& audio_from = {}, Placing placing = Placing::when_whole,
              Coding coding = Coding::for_viewing);
  ~VideoWriter() override;

  void write(const Frame& frame) override;
  void finish() override;
  std::string description() const override;
  std::string loss() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::unique_ptr<FrameSource> open_video(const std::string& path, const StreamLimits& limits = {});
std::unique_ptr<FrameSource> open_video(std::unique_ptr<InputBytes> bytes,
                                        const StreamLimits& limits = {});
/// An address or camera: what is lost is sought again, and its frames continue, with a Gap.
std::unique_ptr<FrameSource> open_live(const std::string& place, const StreamLimits& limits = {});
std::unique_ptr<FrameSink> create_video(const std::string& path, const StreamFormat& format,
                                        const std::string& audio_from = {},
                                        Placing placing = Placing::when_whole,
                                        Coding coding = Coding::for_viewing);

}  // namespace cuesta::io
