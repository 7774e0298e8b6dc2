// What there is to say of the options of the linear filters.
#pragma once

#include "core/options.hpp"
#include "cuesta/filter.hpp"

namespace cuesta {

/// What a window of 0 takes, wherever a Gaussian has one.
inline constexpr std::string_view window_of_sigma = "from sigma";

template <>
struct Described<FilterOptions> {
  static constexpr auto fields = std::tuple(
      border_field<&FilterOptions::border>(),
      field<&FilterOptions::absolute>("absolute", any(), "take |result| before adding the offset"),
      field<&FilterOptions::offset>("offset", any(),
                                    "add this value after rounding, before saturation"));
};

template <>
struct Described<GaussianOptions> {
  static constexpr auto fields =
      std::tuple(field<&GaussianOptions::sigma>(
                     "sigma", at_least(0).or_own("0.3((ksize - 1)/2 - 1) + 0.8"),
                     "set sigma of the Gaussian, in pixels. Either sigma or ksize is required"),
                 field<&GaussianOptions::ksize>(
                     "ksize", odd(1, 255).or_own(window_of_sigma).or_by(smooth_twice),
                     "set the side of the window"),
                 border_field<&GaussianOptions::border>());
};

template <>
struct Described<BoxOptions> {
  static constexpr auto fields =
      std::tuple(field<&BoxOptions::n>("n", between(1, 255).or_by(smaller_in_turn),
                                       "set the side of the window"),
                 border_field<&BoxOptions::border>());
};

template <>
struct Described<SharpenOptions> {
  static constexpr auto fields =
      std::tuple(field<&SharpenOptions::n>("n", odd(1, 255).or_by(smaller_first),
                                           "set the side of the window"),
                 border_field<&SharpenOptions::border>());
};

}  // namespace cuesta
