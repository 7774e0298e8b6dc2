// What there is to say of the options of boundaries.
#pragma once

#include "core/options.hpp"
#include "cuesta/boundaries.hpp"

namespace cuesta {

template <>
struct Described<BoundaryOptions> {
  static constexpr auto fields = std::tuple(field<&BoundaryOptions::threshold>(
      "threshold", between(0, 10000),
      "require this strength relative to the surroundings. The ratio of an edge's strength to that "
      "of its "
      "surroundings to the power 3/4; half of it continues an edge"));
};

}  // namespace cuesta
