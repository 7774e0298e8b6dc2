// Bytes of two words in any order. Host and device.
#pragma once

#include <cstdint>

#include "cuesta/border.hpp"

namespace cuesta::cuda {

/// Byte i of the result is byte (Selector >> 4 i & 7) of b:a (a's are 0 to 3), or eight copies of
/// its sign bit where Selector >> 4 i & 8, which __byte_perm() does not know.
template <uint32_t Selector>
CUESTA_HOST_DEVICE inline uint32_t permute_bytes(uint32_t a, uint32_t b) {
#if defined(__CUDACC__) && defined(__CUDA_ARCH__)
  uint32_t result;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "n"(Selector));
  return result;
#else
  const uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t select = Selector >> (4 * i) & 15;
    uint32_t byte = uint32_t(bytes >> (8 * (select & 7))) & 255;
    if (select & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
#endif
}

}  // namespace cuesta::cuda
