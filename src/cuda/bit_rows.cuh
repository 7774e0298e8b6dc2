// Rows of masks of bits as words of 32 pixels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuesta/image.hpp"

namespace cuesta::cuda {

/// Row y of a mask as words of 32 pixels; a row has an even number of them.
__device__ inline const uint32_t* bit_row(const ConstAnyView& mask, int32_t y) {
  return reinterpret_cast<const uint32_t*>(static_cast<const char*>(mask.data) +
                                           ptrdiff_t(y) * mask.stride_bytes);
}
__device__ inline uint32_t* bit_row(const AnyView& mask, int32_t y) {
  return reinterpret_cast<uint32_t*>(static_cast<char*>(mask.data) +
                                     ptrdiff_t(y) * mask.stride_bytes);
}

}  // namespace cuesta::cuda
