// When it moved: the minutes of a day, and the hours of 30.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "cli/day_clock.hpp"

namespace cuesta::cli {

class KeyJournal;

/// Days and hours are those of the clock on the wall; where the time of day is unknown, they count
/// from the video's begin.
class MotionHistory {
 public:
  static constexpr int64_t hours_kept = 30 * 24;

  /// A frame: what percentage of it moves, and whether an object is reported.
  void add(const DayClock& clock, double time, double score, bool moves);
  /// An event that began.
  void begin_event(const DayClock& clock, double time);
  /// {"day": date, "minute": of the last frame, "minutes": [1440 largest scores], "hours": [{"ago",
  /// "hour", "seconds", "events"}, ...]}: hours with motion or events, the oldest first.
  Json json() const;

  /// Puts what has changed since the last call. A journal holds at most 24 + 720 values of it.
  void save(KeyJournal& journal);
  /// Takes a value of save(). False where it is none, which leaves this as it was.
  bool take(const std::string& key, const Json& value);

 private:
  struct Hour {
    std::string name{};  // as DayClock::day_of() has it
    double seconds = 0;  // with reported objects
    int64_t events = 0;
  };
  Hour& hour_of(const DayClock& clock, double time);
  bool take_hour(const Json& value);
  bool take_minutes(int part, const Json& value);

  std::map<int64_t, Hour> hours_;
  int64_t now_ = 0;
  std::string day_;
  std::array<float, 24 * 60> minutes_{};
  int minute_ = 0;
  double last_ = 0;  // time of the last frame
  std::set<int64_t> changed_hours_;
  std::set<int> changed_parts_;  // of the day, an hour each
};

}  // namespace cuesta::cli
