#include "apps/watch/clips.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "apps/watch/masked_clip.hpp"
#include "cli/common.hpp"
#include "cli/inputs.hpp"
#include "cli/run_lock.hpp"
#include "cuesta/io/clip.hpp"

namespace cuesta::cli {
namespace {

class Clips final : public ClipFolder {
 public:
  Clips(const std::string& folder, const WatchFacts& facts) : ClipFolder(folder), facts_(facts) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(facts.source, error)) {
      usage_error(folder,
                  "--clips {}: clips require a file or encoded live video, and {} is neither",
                  folder, facts.source == "-" ? "standard input" : facts.source);
    }
    extension_ = io::clip_extension(facts.source);
    if (extension_.empty()) {
      usage_error(folder, "--clips {}: clips require encoded video, and {} is not encoded", folder,
                  facts.source);
    }
    if (facts.privacy) {
      warn("--clips {}: clips are encoded, and without sound, because there is a mask_privacy",
           folder);
      extension_ = ".mp4";
      masked_.emplace(facts.format, *facts.privacy);
    }
    lock_ = lock_folder(folder, "--clips");
  }
  void file(const io::RecordingFile& file) override { files_.push_back(file); }
  void clip(Event& event) override {
    const std::filesystem::path path = folder_ / (event_name(event, facts_) + extension_);
    const std::vector<io::RecordingFile> whole = {{facts_.source, 0}};
    const auto& files = files_.empty() ? whole : files_;
    last_ = path;
    if (masked_) return masked_->write(files, path, event.clip_start, event.clip_end);
    const io::ClipSpan span = io::cut_clip(files, path, event.clip_start, event.clip_end);
    if (span.is_cut)
      warn("{}: ends at {:.1f} s instead of {:.1f} s, where the encoding changes", path.string(),
           span.end, event.clip_end);
    if (!span.loss.empty() && !std::exchange(warned_of_sound_, true))
      warn("--clips {}: clips are {}", folder_.string(), span.loss);
    event.clip_start = span.begin;
    event.clip_end = span.end;
  }
  void finish() override {}

 private:
  std::shared_ptr<const RunLock> lock_;
  const WatchFacts& facts_;
  std::string extension_;
  std::optional<MaskedClips> masked_;
  bool warned_of_sound_ = false;
  std::vector<io::RecordingFile> files_;  // of a joined recording, as far as it was read
};

class LiveClips final : public ClipFolder {
 public:
  LiveClips(const std::string& folder, const TrackingOptions& tracking, const WatchFacts& facts)
      : ClipFolder(folder), facts_(facts), ahead_(tracking.pre_roll + slack) {
    const char* source = facts.source == "-" ? "standard input" : facts.source.c_str();
    if (!io::can_be_clipped(*facts.ring))
      usage_error(folder, "--clips {}: clips require encoded video, and {} is not encoded", folder,
                  source);
    if (facts.privacy)
      usage_error(folder,
                  "--clips {}: clips show what mask_privacy hides, as those of live video are not "
                  "encoded again; leave one of them out",
                  folder);
    lock_ = lock_folder(folder, "--clips");
  }
  void began(const Event& event) override {
    path_ = folder_ / (event_name(event, facts_) + ".mkv");
    clip_.emplace(facts_.ring, path_, event.clip_start);
    goes_on_ = true;
    has_failed_ = false;
  }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    double needed = frame.time - ahead_;
    if (step.event) needed = std::min(needed, step.event->clip_start);
    if (clip_ && step.event) guarded([&] { goes_on_ &= clip_->copy_to(step.event->last.seconds); });
    if (clip_ && !step.event) needed = std::min(needed, last_seen_);
    if (step.event) last_seen_ = step.event->last.seconds;
    io::keep_from(*facts_.ring, needed);
  }
  void clip(Event& event) override {
    if (!clip_ && !has_failed_) began(event);  // it ended where the source was lost
    last_.clear();
    guarded([&] { finish_clip(event); });
    if (std::exchange(has_failed_, false)) event.clip_end = event.clip_start;
  }
  void finish() override {
    if (error_) throw Error(*error_);
  }

 private:
  static constexpr double slack = 5;  // seconds until an event is known that has begun

  // A disk that is full costs the clip, not the run.
  template <class Work>
  void guarded(Work work) {
    if (has_failed_) return;
    try {
      work();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::output) throw;
      has_failed_ = true;
      clip_.reset();
      if (without_++ == 0)
        warn("--clips {}: events have no whole clips until it can be written: {}", folder_.string(),
             error.what());
      if (!error_) error_ = error;
    }
  }
  void finish_clip(Event& event) {
    goes_on_ &= clip_->copy_to(event.clip_end);
    const io::ClipSpan span = clip_->finish();
    clip_.reset();
    if (span.end > span.begin) last_ = path_;
    if (const int64_t count = std::exchange(without_, 0))
      warn("--clips {}: clips are written again; {} event{} had none", folder_.string(), count,
           count == 1 ? "" : "s");
    constexpr double tolerance = 0.5;
    const bool is_short = !goes_on_ || span.begin > event.clip_start + tolerance;
    if (span.end <= span.begin || (is_short && io::was_too_small(*facts_.ring)))
      warn("{}: {:.1f} s of {:.1f} s; --clip-memory is too small", path_.string(),
           span.end - span.begin, event.clip_end - event.clip_start);
    event.clip_start = span.begin;
    event.clip_end = span.end;
  }

  std::filesystem::path path_;
  std::shared_ptr<const RunLock> lock_;
  const WatchFacts& facts_;
  double ahead_, last_seen_ = 0;
  std::optional<io::LiveClip> clip_;
  bool goes_on_ = true, has_failed_ = false;
  int64_t without_ = 0;         // events since clips could be written
  std::optional<Error> error_;  // the first
};

}  // namespace

std::string event_name(const Event& event, const WatchFacts& facts) {
  std::string name = fmt::format("event-{:04}", event.id);
  if (facts.clock.is_known()) name += fmt::format("-{}", facts.clock.name(event.clip_start));
  return name;
}

std::unique_ptr<ClipFolder> clip_folder(const std::string& folder, const TrackingOptions& tracking,
                                        const WatchFacts& facts) {
  if (facts.ring) return std::make_unique<LiveClips>(folder, tracking, facts);
  return std::make_unique<Clips>(folder, facts);
}

}  // namespace cuesta::cli
