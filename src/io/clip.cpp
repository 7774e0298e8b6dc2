#include "io/clip.hpp"

#include "cuesta/error.hpp"

#ifdef CUESTA_HAS_VIDEO
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "io/av.hpp"
#include "io/av_output.hpp"
#include "io/errors.hpp"
#include "io/video_input.hpp"

namespace cuesta::io {
namespace {

// Where the packets of a stream go.
struct Track {
  int to = -1;  // the stream of the clip; -1: left out
  int64_t last_dts = INT64_MIN;
};

// The rotation that players apply: newer versions of libav copy it with the parameters.
void copy_rotation([[maybe_unused]] const AVStream& from, [[maybe_unused]] AVStream& to) {
#if LIBAVFORMAT_VERSION_INT < AV_VERSION_INT(60, 15, 100)
  const int32_t* matrix = av::display_matrix(from);
  if (!matrix) return;
  constexpr size_t size = 9 * sizeof(int32_t);
  uint8_t* copy = av_stream_new_side_data(&to, AV_PKT_DATA_DISPLAYMATRIX, size);
  if (!copy) throw std::bad_alloc();
  std::copy_n(reinterpret_cast<const uint8_t*>(matrix), size, copy);
#endif
}

class Clip {
 public:
  Clip(const std::string& source, const std::filesystem::path& target)
      : target_(target),
        in_(source, INT64_MAX),
        file_(target, Placing::when_whole),
        bytes_(file_),
        out_(av::muxer_of(target.string())) {
    av::be_quiet();
    AVFormatContext& in = in_.context();
    video_ = av_find_best_stream(&in, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video_ < 0) throw_input(source, "the file has no video stream; clips require one");
    tracks_.resize(in.nb_streams);
    for (unsigned i = 0; i < in.nb_streams; ++i) add_track(*in.streams[i]);
    bytes_.serve(*out_);
    check(avformat_write_header(out_.get(), nullptr));
  }

  void copy(double begin, double end) {
    AVFormatContext& in = in_.context();
    const AVRational base = in.streams[video_]->time_base;
    const int64_t start = av_rescale_q(in_.start(), AV_TIME_BASE_Q, base);
    const auto ticks = [&](double seconds) {
      return start + int64_t(std::llround(seconds / av_q2d(base)));
    };
    // Where the container has no index, from its beginning.
    if (av_seek_frame(&in, video_, ticks(begin), AVSEEK_FLAG_BACKWARD) < 0)
      av_seek_frame(&in, video_, start, AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_ANY);
    const av::PacketPtr packet(av_packet_alloc());
    if (!packet) throw std::bad_alloc();
    int64_t zero = AV_NOPTS_VALUE;  // the first picture's time, in its stream's ticks
    int error = 0;
    while ((error = av_read_frame(&in, packet.get())) >= 0) {
      AVPacket& p = *packet;
      if (p.pts == AV_NOPTS_VALUE) p.pts = p.dts;
      if (p.dts == AV_NOPTS_VALUE) p.dts = p.pts;
      const bool is_video = p.stream_index == video_;
      if (is_video && p.dts != AV_NOPTS_VALUE && p.dts > ticks(end)) break;
      if (is_video && zero == AV_NOPTS_VALUE && p.flags & AV_PKT_FLAG_KEY) zero = p.pts;
      if (zero != AV_NOPTS_VALUE && p.pts != AV_NOPTS_VALUE) write(p, zero, base);
      av_packet_unref(&p);
    }
    if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (zero == AV_NOPTS_VALUE)
      throw_input(in_.name(), "no frame of the event could be read again");
  }

  void finish() {
    check(av_write_trailer(out_.get()));
    bytes_.flush();
    check(0);
    file_.commit();
  }

 private:
  void check(int error) const {
    file_.check();
    if (error < 0) throw_output(target_, av::words(error));
  }

  void add_track(AVStream& from) {
    const AVMediaType type = from.codecpar->codec_type;
    const bool wanted = from.index == video_ || type == AVMEDIA_TYPE_AUDIO;
    from.discard = AVDISCARD_ALL;
    if (!wanted ||
        (from.index != video_ &&
         avformat_query_codec(out_->oformat, from.codecpar->codec_id, FF_COMPLIANCE_NORMAL) != 1))
      return;
    AVStream* to = avformat_new_stream(out_.get(), nullptr);
    if (!to || avcodec_parameters_copy(to->codecpar, from.codecpar) < 0) throw std::bad_alloc();
    to->codecpar->codec_tag = 0;  // the container chooses its own
    to->time_base = from.time_base;
    to->avg_frame_rate = from.avg_frame_rate;
    to->sample_aspect_ratio = from.sample_aspect_ratio;
    to->disposition = from.disposition;
    copy_rotation(from, *to);
    from.discard = AVDISCARD_DEFAULT;
    tracks_[size_t(from.index)].to = to->index;
  }

  void write(AVPacket& p, int64_t zero, AVRational zero_base) {
    Track& track = tracks_[size_t(p.stream_index)];
    if (track.to < 0) return;
    const AVRational from = in_.context().streams[p.stream_index]->time_base;
    const AVRational to = out_->streams[track.to]->time_base;
    const int64_t offset = av_rescale_q(zero, zero_base, from);
    if (p.stream_index != video_ && p.pts < offset) return;  // sound before the first picture
    p.pts -= offset;
    p.dts -= offset;
    av_packet_rescale_ts(&p, from, to);
    // Rounding may make two times one; containers want them to grow.
    if (track.last_dts != INT64_MIN) p.dts = std::max(p.dts, track.last_dts + 1);
    p.pts = std::max(p.pts, p.dts);
    track.last_dts = p.dts;
    p.stream_index = track.to;
    p.pos = -1;
    check(av_interleaved_write_frame(out_.get(), &p));
  }

  std::filesystem::path target_;
  VideoInput in_;
  OutputFile file_;
  av::Output bytes_;
  av::MuxerPtr out_;
  int video_ = -1;
  std::vector<Track> tracks_;
};

}  // namespace

void cut_clip(const std::string& source, const std::filesystem::path& target, double begin,
              double end) {
  Clip clip(source, target);
  clip.copy(begin, end);
  clip.finish();
}

std::string clip_extension(const std::string& source) {
  const AVOutputFormat* container = av_guess_format(nullptr, source.c_str(), nullptr);
  // Pictures as they are, which few containers take.
  if (container && std::string_view(container->name) == "yuv4mpegpipe") return {};
  const bool fits =
      container && !(container->flags & AVFMT_NOFILE) && container->video_codec != AV_CODEC_ID_NONE;
  return fits ? std::filesystem::path(source).extension().string() : ".mkv";
}

}  // namespace cuesta::io
#else
namespace cuesta::io {

void cut_clip(const std::string&, const std::filesystem::path& target, double, double) {
  throw Error(
      ErrorCode::unsupported,
      target.string() + ": this build of Cuesta does not support clips; build it with libav",
      target.string());
}
std::string clip_extension(const std::string&) { return ".mkv"; }

}  // namespace cuesta::io
#endif
