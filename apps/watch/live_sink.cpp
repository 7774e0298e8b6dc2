// A camera, as the page of --live shows it.
#include <algorithm>
#include <map>
#include <utility>

#include "apps/watch/live_past.hpp"
#include "apps/watch/snapshot.hpp"
#include "cli/common.hpp"
#include "cli/privacy.hpp"

namespace cuesta::cli {
namespace {

using Clock = std::chrono::steady_clock;

class LiveSink final : public EventSink {
 public:
  LiveSink(const WatchFacts& facts, std::shared_ptr<LiveBoard> board, const ClipFolder* clips,
           const std::string& history)
      : facts_(facts), board_(std::move(board)), clips_(clips) {
    if (!history.empty()) begin_past(history);
  }

  void ended(const Event& event) override { put(event, "ended"); }
  void began(const Event& event) override {
    history_.begin_event(facts_.clock, event.first.seconds);
    put(event, "began");
    put_.reset();
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    history_.add(facts_.clock, frame.time, step.score, !step.objects.empty());
    if (step.is_best) {
      best_ = std::make_shared<const Image<uint8_t>>(
          snapshot_of(frame, facts_.format, step.event->best_box));
      if (step.event->id != 0 && !step.began) put(*step.event, "began");
    }
    if (board_->wants_frame()) board_->put_frame(kept(frame, step));
    board_->put_state(state_of(frame, step));
    const auto now = Clock::now();
    if (past_ && (!kept_ || now - *kept_ > std::chrono::milliseconds(500))) {
      kept_ = now;
      if (step.event && step.event->id != 0) keep(live_event(*step.event, "began"));
      keep_history();
    }
    if (put_ && now - *put_ < std::chrono::seconds(2)) return;
    put_ = now;
    board_->put_history(history_.json());
  }
  void finish() override {
    board_->put_history(history_.json());
    board_->end();
    keep_history();
    if (error_) throw Error(*error_);
  }

 private:
  void begin_past(const std::string& folder) {
    if (!facts_.clock.is_known())
      usage_error(
          folder,
          "--live-history {}: it needs the time of day, which {} does not have; set it with "
          "--begins",
          folder, facts_.source);
    past_.emplace(folder, clips_ ? clips_->folder() : std::filesystem::path(),
                  facts_.privacy ? facts_.privacy->digest() : 0);
    history_ = std::move(past_->history);
    for (auto& [id, event] : past_->events) {
      board_->put_event(std::move(event));
      before_ = id;
    }
    past_->events.clear();
    board_->put_history(history_.json());
  }

  // A disk that is full ends the history, not the run.
  template <class Work>
  void guarded(Work work) {
    if (!past_) return;
    try {
      work();
    } catch (const Error& error) {
      error_ = error;
      past_.reset();
      warn("--live-history: the history ends: {}", error.what());
    }
  }
  void keep_history() {
    guarded([&] { past_->flush(history_); });
  }
  void keep(const LiveEvent& event) {
    guarded([&] {
      const bool is_new = event.best && event.best != written_;
      written_ = event.best;
      past_->put(event, is_new ? jpeg_of(*event.best) : event.picture);
    });
  }

  // What the page shows of an event: no more, however long it lasts.
  LiveEvent live_event(const Event& event, const char* state) const {
    uint64_t zones = 0;
    for (const EventObject& object : event.objects) zones |= object.zones;
    std::map<std::pair<size_t, bool>, int64_t> counts;
    for (const Crossing& one : event.crossings) ++counts[{one.line, one.to_right}];
    Json ways = Json::array();
    for (const auto& [way, count] : counts) {
      const CountingLine& line = facts_.lines[way.first];
      ways.push_back(
          {{"line", line.name}, {"to", line.ways[way.second ? 0 : 1]}, {"count", count}});
    }
    const int64_t id = before_ + event.id;
    Json about = {{"id", id},
                  {"state", state},
                  {"start", event.first.seconds},
                  {"end", event.last.seconds},
                  {"best", {{"frame", event.best.index}}},
                  {"objects", event.objects.size()},
                  {"zones", names_of(zones, facts_)},
                  {"crossings", std::move(ways)}};
    put_clock(about, "start_clock", facts_.clock, event.first.seconds);
    return {.id = id, .about = std::move(about), .best = best_};
  }

  void put(const Event& event, const char* state) {
    LiveEvent out = live_event(event, state);
    const bool has_ended = std::string(state) == "ended";
    if (has_ended) {
      if (clips_) out.clip = clips_->last();
      best_ = nullptr;
    }
    if (has_ended || !put_event_ || *put_event_ != out.id) {
      keep(out);
      keep_history();
    }
    put_event_ = out.id;
    board_->put_event(std::move(out));
  }

  // A copy, as the planes are somebody else's and may be drawn on.
  std::shared_ptr<const LiveFrame> kept(const io::Frame& frame, const SceneStep& step) const {
    auto out = std::make_shared<LiveFrame>();
    const ConstAnyView from[] = {frame.luma, frame.cb, frame.cr};
    ConstAnyView* const to[] = {&out->frame.luma, &out->frame.cb, &out->frame.cr};
    for (size_t i = 0; i < out->planes.size(); ++i) {
      if (!from[i]) continue;
      const auto view = from[i].as<uint8_t>();
      out->planes[i] = Image<uint8_t>(view.width, view.height);
      for (int32_t y = 0; y < view.height; ++y)
        std::copy_n(view.row(y), view.width, out->planes[i].view().row(y));
      *to[i] = ImageView<const uint8_t>(out->planes[i].view());
    }
    out->frame.index = frame.index;
    out->format = facts_.format;
    out->objects.assign(step.objects.begin(), step.objects.end());
    out->lines = facts_.lines;
    return out;
  }

  Json state_of(const io::Frame& frame, const SceneStep& step) const {
    Json out = {{"source", facts_.source},
                {"width", facts_.format.width},
                {"height", facts_.format.height},
                {"frame", frame.index},
                {"time", frame.time},
                {"objects", step.objects.size()},
                {"score", step.score},
                {"event", step.event ? step.event->id : 0}};
    put_clock(out, "clock", facts_.clock, frame.time);
    Json& zones = out["zones"] = Json::array();
    for (size_t i = 0; i < step.zones.size(); ++i) {
      if (!facts_.has_state(i)) continue;
      zones.push_back(json_of(step.zones[i], i, {frame.index, frame.time}, facts_));
      Json& corners = zones.back()["polygon"] = Json::array();
      for (const Point& corner : facts_.polygons[i]) corners.push_back({corner.x, corner.y});
    }
    return out;
  }

  const WatchFacts& facts_;
  std::shared_ptr<LiveBoard> board_;
  const ClipFolder* clips_;
  MotionHistory history_;
  std::shared_ptr<const Image<uint8_t>> best_;
  std::optional<Clock::time_point> put_, kept_;  // the history
  std::optional<LivePast> past_;
  int64_t before_ = 0;                             // events of earlier runs
  std::optional<int64_t> put_event_;               // the last one
  std::shared_ptr<const Image<uint8_t>> written_;  // the picture in the journal
  std::optional<Error> error_;
};

}  // namespace

std::unique_ptr<EventSink> live_sink(const WatchFacts& facts, std::shared_ptr<LiveBoard> board,
                                     const ClipFolder* clips, const std::string& history) {
  return std::make_unique<LiveSink>(facts, std::move(board), clips, history);
}

}  // namespace cuesta::cli
