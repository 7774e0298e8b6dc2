// The march of the strategies `lanes` and `ranks`: a warp marches down 32 columns of bytes, a lane
// a column, with the histogram of each lane's window in shared memory: a row of bytes in and a row
// out (Huang, Yang and Tang, "A fast two-dimensional median filtering algorithm", 1979).
// Neighbours' windows share most columns. Those that all lanes of a group have are in one histogram
// of the group, which its lanes change together; a lane's own has the few that remain, in a bank of
// its own. The search begins at the bin of the row above. Bound by the issue of instructions and by
// shared memory.
#pragma once

#include <algorithm>
#include <type_traits>

#include "cuda/instructions.cuh"
#include "cuda/launch.cuh"
#include "cuda/limits.hpp"
#include "ops/median/device.cuh"

namespace cuesta::median_cuda {

constexpr int warp_lanes = 32;

/// How counts are kept in words: as bytes, four of them, or two of 16 bits.
constexpr int as_bytes = 4, as_halves = 2;

/// Words of a window's row, 0 where known at run time only; bytes of a row of all lanes' windows
/// that a lane brings; counts in a word of a lane's own histogram, and of a group's.
template <int Words, int Pieces, int Own, int Common>
struct Form {
  static constexpr int words = Words, pieces = Pieces;
  /// Lanes whose windows share a histogram. Larger groups share fewer columns.
  static constexpr int group = Words != 0 ? 8 : Pieces == 3 ? 4 : 16, groups = warp_lanes / group;
  /// Shared columns that a lane changes, at most; 0 where known at run time only.
  static constexpr int shared = Words != 0 ? (4 * Words - 1) / group : 0;
  static constexpr int own = group - 1, own_words = group / 4;  // columns that a lane has alone
  static constexpr int own_counts = Own, common_counts = Common;
  static constexpr int own_bins = 256 / Own, common_bins = 256 / Common;
  /// A search looks at four words of the common histogram together.
  static constexpr int ratio = Own / Common, together = 4 * Common;
  static constexpr int row_words = Pieces * 8 + 4;
  static constexpr int words_of_shared =
      own_bins * warp_lanes + common_bins * groups + 2 * row_words;
  /// Warps of a multiprocessor for which there is shared memory.
  static constexpr int warps = 220 * 1024 / (words_of_shared * 4 + 1024);
};

using Plus = std::integral_constant<bool, true>;
using Minus = std::integral_constant<bool, false>;

/// The first `n` samples of a word, `most` at most, one by one, to a histogram of `Counts` a word,
/// words Step bytes apart. Places and what is added come by dot products, which are not the integer
/// pipe's.
template <int Counts, int Step, class Sign>
__device__ __forceinline__ void change(uint32_t* counts, uint32_t w, int most, int n, Sign) {
  constexpr bool plus = Sign::value;
  const uint32_t places = Counts == as_bytes ? w >> 2 & 0x3F3F3F3F : w >> 1 & 0x7F7F7F7F;
  const uint32_t at = Counts == as_bytes ? (w & 0x03030303) << 3 : (plus ? w : ~w) & 0x01010101;
  const auto one = [&](auto byte) {
    constexpr int b = byte();
    uint32_t add;
    if constexpr (Counts == as_bytes)
      add = (plus ? 1u : ~0u) << (at >> 8 * b & 31);
    else if constexpr (b < 2)  // 1 or 65,536, or less them
      add = __dp2a_lo(b % 2 ? 0xFFFF0000u : 0xFFFFu, at, plus ? 1u : 0xFFFF0000u);
    else
      add = __dp2a_hi(b % 2 ? 0xFFFF0000u : 0xFFFFu, at, plus ? 1u : 0xFFFF0000u);
    if (b < most) cuda::add_to_shared<b, Step>(b < n, counts, places, add);
  };
  one(std::integral_constant<int, 0>());
  one(std::integral_constant<int, 1>());
  one(std::integral_constant<int, 2>());
  one(std::integral_constant<int, 3>());
}

/// What a warp makes: the column of its first lane, the rows from `first` to `end`, and the
/// channel.
struct March {
  int32_t x, first, end, channel;
};

/// A lane's column and rows, and its part of its group's window.
template <class F>
struct Place : March {
  int lane, group;
  /// Of the columns that all lanes of the group share: those that this lane changes, `mine` from
  /// byte `share` of a row on. They stand side by side: fewer lanes then change one bin together.
  int each, share, mine;
  /// Of the columns that a lane has alone: where in a row those at the window's right begin, and
  /// which bytes are of those at its left.
  uint32_t right, left_bytes[F::own_words];

  __device__ Place(const MedianRequest& q, March march) : March(march) {
    lane = int(threadIdx.x);
    x += lane;
    group = lane / F::group;
    const int shared = q.ksize - F::own;
    each = (shared + F::group - 1) / F::group;
    const int begin = lane % F::group * each;
    share = group * F::group + F::own + begin;
    mine = min(each, shared - begin);
    right = uint32_t(lane + q.ksize - F::own);
    const int left = F::own - lane % F::group;
#pragma unroll
    for (int i = 0; i < F::own_words; ++i)
      left_bytes[i] = uint32_t((uint64_t(1) << 8 * min(max(left - 4 * i, 0), 4)) - 1);
  }
};

static __device__ __noinline__ int32_t mapped(BorderMode mode, int32_t i, int32_t n) {
  return map_index(mode, i, n);
}

/// Brings rows of the lanes' windows to shared memory, borders written out: byte i is column
/// i − radius of lane 0's. What `load` reads arrives while the row before is worked on.
template <class F>
struct Rows {
  int32_t offset[F::pieces];  // of a byte in its row; −1: none
  uint32_t byte[F::pieces];

  __device__ __forceinline__ Rows(const MedianRequest& q, const Place<F>& place) {
    const int32_t left = place.x - place.lane - q.radius;
#pragma unroll
    for (int i = 0; i < F::pieces; ++i) {
      const int32_t at = i * warp_lanes + place.lane;
      const int32_t sx =
          at < warp_lanes + q.ksize - 1 ? mapped(q.mode, left + at, q.src.width) : -1;
      offset[i] = sx < 0 ? -1 : sx * q.src.channels + place.channel;
    }
  }
  __device__ __forceinline__ void load(const MedianRequest& q, int32_t y) {
    const bool inside = uint32_t(y) < uint32_t(q.src.height);
    const int32_t sy = inside ? y : mapped(q.mode, y, q.src.height);
    const auto* row =
        static_cast<const uint8_t*>(q.src.data) + int64_t(max(sy, 0)) * q.src.stride_bytes;
#pragma unroll
    for (int i = 0; i < F::pieces; ++i) {
      const uint32_t sample = __ldg(row + uint32_t(max(offset[i], 0)));
      byte[i] = (sy | offset[i]) < 0 ? uint32_t(q.outside) : sample;
    }
  }
  __device__ __forceinline__ void keep(uint32_t* row, int lane) const {
#pragma unroll
    for (int i = 0; i < F::pieces; ++i)
      reinterpret_cast<uint8_t*>(row)[i * warp_lanes + lane] = uint8_t(byte[i]);
  }
};

/// Four bytes of a row from byte `at` + 4 i on.
__device__ __forceinline__ uint32_t word_at(const uint32_t* row, uint32_t at, int i) {
  const uint32_t* words = row + at / 4 + i;
  return __funnelshift_r(words[0], words[1], 8 * (at % 4));
}

/// The columns of a lane's window that its group does not share: the first of its window, until
/// the last lane's begins, and those after the end of the first lane's.
template <class F, class Sign>
__device__ __forceinline__ void change_own(uint32_t* counts, const uint32_t* row,
                                           const Place<F>& place, Sign sign) {
#pragma unroll
  for (int i = 0; i < F::own_words; ++i) {
    const uint32_t w = (word_at(row, uint32_t(place.lane), i) & place.left_bytes[i]) |
                       (word_at(row, place.right, i) & ~place.left_bytes[i]);
    change<F::own_counts, 4 * warp_lanes>(counts, w, F::own - 4 * i, F::own - 4 * i, sign);
  }
}

/// By how many samples less than t a window becomes richer, 1 <= t, as a row comes and one leaves:
/// n − 2 · #(samples below t) of a row is the difference of two sums of absolute differences.
template <class F>
__device__ __forceinline__ int32_t more_below(const uint32_t* in_row, const uint32_t* out_row,
                                              int lane, int ksize, uint32_t t) {
  const uint32_t all = t * 0x01010101u, less = all - 0x01010101u;
  const int words = F::words ? F::words : (ksize + 3) / 4, shift = 8 * (lane % 4);
  const uint32_t *in = in_row + lane / 4, *out = out_row + lane / 4;
  uint32_t same = 0, more = 0, same_out = 0, more_out = 0;
  const auto add = [&](int i, uint32_t mask) {
    const uint32_t a = __funnelshift_r(in[i], in[i + 1], shift) & mask;
    const uint32_t b = __funnelshift_r(out[i], out[i + 1], shift) & mask;
    same += __vsadu4(a, all), more += __vsadu4(a, less);
    same_out += __vsadu4(b, all), more_out += __vsadu4(b, less);
  };
  if constexpr (F::words != 0) {
#pragma unroll
    for (int i = 0; i < F::words - 1; ++i) add(i, ~0u);
  } else {
#pragma unroll 8
    for (int i = 0; i < words - 1; ++i) add(i, ~0u);
  }
  add(words - 1, ksize % 4 == 3 ? 0x00FFFFFF : 0x000000FF);
  return int32_t(more_out - same_out - more + same) / 2;
}

/// A lane's histograms and where its search is: `below` samples are less than `value`, a multiple
/// of F::together.
template <class F>
struct Search {
  const uint32_t *own, *common;
  uint32_t rank, value, below;

  uint32_t found[4];
  uint32_t upto[4];  // samples in the words to each of them

  __device__ __forceinline__ void look() {
    const uint32_t* a = own + value / F::own_counts * warp_lanes;
    const uint32_t* b = common + value / F::common_counts * F::groups;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint32_t counts = a[i / F::ratio * warp_lanes];
      if constexpr (F::ratio == 2) counts = __byte_perm(counts, 0, i % 2 ? 0x4342 : 0x4140);
      found[i] = counts + b[i * F::groups];
      const uint32_t before = i ? upto[i - 1] : 0;
      upto[i] = F::common_counts == as_bytes ? __dp4a(found[i], 0x01010101u, before)
                                             : __dp2a_lo(found[i], 0x0101u, before);
    }
  }
  /// The value up to which there are more than `rank` samples, and how many of the samples of that
  /// value come before the one of that rank.
  struct Found {
    uint32_t value, before;
  };
  __device__ __forceinline__ Found median() {
    look();
    if (below > rank) {
      do {
        value -= F::together;
        look();
        below -= upto[3];
      } while (below > rank);
    } else {
      while (below + upto[3] <= rank) {
        below += upto[3];
        value += F::together;
        look();
      }
    }
    uint32_t first = value, before = 0;
    uint32_t counts = found[0];
#pragma unroll
    for (int i = 0; i < 3; ++i)
      if (below + upto[i] <= rank)
        first = value + (i + 1) * F::common_counts, before = upto[i], counts = found[i + 1];
    const uint32_t left = rank - below - before;
    if constexpr (F::common_counts == as_bytes) {
      const uint32_t sums = counts * 0x01010101u;
      const uint32_t bin =
          ((sums & 255) <= left) + ((sums >> 8 & 255) <= left) + ((sums >> 16 & 255) <= left);
      return {first + bin, left - (sums << 8 >> 8 * bin & 255)};
    }
    const uint32_t fewer = counts & 0xFFFF;
    return fewer <= left ? Found{first + 1, left - fewer} : Found{first, left};
  }
};

/// This lane's part of the columns that its group shares.
template <bool Leaving, class F>
__device__ __forceinline__ void change_common(uint32_t* counts, const uint32_t* in_row,
                                              const uint32_t* out_row, const Place<F>& place) {
  constexpr int most = F::words ? F::shared : 4;
  for (int i = 0; F::words != 0 ? i < 1 : 4 * i < place.each; ++i) {
    const uint32_t a = word_at(in_row, uint32_t(place.share), i);
    const uint32_t b = Leaving ? word_at(out_row, uint32_t(place.share), i) : 0;
    if (Leaving && a == b) continue;  // as in masks
    change<F::common_counts, 4 * F::groups>(counts, a, most, place.mine - 4 * i, Plus());
    if constexpr (Leaving)
      change<F::common_counts, 4 * F::groups>(counts, b, most, place.mine - 4 * i, Minus());
  }
}

/// A row comes to the histograms, and one leaves.
template <bool Leaving, class F>
__device__ __forceinline__ void change_rows(const MedianRequest& q, const Place<F>& place,
                                            Search<F>& search, uint32_t* own, uint32_t* common,
                                            const uint32_t* in_row, const uint32_t* out_row) {
  if constexpr (Leaving) {
    if (search.value > 0)
      search.below += more_below<F>(in_row, out_row, place.lane, q.ksize, search.value);
  }
  change_own(own, in_row, place, Plus());
  if constexpr (Leaving) change_own(own, out_row, place, Minus());
  change_common<Leaving>(common, in_row, out_row, place);
}

/// Medians of a picture of bytes. `Work` has the request, march() of this warp, and writer(place),
/// whose put(found) takes the medians of a lane's column from above.
template <class F, class Work>
__global__ void __launch_bounds__(warp_lanes) median_lanes(const __grid_constant__ Work work) {
  const MedianRequest& q = work.q;
  __shared__ uint32_t own_counts[F::own_bins * warp_lanes],
      common_counts[F::common_bins * F::groups];
  __shared__ uint32_t in_row[F::row_words], out_row[F::row_words];
  const Place<F> place(q, work.march());
  uint32_t *own = own_counts + place.lane, *common = common_counts + place.group;
#pragma unroll 8
  for (int i = 0; i < F::own_bins; ++i) own[i * warp_lanes] = 0;
  for (int i = place.lane; i < F::common_bins * F::groups; i += warp_lanes) common_counts[i] = 0;
  // A row's last words are read, and what no window has of them is masked.
  for (int i = place.lane; i < F::row_words; i += warp_lanes) in_row[i] = out_row[i] = 0;
  __syncwarp();

  Rows<F> in(q, place), out = in;
  Search<F> search{own, common, uint32_t(q.half), 0, 0, {}, {}};
  const int32_t top = place.first - q.radius, count = q.ksize - 1 + place.end - place.first;
  in.load(q, top);
  int32_t n = 0;
  for (; n < q.ksize - 1; ++n) {
    in.keep(in_row, place.lane);
    __syncwarp();
    in.load(q, top + n + 1);
    change_rows<false>(q, place, search, own, common, in_row, out_row);
    __syncwarp();
  }
  auto writer = work.writer(place);
#pragma unroll 1
  for (; n < count; ++n) {
    const bool first = n < q.ksize;
    in.keep(in_row, place.lane);
    if (!first) out.keep(out_row, place.lane);
    __syncwarp();
    if (n + 1 < count) {
      in.load(q, top + n + 1);
      out.load(q, top + n + 1 - q.ksize);
    }
    if (first)
      change_rows<false>(q, place, search, own, common, in_row, out_row);
    else
      change_rows<true>(q, place, search, own, common, in_row, out_row);
    __syncwarp();
    writer.put(search.median());
  }
}

/// Calls body(Form) for windows of `ksize`. Counts of seven columns are bytes to 35 rows, those of
/// three to 65, a whole window's to 15.
template <class Body>
void for_form(int ksize, Body&& body) {
  switch (ksize < 13 ? 0 : (ksize + 3) / 4) {
    case 4: return body(Form<4, 2, as_bytes, as_bytes>());
    case 5: return body(Form<5, 2, as_bytes, as_halves>());
    case 6: return body(Form<6, 2, as_bytes, as_halves>());
    case 7: return body(Form<7, 2, as_bytes, as_halves>());
    case 8: return body(Form<8, 2, as_bytes, as_halves>());
  }
  if (ksize <= 65) return body(Form<0, 3, as_bytes, as_halves>());
  if (ksize <= 129) return body(Form<0, 5, as_halves, as_halves>());
  body(Form<0, 9, as_halves, as_halves>());
}

}  // namespace cuesta::median_cuda
