#ifdef CUESTA_HAS_VIDEO
#include "io/wall_clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

extern "C" {
#include <libavutil/parseutils.h>
}

namespace cuesta::io {
namespace {

constexpr AVRational micro{1, 1000000};

// The sum, where it is a time between 1970 and 9999: senders may say anything.
WallClock clock_of(ClockSource source, int64_t base, int64_t more) {
  constexpr int64_t end = 253402300800 * 1000000;
  int64_t sum = 0;
  const bool is_sane = !__builtin_add_overflow(base, more, &sum) && sum >= 0 && sum < end;
  return is_sane ? WallClock{source, sum} : WallClock{};
}

// When a file was made, as its tag says; containers write 0 where they do not know.
std::optional<int64_t> made_at(const AVDictionary* tags) {
  const AVDictionaryEntry* tag = av_dict_get(tags, "creation_time", nullptr, 0);
  int64_t micros = 0;
  if (!tag || av_parse_time(&micros, tag->value, 0) < 0 || micros <= 0) return std::nullopt;
  return micros;
}

// Sender reports date packets, whose producer's time see() takes, on the clock of RTP. It is not
// that of a transport stream's pictures, to which libav adds the start time all the same.
bool is_rtp(const AVFormatContext& context) {
  const std::string_view name = context.iformat ? context.iformat->name : "";
  return name == "rtp" || name == "rtsp" || name == "sdp";
}

}  // namespace

void ContainerClock::see(const AVPacket& packet, AVRational unit) {
  const int64_t pts = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (pts == AV_NOPTS_VALUE) return;
  for (int i = 0; i < packet.side_data_elems; ++i) {
    const AVPacketSideData& data = packet.side_data[i];
    if (data.type != AV_PKT_DATA_PRFT || data.size < sizeof(AVProducerReferenceTime)) continue;
    const auto& time = *reinterpret_cast<const AVProducerReferenceTime*>(data.data);
    int64_t offset = 0;
    if (!__builtin_sub_overflow(time.wallclock, av_rescale_q(pts, unit, micro), &offset))
      offset_ = offset;
  }
}

WallClock ContainerClock::at(const AVFormatContext& context, const AVStream& stream, int64_t pts,
                             int64_t start, bool is_recording) const {
  const int64_t micros = av_rescale_q(pts, stream.time_base, micro);
  if (offset_) return clock_of(ClockSource::camera, *offset_, micros);
  if (context.start_time_realtime != AV_NOPTS_VALUE && context.start_time_realtime > 0 &&
      !is_rtp(context))
    return clock_of(ClockSource::camera, context.start_time_realtime, micros);
  if (!is_recording) return {};
  auto made = made_at(context.metadata);
  if (!made) made = made_at(stream.metadata);
  if (!made) return {};
  return clock_of(ClockSource::file, *made, av_rescale_q(pts - start, stream.time_base, micro));
}

WallClock ArrivalClock::at(double seconds) {
  using namespace std::chrono;
  constexpr double drift = 50;         // microseconds a second, of cheap clocks
  constexpr int64_t min_set = 500000;  // clocks that are adjusted smoothly move less
  const auto micros_of = [](auto time) {
    return duration_cast<microseconds>(time.time_since_epoch()).count();
  };
  const int64_t now = micros_of(system_clock::now());
  const int64_t ahead = now - micros_of(steady_clock::now());
  const int64_t offset = now - std::llround(seconds * 1e6);
  if (!offset_) {
    offset_ = offset;
  } else {
    if (std::abs(ahead - ahead_) > min_set) *offset_ += ahead - ahead_;
    *offset_ += std::llround(std::max(0.0, seconds - last_) * drift);
    offset_ = std::min(*offset_, offset);
  }
  ahead_ = ahead;
  last_ = seconds;
  return {ClockSource::arrival, *offset_ + std::llround(seconds * 1e6)};
}

}  // namespace cuesta::io
#endif
