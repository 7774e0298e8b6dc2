// Moving objects, frame by frame.
#include "cuesta/motion.hpp"

#include "cuesta/downscale.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "keywords.hpp"
#include "module.hpp"
#include "recipes/descriptions.hpp"

namespace cuesta::python {
namespace {

using namespace nb::literals;

// Box (x, y, width, height), area, centroid.
using Found = std::tuple<int, int, int, int, int64_t, double, double>;

std::vector<Found> found_of(std::span<const Detection> detections) {
  std::vector<Found> found;
  for (const Detection& d : detections) {
    found.emplace_back(d.box.x, d.box.y, d.box.width, d.box.height, d.area, d.centroid_x,
                       d.centroid_y);
  }
  return found;
}

// One call at a time: Python's threads may share the detector's state.
class Detector {
 public:
  struct Options {
    MotionOptions motion{};
    DownscaleOptions looks{};
  };
  explicit Detector(Options options)
      : small_(options.looks), detector_(small_.options_for(std::move(options.motion))) {}

  std::vector<Found> push(const Array& frame, int layout, Keywords keywords, uintptr_t stream) {
    const ConstAnyView plane = plane_of(frame, layout, "frame");
    const Exec exec = exec_from(keywords, stream, "push");
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    DeviceScope device(frame);
    const auto seen = small_.look(plane, exec);
    const std::vector<Found> found = found_of(small_.detections(detector_.push(seen, exec)));
    size_ = {plane.width, plane.height};
    return found;
  }
  // One frame for each of several detectors.
  static std::vector<std::vector<Found>> push_cameras(const std::vector<Detector*>& cameras,
                                                      const std::vector<Array>& frames,
                                                      const std::vector<int>& layouts,
                                                      Keywords keywords, uintptr_t stream) {
    std::vector<ConstAnyView> planes;
    for (size_t i = 0; i < frames.size(); ++i)
      planes.push_back(plane_of(frames[i], layouts[i], fmt::format("frame {}", i).c_str()));
    const Exec exec = exec_from(keywords, stream, "push_cameras");
    const Unlocked unlocked;
    // Locked in one order everywhere, so that two calls with the same detectors cannot deadlock.
    std::vector<Detector*> sorted = cameras;
    std::sort(sorted.begin(), sorted.end(), std::less<>());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    std::vector<std::unique_lock<std::mutex>> locks;
    std::vector<MotionDetector*> detectors;
    for (Detector* camera : sorted) locks.emplace_back(camera->mutex_);
    for (Detector* camera : cameras) detectors.push_back(&camera->detector_);
    std::optional<DeviceScope> device;
    if (!frames.empty()) device.emplace(frames[0]);
    std::vector<ConstAnyView> seen = planes;
    for (size_t i = 0; i < std::min(cameras.size(), planes.size()); ++i)
      seen[i] = cameras[i]->small_.look(planes[i], exec);
    std::vector<std::vector<Found>> found;
    const auto of_each = MotionDetector::push(detectors, seen, exec);
    for (size_t i = 0; i < of_each.size(); ++i)
      found.push_back(found_of(cameras[i]->small_.detections(of_each[i])));
    for (size_t i = 0; i < cameras.size(); ++i)
      cameras[i]->size_ = {planes[i].width, planes[i].height};
    return found;
  }
  // False if another thread has pushed a frame of another size.
  bool mask(const OutArray& out) {
    const AnyView plane = plane_of(out, int(Layout::hw), "out");
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    if (size_ != std::pair{int(plane.width), int(plane.height)}) return false;
    unpack_mask(small_.mask(detector_.mask()), plane);
    return true;
  }
  std::pair<int, int> size() {
    const std::lock_guard lock(mutex_);
    return size_;
  }
  // For each frame: whether it is in the warm-up, whether it changed, its shift to the right and
  // down.
  std::vector<std::tuple<bool, bool, int, int>> states() {
    const std::lock_guard lock(mutex_);
    std::vector<std::tuple<bool, bool, int, int>> states;
    for (const FrameState& seen : detector_.states()) {
      const FrameState s = small_.state(seen);
      states.emplace_back(s.warming_up, s.changed, s.shift_x, s.shift_y);
    }
    return states;
  }
  double threshold() {
    const std::lock_guard lock(mutex_);
    return detector_.threshold();
  }
  // The threshold of the options.
  double level() {
    const std::lock_guard lock(mutex_);
    return detector_.options().threshold.level;
  }
  void set_thresholds(const std::optional<Array>& levels) {
    const ConstAnyView plane =
        levels ? plane_of(*levels, int(Layout::hw), "levels") : ConstAnyView();
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    if (!plane) return detector_.set_thresholds({});
    detector_.set_thresholds(small_.thresholds(plane));
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    detector_.reset();
    small_.reset();
    size_ = {};
  }
  nb::bytes save() {
    std::vector<uint8_t> saved;
    {
      const Unlocked unlocked;
      const std::lock_guard lock(mutex_);
      saved = small_.save(detector_);
    }
    return nb::bytes(saved.data(), saved.size());
  }
  void load(const nb::bytes& saved) {
    const std::span bytes(static_cast<const uint8_t*>(saved.data()), saved.size());
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    small_.load(detector_, bytes);
    size_ = {};
  }
  std::optional<int64_t> initialised_by() {
    const std::lock_guard lock(mutex_);
    return detector_.initialised_by();
  }

 private:
  std::mutex mutex_;
  Downscale small_;
  MotionDetector detector_;
  std::pair<int, int> size_{};  // width and height of the last frame
};

class Subtractor {
 public:
  explicit Subtractor(BackgroundOptions options) : subtractor_(options) {}

  void push(const Array& frame, int layout, const std::optional<OutArray>& background,
            const std::optional<OutArray>& difference, const std::optional<OutArray>& mask,
            double limit, Keywords keywords, uintptr_t stream) {
    const ConstAnyView plane = plane_of(frame, layout, "frame");
    BackgroundOutputs out;
    if (background) out.background = plane_of(*background, layout, "background");
    if (difference) out.difference = plane_of(*difference, layout, "difference");
    if (mask) out.mask = plane_of(*mask, layout, "mask");
    const Exec exec = exec_from(keywords, stream, "push");
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    DeviceScope device(frame);
    subtractor_.push(plane, out, limit, exec);
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    subtractor_.reset();
  }
  int64_t frames() {
    const std::lock_guard lock(mutex_);
    return subtractor_.frames();
  }

 private:
  std::mutex mutex_;
  BackgroundSubtractor subtractor_;
};

// Options with the defaults of their model.
void read_options(Keywords& keywords, Detector::Options& options) {
  MotionOptions& motion = options.motion;
  read(keywords, "background", motion.background.model);
  SensitivityOptions chosen;
  read(keywords, "sensitivity", chosen.sensitivity);
  motion = MotionOptions::of(motion.background.model, chosen.sensitivity);
  for_each_field<MotionOptions>([&](const auto& one) { read(keywords, one.name, one.at(motion)); });
  options.looks = options_from<DownscaleOptions>(keywords);
}
void read_options(Keywords& keywords, BackgroundOptions& options) {
  options = options_from<BackgroundOptions>(keywords);
}

// The constructor of a class that has only options.
template <class Object, class Options>
auto made_with(const char* name) {
  return [name](Object* self, Keywords keywords) {
    Options options;
    read_options(keywords, options);
    keywords.refuse_others(name);
    new (self) Object(std::move(options));
  };
}

}  // namespace

void bind_motion(nb::module_& m) {
  nb::class_<Detector>(m, "MotionDetector")
      .def("__init__", made_with<Detector, Detector::Options>("MotionDetector"), "keywords"_a)
      .def("push", &Detector::push, "frame"_a, "layout"_a, "keywords"_a, "stream"_a)
      .def_static("push_cameras", &Detector::push_cameras, "cameras"_a, "frames"_a, "layouts"_a,
                  "keywords"_a, "stream"_a)
      .def("mask", &Detector::mask, "out"_a)
      .def_prop_ro("size", &Detector::size)
      .def_prop_ro("states", &Detector::states)
      .def_prop_ro("threshold", &Detector::threshold)
      .def_prop_ro("level", &Detector::level)
      .def("set_thresholds", &Detector::set_thresholds, "levels"_a.none())
      .def("reset", &Detector::reset)
      .def("save", &Detector::save)
      .def("load", &Detector::load, "saved"_a)
      .def_prop_ro("initialised_by", &Detector::initialised_by);
  nb::class_<Subtractor>(m, "BackgroundSubtractor")
      .def("__init__", made_with<Subtractor, BackgroundOptions>("BackgroundSubtractor"),
           "keywords"_a)
      .def("push", &Subtractor::push, "frame"_a, "layout"_a, "background"_a.none(),
           "difference"_a.none(), "mask"_a.none(), "limit"_a, "keywords"_a, "stream"_a)
      .def_prop_ro("frames", &Subtractor::frames)
      .def("reset", &Subtractor::reset);
}

}  // namespace cuesta::python
