#ifdef CUESTA_HAS_VIDEO
#include "io/packet_ring.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cuesta::io {

Connection::Connection(const AVStream& stream, const AVStream* heard)
    : coding(avcodec_parameters_alloc()),
      time_base(stream.time_base),
      rate(stream.avg_frame_rate),
      aspect(stream.sample_aspect_ratio) {
  if (!coding || avcodec_parameters_copy(coding.get(), stream.codecpar) < 0) throw std::bad_alloc();
  if (!heard) return;
  sound.reset(avcodec_parameters_alloc());
  if (!sound || avcodec_parameters_copy(sound.get(), heard->codecpar) < 0) throw std::bad_alloc();
  sound_base = heard->time_base;
}

int64_t Connection::frame_length() const {
  return av_rescale_q(1, av_inv_q(av::positive_or(rate, {25, 1})), time_base);
}

int64_t Connection::sound_length(const AVPacket& packet) const {
  if (packet.duration > 0) return packet.duration;
  const int samples = av_get_audio_frame_duration2(sound.get(), packet.size);
  return av_rescale_q(samples, {1, sound->sample_rate}, sound_base);
}

void PacketRing::begin(const AVStream& stream, int64_t start, const AVStream* sound) {
  auto connection = std::make_shared<const Connection>(stream, sound);
  const std::lock_guard lock(mutex_);
  // A later connection's times are not known before its first frame.
  constexpr double unknown = std::numeric_limits<double>::infinity();
  last_shift_ = std::exchange(shift_, connection_ ? unknown : 0);
  connection_ = std::move(connection);
  for (const Held& one : early_) bytes_ -= one.packet->size;
  early_.clear();
  sound_end_ = AV_NOPTS_VALUE;
  start_ = start;
}

void PacketRing::add(const AVPacket& packet) {
  const std::lock_guard lock(mutex_);
  const bool is_key = packet.flags & AV_PKT_FLAG_KEY;
  int64_t shown = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  const bool continues = !held_.empty() && held_.back().of == connection_;
  // The first packet of RTSP has no timestamp; the second has the first one.
  if (shown == AV_NOPTS_VALUE && is_key && !continues && connection_)
    shown = start_ - connection_->frame_length();
  if (!connection_ || shown == AV_NOPTS_VALUE || (!is_key && !continues)) return;
  av::PacketPtr copy(av_packet_clone(&packet));
  if (!copy) throw std::bad_alloc();
  const double time = double(shown - start_) * av_q2d(connection_->time_base);
  // A key frame comes before the sound that belongs to it, and after all other.
  if (is_key && continues) push_sound_before(time);
  copy->pts = shown;
  bytes_ += packet.size;
  held_.push_back({connection_, std::move(copy), time, is_key, false});
  shown_ = continues ? std::max(shown_, time) : time;
  while (!continues && !early_.empty() && early_.front().time < time) {
    bytes_ -= early_.front().packet->size;
    early_.pop_front();
  }
  push_sound_before(shown_);
  trim();
}

void PacketRing::add_sound(const AVPacket& packet) {
  const std::lock_guard lock(mutex_);
  if (!connection_) return;
  int64_t heard = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  // Of several in one packet of the transport stream, the first may have the only timestamp.
  if (heard == AV_NOPTS_VALUE) heard = sound_end_;
  if (heard == AV_NOPTS_VALUE) return;
  sound_end_ = heard + connection_->sound_length(packet);
  av::PacketPtr copy(av_packet_clone(&packet));
  if (!copy) throw std::bad_alloc();
  copy->pts = heard;
  const double time = double(heard) * av_q2d(connection_->sound_base) -
                      double(start_) * av_q2d(connection_->time_base);
  bytes_ += packet.size;
  early_.push_back({connection_, std::move(copy), time, false, true});
  if (!held_.empty() && held_.back().of == connection_) push_sound_before(shown_);
  while (bytes_ > max_bytes_ && early_.size() > 1) {
    bytes_ -= early_.front().packet->size;
    early_.pop_front();
  }
  trim();
}

void PacketRing::push_sound_before(double time) {
  while (!early_.empty() && early_.front().time < time) {
    held_.push_back(std::move(early_.front()));
    early_.pop_front();
  }
}

void PacketRing::shift(double seconds) {
  const std::lock_guard lock(mutex_);
  shift_ = seconds;
}

void PacketRing::keep_from(double seconds) {
  const std::lock_guard lock(mutex_);
  keep_from_ = seconds;
  trim();
}

size_t PacketRing::next_key() const {
  size_t i = 1;
  while (i < held_.size() && !held_[i].is_key) ++i;
  return i;
}

void PacketRing::drop_group() {
  for (size_t count = next_key(); count > 0; --count) {
    bytes_ -= held_.front().packet->size;
    held_.pop_front();
    ++first_;
  }
}

void PacketRing::trim() {
  while (!held_.empty()) {
    const size_t next = next_key();
    const bool is_needed =
        next == held_.size() || held_[next].time + shift_of(held_[next]) > keep_from_;
    if (is_needed && bytes_ <= max_bytes_) break;
    was_too_small_ |= is_needed;
    drop_group();
  }
}

int64_t PacketRing::find(double seconds) const {
  const std::lock_guard lock(mutex_);
  int64_t found = -1;
  for (size_t i = 0; i < held_.size(); ++i) {
    if (!held_[i].is_key || held_[i].of != held_.back().of) continue;
    if (found < 0 || held_[i].time + shift_of(held_[i]) <= seconds) found = first_ + int64_t(i);
  }
  return found;
}

PacketRing::Piece PacketRing::at(int64_t number) const {
  const std::lock_guard lock(mutex_);
  const int64_t index = std::max<int64_t>(0, number - first_);
  if (index >= int64_t(held_.size())) return {};
  const Held& one = held_[size_t(index)];
  Piece piece{first_ + index, one.of, av::PacketPtr(av_packet_clone(one.packet.get())),
              one.time + shift_of(one), one.is_sound};
  if (!piece.packet) throw std::bad_alloc();
  return piece;
}

bool PacketRing::has_sound_until(int64_t number) const {
  constexpr double longest = 1;  // seconds that containers put sound after its pictures
  const std::lock_guard lock(mutex_);
  const auto index = size_t(std::max<int64_t>(0, number - first_));
  for (size_t i = index; i < held_.size(); ++i) {
    const Held& one = held_[i];
    const double wanted = held_[index].time + (one.is_sound ? 0 : longest);
    if (one.of != held_[index].of || (i > index && one.time >= wanted)) return true;
  }
  return false;
}

bool PacketRing::was_too_small() const {
  const std::lock_guard lock(mutex_);
  return was_too_small_;
}

std::shared_ptr<const Connection> PacketRing::connection() const {
  const std::lock_guard lock(mutex_);
  return connection_;
}

}  // namespace cuesta::io
#endif
