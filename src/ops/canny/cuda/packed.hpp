// Words of packed samples: four bytes, or two 16-bit lanes ("pairs"), and the few operations on
// them that C++ has no name for. Host and device: what a GPU has an instruction for is written out
// on the host, so that tests run the same code on both.
#pragma once

#include <cstdint>

#include "cuda/permute_bytes.hpp"
#include "cuesta/border.hpp"

namespace cuesta::packed {

/// The sign bits of both lanes.
inline constexpr uint32_t signs = 0x80008000u;

/// Both lanes v.
CUESTA_HOST_DEVICE constexpr uint32_t both(uint32_t v) { return v << 16 | v; }

using cuda::permute_bytes;

/// A word that nothing writes while the kernel runs.
CUESTA_HOST_DEVICE inline uint32_t load(const uint32_t* word) {
#ifdef __CUDA_ARCH__
  return __ldg(word);
#else
  return *word;
#endif
}

/// The low word of high:low shifted right by n < 32.
CUESTA_HOST_DEVICE inline uint32_t shift_pair(uint32_t low, uint32_t high, uint32_t n) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, n);
#else
  return uint32_t((uint64_t(high) << 32 | low) >> n);
#endif
}

/// c + low lane of pair · low byte of taps + high lane · next byte, all unsigned.
CUESTA_HOST_DEVICE inline uint32_t dot(uint32_t pair, uint32_t taps, uint32_t c) {
#ifdef __CUDA_ARCH__
  return __dp2a_lo(pair, taps, c);
#else
  return c + (pair & 0xffff) * (taps & 255) + (pair >> 16) * (taps >> 8 & 255);
#endif
}

/// The same with signed lanes and taps; modulo 2^32, so that a result is the sum's two's
/// complement.
CUESTA_HOST_DEVICE inline uint32_t dot_signed(uint32_t pair, uint32_t taps, uint32_t c) {
#ifdef __CUDA_ARCH__
  return uint32_t(__dp2a_lo(int(pair), int(taps), int(c)));
#else
  const auto sum =
      int32_t(int16_t(pair)) * int8_t(taps) + int32_t(int16_t(pair >> 16)) * int8_t(taps >> 8);
  return c + uint32_t(sum);
#endif
}

/// The larger and the smaller of each lane, unsigned.
CUESTA_HOST_DEVICE inline uint32_t larger(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
  return __vmaxu2(a, b);
#else
  const uint32_t low = (a & 0xffff) > (b & 0xffff) ? a & 0xffff : b & 0xffff;
  const uint32_t high = a >> 16 > b >> 16 ? a >> 16 : b >> 16;
  return high << 16 | low;
#endif
}
CUESTA_HOST_DEVICE inline uint32_t smaller(uint32_t a, uint32_t b) {
#ifdef __CUDA_ARCH__
  return __vminu2(a, b);
#else
  const uint32_t low = (a & 0xffff) < (b & 0xffff) ? a & 0xffff : b & 0xffff;
  const uint32_t high = a >> 16 < b >> 16 ? a >> 16 : b >> 16;
  return high << 16 | low;
#endif
}

/// The larger of two words, unsigned.
CUESTA_HOST_DEVICE inline uint32_t larger_word(uint32_t a, uint32_t b) { return a > b ? a : b; }

/// Shifts the sign in.
CUESTA_HOST_DEVICE inline uint32_t shift_signed(uint32_t v, int n) {
  return uint32_t(int32_t(v) >> n);
}

}  // namespace cuesta::packed
