// Runs of samples at addresses of any alignment, by 16-byte loads and stores: whole aligned pieces
// are read and shifted, and pieces to write are put together from two lanes' results.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace cuesta::cuda {

/// Bytes of an aligned piece.
inline constexpr int piece_bytes = 16;

/// Words `by` .. `by` + Count − 1 of `from`, 0 <= by <= 3, by selections alone.
template <int Count, int From>
__device__ __forceinline__ void select_words(const uint32_t (&from)[From], int by,
                                             uint32_t (&to)[Count]) {
  static_assert(From >= Count + 3);
  uint32_t half[Count + 1];
#pragma unroll
  for (int i = 0; i <= Count; ++i) half[i] = by & 2 ? from[i + 2] : from[i];
#pragma unroll
  for (int i = 0; i < Count; ++i) to[i] = by & 1 ? half[i + 1] : half[i];
}

/// What a lane has loaded of `Words` words at any address, before they are shifted into place.
template <int Words>
struct Pieces {
  static constexpr int count = (4 * Words + piece_bytes - 1 + piece_bytes - 1) / piece_bytes;
  uint4 piece[count];
  int offset;  // of the first wanted byte

  /// Reads the pieces that hold a wanted byte, and so up to 15 bytes before and after those.
  __device__ __forceinline__ void load(const void* from) {
    offset = int(reinterpret_cast<uintptr_t>(from) % piece_bytes);
    const auto* at = reinterpret_cast<const uint4*>(static_cast<const char*>(from) - offset);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      piece[i] = make_uint4(0, 0, 0, 0);
      if (piece_bytes * i < offset + 4 * Words) piece[i] = __ldg(at + i);
    }
  }
  /// `Bytes`: whether the address may be no multiple of 4.
  template <bool Bytes>
  __device__ __forceinline__ void words(uint32_t (&to)[Words]) const {
    constexpr int more = Bytes ? 1 : 0;
    uint32_t all[4 * count + 4] = {}, moved[Words + more];
#pragma unroll
    for (int i = 0; i < count; ++i) {
      all[4 * i] = piece[i].x, all[4 * i + 1] = piece[i].y;
      all[4 * i + 2] = piece[i].z, all[4 * i + 3] = piece[i].w;
    }
    select_words(all, offset / 4, moved);
#pragma unroll
    for (int i = 0; i < Words; ++i) {
      if constexpr (Bytes)
        to[i] = __funnelshift_r(moved[i], moved[i + 1], offset % 4 * 8);
      else
        to[i] = moved[i];
    }
  }
};

/// Writes the first (`head` false) or the last `n` bytes of an aligned piece, 0 <= n <= 16.
__device__ inline void store_part(char* piece, const uint32_t (&words)[4], int n, bool head) {
  const auto place = [&](int size) {
    const int larger = n & ~(2 * size - 1);
    return head ? piece_bytes - larger - size : larger;
  };
  const auto word = [&](int at) {
    const uint32_t low = at & 4 ? words[1] : words[0], high = at & 4 ? words[3] : words[2];
    return at & 8 ? high : low;
  };
  if (n & 16) {
    *reinterpret_cast<uint4*>(piece) = make_uint4(words[0], words[1], words[2], words[3]);
    return;
  }
  if (n & 8)
    *reinterpret_cast<uint2*>(piece + place(8)) =
        place(8) ? make_uint2(words[2], words[3]) : make_uint2(words[0], words[1]);
  if (n & 4) *reinterpret_cast<uint32_t*>(piece + place(4)) = word(place(4));
  if (n & 2)
    *reinterpret_cast<uint16_t*>(piece + place(2)) = uint16_t(word(place(2)) >> (place(2) & 2) * 8);
  if (n & 1)
    *reinterpret_cast<uint8_t*>(piece + place(1)) = uint8_t(word(place(1)) >> (place(1) & 3) * 8);
}

/// The aligned piece that ends inside `own` when `own` begins `offset` bytes after an aligned
/// address; `before` are the 16 bytes before it.
__device__ __forceinline__ void shift_back(const uint32_t (&before)[4], const uint32_t (&own)[4],
                                           int offset, uint32_t (&piece)[4]) {
  const uint32_t all[8] = {before[0], before[1], before[2], before[3],
                           own[0],    own[1],    own[2],    own[3]};
  uint32_t moved[5];
  select_words(all, 3 - offset / 4, moved);
#pragma unroll
  for (int i = 0; i < 4; ++i) piece[i] = __funnelshift_l(moved[i], moved[i + 1], offset % 4 * 8);
}

/// Writes `Words` words, a multiple of 4, at `to`; neighbouring lanes of a run have neighbouring
/// addresses. Every lane of the warp calls it. `first` and `last`: of its run; a lane that is not
/// `active` writes nothing.
template <int Words>
__device__ __forceinline__ void store_run(void* to, const uint32_t (&own)[Words], bool first,
                                          bool last, bool active) {
  uint32_t before[4], here[4], piece[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) before[i] = __shfl_up_sync(0xFFFFFFFFu, own[Words - 4 + i], 1);
  if (!active) return;
  const int offset = int(reinterpret_cast<uintptr_t>(to) % piece_bytes);
  char* at = static_cast<char*>(to) - offset;
#pragma unroll
  for (int n = 0; n < Words; n += 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) here[i] = own[n + i];
    shift_back(before, here, offset, piece);
    if (n == 0 && first)
      store_part(at, piece, piece_bytes - offset, true);
    else
      *reinterpret_cast<uint4*>(at + 4 * n) = make_uint4(piece[0], piece[1], piece[2], piece[3]);
#pragma unroll
    for (int i = 0; i < 4; ++i) before[i] = here[i];
  }
  if (last) {
    const uint32_t none[4] = {};
    shift_back(before, none, offset, piece);
    store_part(at + 4 * Words, piece, offset, false);
  }
}

}  // namespace cuesta::cuda
