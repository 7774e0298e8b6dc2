#include "apps/watch/lists.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "cli/common.hpp"
#include "io/text_file.hpp"

namespace cuesta::cli {
namespace {

using namespace std::string_view_literals;  // of a text, span would take the 0 at its end

std::string cell_of_zones(uint64_t zones, const WatchFacts& facts) {
  return io::csv_cell(fmt::format("{}", fmt::join(names_of(zones, facts), "; ")));
}

class CsvList final : public EventSink {
 public:
  CsvList(const std::string& path, const WatchFacts& facts)
      : facts_(facts), file_(text_file(path, facts)) {
    if (!file_->is_empty()) return;
    file_->write(
        "event,start,end,duration,first_frame,last_frame,clip_start,clip_end,objects,max_at_once,"
        "ids,zones,crossings,best_frame,best_time,start_clock,end_clock,kind,reason\n"sv);
  }
  void ended(const Event& e) override {
    uint64_t zones = 0;
    std::vector<std::string> ids, crossings;
    for (const EventObject& object : e.objects) {
      zones |= object.zones;
      ids.push_back(std::to_string(object.id));
    }
    for (const Crossing& c : e.crossings)
      crossings.push_back(
          fmt::format("{}:{}:{}", facts_.lines[c.line].name, c.id, way_of(c, facts_)));
    file_->write(fmt::format(
        "{},{:.3f},{:.3f},{:.3f},{},{},{:.3f},{:.3f},{},{},{},{},{},{},{:.3f},{},{},event,\n", e.id,
        e.first.seconds, e.last.seconds, e.last.seconds - e.first.seconds, e.first.index,
        e.last.index, e.clip_start, e.clip_end, e.objects.size(), e.max_at_once,
        fmt::join(ids, " "), cell_of_zones(zones, facts_),
        io::csv_cell(fmt::format("{}", fmt::join(crossings, "; "))), e.best.index, e.best.seconds,
        facts_.clock.text(e.first.seconds), facts_.clock.text(e.last.seconds)));
  }
  void unblinded(const BlindTime& blind) override {
    const auto [from, to] = blind;
    file_->write(fmt::format(
        "0,{0:.3f},{1:.3f},{2:.3f},{3},{4},{0:.3f},{1:.3f},0,0,,,,{3},{0:.3f},{5},{6},blind,{7}\n",
        from.seconds, to.seconds, to.seconds - from.seconds, from.index, to.index,
        facts_.clock.text(from.seconds), facts_.clock.text(to.seconds),
        io::csv_cell(BlindTime::reason)));
  }
  void finish() override { file_->finish(); }

 private:
  const WatchFacts& facts_;
  std::unique_ptr<io::RecordFile> file_;
};

class JsonList final : public EventSink {
 public:
  JsonList(const std::string& path, const WatchFacts& facts)
      : facts_(facts), file_(text_file(path, facts)) {}
  void ended(const Event& event) override {
    write(line_of("event", json_of(event, "ended", facts_)));
  }
  void unblinded(const BlindTime& blind) override {
    write(line_of("blind", json_of(blind, facts_.clock)));
  }
  void finish() override { file_->finish(); }

 private:
  void write(Json line) { file_->write(line_of(of_camera(facts_.camera, std::move(line))) + "\n"); }
  const WatchFacts& facts_;
  std::unique_ptr<io::RecordFile> file_;
};

// Clips one after the other, as an editor lays them on its first track. Timecodes count frames at
// the next whole rate (non-drop): 29.97 as 30, so that a frame has the same number in both.
class EdlList final : public EventSink {
 public:
  EdlList(const std::string& path, const WatchFacts& facts)
      : facts_(facts),
        file_(text_file(path, facts)),
        base_(std::max<int64_t>(1, std::llround(facts.rate()))) {
    name_ = valid_utf8(std::filesystem::path(facts.source).filename().string());
    std::ranges::replace_if(
        name_, [](unsigned char c) { return c < ' '; }, ' ');
    if (const Json before = state_of(path, facts); !before.is_null()) laid_ = before;
    if (!file_->is_empty()) return;
    file_->write(fmt::format("TITLE: {}\nFCM: NON-DROP FRAME\n", name_));
  }
  void ended(const Event& e) override {
    const int64_t in = frame_at(e.clip_start), out = std::max(in, frame_at(e.clip_end)) + 1;
    file_->write(fmt::format(
        "\n{:03}  AX       V     C        {} {} {} {}\n* FROM CLIP NAME: {}\n* COMMENT: event {}, "
        "{} object{}\n",
        e.id, timecode(in), timecode(out), timecode(laid_), timecode(laid_ + out - in), name_, e.id,
        e.objects.size(), e.objects.size() == 1 ? "" : "s"));
    laid_ += out - in;
  }
  Json state() const override { return laid_; }
  void finish() override { file_->finish(); }

 private:
  int64_t frame_at(double seconds) const { return std::llround(seconds * facts_.rate()); }
  std::string timecode(int64_t frame) const {
    const int64_t seconds = frame / base_;
    return fmt::format("{:02}:{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60,
                       frame % base_);
  }
  const WatchFacts& facts_;
  std::unique_ptr<io::RecordFile> file_;
  int64_t base_, laid_ = 0;
  std::string name_;
};

// Annotations as they come; the list of images, which is short, at the end.
class CocoFile final : public EventSink {
 public:
  CocoFile(const std::string& path, const WatchFacts& facts)
      : facts_(facts), file_(text_file(path, facts)) {
    const Json info = {{"description", facts.source}};
    file_->write(fmt::format(
        "{{\"info\":{},\"licenses\":[],\n\"categories\":[{{\"id\":1,\"name\":\"moving object\","
        "\"supercategory\":\"\"}}],\n\"annotations\":[",
        line_of(info)));
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    images_.push_back({frame.index, frame.time});
    for (const TrackedObject& object : step.objects) {
      const Rect& b = object.detection.box;
      const Json line = {{"id", ++annotations_},
                         {"image_id", frame.index + 1},
                         {"category_id", 1},
                         {"bbox", {b.x, b.y, b.width, b.height}},
                         {"area", object.detection.area},
                         {"iscrowd", 0},
                         {"track_id", object.id},
                         {"attributes", {{"track_id", object.id}}}};
      file_->write((annotations_ > 1 ? ",\n" : "\n") + line_of(line));
    }
  }
  void finish() override {
    file_->write("],\n\"images\":["sv);
    for (size_t i = 0; i < images_.size(); ++i) {
      const Json line = {{"id", images_[i].index + 1},
                         {"width", facts_.format.width},
                         {"height", facts_.format.height},
                         {"file_name", fmt::format("frame_{:06}.PNG", images_[i].index)},
                         {"time", images_[i].seconds}};
      file_->write((i > 0 ? ",\n" : "\n") + line_of(line));
    }
    file_->write("]}\n"sv);
    file_->finish();
  }

 private:
  const WatchFacts& facts_;
  std::unique_ptr<io::RecordFile> file_;
  std::vector<FrameTime> images_;
  int64_t annotations_ = 0;
};

class ObjectList final : public EventSink {
 public:
  ObjectList(const std::string& path, const WatchFacts& facts)
      : facts_(facts), file_(text_file(path, facts)) {
    if (file_->is_empty()) file_->write("frame,time,clock,id,x,y,w,h,zone\n"sv);
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    for (const TrackedObject& object : step.objects) {
      const Rect& b = object.detection.box;
      file_->write(fmt::format("{},{:.3f},{},{},{},{},{},{},{}\n", frame.index, frame.time,
                               facts_.clock.text(frame.time), object.id, b.x, b.y, b.width,
                               b.height, cell_of_zones(object.zones, facts_)));
    }
  }
  void finish() override { file_->finish(); }

 private:
  const WatchFacts& facts_;
  std::unique_ptr<io::RecordFile> file_;
};

class CountList final : public EventSink {
 public:
  CountList(const std::string& path, const WatchFacts& facts)
      : facts_(facts), file_(text_file(path, facts)), counts_(facts.lines.size()) {
    if (file_->is_empty()) file_->write("line,way,day,hour,count\n"sv);
    const Json before = state_of(path, facts);
    if (before.is_null()) return;
    hour_ = before.at("hour").get<int64_t>();
    for (size_t i = 0; i < counts_.size(); ++i)
      counts_[i] = {.to_right = before.at("counts").at(i).at(0),
                    .to_left = before.at("counts").at(i).at(1)};
  }
  Json state() const override {
    if (!hour_) return nullptr;
    Json counts = Json::array();
    for (const LineCount& one : counts_) counts.push_back({one.to_right, one.to_left});
    return {{"hour", *hour_}, {"counts", std::move(counts)}};
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    const int64_t hour = facts_.clock.hour(frame.time);
    if (!hour_) hour_ = hour;
    // Hours that nothing came in have rows, too, unless the clock was set.
    const bool is_set = hour < *hour_ || hour - *hour_ > 24 * 31;
    for (; !is_set && *hour_ < hour; ++*hour_) write_hour();
    if (is_set) write_hour();
    hour_ = hour;
    for (const Crossing& c : step.crossings)
      ++(c.to_right ? counts_[c.line].to_right : counts_[c.line].to_left);
  }
  void finish() override {
    if (hour_) write_hour();
    file_->finish();
  }

 private:
  void write_hour() {
    for (size_t i = 0; i < counts_.size(); ++i) {
      for (const bool right : {true, false})
        file_->write(fmt::format("{},{},{},{}\n", io::csv_cell(facts_.lines[i].name),
                                 io::csv_cell(facts_.lines[i].ways[right ? 0 : 1]),
                                 facts_.clock.day_of(*hour_),
                                 right ? counts_[i].to_right : counts_[i].to_left));
      counts_[i] = {};
    }
  }

  const WatchFacts& facts_;
  std::unique_ptr<io::RecordFile> file_;
  std::vector<LineCount> counts_;
  std::optional<int64_t> hour_;  // as DayClock::hour() has it
};

class MotFile final : public EventSink {
 public:
  MotFile(const std::string& path, const WatchFacts& facts) : file_(text_file(path, facts)) {}
  void frame(const io::Frame& frame, const SceneStep& step) override {
    for (const TrackedObject& object : step.objects) {
      const Rect& b = object.detection.box;
      file_->write(fmt::format("{},{},{},{},{},{},1,-1,-1,-1\n", frame.index + 1, object.id,
                               b.x + 1, b.y + 1, b.width, b.height));
    }
  }
  void finish() override { file_->finish(); }

 private:
  std::unique_ptr<io::RecordFile> file_;
};

}  // namespace

void check_event_list(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".csv" && extension != ".edl" && extension != ".ndjson")
    usage_error(path, "--events is {}; the extension must be .csv, .edl or .ndjson", path);
}

std::unique_ptr<EventSink> event_list(const std::string& path, const WatchFacts& facts) {
  check_event_list(path);
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".csv") return std::make_unique<CsvList>(path, facts);
  if (extension == ".edl") return std::make_unique<EdlList>(path, facts);
  return std::make_unique<JsonList>(path, facts);
}

void check_table(std::string_view option, const std::string& path) {
  if (!path.empty() && std::filesystem::path(path).extension() != ".csv")
    usage_error(path, "{} is {}; the extension must be .csv", option, path);
}
std::unique_ptr<EventSink> count_list(const std::string& path, const WatchFacts& facts) {
  return std::make_unique<CountList>(path, facts);
}
std::unique_ptr<EventSink> object_list(const std::string& path, const WatchFacts& facts) {
  return std::make_unique<ObjectList>(path, facts);
}

std::unique_ptr<EventSink> coco_file(const std::string& path, const WatchFacts& facts) {
  return std::make_unique<CocoFile>(path, facts);
}
std::unique_ptr<EventSink> mot_file(const std::string& path, const WatchFacts& facts) {
  return std::make_unique<MotFile>(path, facts);
}

}  // namespace cuesta::cli
