// What `cuesta detect` says of objects over time: its options, and everything they write.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/described.hpp"
#include "cli/event_sink.hpp"
#include "cli/journal.hpp"
#include "cli/scene_file.hpp"
#include "cli/schedule.hpp"
#include "cuesta/motion.hpp"

namespace cuesta::cli {

class LivePage;

/// The options as given. Any of them but --heatmap turns tracking on.
struct WatchOptions {
  bool track = false;
  std::string scene{}, mask{}, heat_map{}, report{}, clips{}, objects{}, counts{}, coco{}, mot{};
  std::string zones{}, scores{}, pictures{}, mask_privacy{}, when{};
  std::string record{}, keep{};
  std::optional<double> segment{};  ///< seconds
  bool record_motion = false;
  std::string on_event{}, mqtt{}, mqtt_discovery{};
  std::string live{}, live_token{}, live_history{};  ///< an address, a file, and a folder
  std::shared_ptr<LivePage> page{};                  ///< that --live began; null without
  int mqtt_qos = 1;
  int64_t clip_memory = int64_t(64) << 20;  ///< bytes
  bool mqtt_objects = false, mqtt_pictures = false, allow_hooks = false;
  std::string passwords{};  ///< the run's --passwords
  std::vector<std::string> events{};
  DescribedOptions described{};

  /// Every file and folder that is written, with the option that names it.
  std::vector<std::pair<std::string, std::string>> outputs() const;
  /// TrackingOptions as the options give them, but for min_area.
  TrackingOptions tracking() const;
  bool is_on() const;
  /// Whether someone is notified of events while they happen, whatever is written.
  bool tells() const { return !on_event.empty() || !mqtt.empty() || !live.empty(); }
  /// Whether a result shows pictures of the video.
  bool shows_frames() const {
    return !heat_map.empty() || !report.empty() || !live.empty() || !pictures.empty() ||
           mqtt_pictures;
  }
  /// What --scene names; nothing without it. Throws Error{input}.
  SceneFile read_scene_file() const;
  /// The pictures of --mask-privacy and of the scene.
  std::vector<std::string> privacy(const SceneFile& file) const;
};
void add_watch_options(CLI::App& app, WatchOptions& options);

/// --when. Throws Error{invalid_argument}.
Schedule schedule_of(const std::string& when);

struct WatchResults;

class Watching {
 public:
  /// Reads the scene's mask, and begins the files. Throws Error, also for a scene that does not fit
  /// the frames, naming the option and the value.
  /// `facts` without the names of zones and lines, which the scene has.
  Watching(const WatchOptions& options, SceneFile scene, const TrackingOptions& tracking,
           WatchFacts facts, const CommonOptions& common);
  Watching(const Watching&) = delete;  // results refer to it
  Watching& operator=(const Watching&) = delete;
  ~Watching();

  /// Reads the clock of a frame, before anything is said of it. Says where it jumped.
  std::optional<ClockJump> see_clock(const io::Frame& frame);
  /// A frame that an earlier run reported.
  void pass(const io::Frame& frame);
  /// What this run did so far, before a frame that begins a file; without sizes of files.
  Checkpoint checkpoint(const io::Frame& frame) const;
  /// What the detector knows of a frame; before found().
  void see_state(const io::Frame& frame, const FrameState& is);
  /// A frame as decoded, what was found in it, and the mask, whose corner is at (x, y).
  void found(const io::Frame& frame, std::span<const Detection> detections, ConstBitView mask,
             int32_t x, int32_t y);
  /// After the last frame, or where the stream breaks off for a while: ends the event in flight.
  void end_event();
  /// After the last frame: ends the time without sight.
  void end_blindness();
  /// After end_event(): waits for the programs of --on-event and the broker of --mqtt.
  void wait();
  /// Each file and what makes it whole, after end_event().
  std::vector<std::pair<std::string, std::function<void()>>> files();

  /// Whether found() looks at the mask.
  bool wants_mask() const;
  /// Whether there are objects with ids, beside what was found.
  bool is_tracking() const { return watch_.has_value(); }
  /// What the last frame brought; empty where nothing is tracked.
  const SceneStep& step() const { return step_; }
  /// Lines of JSON: of the frame's objects, of crossings, and what events and blind times ended or
  /// events began since the last call; also after end_event().
  Json objects_json() const;
  Json crossings_json() const;
  std::vector<Json> zones_json(const io::Frame& frame) const;
  /// How much of the frame moves, in percent, and of each zone under its name.
  void put_scores(Json& line, std::span<const Detection> detections) const;
  /// Whether it is one of the times of --when.
  bool is_on_duty(const io::Frame& frame) const;
  std::vector<Json> take_event_lines();
  std::span<const CountingLine> lines() const { return facts_.lines; }
  const WatchFacts& facts() const { return facts_; }

 private:
  void begin_scene(const WatchOptions& options, SceneFile file, const TrackingOptions& tracking,
                   const CommonOptions& common);
  void ended(Event event);

  WatchFacts facts_;
  std::optional<SceneWatch> watch_;
  SceneStep step_{};
  std::string heat_path_;
  std::unique_ptr<WatchResults> results_;
  std::vector<Json> event_lines_;
  int64_t next_event_ = 1, next_object_ = 1;
  std::optional<BlindTime> blind_;
  Schedule when_;
  std::vector<Schedule> zones_when_;
};

}  // namespace cuesta::cli
