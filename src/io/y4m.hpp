// YUV4MPEG2 streams (y4m): uncompressed frames behind a one-line header, made for pipes. 8 bits;
// 4:2:0, 4:2:2, 4:4:4 and mono. Source: mjpegtools' yuv4mpeg(5).
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "io/frames.hpp"
#include "io/staged_file.hpp"

namespace cuesta::io {

inline constexpr std::string_view y4m_magic = "YUV4MPEG2";

/// Parses the header line, without its newline. Throws Error{input} naming `name` and the field.
StreamFormat parse_y4m_header(std::string_view line, const std::string& name,
                              const StreamLimits& limits);
/// The header line, newline included.
std::string y4m_header(const StreamFormat& format);

class Y4mSource final : public FrameSource {
 public:
  /// Reads from `file`, which the caller closes after this object is gone.
  Y4mSource(std::FILE* file, std::string name, const StreamLimits& limits);
  /// Opens `path`.
  Y4mSource(const std::string& path, const StreamLimits& limits);
  ~Y4mSource() override;

  const StreamFormat& format() const override { return format_; }
  bool next(Frame& frame) override;
  std::optional<int64_t> expected_frames() const override { return expected_; }
  const std::string& name() const override { return name_; }
  std::string damage() const override { return damage_; }

 private:
  void start();
  bool read_line(std::string& line);
  template <class T>
  bool read_plane(Image<T>& plane);

  std::FILE* file_;
  bool owned_ = false;
  std::string name_;
  StreamLimits limits_;
  StreamFormat format_;
  std::optional<int64_t> expected_;
  Image<uint8_t> luma_, cb_, cr_;
  int64_t index_ = 0;
  bool ended_ = false;
  std::string damage_;
};

class Y4mSink final : public FrameSink {
 public:
  /// Writes to `file`, which the caller closes.
  Y4mSink(std::FILE* file, std::string name, const StreamFormat& format);
  /// Writes beside `path`; finish() renames.
  Y4mSink(const std::string& path, const StreamFormat& format);
  ~Y4mSink() override;

  void write(const Frame& frame) override;
  void finish() override;

 private:
  void write_plane(ConstAnyView plane, PlaneSize size, const char* what);
  void write_bytes(const void* bytes, size_t count);

  std::unique_ptr<StagedFile> staged_;
  std::FILE* file_;
  std::string name_;
  StreamFormat format_;
};

}  // namespace cuesta::io
