#include "io/white.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace cuesta::io {
namespace {

// Samples of the channels [begin, end) to `see`.
template <class See>
void for_each_sample(ImageView<const float> picture, int32_t begin, int32_t end, See&& see) {
  for (int32_t y = 0; y < picture.height; ++y) {
    const float* row = picture.row(y);
    for (int32_t x = 0; x < picture.width; ++x, row += picture.channels)
      for (int32_t c = begin; c < end; ++c) see(row[c]);
  }
}

double automatic_white(ImageView<const float> picture, int32_t begin, int32_t end) {
  float largest = 0;
  for_each_sample(picture, begin, end, [&](float v) {
    if (std::isfinite(v)) largest = std::max(largest, v);
  });
  for (const double white : {1.0, 255.0, 65535.0})
    if (double(largest) <= 1.5 * white) return white;
  return double(largest);
}

double white_of_light(ImageView<const float> picture, int32_t colors) {
  std::vector<float> samples;
  samples.reserve(size_t(picture.width) * size_t(picture.height) * size_t(colors));
  for_each_sample(picture, 0, colors, [&](float v) {
    if (std::isfinite(v) && v > 0) samples.push_back(v);
  });
  if (samples.empty()) return 1;
  const auto at = samples.begin() + ptrdiff_t(double(samples.size() - 1) * 0.99);
  std::nth_element(samples.begin(), at, samples.end());
  return double(*at);
}

// IEC 61966-2-1.
double srgb_curve(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

}  // namespace

Whitened whiten(ImageView<const float> picture, bool has_alpha, const White& white,
                bool holds_light) {
  const int32_t channels = picture.channels, colors = channels - (has_alpha ? 1 : 0);
  const bool is_light =
      white.rule == White::Rule::light || (white.rule == White::Rule::automatic && holds_light);
  const double level = is_light                            ? white_of_light(picture, colors)
                       : white.rule == White::Rule::number ? white.value
                                                           : automatic_white(picture, 0, colors);
  const double opaque = has_alpha ? automatic_white(picture, colors, channels) : 1;

  Whitened out{Image<uint16_t>(picture.width, picture.height, channels), {}, 0, 1};
  int64_t outside = 0;
  for (int32_t y = 0; y < picture.height; ++y) {
    const float* from = picture.row(y);
    uint16_t* to = out.pixels.row(y);
    for (int32_t i = 0; i < picture.width * channels; ++i) {
      const bool is_color = i % channels < colors;
      double part = double(from[i]) / (is_color ? level : opaque);
      if (is_color && !(part >= 0 && part <= 1)) ++outside;
      part = std::isnan(part) ? 0 : std::clamp(part, 0.0, 1.0);
      if (is_light && is_color) part = srgb_curve(part);
      to[i] = uint16_t(std::lround(part * 65535));
    }
  }
  out.clipped = double(outside) / (double(picture.width) * double(picture.height) * double(colors));
  if (!is_light) out.scale = 65535 / level;
  out.remark = is_light ? fmt::format("floats of linear light, {:.4g} is white", level)
                        : fmt::format("floats, 0 is black and {:.6g} is white", level);
  return out;
}

}  // namespace cuesta::io
