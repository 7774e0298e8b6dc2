// The moving-object chain on gray frames: Gaussian 15, difference from the first frame, threshold,
// close and open with OpenCV's ellipse of 15, components. Boxes are equal to those of the same
// chain in OpenCV. One run is one frame; frames go round.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "bench/session.hpp"
#include "cuesta/motion.hpp"
#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

constexpr int frames_in_a_round = 8;

// A still picture with noise of its own, and a dozen discs that pass over it.
std::vector<Image<uint8_t>> make_frames(Session& session, int32_t width, int32_t height) {
  const Image<uint8_t> still = session.photograph(width, height);
  std::vector<Image<uint8_t>> frames;
  for (int t = 0; t < frames_in_a_round; ++t) {
    Image<uint8_t> frame(width, height);
    verify::Random noise(uint64_t(t) + 1);
    for (int32_t y = 0; y < height; ++y)
      for (int32_t x = 0; x < width; ++x)
        frame.at(x, y) = uint8_t(std::clamp(int(still.at(x, y)) + int(noise.below(9)) - 4, 0, 255));
    verify::Random place(7);
    for (int i = 0; t > 0 && i < 12; ++i) {
      const int32_t radius = height / 40 + int32_t(place.below(uint32_t(height / 20)));
      const int32_t cx = int32_t(place.below(uint32_t(width))) + t * radius / 4;
      const int32_t cy = int32_t(place.below(uint32_t(height)));
      for (int32_t y = std::max(0, cy - radius); y < std::min(height, cy + radius); ++y)
        for (int32_t x = std::max(0, cx - radius); x < std::min(width, cx + radius); ++x)
          if ((x - cx) * (x - cx) + (y - cy) * (y - cy) < radius * radius)
            frame.at(x, y) = uint8_t(frame.at(x, y) + 128);
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

void sort_boxes(std::vector<Rect>& boxes) {
  std::sort(boxes.begin(), boxes.end(), [](const Rect& a, const Rect& b) {
    return std::tie(a.y, a.x, a.width, a.height) < std::tie(b.y, b.x, b.width, b.height);
  });
}

}  // namespace

void bench_motion(Session& session) {
  MotionOptions options;
  options.close = options.open = StructuringElement::ellipse(15, 15);
  for (const auto& size : {std::pair<int32_t, int32_t>{596, 336}, {1280, 720}, {1920, 1080}}) {
    const auto frames = make_frames(session, size.first, size.second);
    Table table{
        .experiment = "motion",
        .parameters = fmt::format("first frame, gaussian 15, > {}, ellipse:15", options.threshold),
        .src = frames[1],
        .bytes_per_pixel = 1};
    std::vector<Rect> theirs, ours;
    if (Peer* peer = session.opencv()) {
      MotionDetector detector(options);
      bool equal = true;
      peer->motion({}, 0, 15, theirs, nullptr);
      for (const auto& frame : frames) {
        ours.clear();
        for (const Detection& detection : detector.push(frame, session.exec()))
          ours.push_back(detection.box);
        peer->motion(frame, options.threshold, 15, theirs, nullptr);
        sort_boxes(ours);
        sort_boxes(theirs);
        equal = equal && ours == theirs;
      }
      if (!session.expect(equal && !ours.empty(),
                          fmt::format("motion, {}x{}", size.first, size.second)))
        continue;
    }
    // A detector a strategy, founded on the first frame.
    std::map<std::string, MotionDetector> detectors;
    size_t turn = 0;
    const auto next = [&]() -> const Image<uint8_t>& {
      return frames[1 + turn++ % (frames.size() - 1)];
    };
    session.add_strategies(table, "motion", [&](const Exec& exec) {
      auto [at, is_new] = detectors.try_emplace(exec.strategy, options);
      if (is_new) at->second.push(frames[0], exec);
      at->second.push(next(), exec);
    });
    session.add_opencv(table, "motion", [&] {
      session.opencv()->motion(next(), options.threshold, 15, theirs, nullptr);
    });
    session.time(table);
  }
}

}  // namespace cuesta::bench
