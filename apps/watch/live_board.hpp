// What a camera's part of the page of --live shows: written by the camera's thread, read by those
// that answer requests. Neither waits for the other's work.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/watch/clips.hpp"
#include "apps/watch/live_history.hpp"
#include "cli/event_sink.hpp"
#include "cuesta/image.hpp"

namespace cuesta::cli {

/// The bytes of a JPEG; null where there is none.
using Jpeg = std::shared_ptr<const std::string>;

/// A frame with what was found in it.
struct LiveFrame {
  io::Frame frame{};  ///< of the planes below
  std::array<Image<uint8_t>, 3> planes{};
  io::StreamFormat format{};
  std::vector<TrackedObject> objects{};
  std::vector<CountingLine> lines{};
};

/// As quality 75.
Jpeg jpeg_of(const Image<uint8_t>& rgb);

/// A recent event.
struct LiveEvent {
  int64_t id = 0;  ///< counts on over the runs of a history
  Json about{};    ///< without "picture" and "clip_file"
  /// Its picture, RGB, until somebody asks for it; from then on `picture`.
  std::shared_ptr<const Image<uint8_t>> best{};
  Jpeg picture{};
  std::filesystem::path clip{};
};

class LiveBoard {
 public:
  static constexpr size_t events_kept = 50;

  explicit LiveBoard(std::string name) : name_(std::move(name)) {}

  // ---- by the camera

  /// Whether a picture of the frame that comes is wanted: ten in a second while somebody asks, else
  /// one.
  bool wants_frame();
  void put_frame(std::shared_ptr<const LiveFrame> frame);
  /// Of a frame that came now.
  void put_state(Json state);
  void put_history(Json history);
  void put_event(LiveEvent event);
  /// No more will.
  void end();

  // ---- by requests

  /// The camera's state and recent events, the newest first.
  Json state() const;
  Json history() const;
  /// The next frame that comes after the one of this index, with its boxes, and its own index;
  /// waits half a second for it.
  Jpeg picture(int64_t& index);
  Jpeg picture_of_event(int64_t id);
  /// Empty where there is none.
  std::filesystem::path clip_of_event(int64_t id) const;

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex mutex_;  // held for a moment only
  std::condition_variable came_;
  const std::string name_;
  std::shared_ptr<const LiveFrame> frame_;
  std::optional<Clock::time_point> asked_, taken_, seen_;
  bool has_ended_ = false;
  Json state_ = Json::object(), history_ = Json::object();
  std::deque<LiveEvent> events_;

  std::mutex encoding_;  // one picture is encoded at a time, and each once
  int64_t encoded_index_ = -1;
  Jpeg encoded_;
};

/// Fills a board, first with what `history` has of earlier runs: a folder, or empty for none.
/// `facts` and `clips`, which may be null, live as long. Throws Error{invalid_argument} for a
/// history of a video without a time of day, Error{output}.
std::unique_ptr<EventSink> live_sink(const WatchFacts& facts, std::shared_ptr<LiveBoard> board,
                                     const ClipFolder* clips, const std::string& history);

}  // namespace cuesta::cli
