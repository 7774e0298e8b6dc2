#ifdef CUESTA_HAS_VIDEO
#include "io/video_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cuesta/io/overlap.hpp"
#include "io/errors.hpp"
#include "io/h264_units.hpp"

namespace cuesta::io {
namespace {

/// Whole frames in parallel only where it is needed and safe: libav 5.1 aborts the process when a
/// frame-threaded decoder of the MPEG-4 family meets damage under AV_EF_EXPLODE.
int thread_type_for(AVCodecID codec) {
  switch (codec) {
    case AV_CODEC_ID_H264:
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9: return FF_THREAD_FRAME | FF_THREAD_SLICE;
    default: return FF_THREAD_SLICE;
  }
}

/// A decoder's memory for a frame, all zeros.
int get_cleared_buffer(AVCodecContext* decoder, AVFrame* frame, int flags) {
  const int error = avcodec_default_get_buffer2(decoder, frame, flags);
  for (AVBufferRef* buffer : frame->buf) {
    if (error >= 0 && buffer) std::memset(buffer->data, 0, size_t(buffer->size));
  }
  return error;
}

/// Whether the packet has more than what may come alone: parameters, remarks and marks (ITU-T
/// H.264, table 7-1), the latter of a few bytes.
bool has_picture(const AVPacket& packet, const AVCodecParameters& codec) {
  if (codec.codec_id == AV_CODEC_ID_MPEG2VIDEO) return true;
  bool found = false;
  for_each_h264_unit(packet, codec, [&](int type, ptrdiff_t bytes) {
    constexpr int remarks = 6, sequence = 7, picture = 8, filler = 12;
    constexpr ptrdiff_t longest_mark = 4;
    const bool is_mark = type > picture && type < filler && bytes <= longest_mark;
    const bool alone = type == remarks || type == sequence || type == picture || type == filler;
    found = found || !(alone || is_mark);
  });
  return found;
}

}  // namespace

void PicturesDue::sent(const AVPacket& packet, const AVCodecParameters& codec) {
  const AVCodecID id = codec.codec_id;
  if (is_interlaced_ || (id != AV_CODEC_ID_H264 && id != AV_CODEC_ID_MPEG2VIDEO)) return;
  constexpr size_t most = 4096;
  if (packet.pts == AV_NOPTS_VALUE || packet.flags & AV_PKT_FLAG_DISCARD || due_.size() >= most)
    return;
  if (has_picture(packet, codec)) due_.push_back(packet.pts);
}

void PicturesDue::came(const AVFrame& frame) {
  if (av::is_interlaced(frame)) is_interlaced_ = true;
  if (is_interlaced_ || frame.pts == AV_NOPTS_VALUE) return due_.clear();
  if (!first_) first_ = frame.pts;
  std::erase_if(due_, [&](int64_t time) { return time == frame.pts || time < *first_; });
}

VideoDecoder::VideoDecoder(const VideoPackets& packets, const StreamLimits& limits)
    : packets_(packets), limits_(limits) {
  open(limits.gpu.has_value());
}

AVPixelFormat VideoDecoder::stored_format(const AVFrame& frame) const {
  return GpuDecoder::made(frame) ? context_->sw_pix_fmt : AVPixelFormat(frame.format);
}

int VideoDecoder::send(const AVPacket* packet) {
  const int error = av::with_memory([&] { return avcodec_send_packet(context_.get(), packet); });
  if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (error >= 0 && packet) pictures_.sent(*packet, *packets_.stream().codecpar);
  return error;
}

int VideoDecoder::receive(AVFrame& frame) {
  const int error = av::with_memory([&] { return avcodec_receive_frame(context_.get(), &frame); });
  if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (error >= 0) pictures_.came(frame);
  return error;
}

std::string VideoDecoder::lost_pictures() const {
  const auto& due = pictures_.due();
  if (due.empty()) return {};
  const int64_t first = *std::min_element(due.begin(), due.end());
  return fmt::format("{} of its pictures cannot be decoded; the first is at {:.3f} s", due.size(),
                     double(first - packets_.start()) * av_q2d(packets_.stream().time_base));
}

std::string VideoDecoder::take_complaint() {
  const char* first = complaints_.first();
  std::string text = first ? first : "";
  if (first) complaints_.clear();
  return text;
}

void VideoDecoder::reopen_on_cpu() {
  gpu_.reset();
  pictures_ = {};
  open(false);
}

void VideoDecoder::refuse_gpu(std::string why) {
  why_not_gpu_ = std::move(why);
  if (!limits_.gpu->required) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: cannot be decoded on {}: {}", packets_.name(), name_of(*limits_.gpu),
                          why_not_gpu_),
              packets_.name());
}

// Opens the GPU that was asked for, and returns its decoder of the stream; null where the CPU has
// to decode.
const AVCodec* VideoDecoder::open_gpu() {
  const AVCodecID id = packets_.stream().codecpar->codec_id;
  if (auto why = why_not_on_gpu(id); !why.empty()) {
    refuse_gpu(std::move(why));
    return nullptr;
  }
  try {
    gpu_.emplace(*limits_.gpu);
  } catch (const Error& error) {
    if (limits_.gpu->required) throw;
    why_not_gpu_ = error.what();
    return nullptr;
  }
  const AVCodec* codec = gpu_->codec(id);
  if (codec) return codec;
  gpu_.reset();
  refuse_gpu(fmt::format("FFmpeg's libav has no {} decoder of it here", avcodec_get_name(id)));
  return nullptr;
}

bool VideoDecoder::stays_on_gpu(const AVFrame* first) {
  if (first && GpuDecoder::made(*first)) {
    if (first->crop_left == 0 && first->crop_top == 0) return true;
    refuse_gpu("its pictures begin inside of what is coded");
  } else {
    const char* coded = av_get_pix_fmt_name(context_->pix_fmt);
    refuse_gpu(fmt::format("its decoder does not take {}, {}x{}, {}",
                           avcodec_get_name(context_->codec_id), context_->width, context_->height,
                           coded ? coded : "of unknown samples"));
  }
  return false;
}

void VideoDecoder::open(bool asks_gpu) {
  const AVCodecParameters& parameters = *packets_.stream().codecpar;
  const AVCodec* codec = asks_gpu ? open_gpu() : nullptr;
  if (!codec) codec = avcodec_find_decoder(parameters.codec_id);
  if (!codec) {
    throw_input(packets_.name(), fmt::format("no decoder is available for its video stream ({})",
                                             avcodec_get_name(parameters.codec_id)));
  }
  context_.reset(avcodec_alloc_context3(codec));
  if (!context_ || avcodec_parameters_to_context(context_.get(), &parameters) < 0)
    throw std::bad_alloc();
  context_->opaque = &complaints_;
  context_->pkt_timebase = packets_.stream().time_base;
  // libav refuses more, and each of them has frames of its own.
  constexpr int max_threads = 16;
  context_->thread_count = std::clamp(limits_.threads, 0, max_threads);
  context_->thread_type = thread_type_for(parameters.codec_id);
  if (gpu_) {
    gpu_->attach(*context_, frames_at_once + 1);
    context_->thread_count = 1;  // hands on what the GPU does
  } else if (limits_.allow_partial || packets_.is_live()) {
    // What is damaged is reported and shown: it is zero, and never what the memory held before.
    context_->get_buffer2 = get_cleared_buffer;
  }
  // How frames are patched depends on which of them are done by then.
  if (limits_.allow_partial && !packets_.is_live()) context_->thread_count = 1;
  context_->max_pixels = limits_.max_pixels;
  // Damage is an error here, not something to paint over, unless the user said otherwise.
  if (!limits_.allow_partial && !packets_.is_live())
    context_->err_recognition |= AV_EF_CRCCHECK | AV_EF_EXPLODE;
  const int error = av::with_memory([&] { return avcodec_open2(context_.get(), codec, nullptr); });
  av::check_resources(error);
  if (error < 0) {
    throw_input(packets_.name(), fmt::format("its video stream ({}) cannot be decoded: {}",
                                             codec->name, av::words(error)));
  }
}

}  // namespace cuesta::io
#endif
