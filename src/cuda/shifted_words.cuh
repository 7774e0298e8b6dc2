// Results at addresses of any alignment: a lane's words shifted together with the word before them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace cuesta::cuda {

/// Writes a lane's `Parts` of a row of samples T, `apart` words from each other, to any address, in
/// whole words: each takes what the word before it, before[part] in front of a part's first, has
/// left. Of the lanes and parts that stand side by side the `first` lane's first part begins with
/// what comes before a whole word, the `last` lane's last, another one, ends with what comes after
/// one, both in samples.
template <class T, int Parts, int Words>
__device__ __forceinline__ void store_shifted(T* to, const uint32_t (&own)[Parts][Words],
                                              const uint32_t (&before)[Parts], int apart,
                                              bool first, bool last) {
  const auto address = reinterpret_cast<uintptr_t>(to);
  const uint32_t odd = address & 3;
  auto* aligned = reinterpret_cast<uint32_t*>(address - odd);
#pragma unroll
  for (int p = 0; p < Parts; ++p) {
#pragma unroll
    for (int i = 0; i < Words; ++i) {
      const uint32_t low = i ? own[p][i ? i - 1 : 0] : before[p];
      const uint32_t v = __funnelshift_l(low, own[p][i], 8 * odd);
      if (p || i || !first || odd == 0) aligned[apart * p + i] = v;
    }
  }
  if (odd == 0 || !(first || last)) return;
  const uint32_t v = first ? own[0][0] : own[Parts - 1][Words - 1] >> (8 * (4 - odd));
  const int bytes = first ? 4 - int(odd) : int(odd);
  auto* sample =
      reinterpret_cast<T*>(first ? address : address - odd + 4 * (apart * (Parts - 1) + Words));
#pragma unroll
  for (int i = 0; i < 4; i += int(sizeof(T)))
    if (i < bytes) sample[i / sizeof(T)] = T(v >> (8 * i));
}

/// The same of one part.
template <class T, int Words>
__device__ __forceinline__ void store_shifted(T* to, const uint32_t (&words)[Words],
                                              uint32_t before, bool first, bool last) {
  uint32_t own[1][Words];
#pragma unroll
  for (int i = 0; i < Words; ++i) own[0][i] = words[i];
  const uint32_t own_before[1] = {before};
  store_shifted(to, own, own_before, 0, first, last);
}

/// Writes what neighbouring lanes have of a row, `Words` words of samples T each, side by side. All
/// lanes of the warp call it. `room`: samples of the row from `to` on, of which a lane writes as
/// many as it has; 0 or less writes nothing. `aligned`: every `to` is at a whole word.
template <class T, int Words>
__device__ __forceinline__ void store_neighbours(T* to, const uint32_t (&words)[Words],
                                                 int32_t room, bool aligned) {
  constexpr int in_word = 4 / int(sizeof(T)), samples = in_word * Words;
  const bool whole = room >= samples;
  if (!aligned) {
    const int lane = int(threadIdx.x) % 32;
    const uint32_t before = __shfl_up_sync(0xFFFFFFFFu, words[Words - 1], 1);
    const bool comes_after = __shfl_up_sync(0xFFFFFFFFu, int(whole), 1) != 0 && lane > 0,
               is_followed = __shfl_down_sync(0xFFFFFFFFu, int(whole), 1) != 0 && lane < 31;
    if (whole && (comes_after || is_followed))
      return store_shifted(to, words, before, !comes_after, !is_followed);
  } else if (whole) {
    auto* const at = reinterpret_cast<uint32_t*>(to);
#pragma unroll
    for (int i = 0; i < Words; ++i) at[i] = words[i];
    return;
  }
#pragma unroll
  for (int i = 0; i < samples; ++i)
    if (i < room) to[i] = T(words[i / in_word] >> (i % in_word * (32 / in_word)));
}

}  // namespace cuesta::cuda
