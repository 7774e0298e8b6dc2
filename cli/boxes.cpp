#include "cli/boxes.hpp"

#include <algorithm>
#include <cmath>

namespace cuesta::cli {
namespace {

constexpr double red = 0.1, green = 1.0, blue = 0.2;

struct Weights {
  double red, blue;
};
Weights weights_of(uint8_t matrix) {  // ITU-T H.273, table 4
  switch (matrix) {
    case 1: return {0.2126, 0.0722};
    case 9:
    case 10: return {0.2627, 0.0593};
    default: return {0.299, 0.114};
  }
}

int32_t even_down(int32_t v) { return v & ~1; }
int32_t even_up(int32_t v) { return (v + 1) & ~1; }

void fill_plane(AnyView plane, int32_t x0, int32_t y0, int32_t x1, int32_t y1, uint8_t value) {
  const auto view = plane.as<uint8_t>();
  for (int32_t y = y0; y < y1; ++y) std::fill(view.row(y) + x0, view.row(y) + x1, value);
}

}  // namespace

BoxPainter::BoxPainter(const io::StreamFormat& format)
    : format_(format),
      line_(2 * std::max(1, int32_t(std::lround(std::min(format.width, format.height) / 480.0)))) {
  const Weights k = weights_of(format.matrix);
  const double luma = k.red * red + (1 - k.red - k.blue) * green + k.blue * blue;
  const double cb = (blue - luma) / (2 * (1 - k.blue)), cr = (red - luma) / (2 * (1 - k.red));
  const bool full = format.full_range;
  const auto sample = [](double v) { return uint8_t(std::clamp(std::lround(v), 0L, 255L)); };
  const double brightness = format.chroma == io::Chroma::none ? 1 : luma;
  color_ = {sample(full ? 255 * brightness : 16 + 219 * brightness),
            sample(128 + (full ? 255 : 224) * cb), sample(128 + (full ? 255 : 224) * cr)};
}

void BoxPainter::fill(io::FrameBuffer& frame, const Rect& r) const {
  const int32_t x1 = std::min(r.x + r.width, format_.width);
  const int32_t y1 = std::min(r.y + r.height, format_.height);
  if (r.x >= x1 || r.y >= y1) return;
  fill_plane(frame.luma(), r.x, r.y, x1, y1, color_[0]);
  if (format_.chroma == io::Chroma::none) return;
  const int32_t sx = format_.chroma == io::Chroma::c444 ? 1 : 2;
  const int32_t sy = format_.chroma == io::Chroma::c420 ? 2 : 1;
  const auto color = [&](AnyView plane, uint8_t value) {
    fill_plane(plane, r.x / sx, r.y / sy, (x1 + sx - 1) / sx, (y1 + sy - 1) / sy, value);
  };
  color(frame.cb(), color_[1]);
  color(frame.cr(), color_[2]);
}

void BoxPainter::draw(io::FrameBuffer& frame, std::span<const Detection> objects) const {
  const int32_t t = line_;
  for (const auto& object : objects) {
    const Rect& b = object.box;
    const int32_t x0 = std::max(0, even_down(b.x) - t), y0 = std::max(0, even_down(b.y) - t);
    const int32_t x1 = std::min(even_up(format_.width), even_up(b.x + b.width) + t);
    const int32_t y1 = std::min(even_up(format_.height), even_up(b.y + b.height) + t);
    fill(frame, {x0, y0, x1 - x0, t});
    fill(frame, {x0, std::max(y0, y1 - t), x1 - x0, t});
    fill(frame, {x0, y0, t, y1 - y0});
    fill(frame, {std::max(x0, x1 - t), y0, t, y1 - y0});
  }
}

}  // namespace cuesta::cli
