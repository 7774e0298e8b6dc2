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
      field<&LogOptions::mode>("mode", any(),
                               "an edge is |L| > threshold, or a change of L's sign between "
                               "neighbours that differ by more than it"),
      field<&LogOptions::threshold>("threshold", at_least(0), "in gray levels of the response L"),
      field<&LogOptions::sigma>("sigma", at_least(0),
                                "of the Gaussian, in pixels, up to 42 without ksize; 1.4 without "
                                "ksize takes the integer taps 2 4 5 4 2 of paper 000"),
      field<&LogOptions::ksize>("ksize", odd(1, 255).or_own(window_of_sigma),
                                "side of the Gaussian's window"),
      border_field<&LogOptions::border>());
};

}  // namespace cuesta
