// Made videos of a fixed camera; the truth is known at every pixel: textured ground and
// objects, shadows, noise, steps of light, cuts, swaying parts, a camera that shakes, blocks of a
// coder. All in integers and counted hashes: a frame is the same on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuesta/image.hpp"

namespace cuesta::test {

/// What truth() says of a pixel: the codes of CDnet's ground truth.
namespace truth {
inline constexpr uint8_t still = 0, shadow = 50, unknown = 170, moving = 255;
}

/// From frame `at` on the light is gain / 256 of what it was at first.
struct LightStep {
  int64_t at;
  int32_t gain;
};

/// A textured ellipse, `width` x `height` pixels, that comes in at frame `enters`, moves (dx, dy)
/// sixteenths of a pixel a frame from (x, y) on, stands still from `stops` on and is gone from
/// `leaves` on.
struct SceneObject {
  int32_t x, y, width, height;
  int32_t dx, dy;
  int32_t level;  // gray level its texture is about
  int64_t enters = 0, stops = INT64_MAX, leaves = INT64_MAX;
};

struct SceneOptions {
  int32_t width = 192, height = 144;
  uint64_t seed = 1;
  std::vector<SceneObject> objects{};
  int32_t noise = 2;     // standard deviation, gray levels
  int32_t shadow = 256;  // light that a shadow leaves, of 256
  std::vector<LightStep> light{};
  int32_t lit = 0;              // columns, from the left, that the steps of light reach; 0: all
  int32_t cloud = 256;          // light that the middle of a drifting shadow leaves, of 256
  std::vector<int64_t> cuts{};  // frames that begin another ground
  int32_t sway = 0;             // pixels by which the right third swings, as trees do
  int32_t flakes = 0;           // of snow, 3 x 3 pixels each, that fall
  int32_t shake = 0;            // pixels by which the camera may be off, to every side
  int32_t coder =
      0;  // step of a coder that quantises blocks of 8 x 8 and skips still ones; 0: none
};

class Scene {
 public:
  explicit Scene(SceneOptions options);

  /// The next frame, one channel.
  const Image<uint8_t>& next();
  /// Of the last frame: the codes above. A pixel on the rim of an object is unknown.
  const Image<uint8_t>& truth() const { return truth_; }
  /// Where the camera of the last frame looks, in sixteenths of a pixel off its place.
  int32_t shift_x() const { return shift_x_; }
  int32_t shift_y() const { return shift_y_; }
  const SceneOptions& options() const { return options_; }

 private:
  int32_t ground(int32_t x16, int32_t y16, uint64_t seed) const;
  void code();
  void snow();

  SceneOptions options_;
  int64_t t_ = -1;
  int32_t shift_x_ = 0, shift_y_ = 0;
  Image<uint8_t> frame_, truth_, coded_;
};

/// A street with what people meet there: objects of several sizes, contrasts and speeds, for that
/// many frames, begun again when they have left.
std::vector<SceneObject> traffic(int32_t width, int32_t height, int64_t frames, uint64_t seed);

/// Pixels of masks held against truths.
struct Score {
  int64_t hit = 0, false_alarm = 0, missed = 0;

  void add(ConstBitView mask, const Image<uint8_t>& truth);
  double precision() const {
    return hit + false_alarm ? double(hit) / double(hit + false_alarm) : 1;
  }
  double recall() const { return hit + missed ? double(hit) / double(hit + missed) : 1; }
  /// Their harmonic mean, F1.
  double f() const {
    return hit + false_alarm + missed ? 2. * double(hit) / double(2 * hit + false_alarm + missed)
                                      : 1;
  }
};

}  // namespace cuesta::test
