#include "cuesta/io/clip.hpp"

#include "cuesta/error.hpp"

#ifdef CUESTA_HAS_VIDEO
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "io/av.hpp"
#include "io/av_output.hpp"
#include "io/errors.hpp"
#include "io/video_input.hpp"

namespace cuesta::io {
namespace {

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

bool same_encoding(const AVCodecParameters& a, const AVCodecParameters& b) {
  return a.codec_id == b.codec_id && a.width == b.width && a.height == b.height &&
         a.sample_rate == b.sample_rate && a.extradata_size == b.extradata_size &&
         std::equal(a.extradata, a.extradata + a.extradata_size, b.extradata);
}

// To the last key frame at or before `at`; where the container has no index, to its beginning.
void seek(AVFormatContext& in, int video, int64_t at, int64_t start) {
  if (av_seek_frame(&in, video, at, AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(&in, video, start, AVSEEK_FLAG_BACKWARD | AVSEEK_FLAG_ANY);
}

// Whether a clip has this packet of the video's: all from a key frame on that have a time.
bool is_picture(const AVPacket& p, bool follows) {
  return p.pts != AV_NOPTS_VALUE && (follows || p.flags & AV_PKT_FLAG_KEY);
}

struct Picture {
  int64_t shown, decoded;
};

// Whether the container has them, as Matroska does not.
bool has_decoding_times(const std::vector<Picture>& pictures) {
  for (size_t i = 0; i < pictures.size(); ++i) {
    const auto& [shown, decoded] = pictures[i];
    if (decoded == AV_NOPTS_VALUE || decoded > shown ||
        (i > 0 && decoded <= pictures[i - 1].decoded))
      return false;
  }
  return true;
}

// When the pictures of a clip are decoded, as many as it has: from the key frame at or before
// `from` to the last that is decoded by `end`. Where the container does not say, in the order of
// times at which pictures are shown, and so early that none is shown before it is decoded.
std::vector<int64_t> decoding_times(const std::string& path, int video, int64_t from, int64_t end) {
  VideoInput input(path, INT64_MAX);
  AVFormatContext& in = input.context();
  AVStream& stream = *in.streams[video];
  for (unsigned i = 0; i < in.nb_streams; ++i)
    if (int(i) != video) in.streams[i]->discard = AVDISCARD_ALL;
  seek(in, video, from, av_rescale_q(input.start(), AV_TIME_BASE_Q, stream.time_base));
  constexpr int max_ahead = 32;  // pictures that a codec may hold back, and some
  std::vector<Picture> pictures;
  const av::PacketPtr packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  for (int after = 0; after < max_ahead && av_read_frame(&in, packet.get()) >= 0;) {
    AVPacket& p = *packet;
    if (p.pts == AV_NOPTS_VALUE) p.pts = p.dts;
    if (p.stream_index == video && is_picture(p, !pictures.empty())) {
      pictures.push_back({p.pts, p.dts});
      if (p.pts > end) ++after;
    }
    av_packet_unref(&p);
  }
  std::vector<int64_t> times;
  if (has_decoding_times(pictures)) {
    for (const Picture& one : pictures) times.push_back(one.decoded);
  } else {
    for (const Picture& one : pictures) times.push_back(one.shown);
    std::ranges::sort(times);
    int64_t ahead = 0;
    for (size_t i = 0; i < times.size(); ++i) ahead = std::max(ahead, times[i] - pictures[i].shown);
    for (int64_t& time : times) time -= ahead;
  }
  times.erase(std::ranges::upper_bound(times, end), times.end());
  return times;
}

class Clip {
 public:
  Clip(const RecordingFile& source, const std::filesystem::path& target)
      : target_(target),
        file_(target, Placing::when_whole),
        bytes_(file_),
        out_(av::muxer_of(target.string())) {
    av::be_quiet();
    open(source);
    for (unsigned i = 0; i < in_->context().nb_streams; ++i) add_track(*in_->context().streams[i]);
    last_dts_.assign(out_->nb_streams, INT64_MIN);
    bytes_.serve(*out_);
    check(avformat_write_header(out_.get(), nullptr));
  }

  /// Continues with another file, which has tracks like those of the first. Returns whether it is
  /// encoded as they are.
  bool take(const RecordingFile& source) {
    open(source);
    for (unsigned from = 0, to = 0; from < in_->context().nb_streams; ++from) {
      AVStream& stream = *in_->context().streams[from];
      const bool fits =
          to < out_->nb_streams && same_encoding(*stream.codecpar, *out_->streams[to]->codecpar);
      stream.discard = fits ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
      if (fits) to_[from] = int(to++);
    }
    return to_[size_t(video_)] >= 0;
  }

  /// Copies the file that was opened last, which the recording shows from `begin` to `end`.
  void copy(double begin, double end) {
    AVFormatContext& in = in_->context();
    const AVRational base = in.streams[video_]->time_base;
    const int64_t start = av_rescale_q(in_->start(), AV_TIME_BASE_Q, base);
    const auto ticks = [&](double seconds) {
      return start + int64_t(std::llround((seconds - begin_) / av_q2d(base)));
    };
    const int64_t from = has_pictures_ ? start : ticks(begin);
    const auto decoded = decoding_times(in_->name(), video_, from, ticks(end));
    seek(in, video_, from, start);
    const av::PacketPtr packet(av_packet_alloc());
    if (!packet) throw std::bad_alloc();
    int64_t zero = AV_NOPTS_VALUE;  // where the clip begins, in its stream's ticks of this file
    if (has_pictures_) zero = ticks(zero_);
    size_t pictures = 0;
    int error = 0;
    while ((error = av_read_frame(&in, packet.get())) >= 0) {
      AVPacket& p = *packet;
      const bool is_video = p.stream_index == video_;
      if (p.pts == AV_NOPTS_VALUE) p.pts = p.dts;
      if (is_video && is_picture(p, pictures > 0)) {
        if (pictures == decoded.size()) break;
        p.dts = decoded[pictures++];
        if (!has_pictures_) {
          zero = p.pts;
          zero_ = begin_ + double(zero - start) * av_q2d(base);
          has_pictures_ = true;
        }
        end_ = std::max(end_, begin_ + double(p.pts - start + p.duration) * av_q2d(base));
        write(p, zero, base);
      } else if (!is_video && zero != AV_NOPTS_VALUE && p.pts != AV_NOPTS_VALUE) {
        p.dts = p.pts;
        write(p, zero, base);
      }
      av_packet_unref(&p);
    }
    if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (zero == AV_NOPTS_VALUE)
      throw_input(in_->name(), "no frame of the event could be read again");
  }

  ClipSpan span(bool is_cut) const { return {zero_, end_, is_cut, loss_}; }

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

  void open(const RecordingFile& source) {
    in_ = std::make_unique<VideoInput>(source.path, INT64_MAX);
    begin_ = source.begin;
    video_ = av_find_best_stream(&in_->context(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (video_ < 0) throw_input(source.path, "the file has no video stream; clips require one");
    to_.assign(in_->context().nb_streams, -1);
  }

  void add_track(AVStream& from) {
    const AVMediaType type = from.codecpar->codec_type;
    const bool wanted = from.index == video_ || type == AVMEDIA_TYPE_AUDIO;
    from.discard = AVDISCARD_ALL;
    if (!wanted) return;
    const AVCodecID codec = from.codecpar->codec_id;
    if (from.index != video_ && !av::takes_sound(*out_->oformat, codec)) {
      loss_ = fmt::format("without its sound ({} does not take {})", out_->oformat->name,
                          avcodec_get_name(codec));
      return;
    }
    AVStream* to = avformat_new_stream(out_.get(), nullptr);
    if (!to || avcodec_parameters_copy(to->codecpar, from.codecpar) < 0) throw std::bad_alloc();
    to->codecpar->codec_tag = 0;  // the container chooses its own
    to->time_base = from.time_base;
    to->avg_frame_rate = from.avg_frame_rate;
    to->sample_aspect_ratio = from.sample_aspect_ratio;
    to->disposition = from.disposition;
    copy_rotation(from, *to);
    from.discard = AVDISCARD_DEFAULT;
    to_[size_t(from.index)] = to->index;
  }

  void write(AVPacket& p, int64_t zero, AVRational zero_base) {
    const int track = to_[size_t(p.stream_index)];
    if (track < 0) return;
    const AVRational from = in_->context().streams[p.stream_index]->time_base;
    const AVRational to = out_->streams[track]->time_base;
    const int64_t offset = av_rescale_q(zero, zero_base, from);
    if (p.stream_index != video_ && p.pts < offset) return;  // sound before the first picture
    p.pts -= offset;
    p.dts -= offset;
    av_packet_rescale_ts(&p, from, to);
    // Rounding may make two times one; containers want them to grow.
    int64_t& last = last_dts_[size_t(track)];
    if (last != INT64_MIN) p.dts = std::max(p.dts, last + 1);
    p.pts = std::max(p.pts, p.dts);
    last = p.dts;
    p.stream_index = track;
    p.pos = -1;
    check(av_interleaved_write_frame(out_.get(), &p));
  }

  std::filesystem::path target_;
  std::unique_ptr<VideoInput> in_;
  OutputFile file_;
  av::Output bytes_;
  av::MuxerPtr out_;
  int video_ = -1;                 // of in_
  std::vector<int> to_;            // the track of each stream of in_; -1: left out
  std::vector<int64_t> last_dts_;  // of each track
  // Seconds of the recording: where in_ begins, and the clip begins and ends.
  double begin_ = 0, zero_ = 0, end_ = 0;
  bool has_pictures_ = false;
  std::string loss_;
};

}  // namespace

ClipSpan cut_clip(std::span<const RecordingFile> files, const std::filesystem::path& target,
                  double begin, double end) {
  size_t i = 0;
  while (i + 1 < files.size() && files[i + 1].begin <= begin) ++i;
  Clip clip(files[i], target);
  clip.copy(begin, end);
  bool is_cut = false;
  for (++i; i < files.size() && files[i].begin <= end && !is_cut; ++i) {
    is_cut = !clip.take(files[i]);
    if (!is_cut) clip.copy(begin, end);
  }
  clip.finish();
  return clip.span(is_cut);
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

ClipSpan cut_clip(std::span<const RecordingFile>, const std::filesystem::path& target, double,
                  double) {
  throw Error(
      ErrorCode::unsupported,
      target.string() + ": this build of Cuesta does not support clips; build it with libav",
      target.string());
}
std::string clip_extension(const std::string&) { return ".mkv"; }

}  // namespace cuesta::io
#endif
