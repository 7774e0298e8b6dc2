// An address or a camera as one stream of frames, over every connection that it takes.
#ifdef CUESTA_HAS_VIDEO
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cuesta/io/address.hpp"
#include "io/errors.hpp"
#include "io/packet_ring.hpp"
#include "io/video.hpp"
#include "io/video_input.hpp"
#include "io/wall_clock.hpp"

namespace cuesta::io {
namespace {

// Seconds between two attempts, doubled up to the longest.
constexpr double first_delay = 0.5, longest_delay = 30;
constexpr double quick_delay = 2, quick_for = 60;  // longest in the first minute

class LiveSource final : public FrameSource {
 public:
  LiveSource(std::string place, const StreamLimits& limits)
      : place_(std::move(place)), limits_(limits) {
    limits_.with_stop();
    name_ = without_password(place_);
    reader_ = first_reader();
    format_ = reader_->format();
    name_ = reader_->name();
    if (!format_.clock && comes_as_it_happens()) format_.clock = arrivals_.at(0);
  }

  const StreamFormat& format() const override { return format_; }
  const std::string& name() const override { return name_; }
  std::string description() const override { return reader_->description(); }
  std::optional<int64_t> expected_frames() const override { return reader_->expected_frames(); }
  std::string damage() const override {
    return damage_of_live(damaged_ + (reader_ ? reader_->damaged_frames() : 0));
  }
  std::shared_ptr<const Gap> open_gap() const override { return away_; }
  void stop() override { limits_.stop->request(); }

  bool next(Frame& frame) override {
    while (reader_) {
      std::string reason = "the stream ended";
      try {
        if (reader_->next(frame)) {
          retime(frame);
          return true;
        }
        if (limits_.stop->requested() || reader_->has_end()) return false;
      } catch (const ChangedStream&) {
        throw;
      } catch (const Error& error) {
        // A file over HTTP that breaks off would begin again, not continue.
        if (error.code() != ErrorCode::input || reader_->has_end()) throw;
        reason = without_name(error.what());
      }
      if (limits_.stop->requested()) return false;
      find_again(reason);
    }
    return false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  std::unique_ptr<VideoReader> connect() const {
    return std::make_unique<VideoReader>(std::make_unique<VideoInput>(Live{place_}, limits_),
                                         limits_);
  }

  std::string without_name(std::string text) const {
    return text.starts_with(name_ + ": ") ? text.substr(name_.size() + 2) : text;
  }

  void tell(const std::string& text) const {
    if (limits_.report) limits_.report(fmt::format("{}: {}", name_, text));
  }

  // Not a file that is read as fast as the network allows.
  bool comes_as_it_happens() const { return !reader_->has_end() || place_.starts_with("rtsp"); }

  double frame_seconds() const { return double(format_.rate_den) / double(format_.rate_num); }

  std::unique_ptr<VideoReader> first_reader() {
    if (is_address(place_)) check_address(place_);
    if (!limits_.waits || limits_.reconnect <= 0) return connect();
    try {
      return connect();
    } catch (const AbsentStream& error) {
      if (limits_.stop->requested()) throw;
      const auto begin = Clock::now();
      const std::string reason = without_name(error.what());
      tell(fmt::format("{}; waiting for it", reason));
      Gap gap;
      auto found = sought(reason, gap);
      if (!found) throw_input(name_, "stopped before its first frame");
      tell(fmt::format("there after {:.1f} s", seconds_since(begin)));
      return found;
    }
  }

  /// Tries until there is a connection; null where it was stopped meanwhile. Throws Error{input}
  /// where it is given up.
  std::unique_ptr<VideoReader> sought(std::string last, Gap& gap) {
    const auto begin = Clock::now();
    for (double delay = first_delay;;) {
      if (limits_.stop->wait(delay)) return nullptr;
      ++gap.attempts;
      try {
        auto found = connect();
        if (index_ > 0) check_same(found->format());
        return found;
      } catch (const ChangedStream&) {
        throw;
      } catch (const Error& error) {
        const bool is_absent = dynamic_cast<const AbsentStream*>(&error) != nullptr;
        if (error.code() != ErrorCode::input || (index_ == 0 && !is_absent)) throw;
        gap.error = without_name(error.what());
      }
      if (limits_.stop->requested()) return nullptr;
      if (gap.error != last) tell("not found: " + gap.error);
      last = gap.error;
      if (index_ > 0) away_ = std::make_shared<const Gap>(gap);
      const double seconds = seconds_since(begin);
      if (seconds >= limits_.reconnect) {
        const std::string what =
            index_ > 0 ? fmt::format("connection lost after {} frames and not restored", index_)
                       : "not there";
        throw_input(name_, fmt::format("{} within {:g} s: {}", what, limits_.reconnect, last));
      }
      delay = std::min(2 * delay, seconds < quick_for ? quick_delay : longest_delay);
    }
  }

  /// Leaves no reader where it was stopped meanwhile. Throws Error{input} where it is given up.
  void find_again(const std::string& reason) {
    const auto lost = Clock::now();
    Gap gap;
    gap.begin = index_ > 0 ? last_time_ + frame_seconds() : 0;
    gap.reason = reason;
    away_ = std::make_shared<const Gap>(gap);
    if (limits_.reconnect <= 0) throw_input(name_, fmt::format("lost: {}", reason));
    tell(fmt::format("lost after {} frames: {}; seeking it again", index_, reason));
    damaged_ += reader_->damaged_frames();
    reader_.reset();  // what it holds can be held once: a port, a device
    reader_ = sought(reason, gap);
    if (!reader_) return;
    away_.reset();
    came_back_ = std::make_shared<Gap>(gap);
    tell(fmt::format("back after {:.1f} s", seconds_since(lost)));
  }

  void check_same(const StreamFormat& now) const {
    if (now.width != format_.width || now.height != format_.height) {
      throw ChangedStream(
          name_, fmt::format("the stream resumed with frames of {}x{} instead of {}x{}", now.width,
                             now.height, format_.width, format_.height));
    }
    if (now.chroma != format_.chroma)
      throw ChangedStream(name_, "the stream resumed with another chroma sampling");
  }

  /// Times of one connection count from its own beginning. Those of the whole stream continue
  /// through gaps by our clock, and never back.
  void retime(Frame& frame) {
    double time = frame.time + shift_;
    if (index_ == 0) {
      begun_ = Clock::now();
      shift_ = -frame.time, time = 0;
    } else if (came_back_ || time <= last_time_) {
      time = last_time_ + frame_seconds();
      if (came_back_) time = std::max(time, seconds_since(begun_));
      shift_ = time - frame.time;
    }
    if (came_back_) {
      arrivals_.begin();
      came_back_->end = time;
      frame.gap = std::exchange(came_back_, nullptr);
    } else {
      frame.gap.reset();
    }
    const double unit = double(format_.time_base_num) / double(format_.time_base_den);
    if (!frame.clock && comes_as_it_happens()) frame.clock = arrivals_.at(time);
    if (limits_.ring) limits_.ring->shift(shift_);
    last_time_ = time;
    frame.index = index_++;
    frame.pts = int64_t(std::llround(time / unit));
    frame.time = time;
  }

  std::string place_, name_;
  StreamLimits limits_;
  std::unique_ptr<VideoReader> reader_;
  StreamFormat format_;
  std::shared_ptr<const Gap> away_;
  std::shared_ptr<Gap> came_back_;  // reported with the next frame
  Clock::time_point begun_;
  ArrivalClock arrivals_;
  int64_t index_ = 0, damaged_ = 0;  // the latter in earlier connections
  double shift_ = 0, last_time_ = 0;
};

}  // namespace

std::unique_ptr<FrameSource> open_live(const std::string& place, const StreamLimits& limits) {
  return std::make_unique<LiveSource>(place, limits);
}

}  // namespace cuesta::io
#endif
