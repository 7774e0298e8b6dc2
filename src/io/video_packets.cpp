#ifdef CUESTA_HAS_VIDEO
#include "io/video_packets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "io/av_output.hpp"
#include "io/container_end.hpp"
#include "io/errors.hpp"
#include "io/packet_ring.hpp"

namespace cuesta::io {

VideoPackets::VideoPackets(std::unique_ptr<VideoInput> input) : input_(std::move(input)) {
  if (!packet_) throw std::bad_alloc();
  const int best = av_find_best_stream(&context(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (best >= 0) stream_ = context().streams[best];
  if (!stream_ || (stream_->disposition & AV_DISPOSITION_ATTACHED_PIC))
    throw_input(name(), "the file has no video stream");
  for (unsigned i = 0; i < context().nb_streams; ++i) {
    if (context().streams[i] != stream_) context().streams[i]->discard = AVDISCARD_ALL;
  }
  start_ = av_rescale_q(input_->start(), AV_TIME_BASE_Q, stream_->time_base);
}

bool VideoPackets::is_mp4() const {
  return std::string_view(context().iformat->name).find("mp4") != std::string_view::npos;
}

bool VideoPackets::has_sound() const {
  return av_find_best_stream(&context(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0) >= 0;
}

bool VideoPackets::seek(const VideoPart& part) {
  av_packet_unref(packet_.get());
  waits_ = false;
  count_ = first_ = part.packet;
  end_ = 0;
  return part.packet == 0 || find_key_frame(part);
}

bool VideoPackets::find_key_frame(const VideoPart& part) {
  for (const int64_t target : {part.seek, part.begin + start_, start_}) {
    if (av_seek_frame(&context(), stream_->index, target, AVSEEK_FLAG_BACKWARD) < 0) continue;
    while (input_->read(*packet_) >= 0) {
      const bool ours = packet_->stream_index == stream_->index;
      if (ours && (packet_->flags & AV_PKT_FLAG_KEY) && packet_->pts == part.begin + start_) {
        waits_ = true;
        return true;
      }
      const bool passed = ours && packet_->dts != AV_NOPTS_VALUE && packet_->dts > part.seek;
      av_packet_unref(packet_.get());
      if (passed) break;
    }
  }
  return false;
}

int VideoPackets::next() {
  if (!std::exchange(waits_, false)) {
    av_packet_unref(packet_.get());
    if (!again_.empty()) {
      packet_ = std::move(again_.front());
      again_.pop_front();
    } else {
      int error = 0;
      do {
        av_packet_unref(packet_.get());
        error = input_->read(*packet_);
        if (error >= 0 && sound_ && packet_->stream_index == sound_->index)
          ring_->add_sound(*packet_);
      } while (error >= 0 && packet_->stream_index != stream_->index);
      if (error < 0) return error;
      if (ring_) ring_->add(*packet_);
    }
  }
  if (keeps_) {
    kept_.emplace_back(av_packet_clone(packet_.get()));
    if (!kept_.back()) throw std::bad_alloc();
  }
  if (good_ < 0 && input_->complaint()) good_ = count_;
  ++count_;
  const int64_t shown = packet_->pts != AV_NOPTS_VALUE ? packet_->pts : packet_->dts;
  if (shown != AV_NOPTS_VALUE)
    end_ = std::max(end_, shown - start_ + std::max<int64_t>(packet_->duration, 0));
  return 0;
}

std::string VideoPackets::fill(std::shared_ptr<PacketRing> ring) {
  ring_ = std::move(ring);
  std::string loss;
  const int best = av_find_best_stream(&context(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0);
  if (best >= 0) {
    AVStream& sound = *context().streams[best];
    const AVOutputFormat* container = av_guess_format("matroska", nullptr, nullptr);
    const AVCodecID codec = sound.codecpar->codec_id;
    if (!av::takes_sound(*container, codec)) {
      loss = fmt::format("without its sound (matroska does not take {})", avcodec_get_name(codec));
    } else if (sound.codecpar->sample_rate <= 0) {
      loss = fmt::format("without its sound ({} of an unknown rate)", avcodec_get_name(codec));
    } else {
      sound.discard = AVDISCARD_DEFAULT;
      sound_ = &sound;
    }
  }
  ring_->begin(*stream_, start_, sound_);
  return loss;
}

void VideoPackets::forget() {
  keeps_ = false;
  kept_.clear();
}

void VideoPackets::rewind() {
  keeps_ = false;
  again_.swap(kept_);
  count_ = first_;
  end_ = 0;
}

std::string VideoPackets::gap() const {
  if (!input_->complaint()) return {};
  return fmt::format("the file is damaged after {} frames ({})", good_ < 0 ? count_ : good_,
                     input_->complaint());
}

bool VideoPackets::ends_early(double frame_seconds) const {
  const AVIOContext* io = context().pb;
  if (io && io->error < 0 && io->error != AVERROR_EOF) return true;
  const std::string_view container = context().iformat->name;
  if (!is_live() && io && ends_before_its_container(container, *context().pb)) return true;
  if (is_mp4()) return count_ < av::index_entries(*stream_);
  if (container == "avi") return ends_before_avi_says();
  if (container.find("matroska") != container.npos) return ends_before_matroska_says(frame_seconds);
  return false;
}

bool VideoPackets::ends_before_avi_says() const {
  const AVRational rate = av::positive_or(stream_->avg_frame_rate, {25, 1});
  const int64_t frame = std::max<int64_t>(1, av_rescale_q(1, av_inv_q(rate), stream_->time_base));
  return stream_->duration > 0 && end_ > 0 && end_ + frame <= stream_->duration;
}

bool VideoPackets::ends_before_matroska_says(double frame_seconds) const {
  std::optional<double> length;
  // "00:01:02.345000000", which muxers write for each track.
  if (const AVDictionaryEntry* tag =
          av_dict_get(stream_->metadata, "DURATION", nullptr, AV_DICT_MATCH_CASE)) {
    int hours = 0, minutes = 0;
    double seconds = 0;
    if (std::sscanf(tag->value, "%d:%d:%lf", &hours, &minutes, &seconds) == 3)
      length = hours * 3600.0 + minutes * 60.0 + seconds;
  } else if (context().nb_streams == 1 && context().duration > 0 &&
             context().duration_estimation_method == AVFMT_DURATION_FROM_STREAM) {
    length = double(context().duration) / AV_TIME_BASE;
  }
  // Writers round, and count the last frame's time or not.
  const double slack = 0.05 + 2 * frame_seconds;
  return length && double(end_ + start_) * av_q2d(stream_->time_base) + slack < *length;
}

}  // namespace cuesta::io
#endif
