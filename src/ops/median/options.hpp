// What there is to say of median's options.
#pragma once

#include "core/options.hpp"
#include "cuesta/filter.hpp"

namespace cuesta {

template <>
struct Described<MedianOptions> {
  static constexpr auto fields =
      std::tuple(field<&MedianOptions::ksize>("ksize", odd(1, 255).or_by(smaller_first),
                                              "set the side of the window; at most 5 for floats"),
                 border_field<&MedianOptions::border>());
};

}  // namespace cuesta
