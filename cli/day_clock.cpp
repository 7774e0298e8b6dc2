#include "cli/day_clock.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "cli/common.hpp"

namespace cuesta::cli {
namespace {

using namespace std::chrono;

// Microseconds by which a clock differs from the expected one: below min_step it is drift. But a
// frame arrives before it is read, so the time of its arrival follows every millisecond down.
constexpr int64_t min_step = 20000, min_step_down = 1000, min_jump = 1000000;
constexpr size_t max_segments = 4096;

constexpr int64_t second = 1000000;

int64_t floor_of(int64_t value, int64_t unit) { return value / unit - (value % unit < 0 ? 1 : 0); }

// The date and time of day of microseconds since 1970 that were moved into their zone.
std::string date_and_time(int64_t local, const char* form) {
  const sys_days day{days(floor_of(local, 86400 * second))};
  const year_month_day date(day);
  const int64_t rest = local - floor_of(local, 86400 * second) * 86400 * second;
  const auto s = int(rest / second);
  return fmt::format(fmt::runtime(form), int(date.year()), unsigned(date.month()),
                     unsigned(date.day()), s / 3600, s / 60 % 60, s % 60,
                     int(rest % second / 1000));
}

std::string zone_text(int zone, const char* colon) {
  const int minutes = std::abs(zone) / 60;
  return fmt::format("{}{:02}{}{:02}", zone < 0 ? '-' : '+', minutes / 60, colon, minutes % 60);
}

int local_zone(int64_t micros) {
  const auto seconds = time_t(floor_of(micros, second));
  std::tm local{};
  return localtime_r(&seconds, &local) ? int(local.tm_gmtoff) : 0;
}

}  // namespace

void add_clock_options(CLI::App& app, ClockOptions& options) {
  app.add_option("--begins", options.begins,
                 "set the time of day at which the video begins: 2026-11-25T06:00, with a zone "
                 "(+01:00) or in that of this machine, or now. The default is the time in the file")
      ->type_name("TIME");
  app.add_flag("--stamp", options.stamp, "show the time of day in the video of -o");
}

void check_clock(const ClockOptions& options, const std::string& out) {
  if (!options.begins.empty()) parse_day_time("--begins", options.begins);
  if (options.stamp && out.empty())
    usage_error("", "--stamp shows the time of day in a video; name it with -o");
}

DayTime parse_day_time(std::string_view flag, const std::string& text) {
  if (text == "now")
    return {duration_cast<microseconds>(system_clock::now().time_since_epoch()).count(), {}};
  const auto fail = [&](std::string_view why) {
    usage_error(text, "{} is {}: {}; use 2026-11-25T06:00, 2026-11-25T06:00:30+01:00 or now", flag,
                text, why);
  };
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2d%*1[T ]%2d:%2d%n", &y, &mo, &d, &h, &mi, &used) != 5 ||
      used == 0)
    fail("it is not a date and a time");
  double seconds = 0;
  std::string_view rest = std::string_view(text).substr(size_t(used));
  if (rest.starts_with(':')) {
    const size_t end = std::min(rest.find_first_not_of("0123456789.", 1), rest.size());
    const std::string digits(rest.substr(1, end - 1));
    char* stop = nullptr;
    seconds = std::strtod(digits.c_str(), &stop);
    if (digits.size() < 2 || digits[0] == '.' || *stop) fail("the seconds are no number");
    rest.remove_prefix(end);
  }
  const year_month_day date{year(y), month(unsigned(mo)), day(unsigned(d))};
  if (!date.ok() || y < 1970 || h > 23 || h < 0 || mi > 59 || mi < 0 || seconds >= 60)
    fail("there is no such time");
  DayTime time;
  if (!rest.empty()) {
    int zh = 0, zm = 0, end = 0;
    const std::string zone(rest);
    const bool is_offset = std::sscanf(zone.c_str(), "%*1[+-]%2d:%2d%n", &zh, &zm, &end) == 2 &&
                           end > 0 && size_t(end) == zone.size() && zone.size() == 6;
    if (zone != "Z" && (!is_offset || zh > 23 || zh < 0 || zm > 59 || zm < 0))
      fail(fmt::format("\"{}\" is not a zone", zone));
    time.zone = (zone[0] == '-' ? -1 : 1) * (zh * 3600 + zm * 60);
  }
  const int64_t local =
      duration_cast<std::chrono::seconds>(sys_days(date).time_since_epoch()).count() + h * 3600 +
      mi * 60;
  std::tm parts{};
  parts.tm_year = y - 1900, parts.tm_mon = mo - 1, parts.tm_mday = d;
  parts.tm_hour = h, parts.tm_min = mi, parts.tm_isdst = -1;
  const int64_t utc = time.zone ? local - *time.zone : int64_t(std::mktime(&parts));
  time.micros = utc * second + std::llround(seconds * double(second));
  return time;
}

DayClock::DayClock(const ClockOptions& options, const io::WallClock& first,
                   const std::string& source)
    : source_(first.source) {
  if (!options.begins.empty()) {
    if (source_ == io::ClockSource::camera || source_ == io::ClockSource::arrival)
      usage_error(options.begins, "--begins is {} and {} has a clock of its own; leave it out",
                  options.begins, source);
    const DayTime begins = parse_day_time("--begins", options.begins);
    is_given_ = true;
    zone_ = begins.zone;
    segments_.push_back({0, begins.micros});
  } else if (first) {
    segments_.push_back({0, first.micros});
  }
  if (options.stamp && !is_known())
    usage_error("", "--stamp: {} has no time of day; set it with --begins", source);
}

const char* DayClock::source() const {
  if (is_given_) return "begins";
  switch (source_) {
    case io::ClockSource::none: break;
    case io::ClockSource::file: return "file";
    case io::ClockSource::camera: return "camera";
    case io::ClockSource::arrival: return "arrival";
  }
  return "none";
}

std::optional<ClockJump> DayClock::see(const io::Frame& frame) {
  if (is_given_ || !frame.clock) return std::nullopt;
  const int64_t time = std::llround(frame.time * double(second));
  int64_t offset = frame.clock.micros - time;
  const bool is_other = std::exchange(source_, frame.clock.source) != frame.clock.source;
  if (segments_.empty()) segments_.push_back({frame.time, offset});
  const int64_t before = segments_.back().offset, step = std::abs(offset - before);
  const bool is_late = source_ == io::ClockSource::arrival && before - offset >= min_step_down;
  if (step >= min_step || is_late || is_other) {
    // What is corrected by little never goes back.
    if (step < min_jump) offset = std::max(offset, last_ - time);
    segments_.push_back({frame.time, offset});
    if (segments_.size() > max_segments) segments_.pop_front();
  }
  last_ = time + segments_.back().offset;
  if (step < min_jump) return std::nullopt;
  return ClockJump{frame.time, before + time, frame.clock.micros, source_};
}

int64_t DayClock::at(double seconds) const {
  const auto later = std::ranges::upper_bound(segments_, seconds, {}, &Segment::from);
  const Segment& segment = later == segments_.begin() ? segments_.front() : *std::prev(later);
  return segment.offset + std::llround(seconds * double(second));
}

int DayClock::zone_of(int64_t micros) const { return zone_ ? *zone_ : local_zone(micros); }

std::string DayClock::text_of(int64_t micros) const {
  const int64_t rounded = floor_of(micros + 500, 1000) * 1000;
  const int zone = zone_of(rounded);
  return date_and_time(rounded + zone * second, "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}") +
         zone_text(zone, ":");
}

std::string DayClock::text(double seconds) const {
  return is_known() ? text_of(at(seconds)) : std::string();
}

std::string DayClock::name(double seconds) const {
  const int64_t micros = at(seconds);
  const int zone = zone_of(micros);
  return date_and_time(micros + zone * second, "{:04}{:02}{:02}T{:02}{:02}{:02}") +
         zone_text(zone, "");
}

std::string DayClock::shown(double seconds) const {
  const int64_t micros = at(seconds);
  return date_and_time(micros + zone_of(micros) * second, "{:04}-{:02}-{:02} {:02}:{:02}:{:02}");
}

int64_t DayClock::hour(double seconds) const {
  if (!is_known()) return int64_t(std::floor(seconds / 3600));
  const int64_t micros = at(seconds);
  return floor_of(micros + zone_of(micros) % 3600 * second, 3600 * second);
}

std::string DayClock::day_of(int64_t hour) const {
  if (!is_known()) return fmt::format("{},{}", floor_of(hour, 24), hour - floor_of(hour, 24) * 24);
  int64_t micros = hour * 3600 * second;
  micros -= zone_of(micros) % 3600 * second;
  return date_and_time(micros + zone_of(micros) * second, "{:04}-{:02}-{:02},{}");
}

int DayClock::minute(double seconds) const {
  const int64_t micros = at(seconds), local = micros + zone_of(micros) * second;
  return int((local - floor_of(local, 86400 * second) * 86400 * second) / (60 * second));
}

void put_clock(Json& json, const char* key, const DayClock& clock, double seconds) {
  if (clock.is_known()) json[key] = clock.text(seconds);
}

}  // namespace cuesta::cli
