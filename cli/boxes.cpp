#include "cli/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/font.hpp"

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
  black_ = {uint8_t(full ? 0 : 16), 128, 128};
}

void BoxPainter::fill(io::FrameBuffer& frame, const Rect& r, const Color& color) const {
  const int32_t x1 = std::min(r.x + r.width, format_.width);
  const int32_t y1 = std::min(r.y + r.height, format_.height);
  if (r.x >= x1 || r.y >= y1) return;
  fill_plane(frame.luma(), r.x, r.y, x1, y1, color[0]);
  if (format_.chroma == io::Chroma::none) return;
  const int32_t sx = format_.chroma == io::Chroma::c444 ? 1 : 2;
  const int32_t sy = format_.chroma == io::Chroma::c420 ? 2 : 1;
  const auto fill_color = [&](AnyView plane, uint8_t value) {
    fill_plane(plane, r.x / sx, r.y / sy, (x1 + sx - 1) / sx, (y1 + sy - 1) / sy, value);
  };
  fill_color(frame.cb(), color[1]);
  fill_color(frame.cr(), color[2]);
}

void BoxPainter::draw_box(io::FrameBuffer& frame, const Rect& b) const {
  const int32_t t = line_;
  const int32_t x0 = std::max(0, even_down(b.x) - t), y0 = std::max(0, even_down(b.y) - t);
  const int32_t x1 = std::min(even_up(format_.width), even_up(b.x + b.width) + t);
  const int32_t y1 = std::min(even_up(format_.height), even_up(b.y + b.height) + t);
  fill(frame, {x0, y0, x1 - x0, t}, color_);
  fill(frame, {x0, std::max(y0, y1 - t), x1 - x0, t}, color_);
  fill(frame, {x0, y0, t, y1 - y0}, color_);
  fill(frame, {std::max(x0, x1 - t), y0, t, y1 - y0}, color_);
}

void BoxPainter::draw(io::FrameBuffer& frame, std::span<const Detection> objects) const {
  for (const auto& object : objects) draw_box(frame, object.box);
}

void BoxPainter::draw(io::FrameBuffer& frame, std::span<const TrackedObject> objects) const {
  for (const auto& object : objects) {
    const Rect& b = object.detection.box;
    draw_box(frame, b);
    write(frame, b.x - line_, b.y - line_ - font::height * line_, fmt::format("{}", object.id));
  }
}

void BoxPainter::draw(io::FrameBuffer& frame, std::span<const CountingLine> lines) const {
  for (const CountingLine& line : lines) {
    const Point a{line.from.x * format_.width, line.from.y * format_.height};
    const Point b{line.to.x * format_.width, line.to.y * format_.height};
    draw_segment(frame, a, b);
    const double length = std::hypot(b.x - a.x, b.y - a.y), size = 4.0 * line_;
    const double x = size * (b.x - a.x) / length, y = size * (b.y - a.y) / length;
    const Point middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const Point tip{middle.x - 2 * y, middle.y + 2 * x};
    draw_segment(frame, middle, tip);
    draw_segment(frame, tip, {tip.x + y - x, tip.y - x - y});
    draw_segment(frame, tip, {tip.x + y + x, tip.y - x + y});
  }
}

void BoxPainter::draw_segment(io::FrameBuffer& frame, Point a, Point b) const {
  const int steps = std::max(1, int(std::ceil(std::hypot(b.x - a.x, b.y - a.y))));
  for (int i = 0; i <= steps; ++i) {
    const double at = double(i) / steps;
    const auto place = [&](double from, double to, int32_t end) {
      return even_down(std::clamp(int32_t(std::lround(from + at * (to - from))) - line_ / 2, 0,
                                  std::max(0, end - line_)));
    };
    fill(frame, {place(a.x, b.x, format_.width), place(a.y, b.y, format_.height), line_, line_},
         color_);
  }
}

void BoxPainter::stamp(io::FrameBuffer& frame, std::string_view text) const {
  const bool fits = int32_t(text.size()) * font::width * line_ <= format_.width;
  write(frame, 0, 0, fits ? text : text.substr(text.find(' ') + 1));
}

void BoxPainter::write(io::FrameBuffer& frame, int32_t x, int32_t y, std::string_view text) const {
  // A dot of the font is as wide as a line of a box, so on whole samples of color.
  const int32_t width = int32_t(text.size()) * font::width * line_, height = font::height * line_;
  x = std::max(0, even_down(std::min(x, format_.width - width)));
  y = std::max(0, even_down(std::min(y, format_.height - height)));
  fill(frame, {x, y, width, height}, black_);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto glyph = font::glyph_of(text[i]);
    for (int32_t row = 0; row < int32_t(glyph.size()); ++row) {
      for (int32_t column = 0; column < font::width; ++column) {
        if (!(glyph[size_t(row)] >> (4 - column) & 1)) continue;
        fill(frame,
             {x + (int32_t(i) * font::width + column) * line_, y + (row + 1) * line_, line_, line_},
             color_);
      }
    }
  }
}

}  // namespace cuesta::cli
