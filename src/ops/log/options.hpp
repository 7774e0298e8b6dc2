// What there is to say of log's options.
#pragma once

#include "cuesta/edges.hpp"
#include "ops/convolve/options.hpp"

namespace cuesta {

inline constexpr Named<LogMode> log_mode_names[] = {{LogMode::threshold, "threshold"},
                                                    {LogMode::zero_crossings, "zero-crossings"}};
constexpr std::span<const Named<LogMode>> names_of(LogMode) { return log_mode_names; }

template <>
struct Described<LogOptions> {
  static constexpr auto fields = std::tuple(
      field<&LogOptions::mode>(
          "mode", any(),
          "edge criterion. threshold: |L| > threshold; zero-crossings: L changes its sign between "
          "neighbours that differ by more than the threshold"),
      field<&LogOptions::threshold>("threshold", at_least(0),
                                    "threshold of the response L, in gray levels"),
      field<&LogOptions::sigma>("sigma", at_least(0).or_own("paper 000's integer taps 2 4 5 4 2"),
                                "sigma of the Gaussian, in pixels. At most 42 without ksize"),
      field<&LogOptions::ksize>("ksize", odd(1, 255).or_own(window_of_sigma).or_by(smaller_first),
                                "side of the Gaussian window"),
      border_field<&LogOptions::border>());
};

}  // namespace cuesta
