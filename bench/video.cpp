#include "bench/video.hpp"

#include <algorithm>
#include <cstdlib>

#include "verify/patterns.hpp"

namespace cuesta::bench {
namespace {

constexpr int32_t margin = 10;  // to the edge of the scene
// Gray levels 16 to 143, 60 and more below the object's.
constexpr uint8_t object[3] = {220, 212, 190};

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

}  // namespace cuesta::bench
