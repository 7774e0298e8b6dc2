#ifdef CUESTA_HAS_VIDEO
#include "io/video_input.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "io/errors.hpp"

namespace cuesta::io {
namespace {

int refuse_to_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Why a container that libav knows is none of ours; empty where it is.
std::string not_a_video(const AVInputFormat& format) {
  const std::string_view name = format.name;
  if (ends_with(name, "_pipe") || name == "image2" || name == "ico")
    return fmt::format("this is a picture ({}), not a video",
                       format.long_name ? format.long_name : format.name);
  if (name == "tty" || name == "bin" || name == "txd") return "this is text, not a video";
  for (std::string_view list : {"concat", "hls", "dash", "sdp", "imf", "ffmetadata"}) {
    if (name == list)
      return fmt::format("this is a list of other files ({}), not a video", format.name);
  }
  return {};
}

constexpr int buffer_bytes = 1 << 16;

}  // namespace

VideoInput::VideoInput(const std::string& path, int64_t max_pixels) : name_(path) {
  av::be_quiet();
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    const int cause = errno;
    if (path.find("://") != path.npos) throw_input(path, "this is an address; only files are read");
    throw_input(path, reason_of(cause));
  }
  if (S_ISDIR(status.st_mode)) throw_input(path, "this is a folder, not a video");
  if (S_ISREG(status.st_mode) && status.st_size == 0) throw_input(path, "the file is empty");
  // "file:" keeps libav from reading a colon in the name as a protocol.
  const int error = avio_open2(&io_, ("file:" + path).c_str(), AVIO_FLAG_READ, nullptr, nullptr);
  if (error < 0) throw_input(path, av::words(error));
  open(max_pixels);
}

VideoInput::VideoInput(std::span<const uint8_t> bytes, std::string name, int64_t max_pixels)
    : name_(std::move(name)), memory_{bytes}, from_memory_(true) {
  av::be_quiet();
  if (bytes.empty()) throw_input(name_, "the file is empty");
  const auto read = [](void* opaque, uint8_t* out, int want) {
    auto& memory = *static_cast<Memory*>(opaque);
    const int64_t rest = int64_t(memory.bytes.size()) - memory.at;
    const int n = int(std::clamp<int64_t>(want, 0, std::max<int64_t>(rest, 0)));
    if (n == 0) return AVERROR_EOF;
    std::memcpy(out, memory.bytes.data() + memory.at, size_t(n));
    memory.at += n;
    return n;
  };
  const auto seek = [](void* opaque, int64_t offset, int whence) -> int64_t {
    auto& memory = *static_cast<Memory*>(opaque);
    const auto size = int64_t(memory.bytes.size());
    if (whence & AVSEEK_SIZE) return size;
    const int64_t from = (whence & ~AVSEEK_FORCE) == SEEK_CUR   ? memory.at
                         : (whence & ~AVSEEK_FORCE) == SEEK_END ? size
                                                                : 0;
    int64_t to = 0;
    if (__builtin_add_overflow(from, offset, &to) || to < 0) return AVERROR(EINVAL);
    return memory.at = to;
  };
  auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
  if (buffer) io_ = avio_alloc_context(buffer, buffer_bytes, 0, &memory_, read, nullptr, seek);
  if (!io_) {
    av_free(buffer);
    throw std::bad_alloc();
  }
  open(max_pixels);
}

VideoInput::~VideoInput() { close(); }

void VideoInput::close() noexcept {
  avformat_close_input(&context_);
  if (!io_) return;
  if (from_memory_) {
    av_freep(&io_->buffer);
    avio_context_free(&io_);
  } else {
    avio_closep(&io_);
  }
}

// Called at the end of the constructors; closes by itself where it throws.
void VideoInput::open(int64_t max_pixels) {
  try {
    context_ = avformat_alloc_context();
    if (!context_) throw std::bad_alloc();
    context_->pb = io_;
    context_->flags |= AVFMT_FLAG_CUSTOM_IO;
    context_->io_open = refuse_to_open;
    context_->max_streams = 100;
    int error = avformat_open_input(&context_, name_.c_str(), nullptr, nullptr);
    if (error == AVERROR_INVALIDDATA || error == AVERROR_EOF)
      throw_input(name_,
                  "this is no video that can be read (corrupt, cut off or of no known format)");
    if (error < 0) throw_input(name_, fmt::format("cannot be opened: {}", av::words(error)));
    if (const auto why = not_a_video(*context_->iformat); !why.empty()) throw_input(name_, why);

    for (unsigned i = 0; i < context_->nb_streams; ++i) {
      const AVCodecParameters& codec = *context_->streams[i]->codecpar;
      if (codec.width > 0 && codec.height > 0)
        check_pixels(name_, codec.width, codec.height, max_pixels);
    }
    // libav tries decoders here; they keep to the limit too.
    std::vector<AVDictionary*> options(context_->nb_streams);
    for (auto& o : options) av_dict_set_int(&o, "max_pixels", max_pixels, 0);
    const size_t count = options.size();
    error = avformat_find_stream_info(context_, options.empty() ? nullptr : options.data());
    for (size_t i = 0; i < count; ++i) av_dict_free(&options[i]);
    if (error < 0) throw_input(name_, fmt::format("cannot be read: {}", av::words(error)));
  } catch (...) {
    close();
    throw;
  }
}

int64_t VideoInput::start() const {
  return context_->start_time == AV_NOPTS_VALUE ? 0 : context_->start_time;
}

}  // namespace cuesta::io
#endif
