#ifdef CUESTA_HAS_VIDEO
#include "io/audio_copy.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "io/animation.hpp"
#include "io/av_output.hpp"
#include "io/errors.hpp"
#include "io/formats.hpp"

namespace cuesta::io {

AudioCopy::AudioCopy(const std::string& source, AVFormatContext& out) {
  if (source.empty() || !std::filesystem::is_regular_file(source) || !packet_) return;
  // Of these, which libav does not read or need not, none has sound. All others have been read once
  // already: what is wrong with them now would lose their sound without a word.
  std::string head;
  if (const auto error = read_head(source, head)) throw_input(source, error.message());
  if (begins_as_animation(head) || format_of_bytes(head)) return;
  input_ = std::make_unique<VideoInput>(source, INT32_MAX);
  AVFormatContext& in = input_->context();
  for (unsigned i = 0; i < in.nb_streams; ++i) {
    AVStream& from = *in.streams[i];
    from.discard = AVDISCARD_ALL;
    if (from.codecpar->codec_type != AVMEDIA_TYPE_AUDIO) continue;
    const char* codec = avcodec_get_name(from.codecpar->codec_id);
    if (!av::takes_sound(*out.oformat, from.codecpar->codec_id)) {
      loss_ = fmt::format("without its sound ({} does not take {})", out.oformat->name, codec);
      continue;
    }
    AVStream* to = avformat_new_stream(&out, nullptr);
    if (!to || avcodec_parameters_copy(to->codecpar, from.codecpar) < 0) throw std::bad_alloc();
    to->codecpar->codec_tag = 0;  // the container chooses its own
    to->time_base = from.time_base;
    to->disposition = from.disposition;
    av::check_resources(av_dict_copy(&to->metadata, from.metadata, 0));
    from.discard = AVDISCARD_DEFAULT;
    tracks_.push_back(
        {from.index, to->index, av_rescale_q(input_->start(), AV_TIME_BASE_Q, from.time_base)});
    description_ = fmt::format("sound copied ({})", codec);
  }
  if (tracks_.empty()) input_.reset();
}

int AudioCopy::copy_until(double seconds, AVFormatContext& out) {
  while (input_ && !ended_) {
    if (!waits_) {
      const int error = av_read_frame(&input_->context(), packet_.get());
      if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
      ended_ = error < 0;
      if (ended_) break;
    }
    waits_ = true;
    Track* track = nullptr;
    for (auto& t : tracks_) {
      if (t.from == packet_->stream_index) track = &t;
    }
    if (!track || (packet_->pts == AV_NOPTS_VALUE && packet_->dts == AV_NOPTS_VALUE)) {
      av_packet_unref(packet_.get());
      waits_ = false;
      continue;
    }
    const AVRational from = input_->context().streams[track->from]->time_base;
    const AVRational to = out.streams[track->to]->time_base;
    if (packet_->pts == AV_NOPTS_VALUE) packet_->pts = packet_->dts;
    if (packet_->dts == AV_NOPTS_VALUE) packet_->dts = packet_->pts;
    if (double(packet_->pts - track->start) * av_q2d(from) > seconds) return 0;
    waits_ = false;

    packet_->pts -= track->start;
    packet_->dts -= track->start;
    av_packet_rescale_ts(packet_.get(), from, to);
    // Rounding may make two times one; containers want them to grow.
    packet_->dts =
        std::max(packet_->dts, track->last_dts == INT64_MIN ? INT64_MIN : track->last_dts + 1);
    packet_->pts = std::max(packet_->pts, packet_->dts);
    track->last_dts = packet_->dts;
    packet_->stream_index = track->to;
    packet_->pos = -1;
    const int error = av_interleaved_write_frame(&out, packet_.get());
    if (error < 0) return error;
  }
  return 0;
}

}  // namespace cuesta::io
#endif
