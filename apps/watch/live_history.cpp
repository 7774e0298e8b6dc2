#include "apps/watch/live_history.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "apps/watch/key_journal.hpp"

namespace cuesta::cli {

MotionHistory::Hour& MotionHistory::hour_of(const DayClock& clock, double time) {
  now_ = clock.hour(time);
  hours_.erase(hours_.begin(), hours_.lower_bound(now_ - hours_kept + 1));
  // Of a clock that was far ahead.
  while (hours_.size() > size_t(2 * hours_kept)) hours_.erase(std::prev(hours_.end()));
  changed_hours_.insert(now_);
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
  if (day != day_) {
    minutes_ = {};
    changed_parts_.clear();
  }
  day_ = day;
  minute_ = clock.is_known() ? clock.minute(time) : int(std::floor(time / 60)) % (24 * 60);
  float& most = minutes_[size_t(std::max(0, minute_))];
  if (float(score) > most) {
    most = float(score);
    changed_parts_.insert(minute_ / 60);
  }
}

void MotionHistory::begin_event(const DayClock& clock, double time) {
  ++hour_of(clock, time).events;
}

Json MotionHistory::json() const {
  Json minutes = Json::array(), hours = Json::array();
  for (const float score : minutes_) minutes.push_back(std::round(double(score) * 100) / 100);
  for (const auto& [number, hour] : hours_) {
    if (number > now_) break;  // the clock was set back
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

void MotionHistory::save(KeyJournal& journal) {
  for (const int64_t number : changed_hours_) {
    const auto found = hours_.find(number);
    if (found == hours_.end()) continue;
    const Hour& hour = found->second;
    const int64_t slot = (number % hours_kept + hours_kept) % hours_kept;
    journal.put(fmt::format("hour/{}", slot), {{"number", number},
                                               {"name", hour.name},
                                               {"seconds", hour.seconds},
                                               {"events", hour.events}});
  }
  for (const int part : changed_parts_) {
    Json scores = Json::array();
    for (int minute = 60 * part; minute < 60 * (part + 1); ++minute)
      scores.push_back(minutes_[size_t(minute)]);
    journal.put(fmt::format("minutes/{}", part), {{"day", day_}, {"scores", std::move(scores)}});
  }
  changed_hours_.clear();
  changed_parts_.clear();
}

bool MotionHistory::take(const std::string& key, const Json& value) {
  if (key.starts_with("hour/")) return take_hour(value);
  constexpr std::string_view minutes = "minutes/";
  int part = -1;
  if (!key.starts_with(minutes)) return false;
  std::from_chars(key.data() + minutes.size(), key.data() + key.size(), part);
  return part >= 0 && part < 24 && take_minutes(part, value);
}

bool MotionHistory::take_hour(const Json& value) {
  const auto number = value.at("number").get<int64_t>();
  const Hour hour{value.at("name").get<std::string>(), value.at("seconds").get<double>(),
                  value.at("events").get<int64_t>()};
  if (hour.name.find(',') == std::string::npos || !(hour.seconds >= 0) || hour.events < 0)
    return false;
  hours_[number] = hour;
  now_ = std::max(now_, number);
  return true;
}

bool MotionHistory::take_minutes(int part, const Json& value) {
  const auto day = value.at("day").get<std::string>();
  const auto scores = value.at("scores").get<std::vector<float>>();
  if (scores.size() != 60 ||
      !std::ranges::all_of(scores, [](float one) { return one >= 0 && one <= 100; }))
    return false;
  if (day < day_) return true;
  if (day > day_) minutes_ = {};
  day_ = day;
  std::ranges::copy(scores, minutes_.begin() + 60 * part);
  return true;
}

}  // namespace cuesta::cli
