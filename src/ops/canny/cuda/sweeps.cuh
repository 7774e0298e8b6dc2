// Sweeps of canny's hysteresis on CUDA: a warp spreads seeds through the pixels of its tile, which
// are in registers: Across words wide, 32 / Across strips of Rows rows, one below the other, a
// strip's word a lane. The foreground is runs of (upper | lower row) of a pair of rows, whole: all
// pixels of such a run touch. So a line that wavers between two rows is one step, and a pair is a
// row's work. A sweep visits the pairs that may gain, down or up; a pair that it leaves is filled
// from end to end. From strip to strip by shuffles: no barrier, no shared memory.
#pragma once

#include <cstdint>

namespace cuesta::canny_cuda {

/// The runs of `open` that hold one of `seeds`, whole, by two additions.
__device__ inline uint32_t fill_both(uint32_t open, uint32_t seeds) {
  const uint32_t up = (open & ~(open + seeds)) | seeds;
  const uint32_t mirrored = __brev(open), from = __brev(up);
  return __brev((mirrored & ~(mirrored + from)) | from);
}

/// The word to the left, and to the right, in the tile; 0 past its sides.
template <int Across>
__device__ inline uint32_t word_left(uint32_t word) {
  const uint32_t left = __shfl_up_sync(~0u, word, 1);
  return threadIdx.x % Across == 0 ? 0 : left;
}
template <int Across>
__device__ inline uint32_t word_right(uint32_t word) {
  const uint32_t right = __shfl_down_sync(~0u, word, 1);
  return threadIdx.x % Across == Across - 1 ? 0 : right;
}
/// A row's pixels and their neighbours in it.
template <int Across>
__device__ inline uint32_t widen_across(uint32_t word) {
  return word | __funnelshift_l(word_left<Across>(word), word, 1) |
         __funnelshift_r(word, word_right<Across>(word), 1);
}

/// The bits that are set in some lane's word.
__device__ inline uint32_t in_any_lane(uint32_t word) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, word);
#else
#pragma unroll
  for (int d = 16; d > 0; d /= 2) word |= __shfl_xor_sync(~0u, word, d);
  return word;
#endif
}

template <int Rows, int Across>
struct Strip {
  static constexpr int pairs = Rows / 2, strips = 32 / Across;
  static_assert(Rows % 2 == 0 && pairs <= 32 && 32 % Across == 0);

  uint32_t rows[Rows];      // what may be reached
  uint32_t reached[pairs];  // what is: runs of both rows
  // Bit p: pair p has something new above, below. The same in all lanes.
  uint32_t due_down, due_up;

  __device__ uint32_t both(int p) const { return rows[2 * p] | rows[2 * p + 1]; }
  /// The reached pixels of row r.
  __device__ uint32_t row(int r) const { return rows[r] & reached[r / 2]; }

  /// `more` joins what is reached of pair p, and what they touch in it. `fresh`: pair p has not
  /// been filled yet.
  __device__ void gain(int p, uint32_t more, bool fresh) {
    uint32_t now = reached[p], was = fresh ? 0 : now;
    do {
      now = fill_both(both(p), now | more);
      // The words beside look where a pixel at this one's end is new.
      if (!__any_sync(~0u, (now & ~was & 0x80000001u) != 0)) break;
      was = now;
      more = (word_left<Across>(now) >> 31 | word_right<Across>(now) << 31) & both(p) & ~now;
    } while (__any_sync(~0u, more != 0));
    reached[p] = now;
    if (p + 1 < pairs)
      due_down |= 1u << (p + 1);
    else if (strips > 1)
      due_down |= 1;
    if (p > 0)
      due_up |= 1u << (p - 1);
    else if (strips > 1)
      due_up |= 1u << (pairs - 1);
  }
  /// Spreads what is reached, pixels of `rows`, in at most `sweeps` sweeps. Returns whether it has
  /// come to its end.
  __device__ bool spread(int sweeps) {
    const int lane = int(threadIdx.x);
    uint32_t fresh = 0;  // pairs with something to begin with
#pragma unroll
    for (int p = 0; p < pairs; ++p) fresh |= uint32_t(reached[p] != 0) << p;
    fresh = in_any_lane(fresh);
    due_down = fresh | (fresh << 1 & (~0u >> (32 - pairs)));
    due_up = 0;
#pragma unroll 1
    for (; (due_down | due_up) != 0 && sweeps > 0; sweeps -= 2) {
#pragma unroll
      for (int p = 0; p < pairs; ++p) {
        if (!(due_down >> p & 1)) continue;
        due_down &= ~(1u << p);
        uint32_t above = 0;
        if (p > 0) {
          above = row(2 * p - 1);
        } else {
          above = __shfl_up_sync(~0u, row(Rows - 1), Across);
          if (lane < Across) above = 0;
        }
        const uint32_t more = widen_across<Across>(above) & rows[2 * p] & ~reached[p];
        const bool is_fresh = fresh >> p & 1;
        if (__any_sync(~0u, more != 0) || is_fresh) gain(p, more, is_fresh);
      }
#pragma unroll
      for (int p = pairs - 1; p >= 0; --p) {
        if (!(due_up >> p & 1)) continue;
        due_up &= ~(1u << p);
        uint32_t below = 0;
        if (p + 1 < pairs) {
          below = row(2 * p + 2);
        } else {
          below = __shfl_down_sync(~0u, row(0), Across);
          if (lane >= 32 - Across) below = 0;
        }
        const uint32_t more = widen_across<Across>(below) & rows[2 * p + 1] & ~reached[p];
        if (__any_sync(~0u, more != 0)) gain(p, more, false);
      }
      fresh = 0;
    }
    return (due_down | due_up) == 0;
  }
};

}  // namespace cuesta::canny_cuda
