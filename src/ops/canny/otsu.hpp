// Otsu's choice among the bins of magnitudes (Otsu 1979), from sums of whole numbers: in whatever
// order they are added, by the host or by blocks of a GPU, it is the same. Bin 0 and empty bins are
// passed over. Host and device.
#pragma once

#include <cstdint>
#include <span>

#include "ops/shared/pixel_arithmetic.hpp"

namespace cuesta::canny_otsu {

/// Classes lighter than this share of all pixels are passed over: FLT_EPSILON, as in cv::threshold.
inline constexpr double min_weight = 1.1920928955078125e-07;

/// Bins are added up in groups, of floats all of one exponent.
inline constexpr int32_t group_bins = 256;

/// Pixels, and the sum of their values.
struct Sums {
  uint64_t pixels = 0, values = 0;
};

/// The value of a bin's pixels in the unit of its group: of whole numbers 1, of floats the last
/// place of 9 bits.
CUESTA_HOST_DEVICE constexpr uint32_t value_in_group(bool of_floats, int32_t bin) {
  if (!of_floats) return uint32_t(bin);
  const uint32_t fraction = uint32_t(bin % group_bins);
  return bin < group_bins ? fraction : fraction + group_bins;
}
/// A group's sum in the unit of all groups: of floats 2^-16 of that of group `last`, the last one
/// with pixels, rounded down. Below 2^36 pixels it fits.
CUESTA_HOST_DEVICE constexpr uint64_t in_common_unit(bool of_floats, uint64_t values, int32_t group,
                                                     int32_t last) {
  if (!of_floats) return values;
  // Subnormal numbers have the unit of the smallest exponent.
  const int32_t exponents = (last > 0 ? last : 1) - (group > 0 ? group : 1);
  return exponents < 64 ? values << 16 >> exponents : 0;
}

/// The variance between two classes, but for a factor that all bins share: `lower` up to a bin, the
/// others of `all` above. 0: passed over.
CUESTA_HOST_DEVICE inline double variance(const Sums& lower, const Sums& all) {
  const uint64_t above = all.pixels - lower.pixels;
  const uint64_t light = lower.pixels < above ? lower.pixels : above;
  const auto pixels = double(all.pixels);
  if (light == 0 || double(light) < pixel::product(min_weight, pixels)) return 0;
  const double apart = pixel::product(double(all.values), double(lower.pixels)) -
                       pixel::product(pixels, double(lower.values));
  return apart * apart / pixel::product(double(lower.pixels), double(above));
}

/// The first of the bins with the largest variance, 0 where there is none.
inline int32_t choose(bool of_floats, std::span<const uint64_t> bins) {
  auto end = int32_t(bins.size());
  while (end > 1 && bins[size_t(end) - 1] == 0) --end;
  const int32_t last = (end - 1) / group_bins;
  // each(bin, sums up to it) of the bins that have pixels; returns the sums of all.
  const auto add_up = [&](auto&& each) {
    Sums done, all;
    for (int32_t group = 0; group <= last; ++group) {
      uint64_t values = 0;
      const int32_t first = group * group_bins;
      for (int32_t bin = first > 0 ? first : 1; bin < end && bin < first + group_bins; ++bin) {
        const uint64_t count = bins[size_t(bin)];
        if (count == 0) continue;
        values += count * value_in_group(of_floats, bin);
        all.pixels += count;
        all.values = done.values + in_common_unit(of_floats, values, group, last);
        each(bin, all);
      }
      done = all;
    }
    return all;
  };
  const Sums all = add_up([](int32_t, const Sums&) {});
  int32_t best = 0;
  double most = 0;
  add_up([&](int32_t bin, const Sums& lower) {
    if (const double v = variance(lower, all); v > most) most = v, best = bin;
  });
  return best;
}

}  // namespace cuesta::canny_otsu
