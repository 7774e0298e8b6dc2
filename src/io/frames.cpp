// Which reader and writer a stream gets.
#include "io/frames.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "io/errors.hpp"
#include "io/formats.hpp"
#include "io/y4m.hpp"

#if defined(CUESTA_HAS_VIDEO)
#include "io/video.hpp"
#endif

namespace cuesta::io {
namespace {

bool is_y4m(const Format* format) { return format && format->kind == FileKind::video; }

bool is_y4m_name(const std::string& path) {
  return is_y4m(format_of_extension(std::filesystem::path(path).extension().string()));
}

}  // namespace

PlaneSize chroma_size(Chroma chroma, int32_t width, int32_t height) {
  switch (chroma) {
    case Chroma::none: return {0, 0};
    case Chroma::c420: return {width / 2 + width % 2, height / 2 + height % 2};
    case Chroma::c422: return {width / 2 + width % 2, height};
    case Chroma::c444: return {width, height};
  }
  return {0, 0};
}

std::unique_ptr<FrameSource> open_frames(const std::string& path, const StreamLimits& limits) {
  if (path == "-") {
    if (isatty(STDIN_FILENO)) throw_input("standard input", "this is a terminal, not a y4m stream");
    return std::make_unique<Y4mSource>(stdin, "standard input", limits);
  }
  struct stat status {};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) throw_input(path, "this is a folder, not a video");
    return std::make_unique<Y4mSource>(path, limits);  // a named pipe cannot be looked at twice
  }
  std::string head;
  if (const auto error = read_head(path, head)) throw_input(path, error.message());
  if (head.empty()) throw_input(path, "the file is empty");
  if (is_y4m(format_of_bytes(head))) return std::make_unique<Y4mSource>(path, limits);
#if defined(CUESTA_HAS_VIDEO)
  return open_video(path, limits);
#else
  if (is_y4m_name(path)) throw_input(path, "not a y4m stream: it does not begin with YUV4MPEG2");
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: this build of Cuesta reads y4m only; build it with FFmpeg's libav "
                          "libraries for other videos",
                          path),
              path);
#endif
}

std::unique_ptr<FrameSink> create_frames(const std::string& path, const StreamFormat& format,
                                         const std::string& audio_from,
                                         const StreamLimits& limits) {
  if (path == "-") {
    if (isatty(STDOUT_FILENO)) {
      throw Error(ErrorCode::output,
                  "cannot write y4m to standard output: it is a terminal; pipe it on", "-");
    }
    return std::make_unique<Y4mSink>(stdout, "standard output", format);
  }
  if (is_y4m_name(path)) return std::make_unique<Y4mSink>(path, format);
#if defined(CUESTA_HAS_VIDEO)
  return create_video(path, format, audio_from, limits);
#else
  (void)audio_from, (void)limits;
  throw Error(ErrorCode::unsupported,
              fmt::format("cannot write {}: this build of Cuesta writes y4m only; build it with "
                          "FFmpeg's libav libraries for other videos",
                          path),
              path);
#endif
}

}  // namespace cuesta::io
