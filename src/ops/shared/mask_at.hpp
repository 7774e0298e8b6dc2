// A pixel of a mask of either type.
#pragma once

#include <cstdint>

#include "cuesta/border.hpp"
#include "cuesta/image.hpp"

namespace cuesta {

/// Pixel (x, y) of a u8 or bit mask.
CUESTA_HOST_DEVICE inline bool mask_at(ConstAnyView mask, int32_t x, int32_t y) {
  const char* row = static_cast<const char*>(mask.data) + ptrdiff_t(y) * mask.stride_bytes;
  if (mask.type == PixelType::u8) return row[x] != 0;
  return (reinterpret_cast<const uint64_t*>(row)[x / 64] >> (x % 64)) & 1;
}

}  // namespace cuesta
