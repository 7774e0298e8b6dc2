// The time of day of a video's frames.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "cli/results.hpp"
#include "cuesta/io/frames.hpp"

namespace CLI {
class App;
}

namespace cuesta::cli {

/// Options of the time of day, as given.
struct ClockOptions {
  std::string begins{};  ///< a time of day, "now", or empty
  bool stamp = false;
};
void add_clock_options(CLI::App& app, ClockOptions& options);
/// Throws Error{invalid_argument} for what is no time of day, and --stamp without a video.
void check_clock(const ClockOptions& options, const std::string& out);

/// A time of day, and the zone that it was given in: seconds east of Greenwich; else the machine's.
struct DayTime {
  int64_t micros = 0;  ///< since 1970-01-01T00:00:00Z
  std::optional<int> zone{};
};
/// Reads "2026-11-25T06:00", with seconds and a zone (Z, +01:00) where it has them, or "now".
/// Throws Error{invalid_argument} naming the option.
DayTime parse_day_time(std::string_view flag, const std::string& text);

/// Where the clock of a video jumped: `before` is what the frame would have had.
struct ClockJump {
  double seconds = 0;
  int64_t before = 0, after = 0;
  io::ClockSource source = io::ClockSource::none;  ///< from here on
};

/// Times of day by times of a video.
class DayClock {
 public:
  DayClock() = default;
  /// Throws Error{invalid_argument} where --begins is given for what has a clock of its own, and
  /// where --stamp has none to show; `source` is for messages.
  DayClock(const ClockOptions& options, const io::WallClock& first, const std::string& source);

  bool is_known() const { return !segments_.empty(); }
  /// "file", "camera", "arrival", "begins".
  const char* source() const;
  /// The next frame, whose clock may differ from what was expected of it.
  std::optional<ClockJump> see(const io::Frame& frame);
  /// The time of day, microseconds since 1970; needs is_known().
  int64_t at(double seconds) const;

  /// "2026-11-25T06:00:01.667+01:00"; empty where it is unknown.
  std::string text(double seconds) const;
  /// The same of a time of day.
  std::string text_of(int64_t micros) const;
  /// "20261125T060001+0100", for names of files; needs is_known().
  std::string name(double seconds) const;
  /// "2026-11-25 06:00:01", for people; needs is_known().
  std::string shown(double seconds) const;
  /// The hour by the clock on the wall, counted on through summer time, and its day and hour, with
  /// a comma between them; where the clock is unknown, those since the video began.
  int64_t hour(double seconds) const;
  std::string day_of(int64_t hour) const;
  /// Minutes since midnight by the clock on the wall; needs is_known().
  int minute(double seconds) const;

 private:
  struct Segment {
    double from;     // seconds of the video
    int64_t offset;  // the time of day of time 0
  };
  int zone_of(int64_t micros) const;

  std::deque<Segment> segments_;
  int64_t last_ = 0;  // the clock of the last frame
  io::ClockSource source_ = io::ClockSource::none;
  bool is_given_ = false;
  std::optional<int> zone_;
};

/// Adds the time of day under `key`, where it is known.
void put_clock(Json& json, const char* key, const DayClock& clock, double seconds);

}  // namespace cuesta::cli
