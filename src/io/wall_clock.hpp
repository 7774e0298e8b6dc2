// What time of day it is in a stream.
#pragma once

#include <chrono>
#include <optional>

#include "cuesta/io/frames.hpp"
#include "io/av.hpp"

namespace cuesta::io {

/// The clock of a container: producer's times of its packets, else the time of its first timestamp,
/// else, of a recording, when its file was made.
class ContainerClock {
 public:
  /// Takes a packet that was read; `unit` is the time base of its stream.
  void see(const AVPacket& packet, AVRational unit);
  /// The clock at a timestamp of the stream, in `unit`. `start` is the timestamp at which the
  /// container begins.
  WallClock at(const AVFormatContext& context, const AVStream& stream, int64_t pts, int64_t start,
               bool is_recording) const;

 private:
  std::optional<int64_t> offset_;  // producer's time of timestamp 0, microseconds
};

/// The clock of what comes as it happens. Frames that were waiting for their reader came earlier
/// than they are read: the shortest delay counts. Follows the sender's clock where it drifts, and
/// this machine's where it is set.
class ArrivalClock {
 public:
  /// A connection begins: its delays are its own.
  void begin() { offset_.reset(); }
  /// A frame of that time is read now.
  WallClock at(double seconds);

 private:
  std::optional<int64_t> offset_;  // arrival of time 0, microseconds
  int64_t ahead_ = 0;              // this machine's time of day, of its steady clock
  double last_ = 0;
};

}  // namespace cuesta::io
