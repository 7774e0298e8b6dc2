#include "cuesta/recipes/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "core/check.hpp"
#include "recipes/holes.hpp"

namespace cuesta::recipes {
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

// Black and white.
struct Ends {
  double black = 0, white = 1;
};

Ends automatic_ends(ImageView<const float> picture, int32_t begin, int32_t end) {
  constexpr double usual[] = {1, 255, 65535};
  float smallest = 0, largest = -std::numeric_limits<float>::infinity();
  int64_t samples = 0, above[std::size(usual)] = {};
  for_each_sample(picture, begin, end, [&](float v) {
    if (!std::isfinite(v)) return;
    smallest = std::min(smallest, v);
    largest = std::max(largest, v);
    ++samples;
    for (size_t i = 0; i < std::size(usual); ++i) above[i] += double(v) > usual[i];
  });
  if (samples == 0) return {};
  if (smallest < 0) return {double(smallest), double(largest > smallest ? largest : smallest + 1)};
  for (size_t i = 0; i < std::size(usual); ++i)
    if (double(largest) <= 1.5 * usual[i])
      return {0, above[i] * 100 <= samples ? usual[i] : double(largest)};
  return {0, double(largest)};
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

namespace {

Ends ends_of(ImageView<const float> picture, int32_t colors, const White& white, bool is_light) {
  if (is_light) return {0, white_of_light(picture, colors)};
  Ends ends =
      white.rule == White::Rule::number ? Ends{0, white.value} : automatic_ends(picture, 0, colors);
  if (white.black) ends.black = *white.black;
  if (!(ends.white > ends.black))
    throw_invalid(fmt::format("{:g}", ends.black),
                  "black is {:g} and white is {:g}; white must be above black", ends.black,
                  ends.white);
  return ends;
}

}  // namespace

Whitened whiten(ImageView<const float> picture, bool has_alpha, const White& white,
                bool holds_light, std::optional<double> opaque) {
  const int32_t channels = picture.channels, colors = channels - (has_alpha ? 1 : 0);
  const bool is_light = white.rule == White::Rule::light ||
                        (white.rule == White::Rule::automatic && !white.black && holds_light);
  const Ends ends = ends_of(picture, colors, white, is_light);
  const double range = ends.white - ends.black;
  if (!opaque) opaque = has_alpha ? automatic_ends(picture, colors, channels).white : 1;

  Whitened out{Image<uint16_t>(picture.width, picture.height, channels), {}, 0, 1, {}};
  int64_t outside = 0;
  for (int32_t y = 0; y < picture.height; ++y) {
    const float* from = picture.row(y);
    uint16_t* to = out.pixels.row(y);
    for (int32_t i = 0; i < picture.width * channels; ++i) {
      const bool is_color = i % channels < colors;
      double part = is_color ? (double(from[i]) - ends.black) / range : double(from[i]) / *opaque;
      if (is_color && (part < 0 || part > 1)) ++outside;
      part = std::isnan(part) ? 0 : std::clamp(part, 0.0, 1.0);
      if (is_light && is_color) part = srgb_curve(part);
      to[i] = uint16_t(std::lround(part * 65535));
    }
  }
  out.clipped = double(outside) / (double(picture.width) * double(picture.height) * double(colors));
  if (!is_light) out.scale = 65535 / range;
  out.remark =
      is_light ? fmt::format("levels of linear light, {:.4g} is white", ends.white)
               : fmt::format("levels, {:.6g} is black and {:.6g} is white", ends.black, ends.white);
  return out;
}

Whitened levels_of(ConstAnyView picture, bool has_alpha, const White& white, bool holds_light,
                   Floats floats) {
  if (picture.type != PixelType::f32) {
    const double most = picture.type == PixelType::u8 ? 255 : 65535;
    Image<float> numbers(picture.width, picture.height, picture.channels);
    convert(picture, numbers);
    return whiten(numbers, has_alpha, white, false, most);
  }
  Whitened made = whiten(picture.as<float>(), has_alpha, white, holds_light);
  if (floats == Floats::holes) made.holes = holes_of(picture.as<float>(), has_alpha);
  if (!made.holes.empty()) fill_holes(made.pixels, made.holes);
  return made;
}

std::string clipped_remark(double clipped, std::string_view remark) {
  constexpr double much = 0.01;
  if (clipped <= much) return {};
  return fmt::format("{:.0f} % of its samples are below black or above white ({}) and are clipped",
                     100 * clipped, remark);
}

}  // namespace cuesta::recipes
