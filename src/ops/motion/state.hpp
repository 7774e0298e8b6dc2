// What a MotionDetector has between two frames.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "core/bits.hpp"
#include "core/pinned_picture.hpp"
#include "cuesta/device.hpp"
#include "ops/motion/args.hpp"
#include "ops/motion/parts.hpp"
#include "ops/motion/saved.hpp"
#include "ops/motion/specks.hpp"
#include "ops/motion/steady.hpp"
#include "ops/shared/background_access.hpp"
#include "ops/shared/background_models.hpp"

namespace cuesta {

namespace motion {
inline bool is_alike(ConstAnyView a, ConstAnyView b) {
  return a.channels == b.channels && a.type == b.type;
}
}  // namespace motion

struct MotionDetector::State {
  MotionOptions options;
  Workspace workspace;
  BackgroundSubtractor background;
  Space space = Space::host;  // of the frames
  int gpu = 0;                // that holds all of this where they are on the device
  int32_t channels = 1;       // the same
  PixelType type = PixelType::u8;
  // Of the last frame: the GPU writes to page-locked memory beside the host.
  BitImage on_host;
  PinnedPicture pinned;
  BitView mask;
  MotionMemory memory;
  Image<float> thresholds;  // of each pixel, gray levels; empty: those of the options
  AnyImage limits;          // the same in samples of the frames, beside them
  double lowest = 0;        // of the thresholds
  std::vector<std::vector<Component>> components;  // of each frame
  std::vector<Detection> detections;
  std::vector<std::vector<Detection>> of_each;  // frame of a batch, or camera
  std::vector<MotionArgs> cameras;              // of one call
  std::vector<ConstAnyView> seen_of_each;       // the same
  double threshold = 0;
  // Before objects are looked for.
  motion::Steady steady;
  motion::Parts parts;
  motion::Specks specks;
  bool begun = false;               // since reset()
  std::vector<uint8_t> luma;        // of the windows of each frame of a call
  PinnedPicture pinned_luma;        // the same of frames on the GPU
  std::vector<motion::Plan> plans;  // of each frame of a call
  std::vector<FrameState> states;   // the same
  std::vector<AnyImage> kept;       // frames of the warm-up
  AnyImage median;                  // of them
  AnyImage held;                    // the frame with the camera's moves taken back
  bool holds = false;               // held has been a frame since the background was initialised

  explicit State(MotionOptions o)
      : options(std::move(o)), background(options.background), steady(options) {
    use_radius();
  }

  /// The distance within which samples explain a pixel: none that a threshold would report.
  int32_t radius() const {
    constexpr int32_t most = background::sampled::max_radius;
    if (options.background.model != BackgroundModel::samples) return most;
    const double level = thresholds.empty() ? options.threshold.level : lowest;
    return int32_t(std::clamp(level, 1.0, double(most)));
  }
  void use_radius() { BackgroundAccess::set_radius(background, radius()); }

  bool fits(const ConstBatch& frames) const {
    const ConstAnyView frame = frames.first;
    return frame.width == mask.width && frame.height == mask.height &&
           (frame.space == Space::device) == bool(pinned.view()) &&
           (frame.space == Space::host || gpu == current_device()) &&
           components.size() >= size_t(frames.count) &&
           (options.steady == 0 || motion::is_alike(held.view(), frame)) &&
           (kept.size() == 1 || motion::is_alike(kept[0].view(), frame));
  }

  void allocate(const ConstBatch& frames) {
    const int32_t width = frames.first.width, height = frames.first.height;
    on_host = {};
    pinned = {};
    limits = {};
    memory.shown = {};
    if (frames.first.space == Space::device) {
      if (const int used = current_device(); used != gpu) {
        gpu = used;
        memory.first_frame = {};
        workspace.release_memory();
      }
      pinned = PinnedPicture({PixelType::bit, {width, height}});
      mask = bits_of(pinned.view());
    } else {
      on_host = BitImage(width, height);
      mask = on_host.view();
    }
    // Room for as many components as an opened mask can hold: each covers the element about some
    // pixel; the picture's corner leaves at least a quarter of them. A frame with more than the
    // cap, of what is not opened, lets the lists grow once more; so do those of batches, whose
    // frames share the cap.
    constexpr int64_t cap = 1 << 16;
    const int64_t smallest = std::max(options.open.count() / 4, 2);
    const auto room = size_t(std::min(int64_t(width) * height / smallest + 1, cap));
    if (components.size() < size_t(frames.count)) components.resize(size_t(frames.count));
    components[0].reserve(room);
    detections.reserve(room);
    const auto make = [&](AnyImage& picture) {
      picture.create({width, height}, frames.first.channels, frames.first.type, frames.first.space);
    };
    kept.resize(size_t(motion::kept_of(options.warm_up)));
    if (kept.size() > 1) {
      for (AnyImage& picture : kept) make(picture);
      make(median);
    }
    if (options.steady > 0) make(held);
  }

  void check(const ConstBatch& frames) const;
  MotionArgs prepare(const ConstBatch& frames);
  void make_limits(ConstAnyView frame, const Exec& exec);
  void plan(const ConstBatch& frames, const Exec& exec);
  std::optional<ConstAnyView> prepared(int32_t i, ConstAnyView frame, const Exec& exec);
  void look(int32_t i, ConstAnyView seen, const Exec& exec) {
    parts.look(plans[size_t(i)], seen, options, background, mask, components[size_t(i)], exec);
  }
  void finish(int32_t last);
  void find(const ConstBatch& frames, const Exec& wanted);
  motion::SavedHead head() const;
  template <class Visit>
  void each_part(const motion::SavedHead& head, AnyView model, Visit&& visit);

  /// Of the components of frame i those that are large enough.
  void collect(int32_t i, std::vector<Detection>& into) {
    into.clear();
    const FrameState& state = states[size_t(i)];
    if (state.warming_up) return;
    const int64_t least = motion::finds_specks(options)
                              ? specks.min_area(components[size_t(i)], {mask.width, mask.height})
                              : options.min_area;
    for (const Component& c : components[size_t(i)]) {
      if (c.area < least) continue;
      // In the frame's coordinates: what the camera does not see of an object is left out.
      Rect box = c.box;
      box.x += state.shift_x, box.y += state.shift_y;
      const int32_t right = std::min(box.x + box.width, mask.width);
      const int32_t bottom = std::min(box.y + box.height, mask.height);
      box.x = std::max(box.x, 0), box.y = std::max(box.y, 0);
      box.width = right - box.x, box.height = bottom - box.y;
      if (box.width <= 0 || box.height <= 0) continue;
      into.push_back({box, c.area, c.centroid_x() + state.shift_x, c.centroid_y() + state.shift_y});
    }
  }
};

}  // namespace cuesta
