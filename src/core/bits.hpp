// Masks of one bit a pixel as planes, and back.
#pragma once

#include "cuesta/image.hpp"

namespace cuesta {

/// The bit view of a plane of type `bit`; the caller has checked type and space.
template <Space S = Space::host>
BasicBitView<uint64_t, S> bits_of(AnyView plane) {
  return {static_cast<uint64_t*>(plane.data), plane.width, plane.height, plane.stride_bytes / 8};
}
template <Space S = Space::host>
BasicBitView<const uint64_t, S> bits_of(ConstAnyView plane) {
  return {static_cast<const uint64_t*>(plane.data), plane.width, plane.height,
          plane.stride_bytes / 8};
}

/// The pixels of the last word of a row of `width` pixels, at least one.
constexpr uint64_t last_word_mask(int32_t width) {
  return width % 64 ? (uint64_t(1) << (width % 64)) - 1 : ~uint64_t(0);
}

}  // namespace cuesta
