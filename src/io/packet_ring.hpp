// The last packets of a live video and its sound, as their source sent them.
#pragma once

#ifdef CUESTA_HAS_VIDEO
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "io/av.hpp"

namespace cuesta::io {

struct FreeParameters {
  void operator()(AVCodecParameters* p) const { avcodec_parameters_free(&p); }
};

/// What the packets of one connection have in common.
struct Connection {
  /// `sound` may be null.
  Connection(const AVStream& stream, const AVStream* sound);
  /// Of one frame at the nominal rate, in units of the time base.
  int64_t frame_length() const;
  /// In units of the time base of the sound.
  int64_t sound_length(const AVPacket& packet) const;
  std::unique_ptr<AVCodecParameters, FreeParameters> coding, sound;  ///< the latter null for none
  AVRational time_base, rate, aspect, sound_base{};
};

/// Filled by the thread that reads, from one connection after the other; read by another. Holds
/// whole groups of pictures, each from its key frame on, and the sound that came among them.
class PacketRing {
 public:
  struct Piece {
    int64_t number = 0;  ///< in the order in which they came
    std::shared_ptr<const Connection> of{};
    av::PacketPtr packet{};
    double time = 0;  ///< as Frame::time
    bool is_sound = false;
  };

  explicit PacketRing(int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// A connection whose timestamp `start` is its time 0.
  void begin(const AVStream& stream, int64_t start, const AVStream* sound = nullptr);
  void add(const AVPacket& packet);
  void add_sound(const AVPacket& packet);
  /// Frame::time at time 0 of this connection.
  void shift(double seconds);

  /// What is shown before this time is dropped from now on, but for what it is decoded from.
  void keep_from(double seconds);
  /// Where the groups begin that are still there: the last one at or before `seconds`, else the
  /// first one; of the last connection. −1 where there is none.
  int64_t find(double seconds) const;
  /// The piece of this number or, where it is gone, the first after it; empty where none came yet.
  Piece at(int64_t number) const;
  /// Whether the sound from before the picture of this number is there: later sound came, or a
  /// second of pictures without any.
  bool has_sound_until(int64_t number) const;
  /// Whether groups had to go before keep_from() allowed it.
  bool was_too_small() const;
  /// The coding of what comes; null where nothing came.
  std::shared_ptr<const Connection> connection() const;

 private:
  struct Held {
    std::shared_ptr<const Connection> of;
    av::PacketPtr packet;
    double time;  // within its connection
    bool is_key, is_sound;
  };
  void push_sound_before(double time);
  void trim();
  void drop_group();
  size_t next_key() const;
  double shift_of(const Held& one) const { return one.of == connection_ ? shift_ : last_shift_; }

  mutable std::mutex mutex_;
  int64_t max_bytes_, bytes_ = 0;
  std::deque<Held> held_;
  std::deque<Held> early_;  // sound that is heard after the last picture is shown
  int64_t sound_end_ = AV_NOPTS_VALUE;
  double shown_ = 0;   // when that is, within its connection
  int64_t first_ = 0;  // number of held_[0]
  std::shared_ptr<const Connection> connection_;
  int64_t start_ = 0;
  double shift_ = 0, last_shift_ = 0;
  double keep_from_ = 0;
  bool was_too_small_ = false;
};

}  // namespace cuesta::io
#endif
