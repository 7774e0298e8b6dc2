// Which reader and writer a stream gets.
#include "cuesta/io/frames.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "cuesta/io/address.hpp"
#include "io/animation.hpp"
#include "io/errors.hpp"
#include "io/formats.hpp"
#include "io/input_bytes.hpp"
#include "io/y4m.hpp"

#if defined(CUESTA_HAS_VIDEO)
#include "io/parts_ahead.hpp"
#include "io/video.hpp"
#endif

namespace cuesta::io {
namespace {

bool is_y4m(const Format* format) { return format && format->kind == FileKind::video; }

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

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

std::string name_of(const GpuDecoding& asked) {
  switch (asked.by) {
    case GpuDecoders::vaapi: return "vaapi";
    case GpuDecoders::qsv: return "qsv";
    default: return fmt::format("cuda:{}", asked.device);
  }
}

bool has_render_node() {
  std::error_code none;
  for (const auto& node : std::filesystem::directory_iterator("/dev/dri", none))
    if (node.path().filename().string().starts_with("renderD")) return true;
  return false;
}

bool is_live(const std::string& path) {
  if (is_address(path)) return true;
  struct stat status {};
  const int found = path == "-" ? fstat(STDIN_FILENO, &status) : stat(path.c_str(), &status);
  return found == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

bool is_coded_file(const std::string& path) {
  if (path == "-" || is_live(path) || is_folder(path)) return false;
  StreamLimits limits;
  limits.with_stop();
  InputBytes bytes(path, limits);
  const std::string_view head = bytes.peek(y4m_magic.size());
  if (head.empty() || is_y4m(format_of_bytes(head))) return false;
#if defined(CUESTA_HAS_PICTURES)
  if (begins_as_animation(bytes.peek(32))) return false;
#endif
  return true;
}

namespace {

[[noreturn]] void throw_no_parts(const std::string& path) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: this input cannot be read in parts; use a file of encoded video",
                          without_password(path)),
              without_password(path));
}

// The bytes of a file, or of standard input; at least one.
std::unique_ptr<InputBytes> open_bytes(const std::string& path, const StreamLimits& limits) {
  std::unique_ptr<InputBytes> bytes;
  if (path == "-") {
    bytes = take_standard_input(limits);
  } else {
    if (is_folder(path)) throw_input(path, "this is a folder; name a video file");
    bytes = std::make_unique<InputBytes>(path, limits);
  }
  if (bytes->peek(y4m_magic.size()).empty())
    throw_input(bytes->name(), bytes->size() >= 0 ? "the file is empty" : "the stream is empty");
  return bytes;
}

}  // namespace

std::unique_ptr<FrameSource> open_frames(const std::string& path, const StreamLimits& given) {
  StreamLimits limits = given;
  // One for all that read this source, and for none that reads another.
  limits.stop = std::make_shared<StopSignal>(given.stop);
  if (!limits.part.is_whole() && !is_coded_file(path)) throw_no_parts(path);
  const bool is_awaited = limits.waits && is_camera_name(path) && !std::filesystem::exists(path);
  if (is_address(path) || is_camera(path) || is_awaited) {
#if defined(CUESTA_HAS_VIDEO)
    return open_live(path, limits);
#else
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: this build of Cuesta reads y4m only; build it with FFmpeg's libav "
                            "libraries for addresses and cameras",
                            without_password(path)),
                without_password(path));
#endif
  }
  auto bytes = open_bytes(path, limits);
  const std::string_view head = bytes->peek(y4m_magic.size());
  const bool is_raw = is_y4m(format_of_bytes(head));
#if defined(CUESTA_HAS_PICTURES)
  const bool is_pictures = begins_as_animation(bytes->peek(32));
#else
  const bool is_pictures = false;
#endif
  if (limits.gpu && limits.gpu->required && (is_raw || is_pictures)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: decoding {} on a GPU is not supported", bytes->name(),
                            is_raw ? "y4m" : "an animation"),
                bytes->name());
  }
  if (is_raw) return std::make_unique<Y4mSource>(std::move(bytes), limits);
#if defined(CUESTA_HAS_PICTURES)
  if (is_pictures) return open_animation(std::move(bytes), limits);
#endif
#if defined(CUESTA_HAS_VIDEO)
  if (path != "-" && bytes->size() >= 0) {
    if (auto ahead = open_parts_ahead(path, limits)) return ahead;
    return open_video(path, limits);
  }
  return open_video(std::move(bytes), limits);
#else
  if (is_y4m_name(path))
    throw_input(bytes->name(), "not a y4m stream: it does not begin with YUV4MPEG2");
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: this build of Cuesta reads y4m only; build it with FFmpeg's libav "
                          "libraries for other videos",
                          bytes->name()),
              bytes->name());
#endif
}

bool is_animation_name(const std::string& path) {
  const Format* format = format_of_extension(std::filesystem::path(path).extension().string());
  return format && (format->name == "GIF" || format->name == "WebP");
}

std::unique_ptr<FrameSink> create_frames(const std::string& path, const StreamFormat& format,
                                         const std::string& audio_from, const StreamLimits& limits,
                                         Placing placing, Coding coding) {
  if (path == "-") {
    if (isatty(STDOUT_FILENO)) {
      throw Error(ErrorCode::output,
                  "cannot write y4m to standard output: it is a terminal; pipe it to a program",
                  "-");
    }
    return std::make_unique<Y4mSink>(STDOUT_FILENO, "standard output", format);
  }
  if (is_y4m_name(path)) return std::make_unique<Y4mSink>(path, format, placing);
#if defined(CUESTA_HAS_PICTURES)
  if (is_animation_name(path)) return create_animation(path, format, limits);
#endif
#if defined(CUESTA_HAS_VIDEO)
  return create_video(path, format, audio_from, placing, coding);
#else
  (void)audio_from, (void)limits, (void)coding;
  throw Error(ErrorCode::unsupported,
              fmt::format("cannot write {}: this build of Cuesta writes y4m only; build it with "
                          "FFmpeg's libav libraries for other videos",
                          path),
              path);
#endif
}

}  // namespace cuesta::io
