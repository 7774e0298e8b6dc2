#include "apps/watch/live_history.hpp"

#include <algorithm>
#include <cmath>

namespace cuesta::cli {

MotionHistory::Hour& MotionHistory::hour_of(const DayClock& clock, double time) {
  now_ = clock.hour(time);
  // A clock that was set back has hours again.
  hours_.erase(hours_.upper_bound(now_), hours_.end());
  hours_.erase(hours_.begin(), hours_.lower_bound(now_ - hours_kept + 1));
  Hour& hour = hours_[now_];
  if (hour.name.empty()) hour.name = clock.day_of(now_);
  return hour;
}

void MotionHistory::add(const DayClock& clock, double time, double score, bool moves) {
  constexpr double longest_frame = 1;  // seconds; more is a gap
  Hour& hour = hour_of(clock, time);
  if (moves) hour.seconds += std::clamp(time - last_, 0.0, longest_frame);
  last_ = time;
  const std::string day = hour.name.substr(0, hour.name.find(','));
  if (day != day_) minutes_ = {};
  day_ = day;
  minute_ = clock.is_known() ? clock.minute(time) : int(std::floor(time / 60)) % (24 * 60);
  float& most = minutes_[size_t(std::max(0, minute_))];
  most = std::max(most, float(score));
}

void MotionHistory::begin_event(const DayClock& clock, double time) {
  ++hour_of(clock, time).events;
}

Json MotionHistory::json() const {
  Json minutes = Json::array(), hours = Json::array();
  for (const float score : minutes_) minutes.push_back(std::round(double(score) * 100) / 100);
  for (const auto& [number, hour] : hours_) {
    if (hour.seconds == 0 && hour.events == 0 && number != now_) continue;
    hours.push_back({{"ago", now_ - number},
                     {"hour", hour.name},
                     {"seconds", std::round(hour.seconds * 10) / 10},
                     {"events", hour.events}});
  }
  return {{"day", day_},
          {"minute", minute_},
          {"minutes", std::move(minutes)},
          {"hours", std::move(hours)}};
}

}  // namespace cuesta::cli
