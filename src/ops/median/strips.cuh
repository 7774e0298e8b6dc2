// Medians of 3 × 3 and 5 × 5 of u8 and u16 with one channel, as steps of walks down strips
// (cuda/strip.cuh): pairs of samples in registers, so that a minimum or maximum is one operation
// for two. Bound by the integer pipe.
#pragma once

#include "cuda/strip.cuh"

namespace cuesta::median_cuda {

/// Two samples of 16 bits in a register.
struct InPairs {
  __device__ uint32_t low(uint32_t a, uint32_t b) const { return __vminu2(a, b); }
  __device__ uint32_t high(uint32_t a, uint32_t b) const { return __vmaxu2(a, b); }
};

#define MEDIAN_INLINE __device__ __forceinline__
#include "ops/median/network.inc"
#undef MEDIAN_INLINE

/// Columns of three are sorted once; two neighbours share the order of their middles.
template <class T>
struct Median3 {
  static constexpr int reach = 1, together = 1, round = 4;
  cuda::Pairs above = {}, here = {};

  __device__ __forceinline__ void push(const cuda::Packed<T> (&in)[1], cuda::Packed<T> (&out)[1]) {
    constexpr int n = cuda::lane_pairs;
    const InPairs o;
    const cuda::Pairs below = cuda::pairs_of<T>(in[0]);
    // Pixels −1 … 16 of the lane, as n + 2 registers.
    uint32_t least[n + 2], middle[n + 2], greatest[n + 2];
#pragma unroll
    for (int j = 0; j < n; ++j) {
      const uint32_t a = above.r[j], b = here.r[j], c = below.r[j];
      least[j + 1] = o.low(o.low(a, b), c);
      greatest[j + 1] = o.high(o.high(a, b), c);
      middle[j + 1] = a ^ b ^ c ^ least[j + 1] ^ greatest[j + 1];
    }
    above = here;
    here = below;
    const auto wrap = [](uint32_t(&v)[n + 2]) {
      v[0] = cuda::wrap_before(v[n]);
      v[n + 1] = cuda::wrap_after(v[1]);
    };
    wrap(least);
    wrap(middle);
    wrap(greatest);
    cuda::Pairs result;
#pragma unroll
    for (int j = 0; j < n; ++j) {
      // The pair of columns that this one shares with its neighbour.
      const int p = j / 2 * 2 + 1, other = j % 2 ? j + 2 : j;
      const uint32_t low = o.low(middle[p], middle[p + 1]), high = o.high(middle[p], middle[p + 1]);
      const uint32_t mid = o.high(low, o.low(high, middle[other]));
      const uint32_t lows = o.high(o.high(least[j], least[j + 1]), least[j + 2]);
      const uint32_t highs = o.low(o.low(greatest[j], greatest[j + 1]), greatest[j + 2]);
      result.r[j] = o.high(o.low(lows, highs), o.low(o.high(lows, highs), mid));
    }
    out[0] = cuda::packed_of<T>(result);
  }
};

/// Two rows of results together. Four rows of a column are sorted once for both; two such columns
/// are merged once for the two cores that have them; a core of 4 × 4 is made once for the four
/// windows around it, which add a column of four, a row of four and the sample between them.
template <class T>
struct Median5 {
  static constexpr int reach = 2, together = 2, round = 2;
  // Rows before the next two: 1, 2 and 4 above the first of them; of 2 and 3 above, each column
  // sorted.
  cuda::Pairs one = {}, two = {}, four = {}, low = {}, high = {};

  __device__ __forceinline__ void push(const cuda::Packed<T> (&in)[2], cuda::Packed<T> (&out)[2]) {
    constexpr int n = cuda::lane_pairs;
    const InPairs o;
    const cuda::Pairs fresh = cuda::pairs_of<T>(in[0]), last = cuda::pairs_of<T>(in[1]);
    // Pixels −1 … 18 of the lane as n + 4 registers: columns of the common rows, sorted, and the
    // rows above and below them.
    uint32_t columns[n + 4][4], rows[2][n + 4];
#pragma unroll
    for (int j = 0; j < n; ++j) {
      uint32_t a = one.r[j], b = fresh.r[j];
      exchange(o, a, b);
      merge(o, low.r[j], high.r[j], a, b, columns[j + 1]);
      low.r[j] = a, high.r[j] = b;
      rows[0][j + 1] = four.r[j], rows[1][j + 1] = last.r[j];
    }
    four = two;
    two = fresh;
    one = last;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      columns[0][i] = cuda::wrap_before(columns[n][i]);
#pragma unroll
      for (int k = 1; k < 4; ++k) columns[n + k][i] = cuda::wrap_after(columns[k][i]);
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      rows[i][0] = cuda::wrap_before(rows[i][n]);
#pragma unroll
      for (int k = 1; k < 4; ++k) rows[i][n + k] = cuda::wrap_after(rows[i][k]);
    }
    uint32_t pair[8], result[2][n + 1];
    merge(o, columns[1], columns[2], pair);
#pragma unroll
    for (int c = 1; c < n; c += 2) {  // cores begin at columns 1, 3, 5 and 7, of pixels 0, 2 …
      uint32_t next[8], core[10], left[6], right[6];
      merge(o, columns[c + 2], columns[c + 3], next);
      middle_ten(o, pair, next, core);
#pragma unroll
      for (int i = 0; i < 8; ++i) pair[i] = next[i];
      middle_six(o, core, columns[c - 1], left);
      middle_six(o, core, columns[c + 4], right);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        uint32_t a = rows[i][c], b = rows[i][c + 1], d = rows[i][c + 2], e = rows[i][c + 3];
        exchange(o, a, b);
        exchange(o, d, e);
        uint32_t row[4];
        merge(o, a, b, d, e, row);
        result[i][c] = middle_of_eleven(o, left, row, rows[i][c - 1]);
        result[i][c + 1] = middle_of_eleven(o, right, row, rows[i][c + 4]);
      }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      cuda::Pairs all;
      all.r[0] = cuda::wrap_before(result[i][n]);
#pragma unroll
      for (int j = 1; j < n; ++j) all.r[j] = result[i][j];
      out[i] = cuda::packed_of<T>(all);
    }
  }
};

}  // namespace cuesta::median_cuda
