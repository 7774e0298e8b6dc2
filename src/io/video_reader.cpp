#ifdef CUESTA_HAS_VIDEO
#include <fmt/format.h>

#include <algorithm>

#include "cuesta/io/overlap.hpp"
#include "io/errors.hpp"
#include "io/frame_pool.hpp"
#include "io/packet_ring.hpp"
#include "io/video.hpp"
#include "io/video_decoder.hpp"
#include "io/video_format.hpp"
#include "io/video_input.hpp"
#include "io/video_packets.hpp"
#include "io/video_planes.hpp"
#include "io/wall_clock.hpp"

namespace cuesta::io {

struct VideoReader::State {
  StreamLimits limits;
  VideoPackets packets;
  VideoDecoder decoder;
  av::FramePtr decoded{av_frame_alloc()};
  ContainerClock clock;
  VideoPlanes planes;
  Pool<FramePlanes> pool;
  VideoFormat format;
  int32_t stored_width = 0, stored_height = 0;

  int64_t index = 0;         // of the next frame
  int64_t next_pts = 0;      // where a frame without a timestamp goes
  bool first_waits = false;  // the constructor has decoded it already
  bool draining = false, ended = false;
  int faults_in_drain = 0;
  std::string fault;           // thrown when the frames before it are out
  std::string damaged;         // the first fault that allow_partial passed over
  int64_t damaged_frames = 0;  // faults that were passed over
  bool frame_is_damaged = false;

  State(std::unique_ptr<VideoInput> input, const StreamLimits& l)
      : limits(stoppable(l)), packets(std::move(input)), decoder(packets, limits) {
    if (!decoded) throw std::bad_alloc();
    if (limits.ring && packets.is_live()) {
      const bool is_first = !limits.ring->connection();
      const std::string loss = packets.fill(limits.ring);
      if (is_first && !loss.empty() && limits.report)
        limits.report(fmt::format("{}: clips and segments are {}", packets.name(), loss));
    }
    if (!limits.part.is_whole()) go_to_part();
    if (!decode_first()) throw_without_frames("the video stream has no frames");
    format = describe(packets, decoder, *decoded);
    format.stream.clock = clock_at(0);
    stored_width = decoded->width;
    stored_height = decoded->height;
    first_waits = true;
  }

  static StreamLimits stoppable(StreamLimits limits) {
    limits.with_stop();
    return limits;
  }

  const std::string& name() const { return packets.name(); }

  [[noreturn]] void throw_without_frames(const std::string& why) const {
    if (packets.is_live()) throw AbsentStream(name(), why);
    throw_input(name(), why);
  }

  /// Decodes the first frame, which shows whether the GPU takes the stream. Where it does not, the
  /// CPU decodes the same packets.
  bool decode_first() {
    if (!decoder.gpu()) return decode();
    packets.keep();
    const bool found = decode();
    if (packets.count() == limits.part.packet ||
        decoder.stays_on_gpu(found ? decoded.get() : nullptr)) {
      packets.forget();
      return found;
    }
    av_frame_unref(decoded.get());
    packets.rewind();
    draining = ended = false;
    fault.clear();
    decoder.reopen_on_cpu();
    return decode();
  }

  void go_to_part() {
    index = limits.part.first;
    if (!packets.seek(limits.part))
      throw_input(name(), at_frame("the file has no key frame where this part begins"));
  }

  /// Continues with another part, by the same decoder.
  void take(const VideoPart& part) {
    decoder.flush();
    limits.part = part;
    draining = ended = first_waits = false;
    go_to_part();
  }

  int64_t time_of(const AVFrame& f) const {
    return f.best_effort_timestamp != AV_NOPTS_VALUE ? f.best_effort_timestamp - packets.start()
                                                     : next_pts;
  }

  /// Whether the decoded frame comes before the part: pictures that are shown before its key frame
  /// and stored behind it. Ends the stream where it comes after.
  bool is_outside_part() {
    if (limits.part.is_whole()) return false;
    const int64_t time = time_of(*decoded);
    if (time >= limits.part.end) ended = true;
    return time < limits.part.begin || ended;
  }

  /// The clock `pts` after the beginning.
  WallClock clock_at(int64_t pts) const {
    const AVFormatContext& context = packets.context();
    return clock.at(context, packets.stream(), pts + packets.start(), packets.start(),
                    !packets.is_live() || has_end(context));
  }

  static bool has_end(const AVFormatContext& context) {
    if (context.duration <= 0) return false;
    // The length of a fragment passes for that of the whole. Only a file has a size; lists of files
    // and sessions say how long they are.
    const std::string_view container = context.iformat->name;
    return (context.pb && avio_size(context.pb) > 0) || container == "hls" || container == "rtsp";
  }

  /// Frame number first, so that it is clear how far the file is good.
  std::string at_frame(std::string_view what) const {
    return fmt::format("frame {}: {}", index, what);
  }

  /// Tells or throws, as the limits say; a live stream continues.
  void report(std::string what) {
    if (!packets.is_live()) return pass_over(std::move(what), Hint::allow_partial);
    frame_is_damaged = true;
    if (damaged_frames++ == 0 && limits.report)
      limits.report(fmt::format("{}: {}; going on", name(), what));
  }

  /// Throws unless the limits allow it.
  void pass_over(std::string what, Hint hint) {
    if (!limits.allow_partial) throw_input(name(), what, hint);
    frame_is_damaged = true;
    ++damaged_frames;
    if (damaged.empty()) damaged = std::move(what);
  }

  // What came before is out.
  void end_with_fault() {
    if (packets.is_live() && packets.count() == 0) throw_without_frames(fault);
    // What was never there is not available in part.
    pass_over(fault, packets.count() > 0 ? Hint::allow_partial : Hint::none);
  }

  /// Decodes one frame into `decoded`; false after the last one.
  bool decode() {
    frame_is_damaged = false;
    while (!ended) {
      const int error = decoder.receive(*decoded);
      report_dropped();
      if (error == 0) {
        if (is_outside_part()) continue;
        check();
        return true;
      }
      if (error == AVERROR_EOF) {
        ended = true;
        if (fault.empty() && damaged.empty() && !packets.is_live()) fault = decoder.lost_pictures();
        if (!fault.empty()) end_with_fault();
      } else if (error == AVERROR(EAGAIN)) {
        feed();
      } else {
        report(at_frame(fmt::format("it cannot be decoded: {}", av::words(error))));
        if (draining && ++faults_in_drain > 1000) ended = true;
      }
    }
    return false;
  }

  // Live streams, and parts until their first frame, may have frames that refer to what was before.
  void report_dropped() {
    const std::string what = decoder.take_complaint();
    const bool may_lack_references =
        packets.is_live() || (limits.part.packet > 0 && index == limits.part.first);
    if (!what.empty() && !may_lack_references)
      report(at_frame(fmt::format("its data are lost or damaged ({})", what)));
  }

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
    const int error = draining ? AVERROR_EOF : packets.next();
    if (error < 0) return end_of_packets(error);
    clock.see(packets.packet(), packets.stream().time_base);
    if ((packets.packet().flags & AV_PKT_FLAG_CORRUPT) && !limits.allow_partial &&
        !packets.is_live()) {
      fault = fmt::format("the file is cut off or damaged after {} frames", packets.count() - 1);
      return drain();
    }
    if (const int refused = decoder.send(&packets.packet()); refused < 0)
      report(at_frame(fmt::format("it cannot be decoded: {}", av::words(refused))));
  }

  void drain() {
    draining = true;
    decoder.send(nullptr);
  }

  void end_of_packets(int error) {
    const char* what = packets.is_live() ? "stream" : "file";
    const int64_t count = packets.count();
    if (limits.stop->requested())
      ended = true;  // what the decoder still holds was not asked for
    else if (error == AVERROR_EXIT)
      fault = packets.input().words(error);
    else if (count == 0 && packets.is_live() && packets.is_mp4())
      fault = "its index is at the end; it can be read as a file that is whole";
    else if (error != AVERROR_EOF)
      fault = fmt::format("the {} is damaged after {} frames: {}", what, count,
                          packets.input().words(error));
    else if (packets.ends_early(frame_seconds()))
      fault = fmt::format("the {} is cut off after {} frames", what, count);
    else
      fault = packets.gap();
    drain();
  }

  double frame_seconds() const {
    return double(format.stream.rate_den) / double(format.stream.rate_num);
  }

  void deliver(Frame& out) {
    const std::shared_ptr<FramePlanes> kept = pool.take();
    if (!kept->decoded) throw std::bad_alloc();
    av_frame_move_ref(kept->decoded.get(), decoded.get());
    out = {};
    if (GpuDecoder::made(*kept->decoded) && !decoder.gpu()->keeps_frames()) {
      GpuDecoder::download(kept->decoded);
    } else if (GpuDecoder::made(*kept->decoded)) {
      decoder.gpu()->wait();
      kept->on_gpu = GpuDecoder::ref(*kept->decoded);
      if (format.orientation.upright()) out.gpu_luma = GpuDecoder::luma(*kept->on_gpu);
      if (limits.gpu->host_planes || !out.gpu_luma) GpuDecoder::download(kept->decoded);
    }
    const AVFrame& f = *kept->decoded;
    if (!GpuDecoder::made(f))
      planes.convert(*kept, format.stream.chroma, format.orientation, limits.keep_depth, name(),
                     out);
    out.owner = kept;
    out.index = index++;
    out.damaged = frame_is_damaged;
    out.pts = time_of(f);
    out.time = double(out.pts) * av_q2d(packets.stream().time_base);
    out.clock = clock_at(out.pts);
    int64_t duration = av::duration_of(f);
    if (duration <= 0) {
      const AVRational frame{int(format.stream.rate_den), int(format.stream.rate_num)};
      duration = std::max<int64_t>(1, av_rescale_q(1, frame, packets.stream().time_base));
    }
    next_pts = out.pts + duration;
  }
};

std::string damage_of_live(int64_t count) {
  if (count == 1) return "its data were damaged once";
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

const StreamFormat& VideoReader::format() const { return state_->format.stream; }
const std::string& VideoReader::name() const { return state_->name(); }
int64_t VideoReader::damaged_frames() const { return state_->damaged_frames; }
std::string VideoReader::damage() const {
  const State& s = *state_;
  if (s.damaged.empty()) return damage_of_live(s.damaged_frames);
  const int64_t more = s.damaged_frames - 1;
  if (more == 0) return s.damaged;
  return fmt::format("{} (and {} more fault{})", s.damaged, more, more == 1 ? "" : "s");
}
void VideoReader::stop() { state_->limits.stop->request(); }
bool VideoReader::has_end() const { return State::has_end(state_->packets.context()); }

void VideoReader::take(const VideoPart& part) { state_->take(part); }
bool VideoReader::decodes_on_gpu() const { return state_->decoder.gpu().has_value(); }

bool VideoReader::next(Frame& frame) {
  if (state_->limits.stop->requested()) return false;
  if (!std::exchange(state_->first_waits, false) && !state_->decode()) return false;
  state_->deliver(frame);
  return true;
}

std::optional<int64_t> VideoReader::expected_frames() const {
  const AVStream& s = state_->packets.stream();
  if (s.nb_frames > 0) return s.nb_frames;
  const AVFormatContext& context = state_->packets.context();
  if (context.duration <= 0) return std::nullopt;
  return av_rescale_q(context.duration, AV_TIME_BASE_Q,
                      {int(state_->format.stream.rate_den), int(state_->format.stream.rate_num)});
}

std::string VideoReader::description() const {
  const StreamFormat& f = state_->format.stream;
  const char* samples = state_->format.samples;
  std::string text = fmt::format("{}, {}x{}, {:.4g} frames/s, {}, {} range",
                                 avcodec_get_name(state_->decoder.codec()), f.width, f.height,
                                 double(f.rate_num) / double(f.rate_den), samples ? samples : "?",
                                 f.full_range ? "full" : "limited");
  if (const auto& gpu = state_->decoder.gpu())
    text += fmt::format(", decoded by {}", gpu->name());
  else if (!state_->decoder.why_not_gpu().empty())
    text += fmt::format(", decoded by the CPU ({})", state_->decoder.why_not_gpu());
  if (!state_->format.orientation.upright())
    text += fmt::format(", turned by {} degrees", state_->format.orientation.degrees());
  if (state_->packets.is_live() && state_->packets.has_sound())
    text += ", without its sound (it is live)";
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
