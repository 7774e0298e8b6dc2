// Border::value as a sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "cuesta/border.hpp"

namespace cuesta {

/// The sample of type T that `constant` (and, for what is later cleared, `ignore`) puts outside a
/// picture: Border::value, for integers rounded half to even and saturated. The value is not NaN
/// where T is an integer.
template <class T>
CUESTA_HOST_DEVICE T border_sample(const Border& border) {
  if constexpr (std::is_floating_point_v<T>)
    return T(border.value);
  else
    return T(std::clamp(std::nearbyint(border.value), double(std::numeric_limits<T>::min()),
                        double(std::numeric_limits<T>::max())));
}

}  // namespace cuesta
