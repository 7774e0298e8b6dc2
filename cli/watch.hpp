// What apps/watch adds to `detect`: files, programs and brokers that are notified of events, and
// several cameras in one run. Builds without it (CUESTA_WATCH=OFF) have cli/no_watch.cpp in its
// place.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cameras.hpp"
#include "cli/event_sink.hpp"
#include "cli/watching.hpp"

namespace cuesta::cli {

/// Where it moved, over all frames: a picture.
class MotionSink {
 public:
  virtual ~MotionSink() = default;
  /// One frame. `mask` is stored with its corner at (x, y) of the frame.
  virtual void add(const io::Frame& frame, ConstBitView mask, int32_t x, int32_t y) = 0;
  virtual void write(const std::string& path) const = 0;
};

class ClipFolder;

/// --live: a page about every camera of a run, served until it is destroyed.
class LivePage {
 public:
  virtual ~LivePage() = default;
  /// What shows a camera there. `clips` writes its clips; null for none. Both, and `facts`, live as
  /// long. `history` is the folder of --live-history, or empty.
  virtual std::unique_ptr<EventSink> sink(const WatchFacts& facts, const ClipFolder* clips,
                                          const std::string& history) = 0;
};
/// Begins it for cameras of these names; null without --live. Throws Error for an address that
/// cannot be meant, that is not available, or that needs a token.
std::shared_ptr<LivePage> begin_live(const WatchOptions& options, std::vector<std::string> names);

struct WatchResults {
  std::unique_ptr<MotionSink> motion{};  ///< null where no result needs it
  /// Each with the name of its file; empty for those that write none.
  std::vector<std::pair<std::string, std::unique_ptr<EventSink>>> sinks{};
};

/// The options of those results: --events, --report, ..., --heatmap.
void add_watch_result_options(CLI::App& app, WatchOptions& options);
/// Throws Error{invalid_argument} for names that say no format, commands and addresses that are
/// none.
void check_watch_results(const WatchOptions& options);
/// Begins the results that `options` name. Throws Error.
WatchResults watch_results(const WatchOptions& options, const WatchFacts& facts);
/// Gives a camera a topic of its own below that of --mqtt.
void put_topic_below(WatchOptions& options, std::string_view level);

/// --cameras FILE
void add_cameras_option(CLI::App& app, std::string& path);
/// The cameras of a file, TOML or JSON: a list `cameras` of tables with `input`, `name` (else as
/// cameras_of() has it) and options under their long names ("min-area" or "min_area", a value or a
/// list of them), which go before those that `app` was given. Throws Error naming the file and the
/// place in it. {name} in a file's name becomes the camera's.
Cameras read_cameras(const CLI::App& app, const std::string& path);

/// Watches all of them at the same time, until the last one's end, or a signal: as many frames in
/// flight as `threads` says. A camera that fails is reported, and the others continue. Returns the
/// highest exit code.
int detect_all(const Cameras& cameras, int threads);

}  // namespace cuesta::cli
