#include "cli/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "cli/common.hpp"
#include "cli/digest.hpp"
#include "io/text_file.hpp"

namespace cuesta::cli {
namespace {

// Seconds that the model sees before a checkpoint.
constexpr double min_seconds = 10;

Json line_of(const Checkpoint& at) {
  Json line = {{"kind", "file"},         {"file", at.file},          {"time", at.time},
               {"frame", at.frame},      {"clock", nullptr},         {"quiet", at.is_quiet},
               {"event", at.next_event}, {"object", at.next_object}, {"sizes", at.sizes},
               {"states", at.states}};
  if (at.clock) line["clock"] = *at.clock;
  return line;
}

Checkpoint checkpoint_of(const Json& line) {
  Checkpoint at{.file = line.at("file"),
                .time = line.at("time"),
                .frame = line.at("frame"),
                .is_quiet = line.at("quiet"),
                .next_event = line.at("event"),
                .next_object = line.at("object"),
                .sizes = line.at("sizes"),
                .states = line.at("states")};
  if (!line.at("clock").is_null()) at.clock = line.at("clock").get<int64_t>();
  return at;
}

int64_t digest_of_text(std::string_view text, int64_t before = 0) {
  Digest digest;
  for (const uint32_t half : {uint32_t(before), uint32_t(before >> 32)}) digest.add(half);
  for (const char c : text) digest.add(uint8_t(c));
  return int64_t(digest.value());
}

/// The line with a checksum of itself and of all lines before it, whose checksum `sum` was.
std::string summed(Json line, int64_t& sum) {
  line["sum"] = sum = digest_of_text(cli::line_of(line), sum);
  return cli::line_of(line) + "\n";
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// A result that is gone begins again. One that is shorter than it was has lost lines.
std::string shorter_of(const Checkpoint& at) {
  for (const auto& [path, size] : at.sizes) {
    std::error_code error;
    const auto now = std::filesystem::file_size(path, error);
    if (!error && int64_t(now) < size) return path;
  }
  return {};
}

}  // namespace

int64_t digest_of(const std::string& path) {
  return path.empty() ? 0 : digest_of_text(io::text_of_file(path));
}

RecordingJournal::RecordingJournal(std::string path, int64_t min_frames)
    : path_(std::move(path)), lock_(lock_file(path_, "--resume")) {
  read();
  choose(min_frames);
}

// A last line that a crash cut counts as not written.
void RecordingJournal::read() {
  if (!is_there(path_)) return;
  std::istringstream in(io::text_of_file(path_));
  std::string text;
  const auto fail = [&](std::string_view what) {
    throw Error(ErrorCode::input, fmt::format("{}: {}; name another file", path_, what), path_);
  };
  constexpr auto none = "this is not a journal of --resume";
  while (std::getline(in, text) && !in.eof()) {
    try {
      Json line = Json::parse(text);
      line.erase("sum");
      if (summed(line, sum_) != text + "\n") fail("this journal was changed since it was written");
      if (settings_.is_null()) {
        if (line.at("kind") != "journal") fail(none);
        settings_ = line.at("settings");
      } else {
        files_.push_back(checkpoint_of(line));
      }
    } catch (const Json::exception&) {
      fail(none);
    }
  }
  if (settings_.is_null() && !text.empty()) fail(none);
}

void RecordingJournal::choose(int64_t min_frames) {
  std::string shorter;
  while (!files_.empty()) {
    shorter = files_.back().is_quiet ? shorter_of(files_.back()) : shorter;
    if (files_.back().is_quiet && shorter.empty()) break;
    files_.pop_back();
  }
  if (files_.empty() && !shorter.empty()) {
    throw Error(
        ErrorCode::input,
        fmt::format("{}: it is shorter than {} says; remove both to begin again", shorter, path_),
        shorter);
  }
  if (files_.empty()) return;
  point_ = files_.back();
  std::erase_if(point_->sizes, [](const auto& one) { return !is_there(one.first); });
  size_t first = files_.size() - 1;
  const auto is_enough = [&](const Checkpoint& at) {
    return point_->time - at.time >= min_seconds && point_->frame - at.frame >= min_frames;
  };
  while (first > 0 && !is_enough(files_[first]) && is_there(files_[first - 1].file)) --first;
  start_ = {files_[first].time, files_[first].frame, files_[first].clock};
  for (size_t i = 0; i + 1 < files_.size(); ++i) {
    done_.insert(files_[i].file);
    if (i >= first) warm_up_.push_back(files_[i].file);
  }
}

std::vector<std::string> RecordingJournal::left_of(std::vector<std::string> listed) const {
  std::erase_if(listed, [&](const std::string& path) { return done_.contains(path); });
  if (!listed.empty()) listed.insert(listed.begin(), warm_up_.begin(), warm_up_.end());
  return listed;
}

io::RecordingStart RecordingJournal::start() const { return start_; }

bool RecordingJournal::is_known(const io::Frame& frame) {
  if (!frame.file) return is_known_;
  if (point_ && frame.file->path == point_->file && frame.index != point_->frame) {
    throw Error(
        ErrorCode::input,
        fmt::format("{}: its first frame is number {} and was {} in the earlier run: a file "
                    "before it is new or was changed; remove {} and the lists to begin again",
                    point_->file, frame.index, point_->frame, path_),
        point_->file);
  }
  return is_known_ = std::ranges::find(warm_up_, frame.file->path) != warm_up_.end();
}

void RecordingJournal::begin(const Json& settings) {
  if (!settings_.is_null()) {
    for (const auto& [name, value] : settings.items()) {
      const Json before = settings_.value(name, Json());
      if (before == value) continue;
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--resume {}: {} was {} and is {}; use the settings of the earlier "
                              "run, or remove {} to begin again",
                              path_, name, before.dump(), value.dump(), path_),
                  path_);
    }
  }
  // Without the files that are gone, and what came after the checkpoint.
  sum_ = 0;
  std::string text = summed({{"kind", "journal"}, {"settings", settings}}, sum_);
  for (size_t i = 0; i < files_.size(); ++i)
    if (i + 1 == files_.size() || is_there(files_[i].file))
      text += summed(line_of(files_[i]), sum_);
  if (!lock_) lock_ = lock_file(path_, "--resume");  // a run that began since has made it
  io::RecordFile whole(path_, io::Placing::when_whole);
  whole.write(text);
  whole.finish();
  lock_ = lock_file(path_, "--resume");  // another file of the same name
  lines_ = std::make_unique<io::RecordFile>(path_, io::Placing::growing, int64_t(text.size()));
}

void RecordingJournal::add(const Checkpoint& now) {
  if (point_ && now.file == point_->file) return;
  lines_->write(summed(line_of(now), sum_));
}

}  // namespace cuesta::cli
