#ifdef CUESTA_HAS_VIDEO
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "cuesta/fill.hpp"
#include "io/audio_copy.hpp"
#include "io/av.hpp"
#include "io/av_output.hpp"
#include "io/errors.hpp"
#include "io/video.hpp"
#include "io/video_planes.hpp"

namespace cuesta::io {
namespace {

/// The container's own name for itself is what messages say: "mp4", "matroska".
bool takes(const AVOutputFormat& container, AVCodecID codec) {
  return avformat_query_codec(&container, codec, FF_COMPLIANCE_NORMAL) == 1;
}

const AVCodec* choose_encoder(const AVOutputFormat& container) {
  const AVCodec* h264 = avcodec_find_encoder_by_name("libx264");
  if (h264 && takes(container, AV_CODEC_ID_H264)) return h264;
  const AVCodec* mpeg4 = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
  if (mpeg4 && takes(container, AV_CODEC_ID_MPEG4)) return mpeg4;
  return avcodec_find_encoder(container.video_codec);
}

const AVCodec* lossless_encoder(const AVOutputFormat& container) {
  return takes(container, AV_CODEC_ID_FFV1) ? avcodec_find_encoder(AV_CODEC_ID_FFV1) : nullptr;
}

bool has_format(const AVCodec& codec, AVPixelFormat wanted) {
  for (const AVPixelFormat* f = codec.pix_fmts; f && *f != AV_PIX_FMT_NONE; ++f) {
    if (*f == wanted) return true;
  }
  return false;
}

/// Codecs whose streams say which range their samples have.
bool keeps_range(AVCodecID codec) {
  return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_VP9 || codec == AV_CODEC_ID_MJPEG;
}

/// Whether frames may come at uneven times. libav 5.1 does not say it of the MP4 family, which
/// does.
bool takes_any_times(const AVOutputFormat& container) {
  if (container.flags & AVFMT_VARIABLE_FPS) return true;
  for (const std::string_view name : {"mp4", "mov", "ipod", "3gp", "3g2", "psp", "f4v", "ismv"}) {
    if (name == container.name) return true;
  }
  return false;
}

/// What encoders make of a frame depends on how many threads they share it among, and so must not
/// on the machine or on --threads: the same frames are the same file. More gain little at these
/// presets; fewer cores take turns.
constexpr int encoder_threads = 8;

/// Rescales full-range samples to the limited range: luma to 16..235, color to 16..240.
void copy_plane(ImageView<const uint8_t> src, ImageView<uint8_t> dst, bool to_limited, bool luma) {
  for (int32_t y = 0; y < src.height; ++y) {
    const uint8_t* from = src.row(y);
    uint8_t* to = dst.row(y);
    if (!to_limited) {
      std::copy_n(from, src.width, to);
      continue;
    }
    for (int32_t x = 0; x < src.width; ++x) {
      to[x] = luma ? uint8_t((from[x] * 219 + 127) / 255 + 16)
                   : uint8_t((from[x] * 224 + 127) / 255 + 16);
    }
  }
}

}  // namespace

struct VideoWriter::State {
  std::string name;
  StreamFormat format;
  Coding coding;
  OutputFile file;
  std::optional<av::Output> bytes;
  av::MuxerPtr out;
  AVStream* stream = nullptr;
  av::CodecPtr encoder;
  std::unique_ptr<AudioCopy> sound;
  av::PacketPtr packet{av_packet_alloc()};
  Chroma chroma = Chroma::c420;
  bool to_limited = false;
  int64_t last_pts = std::numeric_limits<int64_t>::min();
  int64_t frame_duration = 1;
  std::string text, lost;

  State(const std::string& path, const StreamFormat& f, const std::string& audio_from,
        Placing placing, Coding c)
      : name(path), format(f), coding(c), file(path, placing) {
    av::be_quiet();
    if (!packet) throw std::bad_alloc();
    open(audio_from);
  }

  bool is_lossless() const { return coding == Coding::lossless_gray; }
  [[noreturn]] void fail(std::string_view reason) const { throw_output(name, reason); }

  void open(const std::string& audio_from) {
    const AVOutputFormat* container = av_guess_format(nullptr, name.c_str(), nullptr);
    const AVCodec* codec = nullptr;
    if (container && !(container->flags & AVFMT_NOFILE) &&
        container->video_codec != AV_CODEC_ID_NONE)
      codec = is_lossless() ? lossless_encoder(*container) : choose_encoder(*container);
    if (!codec && is_lossless())
      fail("the extension is not of a container for FFV1; use .mkv, .avi or .y4m");
    const bool plain = codec && has_format(*codec, AV_PIX_FMT_YUV420P);
    if (!plain && !(codec && has_format(*codec, AV_PIX_FMT_YUVJ420P))) {
      fail("the extension is not of a video; use .mp4, .mkv, .mov, .webm, .avi or .y4m");
    }
    for (const bool with_sound : {true, false}) {
      out.reset();
      bytes.emplace(file);
      open_encoder(*container, *codec, plain);
      sound = std::make_unique<AudioCopy>(with_sound ? audio_from : std::string(), *out);
      const int error = write_header();
      if (error >= 0) break;
      file.check();
      if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
      // What has begun to be written cannot be begun again.
      if (!with_sound || !sound->any() || file.size() > 0) fail(av::words(error));
      lost = fmt::format("without its sound ({} does not take it)", container->name);
    }
    if (lost.empty()) lost = sound->loss();
    const char* samples = av_get_pix_fmt_name(encoder->pix_fmt);
    text = fmt::format("{} in {}, {}{}{}", codec->name, container->name, samples ? samples : "?",
                       sound->description().empty() ? "" : ", ", sound->description());
  }

  int write_header() {
    av::Options options;
    if (file.grows()) {
      // What is written so far can be played: no index at the end is waited for, and nothing longer
      // than a second. Muxers ignore what they do not know.
      options.set("movflags", "frag_keyframe+empty_moov+default_base_moof");
      options.set("frag_duration", "1000000");    // microseconds
      options.set("cluster_time_limit", "1000");  // milliseconds
      out->flags |= AVFMT_FLAG_FLUSH_PACKETS;
    }
    return avformat_write_header(out.get(), options.get());
  }

  void open_encoder(const AVOutputFormat& container, const AVCodec& codec, bool plain) {
    out = av::muxer_of(name, container.name);
    encoder.reset(avcodec_alloc_context3(&codec));
    if (!encoder) throw std::bad_alloc();
    AVCodecContext& e = *encoder;
    e.width = format.width;
    e.height = format.height;
    // 4:2:0 plays everywhere; H.264 has no odd sizes in it.
    const bool odd = (format.width | format.height) & 1;
    const bool in_full =
        codec.id == AV_CODEC_ID_H264 && odd && has_format(codec, AV_PIX_FMT_YUV444P);
    chroma = is_lossless() ? Chroma::none : in_full ? Chroma::c444 : Chroma::c420;
    e.pix_fmt = is_lossless() ? AV_PIX_FMT_GRAY8
                : in_full     ? AV_PIX_FMT_YUV444P
                : plain       ? AV_PIX_FMT_YUV420P
                              : AV_PIX_FMT_YUVJ420P;
    to_limited = format.full_range && plain && !is_lossless() && !keeps_range(codec.id);
    e.color_range = format.full_range && !to_limited ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    e.color_primaries = AVColorPrimaries(format.primaries);
    e.color_trc = AVColorTransferCharacteristic(format.transfer);
    e.colorspace = AVColorSpace(format.matrix);
    e.chroma_sample_location = AVCHROMA_LOC_LEFT;
    e.sample_aspect_ratio = {format.aspect_num, format.aspect_den};
    e.thread_count = encoder_threads;
    set_times(container, codec);
    e.flags |= AV_CODEC_FLAG_BITEXACT;
    if (container.flags & AVFMT_GLOBALHEADER) e.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    set_quality(codec);
    const int error = avcodec_open2(&e, &codec, nullptr);
    av::check_resources(error);
    if (error < 0) {
      fail(fmt::format("{} does not support {}x{} frames ({})", codec.name, format.width,
                       format.height, av::words(error)));
    }
    stream = avformat_new_stream(out.get(), nullptr);
    if (!stream || avcodec_parameters_from_context(stream->codecpar, &e) < 0)
      throw std::bad_alloc();
    stream->time_base = e.time_base;
    stream->avg_frame_rate = e.framerate;
    stream->sample_aspect_ratio = e.sample_aspect_ratio;
    bytes->serve(*out);
  }

  void set_quality(const AVCodec& codec) {
    AVCodecContext& e = *encoder;
    if (codec.id == AV_CODEC_ID_H264) {
      av::set_option(e, "preset", "veryfast");
      av::set_option(e, "crf", "20");
      if (file.grows()) {
        av::set_option(e, "tune", "zerolatency");
        e.gop_size = std::max<int>(1, int(2 * format.rate_num / format.rate_den));
      }
    } else if (is_lossless()) {
      e.level = 3;     // slices with checksums
      e.gop_size = 1;  // every frame by itself
    } else if (codec.id == AV_CODEC_ID_VP9 || codec.id == AV_CODEC_ID_VP8) {
      av::set_option(e, "deadline", "realtime");
      av::set_option(e, "cpu-used", "6");
      av::set_option(e, "row-mt", "1");
      av::set_option(e, "crf", "30");
      e.bit_rate = 0;
    } else {
      e.flags |= AV_CODEC_FLAG_QSCALE;
      e.global_quality = FF_QP2LAMBDA * 3;
    }
    // libav counts JPEGs of the limited range, which a comment in them tells, as unofficial.
    if (codec.id == AV_CODEC_ID_MJPEG) e.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
  }

  // The stream's own time base wherever container and codec take it.
  void set_times(const AVOutputFormat& container, const AVCodec& codec) {
    AVCodecContext& e = *encoder;
    constexpr int64_t most = std::numeric_limits<int>::max();
    av_reduce(&e.framerate.num, &e.framerate.den, format.rate_num, format.rate_den, most);
    av_reduce(&e.time_base.num, &e.time_base.den, format.time_base_num, format.time_base_den, most);
    if (!takes_any_times(container)) {  // AVI: one tick a frame, nothing reordered
      e.time_base = av_inv_q(e.framerate);
      e.max_b_frames = 0;
    }
    constexpr int mpeg4_most = 65535;
    if (codec.id == AV_CODEC_ID_MPEG4 && e.time_base.den > mpeg4_most) e.time_base = {1, 60000};
    frame_duration = std::max<int64_t>(1, av_rescale_q(1, av_inv_q(e.framerate), e.time_base));
  }

  av::FramePtr coded_frame(const Frame& frame) {
    av::FramePtr coded(av_frame_alloc());
    if (!coded) throw std::bad_alloc();
    coded->format = encoder->pix_fmt;
    coded->width = format.width;
    coded->height = format.height;
    coded->color_range = encoder->color_range;
    if (av_frame_get_buffer(coded.get(), 0) < 0) throw std::bad_alloc();

    const auto plane = [&](int i, PlaneSize size) {
      return ImageView<uint8_t>(coded->data[i], size.width, size.height, 1, coded->linesize[i]);
    };
    copy_plane(frame.luma.as<uint8_t>(), plane(0, {format.width, format.height}), to_limited, true);
    const PlaneSize size = chroma_size(chroma, format.width, format.height);
    for (int i = 1; i <= 2; ++i) {
      const ConstAnyView& from = i == 1 ? frame.cb : frame.cr;
      const auto to = plane(i, size);
      if (!from) {
        fill(to, 128);
      } else if (format.chroma == chroma) {
        copy_plane(from.as<uint8_t>(), to, to_limited, false);
      } else {
        resample_chroma(from.as<uint8_t>(), shift_of(format.chroma), to, shift_of(chroma));
        if (to_limited) copy_plane(to, to, true, false);
      }
    }
    // Times that fall on one tick of a coarser clock, or go back, are moved on by one.
    const AVRational from{int(format.time_base_num), int(format.time_base_den)};
    int64_t pts = av_rescale_q(frame.pts, from, encoder->time_base);
    if (last_pts != std::numeric_limits<int64_t>::min()) pts = std::max(pts, last_pts + 1);
    last_pts = pts;
    coded->pts = pts;
    if (encoder->flags & AV_CODEC_FLAG_QSCALE) coded->quality = encoder->global_quality;
    return coded;
  }

  void encode(const AVFrame* frame) {
    int error = avcodec_send_frame(encoder.get(), frame);
    if (error < 0) fail(fmt::format("the encoder failed: {}", av::words(error)));
    while ((error = avcodec_receive_packet(encoder.get(), packet.get())) >= 0) {
      if (packet->duration <= 0) packet->duration = frame_duration;
      const double time = double(packet->pts) * av_q2d(encoder->time_base);
      av_packet_rescale_ts(packet.get(), encoder->time_base, stream->time_base);
      packet->stream_index = stream->index;
      check(sound->copy_until(time, *out));
      check(av_interleaved_write_frame(out.get(), packet.get()));
    }
    if (error != AVERROR(EAGAIN) && error != AVERROR_EOF)
      fail(fmt::format("the encoder failed: {}", av::words(error)));
  }

  // What could not be written is the reason, whatever libav makes of it.
  void check(int error) const {
    file.check();
    if (error >= 0 && out->pb) error = out->pb->error;
    if (error < 0) fail(av::words(error));
  }

  void finish() {
    encode(nullptr);
    check(sound->copy_until(std::numeric_limits<double>::infinity(), *out));
    check(av_write_trailer(out.get()));
    bytes->flush();
    check(0);
    out.reset();
    file.commit();
  }
};

VideoWriter::VideoWriter(const std::string& path, const StreamFormat& format,
                         const std::string& audio_from, Placing placing, Coding coding)
    : state_(std::make_unique<State>(path, format, audio_from, placing, coding)) {}
VideoWriter::~VideoWriter() = default;

void VideoWriter::write(const Frame& frame) {
  const StreamFormat& f = state_->format;
  if (frame.luma.type != PixelType::u8 || frame.luma.width != f.width ||
      frame.luma.height != f.height) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the frame is {}x{}; the video requires {}x{}", frame.luma.width,
                            frame.luma.height, f.width, f.height));
  }
  state_->encode(state_->coded_frame(frame).get());
}

void VideoWriter::finish() { state_->finish(); }
std::string VideoWriter::description() const { return state_->text; }
std::string VideoWriter::loss() const { return state_->lost; }

std::unique_ptr<FrameSink> create_video(const std::string& path, const StreamFormat& format,
                                        const std::string& audio_from, Placing placing,
                                        Coding coding) {
  return std::make_unique<VideoWriter>(path, format, audio_from, placing, coding);
}

}  // namespace cuesta::io
#endif
