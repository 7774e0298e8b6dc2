#include "support/scene.hpp"

#include <algorithm>
#include <cstdlib>

namespace cuesta::test {
namespace {

// splitmix64's finaliser over what is counted.
uint64_t hash(uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  uint64_t z = a * 0x9E3779B97F4A7C15u + b * 0xD1B54A32D192ED03u + c * 0x8CB92BA72F3D8DD7u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Smooth noise, 0 .. 255: hashed values of a lattice 2^log2 sixteenths apart, between them linear.
int32_t lattice(int32_t x16, int32_t y16, int32_t log2, uint64_t seed) {
  const int32_t side = 1 << log2, x = x16 >> log2, y = y16 >> log2;
  const int32_t fx = x16 & (side - 1), fy = y16 & (side - 1);
  const auto at = [&](int32_t i, int32_t j) {
    return int32_t(hash(seed, uint64_t(uint32_t(i)), uint64_t(uint32_t(j))) & 255);
  };
  const int32_t top = at(x, y) * (side - fx) + at(x + 1, y) * fx;
  const int32_t bottom = at(x, y + 1) * (side - fx) + at(x + 1, y + 1) * fx;
  return int32_t((int64_t(top) * (side - fy) + int64_t(bottom) * fy) >> (2 * log2));
}

// A wave of `amplitude` sixteenths and a period of 256, in straight lines.
int32_t triangle(int64_t phase, int32_t amplitude) {
  const auto p = int32_t(phase & 255);
  return amplitude * (p < 128 ? p - 64 : 192 - p) / 64;
}

// Light in column x of frame t below a cloud, of 256: none is at the picture in frame 0.
int32_t under_cloud(int32_t x, int64_t t, const SceneOptions& o) {
  const int32_t reach = o.width / 3;
  const auto middle = int32_t(2 * t % (2 * o.width)) - reach;
  return 256 - (256 - o.cloud) * std::max(reach - std::abs(x - middle), 0) / reach;
}

uint8_t level_of(int32_t v) { return uint8_t(std::clamp(v, 0, 255)); }

}  // namespace

Scene::Scene(SceneOptions options)
    : options_(std::move(options)),
      frame_(options_.width, options_.height),
      truth_(options_.width, options_.height) {}

// Three octaves, and walls and windows whose edges are hard.
int32_t Scene::ground(int32_t x16, int32_t y16, uint64_t seed) const {
  int32_t v = 40 + lattice(x16, y16, 10, seed) / 2 + lattice(x16, y16, 7, seed + 1) / 5 +
              lattice(x16, y16, 5, seed + 2) / 10;
  const uint64_t wall = hash(seed + 3, uint64_t(uint32_t(x16 >> 9)), uint64_t(uint32_t(y16 >> 9)));
  if (wall % 5 == 0) v += int32_t(wall >> 32) % 48 - 24;
  return v;
}

const Image<uint8_t>& Scene::next() {
  const SceneOptions& o = options_;
  ++t_;
  const auto t = uint64_t(t_);
  uint64_t seed = o.seed * 16;
  for (const int64_t cut : o.cuts) seed += t_ >= cut ? 1000 : 0;
  int32_t gain = 256;
  for (const LightStep& step : o.light)
    if (t_ >= step.at) gain = step.gain;
  if (o.shake > 0 && t_ > 0) {  // a slow way and a jerk
    const auto off = [&](uint64_t axis) {
      const int32_t reach = 16 * o.shake;
      const int32_t slow = triangle(t_ * 9 + int64_t(hash(o.seed, axis) & 255), reach / 2);
      return slow + int32_t(hash(o.seed + 7, axis, t) % uint64_t(reach + 1)) - reach / 2;
    };
    shift_x_ = off(0), shift_y_ = off(1);
  }
  for (int32_t y = 0; y < o.height; ++y) {
    for (int32_t x = 0; x < o.width; ++x) {
      const int32_t x16 = 16 * x + shift_x_, y16 = 16 * y + shift_y_;
      int32_t v = ground(x16, y16, seed);
      if (o.sway > 0 && x16 > 16 * o.width * 2 / 3) {
        // Leaves before the sky, which swing each on a branch of its own.
        const int32_t branch = lattice(x16, y16, 9, seed + 5);
        const int32_t swung =
            triangle(t_ * 11 + branch, 16 * o.sway) + triangle(t_ * 29 + 3 * branch, 4 * o.sway);
        v += (lattice(x16 + swung, y16 + swung / 2, 6, seed + 6) - 128) * 5 / 8;
      }
      uint8_t is = truth::still;
      for (const SceneObject& object : o.objects) {
        if (t_ < object.enters || t_ >= object.leaves) continue;
        const int64_t moved = std::min(t_, object.stops) - object.enters;
        const auto left = int32_t(16 * object.x + object.dx * moved);
        const auto top = int32_t(16 * object.y + object.dy * moved);
        // Inside the ellipse where the sum of squares is below one, 2^20 here.
        const auto inside = [&](int32_t px, int32_t py) {
          const int64_t ex =
              (int64_t(px - left) * 2 - 16 * object.width) * 1024 / (16 * object.width);
          const int64_t ey =
              (int64_t(py - top) * 2 - 16 * object.height) * 1024 / (16 * object.height);
          return ex * ex + ey * ey;
        };
        const int64_t r = inside(x16, y16);
        if (r < 1 << 20) {
          v = object.level + lattice(x16 - left, y16 - top, 6, seed + uint64_t(object.level)) / 4 -
              32;
          is = truth::moving;
        } else if (r < (1 << 20) + (1 << 20) / std::max(object.width / 8, 2)) {
          is = std::max(is, truth::unknown);
        }
        // Shadows fall to the right and below.
        if (o.shadow < 256 && is == truth::still &&
            inside(x16 - 8 * object.width, y16 - 4 * object.height) < 1 << 20) {
          v = v * o.shadow >> 8;
          is = truth::shadow;
        }
      }
      if (o.lit == 0 || x < o.lit) v = v * gain >> 8;
      if (o.cloud < 256) v = v * under_cloud(x, t_, o) >> 8;
      // The sum of four bytes has a standard deviation of 148.
      const uint64_t bits = hash(o.seed + 11, t, uint64_t(y) << 32 | uint64_t(x));
      const int32_t four = int32_t(bits & 255) + int32_t(bits >> 8 & 255) +
                           int32_t(bits >> 16 & 255) + int32_t(bits >> 24 & 255);
      frame_.at(x, y) = level_of(v + (four - 510) * o.noise / 148);
      truth_.at(x, y) = is;
    }
  }
  snow();
  if (o.coder > 0) code();
  return frame_;
}

// Flakes fall by 4 to 8 pixels a frame and drift.
void Scene::snow() {
  for (int32_t n = 0; n < options_.flakes; ++n) {
    const uint64_t flake = hash(options_.seed + 13, uint64_t(n));
    const auto left = int32_t(flake % uint64_t(options_.width));
    const auto speed = int64_t(4 + (flake >> 20) % 5), begin = int64_t((flake >> 32) % 4096);
    const auto top = int32_t((begin + speed * t_) % options_.height);
    const int32_t x0 = left + triangle(t_ * 5 + begin, 8);
    for (int32_t y = top; y < std::min(top + 3, options_.height); ++y)
      for (int32_t x = std::max(x0, 0); x < std::min(x0 + 3, options_.width); ++x)
        frame_.at(x, y) = 225;
  }
}

// What a coder leaves of the frame: details in steps, and blocks that hardly change as they were;
// every 25th frame all of them again, with coarser steps.
void Scene::code() {
  const bool whole = t_ % 25 == 0;
  if (coded_.width() == 0) coded_ = Image<uint8_t>(options_.width, options_.height);
  const int32_t step = whole ? options_.coder * 3 / 2 : options_.coder;
  for (int32_t top = 0; top < options_.height; top += 8) {
    for (int32_t left = 0; left < options_.width; left += 8) {
      const int32_t bottom = std::min(top + 8, options_.height);
      const int32_t right = std::min(left + 8, options_.width);
      int32_t sum = 0, apart = 0;
      for (int32_t y = top; y < bottom; ++y)
        for (int32_t x = left; x < right; ++x) {
          sum += frame_.at(x, y);
          apart += std::abs(frame_.at(x, y) - coded_.at(x, y));
        }
      const int32_t count = (bottom - top) * (right - left), mean = sum / count;
      if (!whole && apart < 3 * count) continue;
      for (int32_t y = top; y < bottom; ++y)
        for (int32_t x = left; x < right; ++x) {
          const int32_t off = frame_.at(x, y) - mean;
          const int32_t steps = (std::abs(off) + step / 2) / step;
          coded_.at(x, y) = level_of(mean + (off < 0 ? -steps : steps) * step);
        }
    }
  }
  for (int32_t y = 0; y < options_.height; ++y)
    std::copy_n(coded_.row(y), options_.width, frame_.row(y));
}

std::vector<SceneObject> traffic(int32_t width, int32_t height, int64_t frames, uint64_t seed) {
  std::vector<SceneObject> out;
  for (int64_t enters = 0; enters < frames; enters += 25) {
    const uint64_t bits = hash(seed, uint64_t(enters));
    const int32_t w = width / 16 + int32_t(bits % uint64_t(width / 8));
    const int32_t h = height / 10 + int32_t((bits >> 8) % uint64_t(height / 6));
    const int32_t speed = 12 + int32_t((bits >> 16) % 36);  // up to 3 pixels a frame
    const bool from_left = (bits >> 24 & 1) != 0;
    const int32_t level =
        (bits >> 25 & 1) != 0 ? 30 + int32_t((bits >> 26) % 20) : 190 + int32_t((bits >> 26) % 50);
    const auto y = int32_t((bits >> 40) % uint64_t(height - h));
    out.push_back({from_left ? -w : width, y, w, h, from_left ? speed : -speed,
                   int32_t((bits >> 50) % 5) - 2, level, enters});
  }
  return out;
}

void Score::add(ConstBitView mask, const Image<uint8_t>& is) {
  for (int32_t y = 0; y < is.height(); ++y) {
    for (int32_t x = 0; x < is.width(); ++x) {
      const uint8_t code = is.at(x, y);
      if (code == truth::unknown) continue;
      const bool told = mask.at(x, y), moves = code == truth::moving;
      hit += told && moves;
      false_alarm += told && !moves;
      missed += !told && moves;
    }
  }
}

}  // namespace cuesta::test
