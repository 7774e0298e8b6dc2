// What there is to say of the options of regions.
#pragma once

#include "core/options.hpp"
#include "cuesta/regions.hpp"

namespace cuesta {

template <>
struct Described<RegionOptions> {
  static constexpr auto fields = std::tuple(field<&RegionOptions::threshold>(
      "threshold", between(0, 1),
      "remove contours that are weaker than this share of the largest strength"));
};

}  // namespace cuesta
