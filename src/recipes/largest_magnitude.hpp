// The magnitude that is white.
#pragma once

#include "cuesta/edges.hpp"

namespace cuesta::recipes {

/// The largest magnitude that samples from 0 to 1 can have: over all directions of the gradient,
/// the sum of the taps along it that are positive.
double largest_magnitude(int aperture, Norm norm);

}  // namespace cuesta::recipes
