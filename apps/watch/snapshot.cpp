#include "apps/watch/snapshot.hpp"

#include <algorithm>

#include "cuesta/io/colors.hpp"

namespace cuesta::cli {
namespace {

// From `begin` to `end`, widened to `least`, inside 0 to `size`, on even samples.
std::pair<int32_t, int32_t> widened(int32_t begin, int32_t end, int32_t least, int32_t size) {
  const int32_t length = std::min(size, std::max(2 * (end - begin), least));
  const int32_t from = std::clamp((begin + end - length) / 2, 0, size - length) & ~1;
  return {from, std::min(size, from + length)};
}

ConstAnyView part_of(ConstAnyView plane, const Rect& part, Size whole) {
  if (!plane.data) return {};
  const int32_t sx = (whole.width + plane.width - 1) / plane.width,
                sy = (whole.height + plane.height - 1) / plane.height;
  return plane.region(
      {part.x / sx, part.y / sy, (part.width + sx - 1) / sx, (part.height + sy - 1) / sy});
}

void outline(ImageView<uint8_t> rgb, const Rect& box, int32_t line) {
  for (int32_t y = 0; y < rgb.height; ++y) {
    for (int32_t x = 0; x < rgb.width; ++x) {
      const int32_t out =
          std::max({box.x - x, x - box.x - box.width + 1, box.y - y, y - box.y - box.height + 1});
      if (out <= 0 || out > line) continue;
      rgb.at(x, y, 0) = 30;
      rgb.at(x, y, 1) = 255;
      rgb.at(x, y, 2) = 60;
    }
  }
}

int32_t block_of(Size size, Size most) {
  return std::max({1, (size.width + most.width - 1) / most.width,
                   (size.height + most.height - 1) / most.height});
}

}  // namespace

Image<uint8_t> snapshot_of(const io::Frame& frame, const io::StreamFormat& format,
                           const Rect& box) {
  constexpr Size most{320, 240};
  const Size whole = frame.luma.size();
  const auto [x0, x1] = widened(box.x, box.x + box.width, 96, whole.width);
  const auto [y0, y1] = widened(box.y, box.y + box.height, 72, whole.height);
  const Rect part{x0, y0, x1 - x0, y1 - y0};
  io::Frame cut = frame;
  cut.luma = frame.luma.region(part);
  cut.cb = part_of(frame.cb, part, whole);
  cut.cr = part_of(frame.cr, part, whole);
  Image<uint8_t> rgb(part.width, part.height, 3);
  io::make_rgb(cut, format, rgb);
  outline(rgb, {box.x - x0, box.y - y0, box.width, box.height}, 2 * block_of(rgb.size(), most));
  return shrunk(rgb, most);
}

Image<uint8_t> shrunk(const Image<uint8_t>& rgb, Size most) {
  const int32_t by = block_of(rgb.size(), most);
  Image<uint8_t> out(rgb.width() / by, rgb.height() / by, 3);
  for (int32_t y = 0; y < out.height(); ++y) {
    for (int32_t x = 0; x < out.width(); ++x) {
      for (int32_t c = 0; c < 3; ++c) {
        int32_t sum = by * by / 2;
        for (int32_t dy = 0; dy < by; ++dy)
          for (int32_t dx = 0; dx < by; ++dx) sum += rgb.at(x * by + dx, y * by + dy, c);
        out.at(x, y, c) = uint8_t(sum / (by * by));
      }
    }
  }
  return out;
}

}  // namespace cuesta::cli
