// One value in every sample.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "cuesta/image.hpp"

namespace cuesta {

/// Sets every sample of a picture of one channel, in host memory.
template <class T>
void fill(ImageView<T> plane, std::type_identity_t<T> value) {
  for (int32_t y = 0; y < plane.height; ++y) std::fill_n(plane.row(y), plane.width, value);
}

}  // namespace cuesta
