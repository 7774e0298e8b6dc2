// Medians of 3 × 3 and 5 × 5 in marches down strips. Of u8 and u16 (cuda/lane_rows.cuh) a lane has
// neighbouring columns, two a register, so that a minimum or maximum is one operation for two,
// least and greatest of three too. Bound by the integer pipe.
#pragma once

#include "cuda/lane_rows.cuh"
#include "ops/median/device.cuh"
#include "ops/median/exchanges.cuh"

namespace cuesta::median_cuda {

/// A lane's columns, `pairs` registers of them: register j has columns j and j + pairs. Rows are
/// read with `Reach` more on either side, as registers −Reach … pairs + Reach − 1. u8 samples are
/// `Alone` in their halves, or both bytes of them, which is less work.
template <class T, int Columns, int Reach, bool Alone = false>
struct Pairing {
  static constexpr int columns = Columns, reach = Reach, pairs = Columns / 2;
  static constexpr int in_word = 4 / int(sizeof(T)), words = Columns / in_word;
  static constexpr int count = pairs + 2 * Reach;
  using Row = uint32_t[count];

  /// From words that begin `side` columns before the lane's.
  static __device__ __forceinline__ void read(const uint32_t* w, int side, Row& out) {
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const int a = side - Reach + j, b = a + pairs, at = a % in_word;
      static_assert(pairs % in_word == 0);
      out[j] =
          __byte_perm(w[a / in_word], w[b / in_word],
                      sizeof(T) == 1 ? at * 0x0011 + (4 + at) * 0x1100 : (at ? 0x7632 : 0x5410));
      if constexpr (Alone) out[j] &= 0x00FF00FF;
    }
  }
  static __device__ __forceinline__ void packed(const uint32_t (&v)[pairs],
                                                uint32_t (&out)[words]) {
    constexpr int half = words / 2;
#pragma unroll
    for (int k = 0; k < half; ++k) {
      if constexpr (sizeof(T) == 1) {
        const uint32_t a = __byte_perm(v[4 * k], v[4 * k + 1], 0x6240);
        const uint32_t b = __byte_perm(v[4 * k + 2], v[4 * k + 3], 0x6240);
        out[k] = __byte_perm(a, b, 0x5410);
        out[half + k] = __byte_perm(a, b, 0x7632);
      } else {
        out[k] = __byte_perm(v[2 * k], v[2 * k + 1], 0x5410);
        out[half + k] = __byte_perm(v[2 * k], v[2 * k + 1], 0x7632);
      }
    }
  }
};

/// A lane's columns, one a register: keys of any 32 bits that order as integers do.
template <int Columns, int Reach>
struct Singly {
  static constexpr int columns = Columns, reach = Reach, pairs = Columns, words = Columns;
  static constexpr int count = Columns + 2 * Reach;
  using Row = uint32_t[count];

  static __device__ __forceinline__ void packed(const uint32_t (&v)[Columns],
                                                uint32_t (&out)[Columns]) {
#pragma unroll
    for (int j = 0; j < Columns; ++j) out[j] = v[j];
  }
};

/// Columns of three are sorted once; two neighbours share the order of their middles. `Order` of
/// what a register of `Columns` has; neighbouring columns of a channel are `Channels` apart.
template <class Columns, class Order, int Channels = 1>
struct Median3 {
  using P = Columns;
  static constexpr int reach = 1, together = 1;
  uint32_t unit;  // 1, see InSums
  typename P::Row above = {}, here = {};

  __device__ __forceinline__ void push(const typename P::Row (&rows)[1],
                                       uint32_t (&out)[1][P::words]) {
    constexpr int n = P::pairs, next = Channels;
    const Order o;
    typename P::Row least, middle, greatest;
#pragma unroll
    for (int j = 0; j < P::count; ++j) {
      const uint32_t a = above[j], b = here[j], c = rows[0][j];
      least[j] = o.low(o.low(a, b), c);
      greatest[j] = o.high(o.high(a, b), c);
      middle[j] = sum(sum(sum(sum(a, b, unit), c, unit), least[j], -unit), greatest[j], -unit);
      above[j] = b, here[j] = c;
    }
    uint32_t result[n];
#pragma unroll
    for (int j = 0; j < n; ++j) {
      // The pair of columns that this one shares with its neighbour.
      const bool is_left = j / next % 2 == 0;
      const int p = is_left ? j + next : j, other = is_left ? j : j + 2 * next;
      uint32_t low = middle[p], high = middle[p + next];
      exchange(o, low, high);
      const uint32_t mid = o.high(low, o.low(high, middle[other]));
      uint32_t below = o.high(o.high(least[j], least[j + next]), least[j + 2 * next]);
      uint32_t above = o.low(o.low(greatest[j], greatest[j + next]), greatest[j + 2 * next]);
      exchange(o, below, above);
      result[j] = o.high(below, o.low(above, mid));
    }
    P::packed(result, out[0]);
  }
};

/// Two rows of results together. Four rows of a column are sorted once for both; two such columns
/// are merged once for the two cores that have them; a core of 4 × 4 is made once for the four
/// windows around it, which add a column of four, a row of four and the sample between them.
/// `Fours` orders columns and rows of four, `Merged` what is merged of them, `Order` the rest.
template <class Columns, class Order, class Fours, class Merged>
struct Median5 {
  using P = Columns;
  static constexpr int reach = 2, together = 2;
  uint32_t unit;  // 1, see InSums
  // Rows before the next two: 1, 2 and 4 above the first of them; of 2 and 3 above, each column
  // sorted.
  typename P::Row one = {}, two = {}, four = {}, low = {}, high = {};

  __device__ __forceinline__ void push(const typename P::Row (&in)[2],
                                       uint32_t (&out)[2][P::words]) {
    constexpr int n = P::pairs;
    const Order o;
    const auto fours = [&] {
      if constexpr (std::is_same_v<Fours, InSums>)
        return InSums{{}, unit};
      else
        return Fours();
    }();
    const Merged merged;
    // Columns of the common rows, sorted, and the rows above and below them.
    uint32_t columns[n + 4][4], rows[2][n + 4];
#pragma unroll
    for (int j = 0; j < n + 4; ++j) {
      uint32_t a = one[j], b = in[0][j];
      exchange(fours, a, b);
      merge(fours, low[j], high[j], a, b, columns[j]);
      low[j] = a, high[j] = b;
      rows[0][j] = four[j], rows[1][j] = in[1][j];
      four[j] = two[j], two[j] = in[0][j], one[j] = in[1][j];
    }
    uint32_t pair[8], result[2][n];
    merge(merged, columns[1], columns[2], pair);
#pragma unroll
    for (int c = 0; c < n; c += 2) {  // the core has columns c + 1 … c + 4
      uint32_t next[8], core[10], left[6], right[6];
      merge(merged, columns[c + 3], columns[c + 4], next);
      middle_ten(merged, pair, next, core);
#pragma unroll
      for (int i = 0; i < 8; ++i) pair[i] = next[i];
      middle_six(o, merged, core, columns[c], left);
      middle_six(o, merged, core, columns[c + 5], right);
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        uint32_t a = rows[i][c + 1], b = rows[i][c + 2], d = rows[i][c + 3], e = rows[i][c + 4];
        exchange(fours, a, b);
        exchange(fours, d, e);
        uint32_t row[4];
        merge(fours, a, b, d, e, row);
        result[i][c] = middle_of_eleven(o, left, row, rows[i][c]);
        result[i][c + 1] = middle_of_eleven(o, right, row, rows[i][c + 5]);
      }
    }
    P::packed(result[0], out[0]);
    P::packed(result[1], out[1]);
  }
};

/// A lane marches down `rows` rows. Step::push() takes `together` rows and gives those Step::reach
/// above them. Form has the columns of a lane, of samples, and channels of a pixel, threads of a
/// block, warps of a multiprocessor.
template <class T, class Step, class Form, bool Aligned>
__global__ void __launch_bounds__(Form::threads, Form::warps * 32 / Form::threads)
    median_strips(const __grid_constant__ MedianRequest q, int32_t rows) {
  using P = typename Step::P;
  using Rows = cuda::LaneRows<T, Form::columns, P::reach, Aligned, Form::channels>;
  constexpr int n = Step::together, reach = Step::reach;
  constexpr int side_bytes = P::reach * int(sizeof(T));
  auto samples = q.src.as<T, Space::device>();
  samples.width *= Form::channels, samples.channels = 1;
  const Rows source(samples, q.mode, T(q.outside), cuda::lane_number<Aligned>());
  const auto& lane = source.lane;
  const bool zero_frame = q.mode == BorderMode::ignore;
  for (int64_t strip = blockIdx.y; strip * rows < q.src.height; strip += gridDim.y) {
    const auto y0 = int32_t(strip * rows), end = min(y0 + rows, q.src.height);
    Step step{uint32_t(q.ksize) & 1};
    typename P::Row in[n];
    cuda::march_down<2, reach>(
        source, y0, end,
        [&](auto plain, auto parity, const uint32_t* words, int32_t y, auto&& reload) {
          constexpr bool is_plain = plain();
          constexpr int i = n == 1 ? 0 : parity();
          P::read(words, Rows::margin, in[i]);
          reload();
          if constexpr (i == n - 1) {
            uint32_t out[n][P::words];
            step.push(in, out);
#pragma unroll
            for (int k = 0; k < n; ++k) {
              const int32_t to = y + k - (n - 1);
              if (to < y0 || to >= end) continue;
              if (!is_plain && zero_frame) {
                const bool zero_row = to < reach || to >= q.src.height - reach;
#pragma unroll
                for (int i = 0; i < (side_bytes + 3) / 4; ++i) {
                  constexpr auto bits = [](int bytes) {
                    return bytes >= 4 ? ~0u : (1u << 8 * bytes) - 1;
                  };
                  const uint32_t sides = bits(side_bytes - 4 * i);
                  if (lane.first) out[k][i] &= ~sides;
                  if (lane.last) out[k][P::words - 1 - i] &= ~__byte_perm(sides, 0, 0x0123);
                }
#pragma unroll
                for (uint32_t& w : out[k])
                  if (zero_row) w = 0;
              }
              cuda::store_lanes<Aligned, is_plain>(
                  static_cast<char*>(q.dst.data) + to * q.dst.stride_bytes,
                  int64_t(lane.x0) * int64_t(sizeof(T)), out[k], lane);
            }
          }
        });
  }
}

}  // namespace cuesta::median_cuda
