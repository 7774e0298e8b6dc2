#include "bench/works/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "ops/shared/background_models.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

constexpr int32_t margin = 10;  // to the edge of the scene
// Gray levels 16 to 143, 60 and more below the object's.
constexpr uint8_t object[3] = {220, 212, 190};

std::string text_of(std::span<const Detection> detections) {
  std::string text;
  for (const Detection& d : detections)
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {}\n", d.box.x, d.box.y,
                   d.box.width, d.box.height, d.area, d.centroid_x, d.centroid_y);
  return text;
}

// Initialises a detector that works in `space` on a frame of the host's.
void found_on(ConstAnyView first, MotionDetector& detector, Exec exec, Space space) {
  exec.observer = nullptr;
  if (space == Space::host) {
    detector.push(first, exec);
    return;
  }
  Image<uint8_t, Space::device> there(first.width, first.height, first.channels);
  upload(first, there, exec.stream);
  detector.push(there, exec);
  wait(exec.stream);
}

/// A detector for every strategy and setting, initialised on the video's first frame in its space.
class Detectors {
 public:
  Detectors(const MotionOptions& options, ConstAnyView first) : options_(options), first_(first) {}

  void push(ConstAnyView frame, const Exec& exec) {
    of_each_ = {};
    last_ = detector(exec, frame.space).push(frame, exec);
  }
  void push(const ConstBatch& frames, const Exec& exec) {
    last_ = {};
    of_each_ = detector(exec, frames.first.space).push(frames, exec);
  }

  std::string text() const {
    std::string text = text_of(last_);
    for (const auto& detections : of_each_) text += "frame\n" + text_of(detections);
    return text;
  }

 private:
  // Both are initialised with the first call, so that no timed one initialises.
  struct Entry {
    Entry(const MotionOptions& options, const Exec& exec, Space where)
        : strategy(exec.strategy),
          parameters(exec.parameters),
          space(where),
          plain(options),
          observed(options) {}
    std::string strategy;
    std::vector<Parameter> parameters;
    Space space;
    MotionDetector plain, observed;
  };

  MotionDetector& detector(const Exec& exec, Space space) {
    Entry& entry = find(exec, space);
    return exec.observer ? entry.observed : entry.plain;
  }

  Entry& find(const Exec& exec, Space space) {
    for (Entry& entry : entries_) {
      if (entry.space == space && entry.strategy == exec.strategy &&
          entry.parameters == exec.parameters)
        return entry;
    }
    Entry& made = entries_.emplace_back(options_, exec, space);
    try {
      for (MotionDetector* detector : {&made.plain, &made.observed})
        found_on(first_, *detector, exec, space);
    } catch (...) {  // a setting that the strategy refuses
      entries_.pop_back();
      throw;
    }
    return made;
  }

  MotionOptions options_;
  ConstAnyView first_;
  std::deque<Entry> entries_;
  std::span<const Detection> last_;
  std::span<const std::vector<Detection>> of_each_;
};

/// The same with a detector a camera.
class Cameras {
 public:
  Cameras(const MotionOptions& options, ConstAnyView first, int count)
      : options_(options), first_(first), count_(count) {}

  void push(ConstAnyView all, const Exec& exec) {
    Entry& entry = find(exec, all.space);
    const int32_t height = all.height / count_;
    for (int i = 0; i < count_; ++i)
      entry.frames[size_t(i)] = all.region({0, i * height, all.width, height});
    found_ = MotionDetector::push(entry.pointers, entry.frames, exec);
  }
  std::string text() const {
    std::string text;
    for (const auto& detections : found_) text += "camera\n" + text_of(detections);
    return text;
  }

 private:
  struct Entry {
    std::string strategy;
    std::vector<Parameter> parameters;
    Space space = Space::host;
    bool observed = false;
    std::vector<MotionDetector> detectors{};
    std::vector<MotionDetector*> pointers{};
    std::vector<ConstAnyView> frames{};
  };

  Entry& find(const Exec& exec, Space space) {
    const bool observed = exec.observer != nullptr;
    for (Entry& entry : entries_) {
      if (entry.space == space && entry.observed == observed && entry.strategy == exec.strategy &&
          entry.parameters == exec.parameters)
        return entry;
    }
    Entry& made = entries_.emplace_back(Entry{exec.strategy, exec.parameters, space, observed});
    for (int i = 0; i < count_; ++i) made.detectors.emplace_back(options_);
    try {
      for (MotionDetector& detector : made.detectors) {
        made.pointers.push_back(&detector);
        found_on(first_, detector, exec, space);
      }
    } catch (...) {  // a setting that the strategy refuses
      entries_.pop_back();
      throw;
    }
    made.frames.resize(size_t(count_));
    return made;
  }

  MotionOptions options_;
  ConstAnyView first_;
  int count_;
  std::deque<Entry> entries_;
  std::span<const std::vector<Detection>> found_;
};

/// A background for every strategy and setting.
class Backgrounds {
 public:
  explicit Backgrounds(const BackgroundOptions& options) : options_(options) {}

  BackgroundSubtractor& of(const Exec& exec, Space space) {
    for (Entry& entry : entries_) {
      if (entry.space == space && entry.strategy == exec.strategy &&
          entry.parameters == exec.parameters)
        return entry.background;
    }
    return entries_
        .emplace_back(exec.strategy, exec.parameters, space, BackgroundSubtractor(options_))
        .background;
  }

 private:
  struct Entry {
    std::string strategy;
    std::vector<Parameter> parameters;
    Space space;
    BackgroundSubtractor background;
    Entry(std::string s, std::vector<Parameter> p, Space where, BackgroundSubtractor b)
        : strategy(std::move(s)),
          parameters(std::move(p)),
          space(where),
          background(std::move(b)) {}
  };
  BackgroundOptions options_;
  std::deque<Entry> entries_;
};

std::vector<Rect> sorted(std::vector<Rect> boxes) {
  std::sort(boxes.begin(), boxes.end(), [](const Rect& a, const Rect& b) {
    return std::tie(a.y, a.x, a.width, a.height) < std::tie(b.y, b.x, b.width, b.height);
  });
  return boxes;
}

// Production finds the one object in every frame; whether OpenCV finds the same box.
bool as_promised(Session& session, const std::string& experiment, const MotionOptions& options,
                 const std::vector<Image<uint8_t>>& video) {
  Peer* const opencv = session.opencv();
  MotionDetector detector(options);
  std::vector<Rect> ours, theirs;
  bool one = true, equal = true;
  if (opencv) opencv->motion({}, 0, 15, theirs, nullptr);
  for (size_t t = 0; t < video.size(); ++t) {
    ours.clear();
    for (const Detection& detection : detector.push(video[t], session.exec()))
      ours.push_back(detection.box);
    one = one && ours.size() == (t == 0 ? 0u : 1u);
    if (!opencv) continue;
    opencv->motion(video[t], options.threshold.level, 15, theirs, nullptr);
    equal = equal && sorted(ours) == sorted(theirs);
  }
  session.expect(one, experiment + ": not one object in every frame");
  return opencv && session.expect(equal, experiment + ": opencv finds other boxes");
}

}  // namespace

std::vector<Image<uint8_t>> moving_object_video(int32_t width, int32_t height, int frames) {
  Image<uint8_t> scene(width, height);
  verify::fill(scene, verify::Pattern::natural, 4);
  const int32_t half_wide = width / 20, half_high = height / 20 + 2;
  const int64_t radius = int64_t(half_wide) * half_high;
  std::vector<Image<uint8_t>> video;
  for (int t = 0; t < frames; ++t) {
    Image<uint8_t> frame(width, height, 3);
    verify::Random noise(uint64_t(t) + 1);
    // From left to right, down to the middle of the way and up again.
    const int32_t steps = std::max(frames - 2, 1), step = t - 1;
    const int32_t left = half_wide + margin, top = half_high + margin;
    const int32_t cx = left + (width - 1 - 2 * left) * step / steps;
    const int32_t cy = top + (height - 1 - 2 * top) * (steps - std::abs(2 * step - steps)) / steps;
    for (int32_t y = 0; y < height; ++y) {
      for (int32_t x = 0; x < width; ++x) {
        const int64_t dx = int64_t(x - cx) * half_high, dy = int64_t(y - cy) * half_wide;
        const bool inside = t > 0 && dx * dx + dy * dy <= radius * radius;
        const int32_t grain = int32_t(noise.below(9)) - 4, v = 16 + scene.at(x, y) / 2;
        // A tint, so that gray is no copy of a channel.
        const int32_t dim[3] = {v, v * 7 / 8, v * 3 / 4};
        for (int c = 0; c < 3; ++c)
          frame.at(x, y, c) = uint8_t(std::clamp((inside ? object[c] : dim[c]) + grain, 0, 255));
      }
    }
    video.push_back(std::move(frame));
  }
  return video;
}

MotionOptions motion_options() {
  MotionOptions options = MotionOptions::of(BackgroundModel::first);
  options.close = options.open = StructuringElement::ellipse(15, 15);
  return options;
}

Work motion_work(Session& session, std::string experiment, std::string parameters,
                 const MotionOptions& options, const std::vector<Image<uint8_t>>& video, int step,
                 int first) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "motion";
  work.parameters = std::move(parameters);
  for (size_t t = size_t(first); t < video.size(); t += size_t(step))
    work.sources.push_back(video[t]);
  work.result = PixelType::none;
  work.bytes_per_pixel = video[0].channels();
  const auto detectors = std::make_shared<Detectors>(options, video[0]);
  work.call = [detectors](ConstAnyView frame, AnyView, const Exec& exec) {
    detectors->push(frame, exec);
  };
  work.answer = [detectors] { return detectors->text(); };
  if (as_promised(session, work.experiment, options, video)) {
    const auto boxes = std::make_shared<std::vector<Rect>>();
    work.opencv = [boxes, threshold = options.threshold.level](Peer& peer, ConstAnyView frame,
                                                               AnyView) {
      peer.motion(frame, threshold, 15, *boxes, nullptr);
    };
  }
  return work;
}

// Many frames in one picture, one below the other; nothing is made of them but objects.
static Work work_of_frames(std::string experiment, std::string parameters,
                           const Image<uint8_t>& frames) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "motion";
  work.parameters = std::move(parameters);
  work.sources = {frames};
  work.result = PixelType::none;
  work.bytes_per_pixel = frames.channels();
  return work;
}

Work motion_batch_work(std::string experiment, std::string parameters, const MotionOptions& options,
                       const Image<uint8_t>& first, const Image<uint8_t>& frames, int count) {
  Work work = work_of_frames(std::move(experiment), std::move(parameters), frames);
  const auto detectors = std::make_shared<Detectors>(options, first);
  work.call = [detectors, count](ConstAnyView all, AnyView, const Exec& exec) {
    const int32_t height = all.height / count;
    detectors->push(
        ConstBatch(all.region({0, 0, all.width, height}), count, height * all.stride_bytes), exec);
  };
  work.answer = [detectors] { return detectors->text(); };
  return work;
}

Work motion_cameras_work(std::string experiment, std::string parameters,
                         const MotionOptions& options, const Image<uint8_t>& first,
                         const Image<uint8_t>& frames, int count) {
  Work work = work_of_frames(std::move(experiment), std::move(parameters), frames);
  const auto cameras = std::make_shared<Cameras>(options, first, count);
  work.call = [cameras](ConstAnyView all, AnyView, const Exec& exec) { cameras->push(all, exec); };
  work.answer = [cameras] { return cameras->text(); };
  return work;
}

Work background_work(std::string experiment, std::string parameters,
                     const BackgroundOptions& options, const std::vector<ConstAnyView>& frames) {
  Work work;
  work.experiment = std::move(experiment);
  work.operation = "background";
  work.parameters = std::move(parameters);
  work.sources = frames;
  work.result = PixelType::bit;
  const auto layout = background::layout_of(options.model, PixelType::u8);
  const int state = layout.planes * bytes_per_sample(layout.type);
  const bool learns = options.model != BackgroundModel::first;
  work.bytes_per_pixel = 1 + (learns ? 2 : 1) * state + 0.125;
  const auto backgrounds = std::make_shared<Backgrounds>(options);
  work.call = [backgrounds](ConstAnyView frame, AnyView mask, const Exec& exec) {
    backgrounds->of(exec, frame.space).push(frame, {.mask = mask}, 25, exec);
  };
  return work;
}

}  // namespace cuesta::bench
