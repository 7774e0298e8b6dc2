#include "apps/watch/segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include "cli/common.hpp"
#include "cli/results.hpp"
#include "io/text_file.hpp"

namespace cuesta::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view head =
    "file,begin,end,begin_clock,end_clock,bytes,moving,max_score,events,objects";

struct Unit {
  std::string_view name;
  double seconds, bytes;
};
constexpr Unit units[] = {{"min", 60, 0}, {"h", 3600, 0}, {"d", 86400, 0},
                          {"MB", 0, 1e6}, {"GB", 0, 1e9}, {"TB", 0, 1e12}};

std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells;
  std::istringstream text(line);
  for (std::string cell; std::getline(text, cell, separator);) cells.push_back(cell);
  return cells;
}

template <class T>
T number_of(const std::string& text, T otherwise = 0) {
  T value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string growing_name(const std::string& file) {
  return fs::path(file).replace_extension(".part.mkv").string();
}

int64_t size_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return -1;
  const auto size = fs::file_size(path, error);
  return error ? -1 : int64_t(size);
}

// A name that begin() made, or the one under which it grew.
bool is_name(const std::string& file) {
  return file.starts_with("segment-") && file.ends_with(".mkv") &&
         file.find('/') == std::string::npos;
}

}  // namespace

SegmentLimits limits_of(const std::string& text) {
  SegmentLimits limits;
  for (const std::string& part : cells_of(text, ',')) {
    double value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    const std::string_view rest(end, size_t(part.data() + part.size() - end));
    const Unit* unit = std::ranges::find(units, rest, &Unit::name);
    const bool is_known =
        error == std::errc() && value > 0 && value < 1e6 && unit != std::end(units);
    if (!is_known || (unit->bytes > 0 ? limits.bytes.has_value() : limits.seconds.has_value()))
      usage_error(
          text,
          "--keep is {}; it must be an age (30min, 12h, 7d), a size (500MB, 200GB, 2TB), or "
          "both with a comma between them",
          text);
    if (unit->bytes > 0)
      limits.bytes = int64_t(value * unit->bytes);
    else
      limits.seconds = value * unit->seconds;
  }
  return limits;
}

SegmentFolder::SegmentFolder(const std::string& folder) : folder_(folder) {
  const fs::path index = folder_ / "segments.csv";
  if (fs::exists(index)) read(index);
  write();
}

void SegmentFolder::read(const fs::path& index) {
  const std::string text = io::text_of_file(index.string());
  if (!text.starts_with(head))
    throw Error(
        ErrorCode::output,
        fmt::format("{}: it is no index of --record; choose another folder", index.string()),
        index.string());
  for (const std::string& line : cells_of(text.substr(head.size()), '\n')) {
    const auto cells = cells_of(line + ",", ',');
    if (cells.size() != 10 || !is_name(cells[0])) continue;
    Segment one{cells[0],
                number_of<double>(cells[1]),
                number_of<double>(cells[2]),
                cells[3],
                cells[4],
                number_of<int64_t>(cells[5], -1),
                number_of<double>(cells[6]),
                number_of<double>(cells[7]),
                number_of<int64_t>(cells[8]),
                number_of<int64_t>(cells[9])};
    if (one.bytes < 0) {
      one.file = growing_name(one.file);
      one.bytes = size_of(folder_ / one.file);
    }
    if (is_ours(one)) segments_.push_back(std::move(one));
  }
}

bool SegmentFolder::is_ours(const Segment& segment) const {
  return segment.bytes >= 0 && size_of(folder_ / segment.file) == segment.bytes;
}

void SegmentFolder::write() const {
  std::string text(head);
  for (const Segment& one : segments_) {
    text += fmt::format("\n{},{:.3f},", one.file, one.begin);
    text += one.bytes < 0 ? fmt::format(",{},,,,,,", one.begin_clock)
                          : fmt::format("{:.3f},{},{},{},{:.3f},{:.4f},{},{}", one.end,
                                        one.begin_clock, one.end_clock, one.bytes, one.moving,
                                        one.max_score, one.events, one.objects);
  }
  text += '\n';
  const auto file = text_file((folder_ / "segments.csv").string(), io::Placing::when_whole);
  file->write(text);
  file->finish();
}

fs::path SegmentFolder::begin(const std::string& when, Segment segment) {
  std::string stem = "segment-" + when;
  const auto is_taken = [&](const std::string& file) { return fs::exists(folder_ / file); };
  for (int number = 2; is_taken(stem + ".mkv") || is_taken(stem + ".part.mkv"); ++number)
    stem = fmt::format("segment-{}-{}", when, number);
  segment.file = stem + ".mkv";
  segments_.push_back(std::move(segment));
  write();
  return folder_ / segments_.back().file;
}

void SegmentFolder::end(Segment segment) {
  segment.file = segments_.back().file;
  segment.bytes = size_of(folder_ / segment.file);
  segments_.back() = std::move(segment);
  if (segments_.back().bytes < 0) segments_.pop_back();
  write();
}

void SegmentFolder::drop() {
  std::error_code ignored;
  fs::remove(folder_ / segments_.back().file, ignored);
  segments_.pop_back();
  write();
}

void SegmentFolder::abandon(Segment segment) {
  if (segments_.empty() || segments_.back().bytes >= 0) return;
  segment.file = growing_name(segments_.back().file);
  segment.bytes = size_of(folder_ / segment.file);
  segments_.back() = std::move(segment);
  if (segments_.back().bytes < 0) segments_.pop_back();
}

void SegmentFolder::keep(const SegmentLimits& limits, int64_t growing) {
  int64_t total = growing;
  for (const Segment& one : segments_) total += std::max<int64_t>(0, one.bytes);
  const auto is_old = [&](const Segment& one) {
    std::error_code error;
    const auto written = fs::last_write_time(folder_ / one.file, error);
    const std::chrono::duration<double> age = fs::file_time_type::clock::now() - written;
    return !error && limits.seconds && age.count() > *limits.seconds;
  };
  bool has_changed = false;
  while (!segments_.empty() && segments_.front().bytes >= 0) {
    const Segment& oldest = segments_.front();
    if (!(limits.bytes && total > *limits.bytes) && !is_old(oldest)) break;
    std::error_code ignored;
    if (is_ours(oldest)) fs::remove(folder_ / oldest.file, ignored);
    total -= oldest.bytes;
    segments_.pop_front();
    has_changed = true;
  }
  if (has_changed) write();
}

}  // namespace cuesta::cli
