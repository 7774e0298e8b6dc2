#include "apps/watch/live_board.hpp"

#include <algorithm>

#include "apps/watch/snapshot.hpp"
#include "cli/boxes.hpp"
#include "cuesta/io/colors.hpp"
#include "cuesta/io/overlap.hpp"
#include "cuesta/io/picture.hpp"

namespace cuesta::cli {
namespace {

using namespace std::chrono_literals;

Jpeg jpeg_with_boxes(const LiveFrame& live) {
  constexpr Size most{1280, 960};
  const BoxPainter painter(live.format);
  io::FrameBuffer buffer;
  buffer.assign(live.frame);
  painter.draw(buffer, live.objects);
  painter.draw(buffer, live.lines);
  Image<uint8_t> rgb(live.format.width, live.format.height, 3);
  io::make_rgb(buffer.frame(), live.format, rgb);
  return jpeg_of(shrunk(rgb, most));
}

}  // namespace

Jpeg jpeg_of(const Image<uint8_t>& rgb) {
  const auto bytes = io::encode_picture(".jpg", rgb, {.quality = 75});
  return std::make_shared<const std::string>(bytes.begin(), bytes.end());
}

bool LiveBoard::wants_frame() {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const bool is_watched = asked_ && now - *asked_ < 2s;
  if (taken_ && now - *taken_ < (is_watched ? 100ms : 1000ms)) return false;
  taken_ = now;
  return true;
}

void LiveBoard::put_frame(std::shared_ptr<const LiveFrame> frame) {
  {
    const std::lock_guard lock(mutex_);
    frame_ = std::move(frame);
  }
  came_.notify_all();
}

void LiveBoard::put_state(Json state) {
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
  seen_ = Clock::now();
}

void LiveBoard::put_history(Json history) {
  const std::lock_guard lock(mutex_);
  history_ = std::move(history);
}

void LiveBoard::put_event(LiveEvent event) {
  const std::lock_guard lock(mutex_);
  if (!events_.empty() && events_.front().id == event.id) events_.pop_front();
  events_.push_front(std::move(event));
  if (events_.size() > events_kept) events_.pop_back();
}

void LiveBoard::end() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
}

Json LiveBoard::state() const {
  const std::lock_guard lock(mutex_);
  Json out = {{"name", name_}};
  out.update(state_);
  out["ended"] = has_ended_;
  if (seen_) out["age"] = double((Clock::now() - *seen_) / 1ms) / 1000;
  Json& events = out["events"] = Json::array();
  for (const LiveEvent& event : events_) {
    events.push_back(event.about);
    events.back()["picture"] = bool(event.best || event.picture);
    events.back()["clip_file"] = event.clip.filename().string();
  }
  return out;
}

Json LiveBoard::history() const {
  const std::lock_guard lock(mutex_);
  return history_;
}

Jpeg LiveBoard::picture(int64_t& index) {
  std::shared_ptr<const LiveFrame> frame;
  {
    std::unique_lock lock(mutex_);
    asked_ = Clock::now();
    came_.wait_for(lock, 500ms, [&] { return frame_ && frame_->frame.index > index; });
    frame = frame_;
  }
  if (!frame || frame->frame.index <= index) return nullptr;
  index = frame->frame.index;
  const std::lock_guard lock(encoding_);
  if (index != encoded_index_) encoded_ = jpeg_with_boxes(*frame);
  encoded_index_ = index;
  return encoded_;
}

Jpeg LiveBoard::picture_of_event(int64_t id) {
  const auto find = [&] { return std::ranges::find(events_, id, &LiveEvent::id); };
  std::shared_ptr<const Image<uint8_t>> best;
  {
    const std::lock_guard lock(mutex_);
    const auto event = find();
    if (event == events_.end()) return nullptr;
    if (event->picture || !event->best) return event->picture;
    best = event->best;
  }
  Jpeg made = jpeg_of(*best);
  const std::lock_guard lock(mutex_);
  const auto event = find();
  // One that has not ended may have a better picture by now.
  if (event != events_.end() && event->about.at("state") == "ended") {
    event->picture = made;
    event->best = nullptr;
  }
  return made;
}

std::filesystem::path LiveBoard::clip_of_event(int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto event = std::ranges::find(events_, id, &LiveEvent::id);
  return event == events_.end() ? std::filesystem::path() : event->clip;
}

}  // namespace cuesta::cli
