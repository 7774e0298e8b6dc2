#include "bench/surface/ceilings.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace cuesta::bench {
namespace {

using enum PixelType;

/// A class holds up to `last` of its parameter: taps, a side, a sigma.
struct Step {
  int last;
  double copies;
};

// "median u8, 7", or "gaussian u8, to 31"; without a figure past the last step.
Ceiling up_to(std::string group, int value, std::span<const Step> steps) {
  for (const Step& step : steps)
    if (value <= step.last) return {fmt::format("{}, to {}", group, step.last), step.copies};
  return {std::move(group) + ", larger", 0};
}

double bits_of(PixelType type, int32_t channels) {
  return type == bit ? 1 : 8.0 * bytes_per_sample(type) * channels;
}

}  // namespace

Ceiling of_channels(Ceiling ceiling, int32_t channels) {
  if (channels == 1) return ceiling;
  return {ceiling.group + ", color", 1.2 * ceiling.copies};
}

Ceiling gaussian_ceiling(int taps, PixelType type) {
  constexpr Step bytes[] = {{31, 1.5}, {61, 1.5}, {121, 2}, {255, 3}};
  constexpr Step others[] = {{19, 2}, {49, 3}};  // sigma 3 and 8
  const std::span<const Step> steps = type == u8 ? std::span<const Step>(bytes) : others;
  return up_to(fmt::format("gaussian {}", name_of(type)), taps, steps);
}

Ceiling box_ceiling(int n) {
  constexpr Step steps[] = {{63, 1.6}, {255, 2.5}};
  return up_to("box", n, steps);
}

Ceiling sharpen_ceiling(int n, PixelType type) {
  return n <= 9 ? taps_ceiling(n, false, type) : box_ceiling(n);
}

Ceiling taps_ceiling(int n, bool floats, PixelType type) {
  constexpr Step whole[] = {{5, 1.3}, {9, 1.5}, {15, 2}, {21, 3}, {31, 5}};
  constexpr Step of_floats[] = {{9, 3}, {15, 8}};
  constexpr Step samples[] = {{3, 1.15}, {5, 1.2}, {9, 1.7}, {15, 4}};
  if (type == f32) return up_to("taps of f32", n, samples);
  const std::string group =
      fmt::format("{} taps of {}", floats ? "float" : "integer", name_of(type));
  // The wider samples hold twice the bytes, so a multiple of their copy is no harder.
  return up_to(group, n, floats ? std::span<const Step>(of_floats) : whole);
}

Ceiling median_ceiling(int ksize, PixelType type) {
  constexpr Step bytes[] = {{3, 1.2}, {5, 2.5}, {7, 5},   {9, 8},
                            {11, 13}, {15, 18}, {31, 28}, {255, 55}};
  constexpr Step words[] = {{3, 1.3}, {5, 1.8}, {7, 3}, {9, 5}, {11, 8}};
  constexpr Step floats[] = {{3, 1.5}, {5, 4}};
  const std::span<const Step> steps = type == u8    ? std::span<const Step>(bytes)
                                      : type == u16 ? std::span<const Step>(words)
                                                    : floats;
  return up_to(fmt::format("median {}", name_of(type)), ksize, steps);
}

Ceiling moved_ceiling(const char* group, PixelType from, int32_t channels, PixelType to,
                      int32_t result_channels) {
  const double source = bits_of(from, channels), result = bits_of(to, result_channels);
  return {group, 1.3 * (source + result) / (2 * source)};
}

Ceiling log_ceiling(const LogOptions& options, PixelType to) {
  const double sigma = options.sigma.value_or(1);
  const double more = to == s32 ? 2.5 : 1;  // the responses are four times the source
  if (sigma > 2.2) return {"log, sigma 3 to 8", sigma <= 8 ? 4 * more : 0};
  const bool crossings = options.mode == LogMode::zero_crossings;
  return {crossings ? "log crossings" : "log", (crossings ? 2.1 : 1.6) * more};
}

Ceiling canny_ceiling(const CannyOptions& options, PixelType type, int32_t channels) {
  const bool given = !options.thresholds.is_automatic();
  const double sigma = options.sigma.value_or(1.4);
  if (sigma > 5 || options.ksize > 31) return {"canny, large sigma", 0};
  if (channels == 3) {
    if (options.color == ColorGradient::structure) return {"canny, structure", 9};
    if (options.aperture > 3) return {"canny of 3 channels, apertures 5 and 7", 0};
    return {given ? "canny of 3 channels, given thresholds" : "canny of 3 channels",
            given ? 6.0 : 8.0};
  }
  if (options.aperture > 3) return {"canny, apertures 5 and 7", 7};
  if (type != u8) return {"canny of u16 and f32", 6};
  if (sigma > 1.4) return {"canny, sigma to 5", 6.5};
  return {given ? "canny, given thresholds" : "canny", given ? 5.66 : 6.5};
}

Ceiling boundaries_ceiling(const BoundaryOptions& options, int32_t channels) {
  if (options.quality != BoundaryOptions{}.quality) return {"boundaries of high quality", 0};
  return channels == 3 ? Ceiling{"boundaries of 3 channels", 8} : Ceiling{"boundaries", 15};
}

Ceiling histogram_ceiling(PixelType type) {
  return {fmt::format("histogram {}", name_of(type)), 2};
}

Ceiling morphology_ceiling(int n, bool two_steps, PixelType type) {
  constexpr Step grays[] = {{9, 2.5}, {15, 3}, {31, 5}};
  // In copies of the bits: eight times those of the picture of bytes that they stand for.
  constexpr Step bits[] = {{31, 8 * 1.5}};
  Ceiling one = type == bit ? up_to("morphology of bits", n, bits) : up_to("morphology", n, grays);
  return two_steps && type != bit ? Ceiling{one.group + ", two steps", 2 * one.copies} : one;
}

Ceiling components_ceiling(bool labels, PixelType type) {
  const double copies = labels ? 5 : 4;  // of a picture of bytes
  return {fmt::format("components, {}", labels ? "labels" : "list"),
          type == bit ? 8 * copies : copies + 1};
}

}  // namespace cuesta::bench
