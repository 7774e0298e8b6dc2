// One video through the detector, and everything that is written of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/day_clock.hpp"
#include "cli/described.hpp"
#include "cli/progress.hpp"
#include "cli/recording.hpp"
#include "cli/results.hpp"
#include "cli/turns.hpp"
#include "cli/watching.hpp"
#include "cuesta/downscale.hpp"
#include "cuesta/motion.hpp"
#include "cuesta/tracking.hpp"

namespace cuesta::cli {

/// What `detect` is asked of one video.
struct DetectOptions {
  std::shared_ptr<CLI::App> parser{};  ///< that read them, where they have one of their own
  CommonOptions common{};
  DescribedOptions described{};
  WatchOptions watch{};
  RecordingChoice recording{};
  ClockOptions clock{};
  std::string input{}, out{}, json{}, mask_video{};
  std::string decode = "auto";  ///< who decodes: auto, cpu, cuda, vaapi, qsv
  bool follow = false;
  std::string camera{};  ///< its name among several; empty for a video alone

  /// Every name of a file or folder that is written, with its option.
  std::vector<std::pair<std::string, std::string>> outputs() const;
  /// Throws Error{invalid_argument} for a result that --resume cannot continue.
  void check_resume() const;
  /// What keeps the last packets of a live input for clips and segments; null where none are made
  /// of one.
  std::shared_ptr<io::PacketRing> ring() const;
  /// Whether a result shows pictures of the video, or is made of them.
  bool shows_frames() const { return !out.empty() || watch.shows_frames(); }
};
/// All of them but the inputs; `options` stays where it is.
void add_detect_options(CLI::App& app, DetectOptions& options);

/// What the library is given.
struct DetectSettings {
  DownscaleOptions looks{};
  MotionOptions motion{};
  std::optional<TrackingOptions> tracking{};  ///< where objects are followed
};
/// `frame_rate`: frames a second, by which times become numbers of frames.
DetectSettings settings_of(const DetectOptions& options, double frame_rate = 25);

/// What videos that are watched at once have in common.
struct Company {
  Progress& progress;
  Turns& turns;                        ///< at the machine's cores
  std::shared_ptr<JsonLines> lines{};  ///< where several videos' lines go; null: to its own file
};

/// A video to be watched, and the detector that its options make.
class WatchedVideo {
 public:
  /// Throws Error for options that cannot be meant or that the library refuses: before any video is
  /// opened.
  explicit WatchedVideo(std::unique_ptr<DetectOptions> options);
  ~WatchedVideo();

  const DetectOptions& options() const { return *options_; }
  /// From now on it is shown there, too; null for nowhere.
  void show_on(std::shared_ptr<LivePage> page) { options_->watch.page = std::move(page); }
  /// Finds the foreground until the video's end, a signal or a fault, and finishes what was
  /// requested; once. Returns the exit code. Throws Error, Interrupted, ClosedPipe.
  int watch(const StopOnSignal& stop, const Company* company = nullptr);

 private:
  struct Detector;
  std::unique_ptr<DetectOptions> options_;
  std::unique_ptr<Detector> detector_;
};

}  // namespace cuesta::cli
