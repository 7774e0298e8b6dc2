// Where a video file may be cut, so that each part decodes to the frames of the whole.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cuesta/error.hpp"
#include "cuesta/io.hpp"
#include "cuesta/io/frames.hpp"

#ifdef CUESTA_HAS_VIDEO
#include "io/h264_units.hpp"
#include "io/video_input.hpp"
#endif

namespace cuesta {

#ifdef CUESTA_HAS_VIDEO
namespace {

/// Whether an H.264 packet holds a slice of an IDR picture (ITU-T H.264, 7.4.1: nal_unit_type 5).
/// Containers mark other I pictures too, across which later pictures may refer.
bool has_idr(const AVPacket& packet, const AVCodecParameters& codec) {
  constexpr int idr = 5;
  bool found = false;
  io::for_each_h264_unit(packet, codec, [&](int type, ptrdiff_t) { found = found || type == idr; });
  return found;
}

/// Whether what is decoded from this key frame on, and shown after it, needs nothing before it.
bool begins_anew(const AVPacket& packet, const AVCodecParameters& codec) {
  if (!(packet.flags & AV_PKT_FLAG_KEY)) return false;
  switch (codec.codec_id) {
    case AV_CODEC_ID_H264: return has_idr(packet, codec);
    case AV_CODEC_ID_HEVC:
    case AV_CODEC_ID_VP8:
    case AV_CODEC_ID_VP9:
    case AV_CODEC_ID_MPEG1VIDEO:
    case AV_CODEC_ID_MPEG2VIDEO:
    case AV_CODEC_ID_MPEG4:
    case AV_CODEC_ID_FFV1: return true;
    default: break;
  }
  const AVCodecDescriptor* known = avcodec_descriptor_get(codec.codec_id);
  return known && (known->props & AV_CODEC_PROP_INTRA_ONLY);
}

struct Key {
  int64_t shown, decoded, packet;
};

/// The parts; none where the file cannot be cut. Those that begin after `until` seconds may be left
/// out.
std::vector<VideoPart> cut(io::VideoInput& input, int64_t at_least,
                           double until = std::numeric_limits<double>::infinity()) {
  AVFormatContext& context = input.context();
  const int best = av_find_best_stream(&context, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (best < 0) return {};
  AVStream& stream = *context.streams[best];
  for (unsigned i = 0; i < context.nb_streams; ++i)
    if (int(i) != best) context.streams[i]->discard = AVDISCARD_ALL;
  const int64_t start = av_rescale_q(input.start(), AV_TIME_BASE_Q, stream.time_base);

  std::vector<int64_t> shown;
  std::vector<Key> keys;
  int64_t latest = INT64_MIN;
  const io::av::PacketPtr packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  for (; input.read(*packet) >= 0; av_packet_unref(packet.get())) {
    if (packet->stream_index != best) continue;
    if (packet->pts == AV_NOPTS_VALUE || packet->dts == AV_NOPTS_VALUE ||
        (packet->flags & (AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD)))
      return {};
    const int64_t time = packet->pts - start;
    // Pictures stored behind it may be shown before it; none before it may be shown after it.
    if (time > latest && begins_anew(*packet, *stream.codecpar)) {
      if (double(time) * av_q2d(stream.time_base) > until) break;
      keys.push_back({time, packet->dts, int64_t(shown.size())});
    }
    latest = std::max(latest, time);
    shown.push_back(time);
  }
  if (input.complaint()) return {};
  std::sort(shown.begin(), shown.end());
  if (std::adjacent_find(shown.begin(), shown.end()) != shown.end()) return {};

  std::vector<VideoPart> parts;
  for (const Key& key : keys) {
    const int64_t first = std::lower_bound(shown.begin(), shown.end(), key.shown) - shown.begin();
    if (parts.empty() ? key.packet != 0 || first != 0 : first - parts.back().first < at_least) {
      if (parts.empty()) return {};
      continue;
    }
    if (!parts.empty()) {
      parts.back().end = key.shown;
      parts.back().frames = first - parts.back().first;
    }
    parts.push_back(
        {.first = first, .begin = key.shown, .seek = key.decoded, .packet = key.packet});
  }
  if (parts.empty()) return {};
  parts.front().begin = VideoPart{}.begin;
  parts.back().frames = int64_t(shown.size()) - parts.back().first;
  return parts;
}

}  // namespace
#endif

std::vector<VideoPart> video_parts(const std::filesystem::path& path, int64_t at_least,
                                   const ReadOptions& options) {
  if (at_least < 1) {
    throw Error(ErrorCode::invalid_argument,
                "video_parts: at_least is " + std::to_string(at_least) + "; it must be 1 or more",
                std::to_string(at_least));
  }
  std::vector<VideoPart> parts;
  if (io::is_coded_file(path.string())) {
#ifdef CUESTA_HAS_VIDEO
    io::VideoInput input(path.string(), options.max_pixels);
    parts = cut(input, at_least);
#else
    io::open_frames(path.string(), {.max_pixels = options.max_pixels});  // says what is missing
#endif
  }
  if (parts.empty()) parts.emplace_back();
  return parts;
}

VideoPart io::part_from([[maybe_unused]] const std::string& path, [[maybe_unused]] double seconds,
                        [[maybe_unused]] int64_t max_pixels) {
  VideoPart rest;
#ifdef CUESTA_HAS_VIDEO
  if (seconds <= 0 || !is_coded_file(path)) return rest;
  VideoInput input(path, max_pixels);
  const std::vector<VideoPart> parts = cut(input, 1, seconds);
  if (parts.size() < 2) return rest;
  rest = parts.back();
  rest.end = VideoPart().end;
  rest.frames = VideoPart::unknown;
#endif
  return rest;
}

}  // namespace cuesta
