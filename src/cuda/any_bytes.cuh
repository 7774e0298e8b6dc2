// Bytes of a row that may begin anywhere, as words.
#pragma once

#include <cstdint>

namespace cuesta::cuda {

/// `Pixels` samples (4, 8 or 16) from any address; the row has `left` of them; others are 0. No
/// byte is read outside the words of 4 that hold one of the row's.
template <int Pixels>
__device__ void load_bytes(const uint8_t* from, int32_t left, uint32_t (&words)[Pixels / 4]) {
  const auto shift = uint32_t(reinterpret_cast<uintptr_t>(from) & 3);
  if (left >= Pixels && reinterpret_cast<uintptr_t>(from) % Pixels == 0) {
    if constexpr (Pixels == 16) {
      const uint4 q = __ldcs(reinterpret_cast<const uint4*>(from));
      words[0] = q.x, words[1] = q.y, words[2] = q.z, words[3] = q.w;
    } else if constexpr (Pixels == 8) {
      const uint2 q = __ldcs(reinterpret_cast<const uint2*>(from));
      words[0] = q.x, words[1] = q.y;
    } else {
      words[0] = __ldcs(reinterpret_cast<const uint32_t*>(from));
    }
    return;
  }
  // The last word may end three bytes behind the samples.
  if (left >= Pixels + 3) {
    const auto* aligned = reinterpret_cast<const uint32_t*>(from - shift);
    uint32_t before = __ldcs(aligned);
#pragma unroll
    for (int i = 0; i < Pixels / 4; ++i) {
      const uint32_t after = shift || i + 1 < Pixels / 4 ? __ldcs(aligned + i + 1) : 0;
      words[i] = __funnelshift_r(before, after, 8 * shift);
      before = after;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < Pixels / 4; ++i) words[i] = 0;
#pragma unroll
  for (int i = 0; i < Pixels; ++i)
    if (i < left) words[i / 4] |= uint32_t(from[i]) << (i % 4 * 8);
}

}  // namespace cuesta::cuda
