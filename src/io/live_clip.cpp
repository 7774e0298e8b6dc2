// Clips of live video and its sound, copied from the packets that came last.
#include "cuesta/error.hpp"
#include "cuesta/io/clip.hpp"

#ifdef CUESTA_HAS_VIDEO
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "io/av_output.hpp"
#include "io/errors.hpp"
#include "io/packet_ring.hpp"

namespace cuesta::io {
namespace {

// Players show what is under this name, too.
std::filesystem::path growing_name(std::filesystem::path path) {
  return path.replace_extension(".part" + path.extension().string());
}

}  // namespace

struct LiveClip::State {
  State(std::shared_ptr<const PacketRing> r, const std::filesystem::path& path, double begin)
      : ring(std::move(r)), target(path), part(growing_name(path)), wanted(begin) {}

  void check(int error) const {
    file->check();
    if (error < 0) throw_output(part, av::words(error));
  }

  void open(const PacketRing::Piece& first) {
    file.emplace(part, Placing::growing);
    bytes.emplace(*file);
    muxer = av::muxer_of(part.string(), "matroska");
    AVStream* stream = avformat_new_stream(muxer.get(), nullptr);
    if (!stream || avcodec_parameters_copy(stream->codecpar, first.of->coding.get()) < 0)
      throw std::bad_alloc();
    stream->codecpar->codec_tag = 0;
    stream->time_base = first.of->time_base;
    stream->avg_frame_rate = first.of->rate;
    stream->sample_aspect_ratio = first.of->aspect;
    if (first.of->sound) {
      AVStream* sound = avformat_new_stream(muxer.get(), nullptr);
      if (!sound || avcodec_parameters_copy(sound->codecpar, first.of->sound.get()) < 0)
        throw std::bad_alloc();
      sound->codecpar->codec_tag = 0;
      sound->time_base = first.of->sound_base;
    }
    av::Options options;
    options.set("cluster_time_limit", "1000");  // milliseconds
    muxer->flags |= AVFMT_FLAG_FLUSH_PACKETS;
    bytes->serve(*muxer);
    check(avformat_write_header(muxer.get(), options.get()));
    of = first.of;
    zero = first.packet->pts;
    span.begin = first.time;
  }

  // Sound from before the first picture is left out.
  void write_sound(const PacketRing::Piece& piece) {
    if (piece.time < span.begin) return;
    AVPacket& p = *piece.packet;
    const AVRational base = muxer->streams[1]->time_base;
    const int64_t offset = av_rescale_q(zero, of->time_base, of->sound_base);
    p.dts = p.pts = std::max(av_rescale_q(p.pts - offset, of->sound_base, base), last_sound + 1);
    last_sound = p.pts;
    p.duration = av_rescale_q(p.duration, of->sound_base, base);
    p.stream_index = 1;
    p.pos = -1;
    check(av_write_frame(muxer.get(), &p));
  }

  // Sound that came after the pictures that it belongs to.
  void write_late_sound() {
    for (int64_t next = number;;) {
      const auto piece = ring->at(next);
      if (!piece.packet || piece.of != of) return;
      next = piece.number + 1;
      if (piece.is_sound && piece.time < span.end) write_sound(piece);
    }
  }

  void write(const PacketRing::Piece& piece) {
    if (piece.is_sound) return write_sound(piece);
    AVPacket& p = *piece.packet;
    const AVRational base = muxer->streams[0]->time_base;
    p.pts = av_rescale_q(p.pts - zero, of->time_base, base);
    // Matroska stores no decoding times; its muxer asks for some that grow and come before.
    constexpr int64_t ahead = 10000;
    p.dts = std::min(p.pts, written++ - ahead);
    p.stream_index = 0;
    p.pos = -1;
    const int64_t length = av_rescale_q(p.duration, of->time_base, base);
    p.duration = length;
    const double shown = piece.time + double(length) * av_q2d(base);
    check(av_write_frame(muxer.get(), &p));
    span.end = std::max(span.end, shown);
  }

  /// False where the clip cannot continue.
  bool copy_to(double end, double length) {
    last_end = end;
    if (number < 0) number = ring->find(wanted);
    while (number >= 0) {
      const auto piece = ring->at(number);
      if (!piece.packet || (!piece.is_sound && piece.time > end)) return true;
      if (!file && piece.is_sound) {  // its pictures are gone
        number = piece.number + 1;
        continue;
      }
      if (!file) open(piece);
      if (piece.of != of || (written > 0 && piece.number != number)) return false;
      const bool is_key = piece.packet->flags & AV_PKT_FLAG_KEY;
      if (written > 0 && is_key && piece.time >= span.begin + length) {
        waits_for_sound = of->sound && !ring->has_sound_until(number);
        return waits_for_sound;
      }
      number = piece.number + 1;
      write(piece);
    }
    return true;
  }

  ClipSpan finish() {
    if (std::exchange(waits_for_sound, false)) copy_to(last_end, infinite);
    if (!file) return {wanted, wanted};
    if (of->sound) write_late_sound();
    check(av_write_trailer(muxer.get()));
    bytes->flush();
    check(0);
    file->commit();
    std::error_code error;
    std::filesystem::rename(part, target, error);
    if (error) throw_output(target, error.message());
    return span;
  }

  std::shared_ptr<const PacketRing> ring;
  std::filesystem::path target, part;
  double wanted;
  std::optional<OutputFile> file;
  std::optional<av::Output> bytes;
  av::MuxerPtr muxer;
  std::shared_ptr<const Connection> of;
  int64_t number = -1;  // of the next packet
  int64_t zero = 0, written = 0;
  int64_t last_sound = -1;
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  double last_end = 0;
  bool waits_for_sound = false;  // the clip is over but for it
  ClipSpan span;
};

LiveClip::LiveClip(std::shared_ptr<const PacketRing> ring, const std::filesystem::path& target,
                   double begin)
    : state_(std::make_unique<State>(std::move(ring), target, begin)) {}
LiveClip::LiveClip(std::shared_ptr<const PacketRing> ring, const std::filesystem::path& target,
                   Packet first)
    : LiveClip(std::move(ring), target, 0.0) {
  state_->number = first.number;
}
LiveClip::~LiveClip() = default;

bool LiveClip::copy_to(double end, double length) { return state_->copy_to(end, length); }
LiveClip::Packet LiveClip::next() const { return {std::max<int64_t>(0, state_->number)}; }
const std::filesystem::path& LiveClip::growing() const { return state_->part; }
ClipSpan LiveClip::finish() { return state_->finish(); }

std::shared_ptr<PacketRing> make_packet_ring(int64_t max_bytes) {
  return std::make_shared<PacketRing>(max_bytes);
}

bool can_be_clipped(const PacketRing& ring) {
  const auto connection = ring.connection();
  return connection && connection->coding->codec_id != AV_CODEC_ID_RAWVIDEO &&
         avformat_query_codec(av_guess_format("matroska", nullptr, nullptr),
                              connection->coding->codec_id, FF_COMPLIANCE_NORMAL) == 1;
}

void keep_from(PacketRing& ring, double seconds) { ring.keep_from(seconds); }
bool was_too_small(const PacketRing& ring) { return ring.was_too_small(); }

}  // namespace cuesta::io
#else
namespace cuesta::io {

class PacketRing {};
struct LiveClip::State {
  std::filesystem::path part;
};

LiveClip::LiveClip(std::shared_ptr<const PacketRing>, const std::filesystem::path& target, double) {
  throw Error(
      ErrorCode::unsupported,
      target.string() + ": this build of Cuesta does not support clips; build it with libav",
      target.string());
}
LiveClip::LiveClip(std::shared_ptr<const PacketRing> ring, const std::filesystem::path& target,
                   Packet)
    : LiveClip(std::move(ring), target, 0.0) {}
LiveClip::~LiveClip() = default;
bool LiveClip::copy_to(double, double) { return false; }
LiveClip::Packet LiveClip::next() const { return {}; }
const std::filesystem::path& LiveClip::growing() const { return state_->part; }
ClipSpan LiveClip::finish() { return {}; }
std::shared_ptr<PacketRing> make_packet_ring(int64_t) { return std::make_shared<PacketRing>(); }
bool can_be_clipped(const PacketRing&) { return false; }
void keep_from(PacketRing&, double) {}
bool was_too_small(const PacketRing&) { return false; }

}  // namespace cuesta::io
#endif
