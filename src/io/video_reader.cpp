#ifdef CUESTA_HAS_VIDEO
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <string_view>

#include "io/av.hpp"
#include "io/container_end.hpp"
#include "io/errors.hpp"
#include "io/frame_pool.hpp"
#include "io/gpu_decoder.hpp"
#include "io/overlap.hpp"
#include "io/video.hpp"
#include "io/video_input.hpp"
#include "io/video_planes.hpp"

namespace cuesta::io {
namespace {

/// Whether samples fill 0..255. Unsaid, RGB, JPEG's formats and plain gray files do; coded video
/// does not.
bool is_full_range(const AVFrame& frame, AVPixelFormat format, AVCodecID codec) {
  if (VideoPlanes::is_rgb(format)) return true;
  if (frame.color_range == AVCOL_RANGE_JPEG) return true;
  if (frame.color_range == AVCOL_RANGE_MPEG) return false;
  switch (format) {
    case AV_PIX_FMT_YUVJ411P:
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ444P: return true;
    default: break;
  }
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(format);
  const bool plain = codec == AV_CODEC_ID_RAWVIDEO || codec == AV_CODEC_ID_FFV1 ||
                     codec == AV_CODEC_ID_HUFFYUV || codec == AV_CODEC_ID_FFVHUFF ||
                     codec == AV_CODEC_ID_PNG;
  return d->nb_components < 3 && plain;
}

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

/// One of H.273's numbers, or 2, "unspecified".
template <class Enum>
uint8_t known_or_unsaid(const Enum* stored, int end) {
  static_assert(sizeof(Enum) == sizeof(int));
  int value = 0;
  std::memcpy(&value, stored, sizeof value);
  return value >= 0 && value < end ? uint8_t(value) : 2;
}

AVRational positive_or(AVRational value, AVRational otherwise) {
  return value.num > 0 && value.den > 0 ? value : otherwise;
}

}  // namespace

struct VideoReader::State {
  std::unique_ptr<VideoInput> input;
  StreamLimits limits;
  AVStream* stream = nullptr;
  av::CodecPtr decoder;
  av::PacketPtr packet{av_packet_alloc()};
  av::FramePtr decoded{av_frame_alloc()};
  VideoPlanes planes;
  Pool<FramePlanes> pool;
  StreamFormat format;
  Orientation orientation;
  int32_t stored_width = 0, stored_height = 0;
  const char* samples = nullptr;  // how they are stored, as libav calls it
  std::optional<GpuDecoder> gpu;
  std::string why_not_gpu;     // though it was requested
  bool keeps_packets = false;  // until it is known who decodes
  std::deque<av::PacketPtr> kept_packets, packets_again;

  int64_t index = 0;            // of the next frame
  int64_t start = 0;            // of the file, in the stream's time base
  int64_t next_pts = 0;         // where a frame without a timestamp goes
  int64_t packets = 0;          // of this stream, so far
  int64_t last_packet_end = 0;  // in the file, where libav tells
  int64_t packets_end = 0;      // when the last of them ends
  bool first_waits = false;     // the constructor has decoded it already
  bool packet_waits = false;    // the key frame of a part, which was sought
  bool draining = false, ended = false;
  std::string fault;  // thrown when the frames before it are out
  std::string damaged;
  int64_t damaged_frames = 0;  // of a live stream
  bool frame_is_damaged = false;

  State(std::unique_ptr<VideoInput> i, const StreamLimits& l) : input(std::move(i)), limits(l) {
    if (!packet || !decoded) throw std::bad_alloc();
    limits.with_stop();
    find_stream();
    open_decoder(limits.gpu.has_value());
    if (!limits.part.is_whole()) go_to_part();
    keeps_packets = gpu.has_value();
    bool found = decode();
    if (keeps_packets && packets > limits.part.packet && !stays_on_gpu(found)) {
      begin_again_on_cpu();
      found = decode();
    }
    if (!found) throw_input(name(), "the video stream has no frames");
    keeps_packets = false;
    kept_packets.clear();
    describe();
    first_waits = true;
  }

  const std::string& name() const { return input->name(); }

  void find_stream() {
    AVFormatContext& context = input->context();
    const int best = av_find_best_stream(&context, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    if (best >= 0) stream = context.streams[best];
    if (!stream || (stream->disposition & AV_DISPOSITION_ATTACHED_PIC))
      throw_input(name(), "the file has no video stream");
    for (unsigned i = 0; i < context.nb_streams; ++i) {
      if (context.streams[i] != stream) context.streams[i]->discard = AVDISCARD_ALL;
    }
    start = av_rescale_q(input->start(), AV_TIME_BASE_Q, stream->time_base);
  }

  /// Says why not: throws where the GPU is required.
  void refuse_gpu(std::string why) {
    why_not_gpu = std::move(why);
    if (!limits.gpu->required) return;
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: cannot be decoded on cuda:{}: {}", name(), limits.gpu->device,
                            why_not_gpu),
                name());
  }

  /// Has the GPU decode what it takes; else says why not.
  bool attach_gpu() {
    if (auto why = why_not_on_gpu(stream->codecpar->codec_id); !why.empty()) {
      refuse_gpu(std::move(why));
      return false;
    }
    try {
      gpu.emplace(*decoder, limits.gpu->device, frames_at_once + 1);
      return true;
    } catch (const Error& error) {
      if (limits.gpu->required) throw;
      why_not_gpu = error.what();
      return false;
    }
  }

  /// Whether the first frame shows that the GPU decodes this stream; else says why not.
  bool stays_on_gpu(bool found) {
    if (found && GpuDecoder::made(*decoded)) {
      if (decoded->crop_left == 0 && decoded->crop_top == 0) return true;
      refuse_gpu("its pictures begin inside of what is coded");
    } else {
      const char* coded = av_get_pix_fmt_name(decoder->pix_fmt);
      refuse_gpu(fmt::format("its decoder does not take {}, {}x{}, {}",
                             avcodec_get_name(decoder->codec_id), decoder->width, decoder->height,
                             coded ? coded : "of unknown samples"));
    }
    return false;
  }

  /// The same packets for another decoder.
  void begin_again_on_cpu() {
    av_frame_unref(decoded.get());
    gpu.reset();
    keeps_packets = false;
    packets_again.swap(kept_packets);
    packets = limits.part.packet;
    packets_end = 0;
    draining = ended = false;
    fault.clear();
    open_decoder(false);
  }

  void open_decoder(bool asks_gpu) {
    const AVCodecParameters& parameters = *stream->codecpar;
    const AVCodec* codec = avcodec_find_decoder(parameters.codec_id);
    if (!codec) {
      throw_input(name(), fmt::format("no decoder is available for its video stream ({})",
                                      avcodec_get_name(parameters.codec_id)));
    }
    decoder.reset(avcodec_alloc_context3(codec));
    if (!decoder || avcodec_parameters_to_context(decoder.get(), &parameters) < 0)
      throw std::bad_alloc();
    decoder->pkt_timebase = stream->time_base;
    // libav refuses more, and each of them has frames of its own.
    constexpr int max_threads = 16;
    decoder->thread_count = std::clamp(limits.threads, 0, max_threads);
    decoder->thread_type = thread_type_for(parameters.codec_id);
    if (asks_gpu && attach_gpu()) {
      decoder->thread_count = 1;  // hands on what the GPU does
    } else if (limits.allow_partial || input->is_live()) {
      // What is damaged is reported and shown: it is zero, and never what the memory held before.
      decoder->get_buffer2 = get_cleared_buffer;
    }
    // How frames are patched depends on which of them are done by then.
    if (limits.allow_partial && !input->is_live()) decoder->thread_count = 1;
    decoder->max_pixels = limits.max_pixels;
    // Damage is an error here, not something to paint over, unless the user said otherwise.
    if (!limits.allow_partial && !input->is_live())
      decoder->err_recognition |= AV_EF_CRCCHECK | AV_EF_EXPLODE;
    const int error = avcodec_open2(decoder.get(), codec, nullptr);
    av::check_resources(error);
    if (error < 0) {
      throw_input(name(), fmt::format("its video stream ({}) cannot be decoded: {}", codec->name,
                                      av::words(error)));
    }
  }

  /// The next packet is the key frame that the part begins with. Where seeking by its times does
  /// not lead there, the file is read from its beginning.
  void go_to_part() {
    const VideoPart& part = limits.part;
    index = part.first;
    packets = part.packet;
    if (part.packet == 0) return;
    AVFormatContext& context = input->context();
    for (const int64_t target : {part.seek, part.begin + start, start}) {
      if (av_seek_frame(&context, stream->index, target, AVSEEK_FLAG_BACKWARD) < 0) continue;
      while (input->read(*packet) >= 0) {
        const bool ours = packet->stream_index == stream->index;
        if (ours && (packet->flags & AV_PKT_FLAG_KEY) && packet->pts == part.begin + start) {
          packet_waits = true;
          return;
        }
        const bool passed = ours && packet->dts != AV_NOPTS_VALUE && packet->dts > part.seek;
        av_packet_unref(packet.get());
        if (passed) break;
      }
    }
    throw_input(name(), at_frame("the file has no key frame where this part begins"));
  }

  /// How the stream's samples are stored, whoever decodes them.
  AVPixelFormat stored_format(const AVFrame& f) const {
    return GpuDecoder::made(f) ? decoder->sw_pix_fmt : AVPixelFormat(f.format);
  }

  /// Continues with another part, by the same decoder.
  void take(const VideoPart& part) {
    avcodec_flush_buffers(decoder.get());
    av_packet_unref(packet.get());
    limits.part = part;
    packets_end = last_packet_end = 0;
    draining = ended = packet_waits = first_waits = false;
    go_to_part();
  }

  int64_t time_of(const AVFrame& f) const {
    return f.best_effort_timestamp != AV_NOPTS_VALUE ? f.best_effort_timestamp - start : next_pts;
  }

  /// Whether the decoded frame comes before the part: pictures that are shown before its key frame
  /// and stored behind it. Ends the stream where it comes after.
  bool is_outside_part() {
    if (limits.part.is_whole()) return false;
    const int64_t time = time_of(*decoded);
    if (time >= limits.part.end) ended = true;
    return time < limits.part.begin || ended;
  }

  void describe() {
    const AVFrame& f = *decoded;
    const int32_t* matrix = av::display_matrix(*stream);
    if (!matrix) {
      const AVFrameSideData* data = av_frame_get_side_data(&f, AV_FRAME_DATA_DISPLAYMATRIX);
      if (data && data->size >= 36) matrix = reinterpret_cast<const int32_t*>(data->data);
    }
    if (matrix) orientation = orientation_of(matrix).value_or(Orientation{});
    stored_width = f.width;
    stored_height = f.height;
    const AVPixelFormat stored = stored_format(f);
    samples = av_get_pix_fmt_name(stored);
    const bool turned = orientation.transposed;
    format.width = turned ? f.height : f.width;
    format.height = turned ? f.width : f.height;
    format.chroma = VideoPlanes::chroma_for(stored, turned);
    format.full_range = is_full_range(f, stored, decoder->codec_id);
    if (const AVPixFmtDescriptor* sample = av_pix_fmt_desc_get(stored))
      format.bits = std::max(8, sample->comp[0].depth);
    const AVRational rate =
        positive_or(av_guess_frame_rate(&input->context(), stream, nullptr), {25, 1});
    format.rate_num = rate.num;
    format.rate_den = rate.den;
    format.time_base_num = stream->time_base.num;
    format.time_base_den = stream->time_base.den;
    AVRational aspect =
        positive_or(av_guess_sample_aspect_ratio(&input->context(), stream, decoded.get()), {1, 1});
    if (turned) std::swap(aspect.num, aspect.den);
    format.aspect_num = aspect.num;
    format.aspect_den = aspect.den;
    if (VideoPlanes::is_rgb(stored)) {
      format.matrix = AVCOL_SPC_SMPTE170M;  // as VideoPlanes makes YUV of RGB
    } else {
      // Damaged files bring numbers that are none of libav's: read as what they are stored in.
      format.primaries = known_or_unsaid(&f.color_primaries, AVCOL_PRI_NB);
      format.transfer = known_or_unsaid(&f.color_trc, AVCOL_TRC_NB);
      format.matrix = known_or_unsaid(&f.colorspace, AVCOL_SPC_NB);
    }
    format.start = double(input->start()) / AV_TIME_BASE;
  }

  /// Frame number first, so that it is clear how far the file is good.
  std::string at_frame(std::string_view what) const {
    return fmt::format("frame {}: {}", index, what);
  }

  /// Tells or throws, as the limits say; a live stream continues.
  void report(std::string what) {
    if (input->is_live()) {
      frame_is_damaged = true;
      if (damaged_frames++ == 0 && limits.report)
        limits.report(fmt::format("{}: {}; going on", name(), what));
      return;
    }
    if (!limits.allow_partial) throw_input(name(), what, Hint::allow_partial);
    if (damaged.empty()) damaged = std::move(what);
  }

  // What came before is out.
  void end_with_fault() {
    // What was never there is not available in part.
    const Hint hint = packets > 0 ? Hint::allow_partial : Hint::none;
    if (!limits.allow_partial) throw_input(name(), fault, hint);
    if (damaged.empty()) damaged = fault;
  }

  /// Decodes one frame into `decoded`; false after the last one.
  bool decode() {
    frame_is_damaged = false;
    while (!ended) {
      const int error = avcodec_receive_frame(decoder.get(), decoded.get());
      if (error == 0) {
        if (is_outside_part()) continue;
        check();
        return true;
      }
      if (error == AVERROR_EOF) {
        ended = true;
        if (!fault.empty()) end_with_fault();
      } else if (error == AVERROR(EAGAIN)) {
        feed();
      } else if (error == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
      } else {
        report(at_frame(fmt::format("it cannot be decoded: {}", av::words(error))));
        if (draining && ++faults_in_drain > 1000) ended = true;
      }
    }
    return false;
  }
  int faults_in_drain = 0;

  void check() {
    const AVFrame& f = *decoded;
    if (stored_width && (f.width != stored_width || f.height != stored_height)) {
      throw ChangedStream(
          name(), at_frame(fmt::format("the frame size changes from {}x{} to {}x{}", stored_width,
                                       stored_height, f.width, f.height)));
    }
    check_pixels(name(), f.width, f.height, limits.max_pixels);
    check_memory(name(), f.width, f.height, 1, limits.max_memory);
    if (f.decode_error_flags || (f.flags & AV_FRAME_FLAG_CORRUPT))
      report(at_frame("its data are damaged"));
  }

  /// Hands the decoder one packet, or the news that there are no more.
  void feed() {
    const int error = next_packet();
    if (error < 0) return end_of_packets(error);
    if (keeps_packets) {
      kept_packets.emplace_back(av_packet_clone(packet.get()));
      if (!kept_packets.back()) throw std::bad_alloc();
    }
    decode_packet();
  }

  int next_packet() {
    if (std::exchange(packet_waits, false)) return 0;
    av_packet_unref(packet.get());
    if (!packets_again.empty()) {
      packet = std::move(packets_again.front());
      packets_again.pop_front();
      return 0;
    }
    int error = 0;
    do {
      av_packet_unref(packet.get());
      error = draining ? AVERROR_EOF : input->read(*packet);
    } while (error >= 0 && packet->stream_index != stream->index);
    return error;
  }

  void decode_packet() {
    ++packets;
    last_packet_end = packet->pos >= 0 ? packet->pos + packet->size : 0;
    const int64_t shown = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
    if (shown != AV_NOPTS_VALUE)
      packets_end = std::max(packets_end, shown - start + std::max<int64_t>(packet->duration, 0));
    if ((packet->flags & AV_PKT_FLAG_CORRUPT) && !limits.allow_partial && !input->is_live()) {
      fault = fmt::format("the file is cut off or damaged after {} frames", packets - 1);
      return drain();
    }
    const int error = avcodec_send_packet(decoder.get(), packet.get());
    if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (error < 0) report(at_frame(fmt::format("it cannot be decoded: {}", av::words(error))));
  }

  void drain() {
    draining = true;
    avcodec_send_packet(decoder.get(), nullptr);
  }

  bool has_sound() const {
    return av_find_best_stream(&input->context(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0) >= 0;
  }

  bool is_mp4() const {
    return std::string_view(input->context().iformat->name).find("mp4") != std::string_view::npos;
  }

  void end_of_packets(int error) {
    const char* what = input->is_live() ? "stream" : "file";
    if (limits.stop->requested())
      ended = true;  // what the decoder still holds was not asked for
    else if (error == AVERROR_EXIT)
      fault = input->words(error);
    else if (packets == 0 && input->is_live() && is_mp4())
      fault = "its index is at the end, and a pipe cannot be read backwards; give it as a file";
    else if (error != AVERROR_EOF)
      fault =
          fmt::format("the {} is damaged after {} frames: {}", what, packets, input->words(error));
    else if (ends_early())
      fault = fmt::format("the {} is cut off after {} frames", what, packets);
    drain();
  }

  /// Whether the container promised more than came. Only what containers state exactly counts:
  /// their sizes and ends, MP4's index, AVI's number of frames, the length of a lone stream.
  bool ends_early() const {
    const AVFormatContext& context = input->context();
    if (context.pb && context.pb->error < 0 && context.pb->error != AVERROR_EOF) return true;
    const std::string_view container = context.iformat->name;
    if (!input->is_live() && context.pb && ends_before_its_container(container, *context.pb))
      return true;
    if (last_packet_end > 0 && container == "nut" && last_packet_end > avio_size(context.pb))
      return true;  // libav fills what is missing of it with what is there
    if (is_mp4()) return packets < av::index_entries(*stream);
    if (container == "avi") {
      const int64_t frame = std::max<int64_t>(
          1, av_rescale_q(1, av_inv_q(positive_or(stream->avg_frame_rate, {25, 1})),
                          stream->time_base));
      return stream->duration > 0 && packets_end > 0 && packets_end + frame <= stream->duration;
    }
    if (container.find("matroska") != container.npos) {
      std::optional<double> length;
      // "00:01:02.345000000", which muxers write for each track.
      if (const AVDictionaryEntry* tag =
              av_dict_get(stream->metadata, "DURATION", nullptr, AV_DICT_MATCH_CASE)) {
        int hours = 0, minutes = 0;
        double seconds = 0;
        if (std::sscanf(tag->value, "%d:%d:%lf", &hours, &minutes, &seconds) == 3)
          length = hours * 3600.0 + minutes * 60.0 + seconds;
      } else if (context.nb_streams == 1 && context.duration > 0 &&
                 context.duration_estimation_method == AVFMT_DURATION_FROM_STREAM) {
        length = double(context.duration) / AV_TIME_BASE;
      }
      // Writers round, and count the last frame's time or not.
      const double slack = 0.05 + 2 * double(format.rate_den) / double(format.rate_num);
      return length && double(packets_end + start) * av_q2d(stream->time_base) + slack < *length;
    }
    return false;
  }

  void deliver(Frame& out) {
    const std::shared_ptr<FramePlanes> kept = pool.take();
    if (!kept->decoded) throw std::bad_alloc();
    av_frame_move_ref(kept->decoded.get(), decoded.get());
    out = {};
    if (GpuDecoder::made(*kept->decoded)) {
      gpu->wait();
      kept->on_gpu = GpuDecoder::ref(*kept->decoded);
      if (orientation.upright()) out.gpu_luma = GpuDecoder::luma(*kept->on_gpu);
      if (limits.gpu->host_planes || !out.gpu_luma) GpuDecoder::download(kept->decoded);
    }
    const AVFrame& f = *kept->decoded;
    if (!GpuDecoder::made(f))
      planes.convert(*kept, format.chroma, orientation, limits.keep_depth, name(), out);
    out.owner = kept;
    out.index = index++;
    out.damaged = frame_is_damaged;
    out.pts = time_of(f);
    out.time = double(out.pts) * double(format.time_base_num) / double(format.time_base_den);
    int64_t duration = av::duration_of(f);
    if (duration <= 0) {
      const AVRational frame{int(format.rate_den), int(format.rate_num)};
      duration = std::max<int64_t>(1, av_rescale_q(1, frame, stream->time_base));
    }
    next_pts = out.pts + duration;
  }
};

std::string damage_of_live(int64_t count) {
  return count > 0 ? fmt::format("{} times its data were damaged", count) : std::string();
}

VideoReader::VideoReader(const std::string& path, const StreamLimits& limits)
    : VideoReader(std::make_unique<VideoInput>(path, limits.max_pixels), limits) {}
VideoReader::VideoReader(std::span<const uint8_t> bytes, std::string name,
                         const StreamLimits& limits)
    : VideoReader(std::make_unique<VideoInput>(bytes, std::move(name), limits.max_pixels), limits) {
}
VideoReader::VideoReader(std::unique_ptr<VideoInput> input, const StreamLimits& limits)
    : state_(std::make_unique<State>(std::move(input), limits)) {}
VideoReader::~VideoReader() = default;

const StreamFormat& VideoReader::format() const { return state_->format; }
const std::string& VideoReader::name() const { return state_->input->name(); }
int64_t VideoReader::damaged_frames() const { return state_->damaged_frames; }
std::string VideoReader::damage() const {
  const State& s = *state_;
  return s.damaged.empty() ? damage_of_live(s.damaged_frames) : s.damaged;
}
void VideoReader::stop() { state_->limits.stop->request(); }
bool VideoReader::has_end() const {
  const AVFormatContext& context = state_->input->context();
  return context.duration > 0 && context.duration != AV_NOPTS_VALUE;
}

void VideoReader::take(const VideoPart& part) { state_->take(part); }
bool VideoReader::decodes_on_gpu() const { return state_->gpu.has_value(); }

bool VideoReader::next(Frame& frame) {
  if (state_->limits.stop->requested()) return false;
  if (!std::exchange(state_->first_waits, false) && !state_->decode()) return false;
  state_->deliver(frame);
  return true;
}

std::optional<int64_t> VideoReader::expected_frames() const {
  const AVStream& s = *state_->stream;
  if (s.nb_frames > 0) return s.nb_frames;
  const AVFormatContext& context = state_->input->context();
  if (!has_end()) return std::nullopt;
  return av_rescale_q(context.duration, AV_TIME_BASE_Q,
                      {int(state_->format.rate_den), int(state_->format.rate_num)});
}

std::string VideoReader::description() const {
  const StreamFormat& f = state_->format;
  const char* samples = state_->samples;
  std::string text = fmt::format("{}, {}x{}, {:.4g} frames/s, {}, {} range",
                                 avcodec_get_name(state_->decoder->codec_id), f.width, f.height,
                                 double(f.rate_num) / double(f.rate_den), samples ? samples : "?",
                                 f.full_range ? "full" : "limited");
  if (const auto& gpu = state_->gpu)
    text += fmt::format(", decoded by cuda:{}", gpu->device());
  else if (!state_->why_not_gpu.empty())
    text += fmt::format(", decoded by the CPU ({})", state_->why_not_gpu);
  if (!state_->orientation.upright())
    text += fmt::format(", turned by {} degrees", state_->orientation.degrees());
  if (state_->input->is_live() && state_->has_sound()) text += ", without its sound (it is live)";
  return text;
}

std::unique_ptr<FrameSource> open_video(const std::string& path, const StreamLimits& limits) {
  return std::make_unique<VideoReader>(path, limits);
}
std::unique_ptr<FrameSource> open_video(std::unique_ptr<InputBytes> bytes,
                                        const StreamLimits& limits) {
  return std::make_unique<VideoReader>(
      std::make_unique<VideoInput>(std::move(bytes), limits.max_pixels), limits);
}

}  // namespace cuesta::io
#endif
