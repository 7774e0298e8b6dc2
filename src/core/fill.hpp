#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuesta/image.hpp"

namespace cuesta {

/// Every sample of a plane on the host.
template <class T>
void fill(ImageView<T> plane, std::type_identity_t<T> value) {
  for (int32_t y = 0; y < plane.height; ++y) std::fill_n(plane.row(y), plane.width, value);
}

}  // namespace cuesta
