// A camera, as the page of --live shows it.
#include <algorithm>

#include "apps/watch/live_board.hpp"
#include "apps/watch/snapshot.hpp"
#include "cli/common.hpp"

namespace cuesta::cli {
namespace {

using Clock = std::chrono::steady_clock;

class LiveSink final : public EventSink {
 public:
  LiveSink(const WatchFacts& facts, std::shared_ptr<LiveBoard> board, const ClipFolder* clips)
      : facts_(facts), board_(std::move(board)), clips_(clips) {}

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
    if (put_ && now - *put_ < std::chrono::seconds(2)) return;
    put_ = now;
    board_->put_history(history_.json());
  }
  void finish() override {
    board_->put_history(history_.json());
    board_->end();
  }

 private:
  void put(const Event& event, const char* state) {
    LiveEvent out{.id = event.id, .about = json_of(event, state, facts_), .best = best_};
    uint64_t zones = 0;
    for (const EventObject& object : event.objects) zones |= object.zones;
    out.about["zones"] = names_of(zones, facts_);
    if (std::string(state) == "ended") {
      if (clips_) out.clip = clips_->last();
      best_ = nullptr;
    }
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
  std::optional<Clock::time_point> put_;  // the history
};

}  // namespace

std::unique_ptr<EventSink> live_sink(const WatchFacts& facts, std::shared_ptr<LiveBoard> board,
                                     const ClipFolder* clips) {
  return std::make_unique<LiveSink>(facts, std::move(board), clips);
}

}  // namespace cuesta::cli
