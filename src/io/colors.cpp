#include "cuesta/io/colors.hpp"

#include <algorithm>
#include <cmath>

namespace cuesta::io {
namespace {

// YUV to RGB in Q16, by ITU-T H.273's numbers for the matrix.
struct RgbMatrix {
  int32_t luma, cr_to_r, cb_to_g, cr_to_g, cb_to_b, black;

  static RgbMatrix of(const StreamFormat& format) {
    const bool is_709 = format.matrix == 1, is_2020 = format.matrix == 9 || format.matrix == 10;
    const double kr = is_709 ? 0.2126 : is_2020 ? 0.2627 : 0.299;
    const double kb = is_709 ? 0.0722 : is_2020 ? 0.0593 : 0.114;
    const double luma = format.full_range ? 1 : 255.0 / 219,
                 color = format.full_range ? 1 : 255.0 / 224;
    const auto q16 = [](double value) { return int32_t(std::lround(value * 65536)); };
    const double r = 2 * (1 - kr) * color, b = 2 * (1 - kb) * color;
    return {q16(luma),
            q16(r),
            q16(-b * kb / (1 - kr - kb)),
            q16(-r * kr / (1 - kr - kb)),
            q16(b),
            format.full_range ? 0 : 16};
  }
};

uint8_t from_q16(int32_t value) { return uint8_t(std::clamp((value + 32768) >> 16, 0, 255)); }

}  // namespace

void make_rgb(const Frame& frame, const StreamFormat& format, ImageView<uint8_t> rgb) {
  const RgbMatrix m = RgbMatrix::of(format);
  const bool halves_x = format.chroma == Chroma::c420 || format.chroma == Chroma::c422;
  const bool halves_y = format.chroma == Chroma::c420;
  const auto luma = frame.luma.as<uint8_t>(), cb = frame.cb.as<uint8_t>(),
             cr = frame.cr.as<uint8_t>();
  for (int32_t y = 0; y < rgb.height; ++y) {
    const uint8_t* from = luma.row(y);
    uint8_t* to = rgb.row(y);
    for (int32_t x = 0; x < rgb.width; ++x, to += 3) {
      const int32_t level = (from[x] - m.black) * m.luma;
      int32_t u = 0, v = 0;
      if (cb.data) {
        u = cb.at(x >> int(halves_x), y >> int(halves_y)) - 128;
        v = cr.at(x >> int(halves_x), y >> int(halves_y)) - 128;
      }
      to[0] = from_q16(level + v * m.cr_to_r);
      to[1] = from_q16(level + u * m.cb_to_g + v * m.cr_to_g);
      to[2] = from_q16(level + u * m.cb_to_b);
    }
  }
}

void make_planes(ImageView<const uint8_t> rgb, ImageView<uint8_t> luma, ImageView<uint8_t> cb,
                 ImageView<uint8_t> cr) {
  for (int32_t y = 0; y < rgb.height; ++y) {
    const uint8_t* from = rgb.row(y);
    for (int32_t x = 0; x < rgb.width; ++x, from += 3) {
      const int32_t r = from[0], g = from[1], b = from[2];
      luma.at(x, y) = uint8_t((9798 * r + 19235 * g + 3735 * b + 16384) >> 15);
      cb.at(x, y) = uint8_t(std::min(255, (-5529 * r - 10855 * g + 16384 * b + (257 << 14)) >> 15));
      cr.at(x, y) = uint8_t(std::min(255, (16384 * r - 13720 * g - 2664 * b + (257 << 14)) >> 15));
    }
  }
}

}  // namespace cuesta::io
