// Whether two pictures are one.
#pragma once

#include <cstring>

#include "cuesta/image.hpp"

namespace cuesta::test {

/// Size, channels, type and every sample; both on the host.
inline bool equal(ConstAnyView a, ConstAnyView b) {
  if (a.size() != b.size() || a.channels != b.channels || a.type != b.type) return false;
  const size_t row = a.type == PixelType::bit
                         ? size_t(a.width + 63) / 64 * 8
                         : size_t(a.width) * size_t(a.channels) * size_t(bytes_per_sample(a.type));
  for (int32_t y = 0; y < a.height; ++y) {
    if (std::memcmp(static_cast<const char*>(a.data) + y * a.stride_bytes,
                    static_cast<const char*>(b.data) + y * b.stride_bytes, row) != 0)
      return false;
  }
  return true;
}

}  // namespace cuesta::test
