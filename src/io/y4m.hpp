// YUV4MPEG2 streams (y4m): uncompressed frames behind a one-line header, made for pipes. Read: 8 to
// 16 bits, mono, 4:1:0, 4:1:1, 4:2:0, 4:2:2, 4:4:0 and 4:4:4, with or without alpha. Written: 8
// bits, mono, 4:2:0, 4:2:2 and 4:4:4. Source: mjpegtools' yuv4mpeg(5); more than 8 bits, in two
// bytes, the low one first, as FFmpeg has them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/io/frames.hpp"
#include "cuesta/io/record_file.hpp"
#include "io/chroma.hpp"
#include "io/frame_pool.hpp"
#include "io/input_bytes.hpp"

namespace cuesta::io {

inline constexpr std::string_view y4m_magic = "YUV4MPEG2";

/// How a stream's frames are in it, and what they are once read.
struct Y4mLayout {
  StreamFormat format{};  ///< chroma that none of Chroma's is exact for becomes c444
  int depth = 8;          ///< bits of a stored sample
  ChromaShift stored{};
  bool has_alpha = false;
};
/// Parses the header line, without its newline. Throws Error{input} naming `name` and the field.
Y4mLayout parse_y4m_header(std::string_view line, const std::string& name,
                           const StreamLimits& limits);
/// The header line, newline included.
std::string y4m_header(const StreamFormat& format);

class Y4mSource final : public FrameSource {
 public:
  Y4mSource(std::unique_ptr<InputBytes> bytes, const StreamLimits& limits);

  const StreamFormat& format() const override { return layout_.format; }
  bool next(Frame& frame) override;
  std::optional<int64_t> expected_frames() const override { return expected_; }
  const std::string& name() const override { return bytes_->name(); }
  std::string description() const override;
  std::string damage() const override { return damage_; }
  void stop() override { bytes_->stop(); }

 private:
  bool read_line(std::string& line);
  /// A frame's planes as stored, and color as format() has it where that differs.
  struct Planes {
    std::array<Image<uint8_t>, 3> stored{}, sampled{};
    Image<uint16_t> deep_luma{};
    void clear() {}
  };
  bool read_plane(Image<uint8_t>& plane, Image<uint16_t>* deep = nullptr);
  bool read_planes(Planes& planes);
  bool skip_alpha();

  std::unique_ptr<InputBytes> bytes_;
  StreamLimits limits_;
  Y4mLayout layout_;
  std::optional<int64_t> expected_;
  Pool<Planes> pool_;
  std::vector<uint8_t> line_;
  int64_t index_ = 0;
  bool ended_ = false;
  std::string damage_;
};

class Y4mSink final : public FrameSink {
 public:
  /// Writes to a descriptor, which the caller closes.
  Y4mSink(int descriptor, std::string name, const StreamFormat& format);
  /// Writes a file, in which every frame is whole while it grows.
  Y4mSink(const std::string& path, const StreamFormat& format,
          Placing placing = Placing::when_whole);

  void write(const Frame& frame) override;
  void finish() override { file_.finish(); }

 private:
  void write_header();
  void add_plane(ConstAnyView plane, PlaneSize size, const char* what);

  RecordFile file_;
  StreamFormat format_;
  std::vector<char> record_;
};

}  // namespace cuesta::io
