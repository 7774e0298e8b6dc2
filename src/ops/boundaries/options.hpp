// What there is to say of the options of boundaries.
#pragma once

#include "core/options.hpp"
#include "cuesta/boundaries.hpp"

namespace cuesta {

template <>
struct Described<BoundaryOptions> {
  static constexpr auto fields = std::tuple(
      field<&BoundaryOptions::threshold>("threshold", between(0, 10000),
                                         "of an edge's strength over the power 3/4 of what lies "
                                         "around it; half of it goes on along an edge"));
};

}  // namespace cuesta
