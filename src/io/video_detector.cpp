// The moving objects of a video: its frames, the foreground in them, who that is.
#include <utility>
#include <vector>

#include "cuesta/downscale.hpp"
#include "cuesta/io.hpp"
#include "cuesta/recipes/detect.hpp"

namespace cuesta {
namespace {

DetectOptions with_one_limit(DetectOptions options) {
  recipes::share_min_area(options.motion, options.tracking);
  return options;
}

ReadOptions with_depth(ReadOptions reading) {
  reading.keep_depth = true;
  return reading;
}

}  // namespace

struct VideoDetector::State {
  VideoReader video;
  Downscale small;
  MotionDetector detector;
  SceneWatch watch;
  MovingFrame moving{};
  std::vector<Event> ended{};

  State(const std::filesystem::path& path, const DetectOptions& options, const ReadOptions& reading)
      : video(path, with_depth(reading)),
        small(options.downscale),
        detector(small.options_for(options.motion)),
        watch(video.size(), options.scene, options.tracking) {
    const Image<float> levels =
        zone_thresholds(options.scene, video.size(), options.motion.threshold.level);
    if (!levels.empty()) detector.set_thresholds(small.thresholds(levels));
  }
};

VideoDetector::VideoDetector(const std::filesystem::path& path, const DetectOptions& options,
                             const ReadOptions& reading)
    : state_(std::make_unique<State>(path, with_one_limit(options), reading)) {}
VideoDetector::VideoDetector(VideoDetector&&) noexcept = default;
VideoDetector& VideoDetector::operator=(VideoDetector&&) noexcept = default;
VideoDetector::~VideoDetector() = default;

const MovingFrame* VideoDetector::next() {
  State& s = *state_;
  s.moving = {};
  const Frame* frame = s.video.next();
  if (!frame) return nullptr;
  s.ended.clear();
  const auto keep = [&](std::span<const Event> events) {
    s.ended.insert(s.ended.end(), events.begin(), events.end());
  };
  if (frame->lost()) keep(s.watch.finish());
  const auto deep = frame->deep_luma();
  const auto seen = s.small.look(deep.data ? ConstAnyView(deep) : frame->luma());
  const auto found = s.small.detections(s.detector.push(seen));
  const SceneStep& step = s.watch.push({frame->index(), frame->time()}, found);
  keep(step.ended);
  s.moving = {frame, found, s.small.state(s.detector.states().back()), step};
  s.moving.scene.ended = s.ended;
  return &s.moving;
}

std::span<const Event> VideoDetector::finish() { return state_->watch.finish(); }
std::span<const LineCount> VideoDetector::counts() const { return state_->watch.counts(); }
ConstBitView VideoDetector::mask() const { return state_->small.mask(state_->detector.mask()); }
VideoReader& VideoDetector::video() { return state_->video; }

}  // namespace cuesta
