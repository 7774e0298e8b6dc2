#include "apps/watch/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "cli/common.hpp"
#include "cli/run_lock.hpp"
#include "cuesta/io/clip.hpp"

namespace cuesta::cli {
namespace {

using Clock = std::chrono::steady_clock;

class Recorder final : public EventSink {
 public:
  Recorder(const std::string& folder, const RecorderOptions& options, bool trims,
           const WatchFacts& facts)
      : name_(folder), options_(options), trims_(trims), facts_(facts) {
    const char* source = facts.source == "-" ? "standard input" : facts.source.c_str();
    if (!facts.ring)
      usage_error(folder, "--record {}: {} is a file; only live video is recorded", folder, source);
    if (!io::can_be_clipped(*facts.ring))
      usage_error(folder, "--record {}: segments require encoded video, and {} is not encoded",
                  folder, source);
    if (facts.privacy)
      usage_error(folder,
                  "--record {}: segments show what mask_privacy hides, as they are not encoded "
                  "again; leave one of them out",
                  folder);
    lock_ = lock_folder(folder, "--record");
    folder_.emplace(folder);
    folder_->keep(options_.limits, 0);
  }

  void began(const Event&) override { ++segment_.events; }
  void frame(const io::Frame& frame, const SceneStep& step) override {
    guarded([&] {
      if (pause_) folder_->keep(options_.limits, 0);
      copy_to(frame.time);
      keep();
    });
    constexpr double longest_frame = 1;  // seconds; more is a gap
    if (!step.objects.empty())
      segment_.moving += std::clamp(frame.time - last_, 0.0, longest_frame);
    for (const TrackedObject& object : step.objects) objects_.insert(object.id);
    segment_.max_score = std::max(segment_.max_score, step.score);
    has_motion_ |= step.event != nullptr;
    last_ = frame.time;
    constexpr double slack = 1;  // frames that are stored out of order
    if (trims_) io::keep_from(*facts_.ring, frame.time - slack);
  }
  void finish() override {
    pause_.reset();
    guarded([&] {
      if (clip_) end_segment();
      folder_->keep(options_.limits, 0);
    });
    if (error_) throw Error(*error_);
  }

 private:
  // A disk that is full makes the recording pause, and does not end the run.
  template <class Work>
  void guarded(Work work) {
    if (pause_ && Clock::now() - *pause_ < pause_length) return;
    try {
      work();
      if (std::exchange(pause_, std::nullopt)) warn("--record {}: the recording resumes", name_);
    } catch (const Error& error) {
      abandon();
      if (!pause_)
        warn("--record {}: the recording pauses, and is tried again every {} s: {}", name_,
             pause_length.count(), error.what());
      pause_ = Clock::now();
      if (!error_) error_ = error;
    }
  }

  void copy_to(double time) {
    for (;;) {
      if (!clip_) begin_segment(time);
      if (clip_->copy_to(time, options_.length)) return;
      end_segment();
    }
  }
  void begin_segment(double time) {
    segment_ = {.begin = time, .begin_clock = facts_.clock.text(time)};
    objects_.clear();
    has_motion_ = false;
    const std::string when =
        facts_.clock.is_known() ? facts_.clock.name(time) : fmt::format("{:06}", int64_t(time));
    const std::filesystem::path path = folder_->begin(when, segment_);
    clip_.emplace(facts_.ring, path, next_);
  }
  void end_segment() {
    const io::ClipSpan span = clip_->finish();
    next_ = clip_->next();
    clip_.reset();
    if (options_.motion_only && !has_motion_) return folder_->drop();
    describe(span.begin, span.end);
    folder_->end(segment_);
  }
  void abandon() {
    if (clip_) next_ = clip_->next();
    clip_.reset();
    describe(segment_.begin, last_);
    folder_->abandon(segment_);
  }
  void describe(double begin, double end) {
    segment_.begin = begin;
    segment_.end = end;
    segment_.begin_clock = facts_.clock.text(begin);
    segment_.end_clock = facts_.clock.text(end);
    segment_.objects = int64_t(objects_.size());
  }
  void keep() {
    const auto now = Clock::now();
    if (kept_ && now - *kept_ < std::chrono::seconds(1)) return;
    kept_ = now;
    std::error_code error;
    const auto growing = std::filesystem::file_size(clip_->growing(), error);
    folder_->keep(options_.limits, error ? 0 : int64_t(growing));
  }

  std::string name_;
  RecorderOptions options_;
  bool trims_;
  const WatchFacts& facts_;
  std::shared_ptr<const RunLock> lock_;
  std::optional<SegmentFolder> folder_;
  std::optional<io::LiveClip> clip_;
  io::LiveClip::Packet next_{};
  Segment segment_;
  std::set<int64_t> objects_;
  bool has_motion_ = false;
  double last_ = 0;
  std::optional<Clock::time_point> kept_;
  static constexpr std::chrono::seconds pause_length{10};
  std::optional<Clock::time_point> pause_;  // since the last attempt that failed
  std::optional<Error> error_;              // the first
};

}  // namespace

std::unique_ptr<EventSink> recorder(const std::string& folder, const RecorderOptions& options,
                                    bool trims, const WatchFacts& facts) {
  return std::make_unique<Recorder>(folder, options, trims, facts);
}

}  // namespace cuesta::cli
