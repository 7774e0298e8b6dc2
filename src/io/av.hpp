// What the video reader and writer share of FFmpeg's libav*: owners, words for errors, and the
// places where its versions 4.4 to 6.1 differ.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/error.hpp"

namespace cuesta::io::av {

struct Free {
  void operator()(AVFrame* p) const { av_frame_free(&p); }
  void operator()(AVPacket* p) const { av_packet_free(&p); }
  void operator()(AVCodecContext* p) const { avcodec_free_context(&p); }
  void operator()(SwsContext* p) const { sws_freeContext(p); }
};
using FramePtr = std::unique_ptr<AVFrame, Free>;
using PacketPtr = std::unique_ptr<AVPacket, Free>;
using CodecPtr = std::unique_ptr<AVCodecContext, Free>;
using SwsPtr = std::unique_ptr<SwsContext, Free>;

/// libav's words for one of its error codes.
inline std::string words(int error) {
  if (error == AVERROR_INVALIDDATA) return "the data are corrupt or of no known format";
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  return text.data();
}

/// Throws for errors that are the machine's, not the file's: std::bad_alloc,
/// Error{out_of_memory} where a thread cannot be started.
inline void check_resources(int error) {
  if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (error == AVERROR(EAGAIN))
    throw Error(ErrorCode::out_of_memory, "the system cannot start more threads for this process");
}

/// Runs a call of libav on a file. Throws std::bad_alloc where memory ran out in this thread,
/// whatever the call returns: demuxers skip packets that they have no memory for.
template <class Call>
int with_memory(Call&& call) {
  errno = 0;
  const int result = call();
  if (errno == ENOMEM) throw std::bad_alloc();
  return result;
}

/// Options by name for a muxer or demuxer, or the same ones for each of `count` decoders. libav
/// passes over names that it does not know.
class Options {
 public:
  explicit Options(size_t count = 1) : all_(count) {}
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;
  ~Options() {
    for (AVDictionary*& one : all_) av_dict_free(&one);
  }

  /// One that cannot be set for want of memory must not be left out: std::bad_alloc.
  void set(const char* name, const char* value) {
    for (AVDictionary*& one : all_) check_resources(av_dict_set(&one, name, value, 0));
  }
  void set(const char* name, int64_t value) { set(name, std::to_string(value).c_str()); }
  /// What libav takes, and leaves those in that it did not use.
  AVDictionary** get() { return all_.empty() ? nullptr : all_.data(); }

 private:
  std::vector<AVDictionary*> all_;
};

/// Sets an option that this encoder may have; std::bad_alloc where there is no memory for it.
inline void set_option(AVCodecContext& encoder, const char* name, const char* value) {
  check_resources(av_opt_set(encoder.priv_data, name, value, 0));
}

/// The errors that a decoder, in any of its threads, or a demuxer logs; its context's `opaque`.
/// libav drops slices, frames and packets that fail, also for lack of memory, and returns success.
/// Only its log reports them.
class Complaints {
 public:
  void add(const char* format, va_list values) noexcept {
    if (std::string_view(format).starts_with("warning")) return;  // whatever its level is
    if (std::string_view(format).starts_with("Number of streams exceeds")) has_many_tracks_ = true;
    if (came_.test_and_set()) return;  // the first one counts
    std::vsnprintf(text_.data(), text_.size(), format, values);
    text_[std::strcspn(text_.data(), "\n")] = '\0';
    whole_ = true;
  }
  /// The first one; null where there is none. Stays until clear().
  const char* first() const { return whole_ ? text_.data() : nullptr; }
  /// Whether the file has more tracks than AVFormatContext::max_streams, for which libav returns
  /// ENOMEM.
  bool has_many_tracks() const { return has_many_tracks_; }
  void clear() {
    whole_ = false;
    came_.clear();
  }

 private:
  std::atomic_flag came_;
  std::atomic<bool> whole_{false}, has_many_tracks_{false};
  std::array<char, 128> text_{};
};

/// Whose complaint a line of libav's log is; null where it is none.
inline Complaints* complains_to(void* from, int level, const char* format) {
  if (!from) return nullptr;
  const auto* kind = *static_cast<const AVClass**>(from);
  if (level <= AV_LOG_ERROR && kind == avcodec_get_class())
    return static_cast<Complaints*>(static_cast<AVCodecContext*>(from)->opaque);
  // NUT's demuxer skips what it cannot read, and reports that at debug level alone.
  const bool skips = std::string_view(format).starts_with("syncing from");
  if ((level <= AV_LOG_ERROR || skips) && kind == avformat_get_class())
    return static_cast<Complaints*>(static_cast<AVFormatContext*>(from)->opaque);
  return nullptr;
}

/// libav prints to stderr by default; what matters comes back as Error, or to Complaints.
inline void be_quiet() {
  static std::once_flag once;
  std::call_once(once, [] {
    av_log_set_callback([](void* from, int level, const char* format, va_list values) {
      if (auto* to = complains_to(from, level, format)) to->add(format, values);
    });
  });
}

/// `value`, or `otherwise` where it is not positive.
inline AVRational positive_or(AVRational value, AVRational otherwise) {
  return value.num > 0 && value.den > 0 ? value : otherwise;
}

/// How long a frame is shown, in the stream's time base; 0 where unknown.
inline int64_t duration_of(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  return frame.duration;
#else
  return frame.pkt_duration;
#endif
}

inline bool is_interlaced(const AVFrame& frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
  return frame.flags & AV_FRAME_FLAG_INTERLACED;
#else
  return frame.interlaced_frame;
#endif
}

/// The stream's 3 × 3 display matrix; null where it has none.
inline const int32_t* display_matrix(const AVStream& stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
  const AVPacketSideData* found =
      av_packet_side_data_get(stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data,
                              AV_PKT_DATA_DISPLAYMATRIX);
  return found && found->size >= 36 ? reinterpret_cast<const int32_t*>(found->data) : nullptr;
#else
  return reinterpret_cast<const int32_t*>(
      av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr));
#endif
}

/// Packets that the container's index knows for the stream; 0 where that is unknown.
inline int index_entries([[maybe_unused]] const AVStream& stream) {
#if LIBAVFORMAT_VERSION_MAJOR >= 59
  return avformat_index_get_entries_count(&stream);
#else
  return 0;
#endif
}

}  // namespace cuesta::io::av
