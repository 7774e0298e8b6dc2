// Reports of objects and events, and who receives them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/day_clock.hpp"
#include "cli/results.hpp"
#include "cuesta/io/frames.hpp"
#include "cuesta/io/record_file.hpp"
#include "cuesta/tracking.hpp"

namespace cuesta::cli {

class PrivacyMask;
struct Checkpoint;

/// What holds for a whole stream.
struct WatchFacts {
  std::string camera{};  ///< its name among several; else empty
  std::string source{};
  io::StreamFormat format{};
  io::Placing placing = io::Placing::when_whole;  ///< of results
  std::vector<std::string> zones{};               ///< names, as the scene has them
  std::vector<std::vector<Point>> polygons{};     ///< their corners, relative
  uint64_t included = 0;  ///< bit i: zone i includes, so that it has a state
  std::vector<CountingLine> lines{};
  DayClock clock{};
  std::shared_ptr<io::PacketRing> ring{};  ///< of a live video that clips are made of; or null
  const PrivacyMask* privacy = nullptr;    ///< of what frames are painted with; null for nothing
  const Checkpoint* resumes = nullptr;     ///< of an earlier run that results continue; or null

  bool has_state(size_t zone) const { return (included >> zone & 1) != 0; }
  Size size() const { return {format.width, format.height}; }
  double rate() const { return double(format.rate_num) / double(format.rate_den); }
};

/// Frames in which nothing could be found, as most of the picture had changed at once.
struct BlindTime {
  static constexpr const char* reason =
      "most of the picture changed at once; the background was learned again";
  FrameTime first{}, last{};
};

/// One result. Reported in the order of frames, from one thread.
class EventSink {
 public:
  EventSink() = default;
  EventSink(const EventSink&) = delete;
  EventSink& operator=(const EventSink&) = delete;
  virtual ~EventSink() = default;
  /// Comes before ended() of any result: sets the span of the event's clip to what it really shows.
  virtual void clip(Event&) {}
  /// An event that was over before the frame that comes next.
  virtual void ended(const Event&) {}
  /// Each frame; `step` holds during the call.
  virtual void frame(const io::Frame&, const SceneStep&) {}
  /// The event that this frame began.
  virtual void began(const Event&) {}
  /// A file of a joined recording begins.
  virtual void file(const io::RecordingFile&) {}
  /// What a later run needs to continue the result, beside its text; null for nothing.
  virtual Json state() const { return nullptr; }
  /// The frame that comes next is the first in which nothing can be found.
  virtual void blinded() {}
  /// Objects can be found again, or the stream ended.
  virtual void unblinded(const BlindTime&) {}
  /// After the last frame. Only then is a file whole.
  virtual void finish() = 0;
};

/// A text under its name, which continues that of an earlier run.
std::unique_ptr<io::RecordFile> text_file(const std::string& name, const WatchFacts& facts);
/// The bytes that an earlier run left in a text; 0 without one.
int64_t kept_of(const std::string& name, const Checkpoint* checkpoint);
/// EventSink::state() of the earlier run; null for nothing.
Json state_of(const std::string& name, const WatchFacts& facts);

// ---- the same words in every result that is JSON (docs/schemas)

Json json_of(const Crossing& crossing, const WatchFacts& facts);
Json json_of(const TrackedObject& object, const WatchFacts& facts);
Json json_of(const ClockJump& jump, const DayClock& clock);
Json json_of(const BlindTime& blind, const DayClock& clock);
Json json_of(const ZoneState& state, size_t zone, FrameTime at, const WatchFacts& facts);
/// Adds `score`, and where zones have a state `scores` under their names.
void put_scores(Json& line, double score, std::span<const ZoneState> zones,
                const WatchFacts& facts);
/// `state`: "began" or "ended".
Json json_of(const Event& event, const char* state, const WatchFacts& facts);
/// The name of the way that a crossing took.
const std::string& way_of(const Crossing& crossing, const WatchFacts& facts);
/// The names of the zones whose bits are set.
std::vector<std::string> names_of(uint64_t zones, const WatchFacts& facts);

/// What is reported of an event beyond this process: camera, source and event.
Json notice_of(const Event& event, const char* state, const WatchFacts& facts);

/// "0:04.3", "1:02:03.0": a time of the video for people.
std::string clock_text(double seconds);

}  // namespace cuesta::cli
