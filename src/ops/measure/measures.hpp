// From the sums of a component to what is measured of it.
#pragma once

#include "cuesta/measure.hpp"
#include "ops/measure/sums.hpp"

namespace cuesta::measuring {

/// `type`: of the intensities; without one they are NaN.
Measures measures_of(const Sums& sums, int32_t label, PixelType type, bool intensity);

}  // namespace cuesta::measuring
