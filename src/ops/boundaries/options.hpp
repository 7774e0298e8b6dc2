// What there is to say of the options of boundaries.
#pragma once

#include "core/options.hpp"
#include "cuesta/boundaries.hpp"

namespace cuesta {

inline constexpr Named<BoundaryQuality> boundary_quality_names[] = {
    {BoundaryQuality::fast, "fast"}, {BoundaryQuality::high, "high"}};
constexpr std::span<const Named<BoundaryQuality>> names_of(BoundaryQuality) {
  return boundary_quality_names;
}

template <>
struct Described<BoundaryOptions> {
  static constexpr auto fields = std::tuple(
      field<&BoundaryOptions::threshold>(
          "threshold", between(0, 10000),
          "require this strength relative to the surroundings. The ratio of an edge's strength to "
          "that of its surroundings to the power 3/4; half of it continues an edge"),
      field<&BoundaryOptions::quality>(
          "quality", any(),
          "select high for more accuracy, and more time. high weighs texture and color on "
          "both sides of a contour, and how far it continues"));
};

}  // namespace cuesta
