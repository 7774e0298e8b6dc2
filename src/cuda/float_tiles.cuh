// Rows of f32 samples between a tile in shared memory (tensor_tile.cuh) and the registers of a lane
// that has a few neighbouring columns.
#pragma once

#include <cstdint>

#include "cuda/any_alignment.cuh"

namespace cuesta::cuda {

/// Samples of a row from `Reach` before a lane's `Columns` to as many after them. `at`: `Margin`
/// samples before its columns, were the row to begin at a multiple of 16 bytes; it is `shift` bytes
/// on.
template <int Columns, int Reach, int Margin, bool Aligned>
__device__ __forceinline__ void load_samples(const uint8_t* at, int shift,
                                             float (&to)[Columns + 2 * Reach]) {
  static_assert(Margin % 4 == 0 && Reach <= Margin && Columns % 4 == 0);
  constexpr int pieces = (Columns + 2 * Margin) / 4 + (Aligned ? 0 : 1), first = Margin - Reach;
  constexpr int count = Columns + 2 * Reach;
  uint32_t all[4 * pieces + 4];
#pragma unroll
  for (int i = 0; i < pieces; ++i) {
    const uint4 v = reinterpret_cast<const uint4*>(at)[i];
    all[4 * i] = v.x, all[4 * i + 1] = v.y, all[4 * i + 2] = v.z, all[4 * i + 3] = v.w;
  }
  if constexpr (Aligned) {
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = __uint_as_float(all[first + i]);
  } else {
    uint32_t from[count + 3], words[count];
#pragma unroll
    for (int i = 0; i < count + 3; ++i) from[i] = all[first + i];
    select_words(from, shift / 4, words);
#pragma unroll
    for (int i = 0; i < count; ++i) to[i] = __uint_as_float(words[i]);
  }
}

/// Writes a lane's columns at `to`; the picture has `room` columns from there on. The warp's lanes
/// have neighbouring ones, and all of them call it. Aligned: rows begin at multiples of 16 bytes.
template <bool Aligned, int Columns>
__device__ __forceinline__ void store_samples(float* to, const float (&samples)[Columns],
                                              int32_t room) {
  const int lane = int(threadIdx.x) % 32;
  const bool whole = room >= Columns;
  if constexpr (Aligned) {
    if (whole) {
#pragma unroll
      for (int c = 0; c < Columns; c += 4)
        *reinterpret_cast<float4*>(to + c) =
            make_float4(samples[c], samples[c + 1], samples[c + 2], samples[c + 3]);
    }
  } else {
    uint32_t words[Columns];
#pragma unroll
    for (int c = 0; c < Columns; ++c) words[c] = __float_as_uint(samples[c]);
    store_run<Columns>(to, words, lane == 0, lane == 31 || room < 2 * Columns, whole);
  }
  if (whole) return;
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    if (c < room) to[c] = samples[c];
}

}  // namespace cuesta::cuda
