#include "apps/watch/series.hpp"

#include <fmt/format.h>

#include "io/text_file.hpp"

namespace cuesta::cli {
namespace {

const char* switch_text(bool on) { return on ? "ON" : "OFF"; }

class ZoneList final : public EventSink {
 public:
  ZoneList(const std::string& path, const WatchFacts& facts)
      : facts_(facts), file_(text_file(path, facts)) {
    if (file_->is_empty())
      file_->write(std::string("frame,time,clock,zone,motion,occupied,since,level\n"));
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    for (size_t i = 0; i < step.zones.size(); ++i) {
      const ZoneState& zone = step.zones[i];
      if (!zone.changed) continue;
      file_->write(fmt::format("{},{:.3f},{},{},{},{},{:.3f},{}\n", frame.index, frame.time,
                               facts_.clock.text(frame.time), io::csv_cell(facts_.zones[i]),
                               switch_text(zone.motion), switch_text(zone.occupied),
                               zone.since.seconds, zone.level()));
    }
  }
  void finish() override { file_->finish(); }

 private:
  const WatchFacts& facts_;
  std::unique_ptr<io::RecordFile> file_;
};

class ScoreList final : public EventSink {
 public:
  ScoreList(const std::string& path, const WatchFacts& facts)
      : facts_(facts), file_(text_file(path, facts)) {
    if (!file_->is_empty()) return;
    std::string head = "frame,time,clock,score";
    for (size_t i = 0; i < facts.zones.size(); ++i)
      if (facts.has_state(i)) head += fmt::format(",{}", io::csv_cell(facts.zones[i]));
    file_->write(head + "\n");
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    std::string row = fmt::format("{},{:.3f},{},{:.4f}", frame.index, frame.time,
                                  facts_.clock.text(frame.time), step.score);
    for (size_t i = 0; i < step.zones.size(); ++i)
      if (facts_.has_state(i)) row += fmt::format(",{:.4f}", step.zones[i].score);
    file_->write(row + "\n");
  }
  void finish() override { file_->finish(); }

 private:
  const WatchFacts& facts_;
  std::unique_ptr<io::RecordFile> file_;
};

}  // namespace

std::unique_ptr<EventSink> zone_list(const std::string& path, const WatchFacts& facts) {
  return std::make_unique<ZoneList>(path, facts);
}
std::unique_ptr<EventSink> score_list(const std::string& path, const WatchFacts& facts) {
  return std::make_unique<ScoreList>(path, facts);
}

}  // namespace cuesta::cli
