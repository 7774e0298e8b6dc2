#ifdef CUESTA_HAS_VIDEO
#include "io/video_input.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "cuesta/io/address.hpp"
#include "io/errors.hpp"

namespace cuesta::io {
namespace {

// The protocols that an address, and whatever its playlist names, may use, as libav lists them: of
// the network alone, so that no stream reaches a file.
constexpr const char* network_protocols =
    "rtsp,rtsps,rtp,srtp,udp,tcp,tls,http,https,httpproxy,crypto,rtmp,rtmps,rtmpt,srt";

int refuse_to_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Why a container that libav knows is none of ours; empty where it is.
std::string not_a_video(const AVInputFormat& format, bool on_network) {
  const std::string_view name = format.name;
  if (ends_with(name, "_pipe") || name == "image2" || name == "ico")
    return fmt::format("this is a picture ({}), not a video",
                       format.long_name ? format.long_name : format.name);
  if (name == "tty" || name == "bin" || name == "txd") return "this is text, not a video";
  for (std::string_view list : {"concat", "hls", "dash", "webm_dash_manifest", "sdp", "imf",
                                "vobsub", "avisynth", "vapoursynth", "ffmetadata"}) {
    const bool is_list = name.substr(0, name.find(',')) == list;
    if (!on_network && is_list)
      return fmt::format("this is a list of other files ({}), not a video", format.name);
  }
  return {};
}

// What the callbacks of memory and of bytes have in common: where SEEK_CUR and SEEK_END lead.
bool find_target(int64_t offset, int whence, int64_t at, int64_t size, int64_t& to) {
  const int kind = whence & ~AVSEEK_FORCE;
  const int64_t from = kind == SEEK_CUR ? at : kind == SEEK_END ? size : 0;
  return !__builtin_add_overflow(from, offset, &to) && to >= 0;
}

// Video4Linux is in libavdevice, which brings half a desktop with it: it is loaded when a camera is
// opened.
const AVInputFormat* camera_format(const std::string& name) {
  const std::string library = fmt::format("libavdevice.so.{}", LIBAVFORMAT_VERSION_MAJOR);
  if (void* loaded = dlopen(library.c_str(), RTLD_NOW)) {  // stays loaded
    if (auto* register_all = reinterpret_cast<void (*)()>(dlsym(loaded, "avdevice_register_all")))
      register_all();
  }
  const AVInputFormat* format = av_find_input_format("v4l2");
  if (!format) {
    throw_input(
        name,
        fmt::format("cameras require FFmpeg's {}, which is not installed (Debian: libavdevice{})",
                    library, LIBAVFORMAT_VERSION_MAJOR));
  }
  return format;
}

/// Whether an address or camera that cannot be opened may be there later.
bool may_come(int error, const std::string& place) {
  switch (error) {
    case AVERROR(ENOMEM):
    case AVERROR(EINVAL):
    case AVERROR_PROTOCOL_NOT_FOUND:
    case AVERROR_DEMUXER_NOT_FOUND:
    case AVERROR_HTTP_BAD_REQUEST:
    case AVERROR_HTTP_UNAUTHORIZED:
    case AVERROR_HTTP_FORBIDDEN: return false;
    // Of a page, what it is; elsewhere it may be the middle of a stream.
    case AVERROR_INVALIDDATA: return !place.starts_with("http");
    default: return true;
  }
}

/// Whether a complaint of a container's head is about its pictures. Other heads of good files have
/// oddities.
bool is_damage_of_head(std::string_view complaint) {
  return complaint.starts_with("CRC mismatch") || complaint.starts_with("Sample size");
}

constexpr int buffer_bytes = 1 << 16;
constexpr int max_tracks = 100;

}  // namespace

VideoInput::VideoInput(const std::string& path, int64_t max_pixels) : name_(path) {
  av::be_quiet();
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw_input(path, reason_of(errno));
  if (S_ISDIR(status.st_mode)) throw_input(path, "this is a folder; name a video file");
  if (S_ISREG(status.st_mode) && status.st_size == 0) throw_input(path, "the file is empty");
  // "file:" keeps libav from reading a colon in the name as a protocol.
  const int error = avio_open2(&io_, ("file:" + path).c_str(), AVIO_FLAG_READ, nullptr, nullptr);
  if (error < 0) throw_input(path, av::words(error));
  open(max_pixels);
}

VideoInput::VideoInput(std::span<const uint8_t> bytes, std::string name, int64_t max_pixels)
    : name_(std::move(name)), memory_{bytes} {
  av::be_quiet();
  if (bytes.empty()) throw_input(name_, "the file is empty");
  const auto read_bytes = [](void* opaque, uint8_t* out, int want) {
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
    int64_t to = 0;
    if (!find_target(offset, whence, memory.at, size, to)) return AVERROR(EINVAL);
    return memory.at = to;
  };
  make_io(&memory_, read_bytes, seek);
  open(max_pixels);
}

VideoInput::VideoInput(std::unique_ptr<InputBytes> bytes, int64_t max_pixels)
    : name_(bytes->name()), bytes_(std::move(bytes)) {
  av::be_quiet();
  const auto read_bytes = [](void* opaque, uint8_t* out, int want) {
    try {
      const size_t n = static_cast<InputBytes*>(opaque)->read_some(reinterpret_cast<char*>(out),
                                                                   size_t(std::max(want, 0)));
      return n > 0 ? int(n) : AVERROR_EOF;
    } catch (...) {  // libav is C: it must not see exceptions
      return AVERROR(EIO);
    }
  };
  const auto seek = [](void* opaque, int64_t offset, int whence) -> int64_t {
    auto& from = *static_cast<InputBytes*>(opaque);
    if (whence & AVSEEK_SIZE) return from.size();
    int64_t to = 0;
    if (!find_target(offset, whence, from.position(), from.size(), to)) return AVERROR(EINVAL);
    try {
      from.seek(to);
    } catch (...) {
      return AVERROR(EIO);
    }
    return to;
  };
  make_io(bytes_.get(), read_bytes, bytes_->size() >= 0 ? +seek : nullptr);
  open(max_pixels);
}

VideoInput::VideoInput(const Live& place, const StreamLimits& limits)
    : name_(without_password(place.place)), place_(place.place), limits_(limits) {
  av::be_quiet();
  if (is_address(place_)) check_address(place_);
  open(limits.max_pixels);
}

void VideoInput::make_io(void* opaque, int (*get)(void*, uint8_t*, int),
                         int64_t (*seek)(void*, int64_t, int)) {
  auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
  if (buffer) io_ = avio_alloc_context(buffer, buffer_bytes, 0, opaque, get, nullptr, seek);
  if (!io_) {
    av_free(buffer);
    throw std::bad_alloc();
  }
  own_io_ = true;
}

VideoInput::~VideoInput() { close(); }

void VideoInput::close() noexcept {
  avformat_close_input(&context_);
  if (!io_) return;
  if (own_io_) {
    av_freep(&io_->buffer);
    avio_context_free(&io_);
  } else {
    avio_closep(&io_);
  }
}

bool VideoInput::stopped() const {
  return limits_ ? limits_->stop && limits_->stop->requested() : bytes_ && bytes_->stopped();
}

void VideoInput::wait_no_longer_than(double seconds) {
  timed_out_ = false;
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6)));
}

bool VideoInput::is_over() {
  if (stopped()) return true;
  if (Clock::now() > deadline_) timed_out_ = true;
  return timed_out_;
}

std::string VideoInput::words(int error) const {
  if (limits_ && (timed_out_ || error == AVERROR_EXIT))
    return fmt::format("nothing came for {:g} s", limits_->timeout);
  if (error == AVERROR_PROTOCOL_NOT_FOUND)
    return "FFmpeg's libav was built here without this protocol";
  if (error == AVERROR_EOF) return "it ends before its first frame";
  return av::words(error);
}

int VideoInput::open_context() {
  if (!limits_) {
    context_->pb = io_;
    context_->flags |= AVFMT_FLAG_CUSTOM_IO;
    context_->io_open = refuse_to_open;
    // What it is comes before its head is read: lists open what they name there.
    decltype(AVFormatContext::iformat) format = nullptr;
    const int error = av::with_memory(
        [&] { return av_probe_input_buffer2(io_, &format, name_.c_str(), nullptr, 0, 0); });
    if (error < 0) return error;
    if (const auto why = not_a_video(*format, false); !why.empty()) throw_input(name_, why);
    return av::with_memory(
        [&] { return avformat_open_input(&context_, name_.c_str(), format, nullptr); });
  }
  const AVInputFormat* format = nullptr;
  av::Options options;
  if (is_address(place_)) {
    options.set("protocol_whitelist", network_protocols);
    options.set("rtsp_flags", "prefer_tcp");  // UDP loses packets, and firewalls it
    options.set("reconnect", "1");            // a file over HTTP continues where it broke
    options.set("reconnect_delay_max", int64_t(limits_->timeout));
  } else {
    format = camera_format(name_);
    context_->flags |= AVFMT_FLAG_NONBLOCK;  // its reads cannot be interrupted
  }
  // libav 4.4 takes no const format.
  return avformat_open_input(&context_, place_.c_str(), const_cast<AVInputFormat*>(format),
                             options.get());
}

// Called at the end of the constructors; closes by itself where it throws.
void VideoInput::open(int64_t max_pixels) {
  try {
    context_ = avformat_alloc_context();
    if (!context_) throw std::bad_alloc();
    context_->max_streams = max_tracks;
    if (limits_) {
      context_->interrupt_callback = {
          [](void* self) { return int(static_cast<VideoInput*>(self)->is_over()); }, this};
      wait_no_longer_than(limits_->timeout);
    }
    if (!is_live()) {
      context_->opaque = &complaints_;
      context_->error_recognition |= AV_EF_CRCCHECK;
    }
    int error = open_context();
    if (error == AVERROR(ENOMEM) && complaints_.has_many_tracks())
      throw_input(name_, fmt::format("it has more than {} tracks", max_tracks));
    if (!limits_) av::check_resources(error);
    if (!limits_ && (error == AVERROR_INVALIDDATA || error == AVERROR_EOF)) {
      throw_input(name_, "not a readable video (corrupt, truncated or of an unknown format)");
    }
    if (error < 0 && limits_ && may_come(error, place_))
      throw AbsentStream(name_, fmt::format("cannot be opened: {}", words(error)));
    if (error < 0) throw_input(name_, fmt::format("cannot be opened: {}", words(error)));
    if (const auto why = not_a_video(*context_->iformat, limits_.has_value()); !why.empty())
      throw_input(name_, why);

    for (unsigned i = 0; i < context_->nb_streams; ++i) {
      const AVCodecParameters& codec = *context_->streams[i]->codecpar;
      if (codec.width > 0 && codec.height > 0)
        check_pixels(name_, codec.width, codec.height, max_pixels);
    }
    if (limits_) {
      // Frames are wanted soon: what shows the codec is enough, whether other streams follow or
      // not.
      constexpr double most = 1.5;  // seconds of the stream
      context_->max_analyze_duration = int64_t(most * AV_TIME_BASE);
      context_->fps_probe_size = 10;  // frames that show their rate
      wait_no_longer_than(limits_->timeout + most);
    }
    if (complaint() && !is_damage_of_head(complaint())) complaints_.clear();
    // libav tries decoders here; they keep to the limit too.
    av::Options options(context_->nb_streams);
    options.set("max_pixels", max_pixels);
    const auto find = [&] { return avformat_find_stream_info(context_, options.get()); };
    error = limits_ ? find() : av::with_memory(find);
    if (!limits_) av::check_resources(error);
    if (error < 0 && limits_)
      throw AbsentStream(name_, fmt::format("cannot be read: {}", words(error)));
    if (error < 0) throw_input(name_, fmt::format("cannot be read: {}", words(error)));
  } catch (...) {
    close();
    throw;
  }
}

int VideoInput::read(AVPacket& packet) {
  if (!limits_) {
    if (stopped()) return AVERROR_EXIT;
    return av::with_memory([&] { return av_read_frame(context_, &packet); });
  }
  wait_no_longer_than(limits_->timeout);
  for (;;) {
    const int error = av_read_frame(context_, &packet);
    if (error != AVERROR(EAGAIN)) return timed_out_ && error == AVERROR_EOF ? AVERROR_EXIT : error;
    if (is_over()) return AVERROR_EXIT;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // a camera between two frames
  }
}

int64_t VideoInput::start() const {
  return context_->start_time == AV_NOPTS_VALUE ? 0 : context_->start_time;
}

}  // namespace cuesta::io
#endif
