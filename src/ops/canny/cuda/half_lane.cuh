// One lane of the gradient and suppression of canny for u8 and aperture 3 in pairs of fp16: what it
// keeps on the way down, and the step from row to row. half_nms.cuh has the warp.
//
// A lane has 2 P pixels of every row; register j holds pixels j and j + P, so that a neighbour in
// the row is another register and only the row's ends come from other lanes. Gradients, and
// magnitudes of l1, are integers of at most 2,047 in size: sums and differences in fp16 are exact,
// |x| and −x cost nothing, and the additions run beside the integer pipe, which is left to the
// selections. Magnitudes of l2 are integers below 2^24, exact in a float each.
//
// Direction, with hi and lo the larger and the smaller of |gx|, |gy|: diagonal where lo > t · hi.
// cv::Canny asks for tan = 13573/2^15 on one side and 1/(2 + tan) on the other. No fraction of two
// integers up to 1,020 is between these, nor between them and t = 53/128 + 5/2^15
// (tests/ops/test_canny_nms.cpp asks all pairs): one test serves. lo − t · hi is hi + lo − 181/128
// hi − 5/2^15 hi, where the first difference is a multiple of 1/128 and exact below 16, beyond
// which the last term changes no sign: two fused steps have the exact sign.
//
// Suppression looks at magnitudes less low, or 0: a pixel above its neighbours is above low.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "cuesta/edges.hpp"
#include "ops/canny/cuda/nms_lane.hpp"
#include "ops/canny/cuda/packed.hpp"

namespace cuesta::canny_half {

// ---- pairs

__device__ inline __half2 halves(uint32_t v) { return *reinterpret_cast<__half2*>(&v); }
__device__ inline uint32_t bits(__half2 v) { return *reinterpret_cast<uint32_t*>(&v); }
__device__ inline uint32_t add(uint32_t a, uint32_t b) {
  return bits(__hadd2(halves(a), halves(b)));
}
__device__ inline uint32_t sub(uint32_t a, uint32_t b) {
  return bits(__hsub2(halves(a), halves(b)));
}
/// Bit by bit: a where `mask` is set, else b.
__device__ inline uint32_t choose(uint32_t mask, uint32_t a, uint32_t b) {
  return (a & mask) | (b & ~mask);
}
__device__ inline float choose(uint32_t mask, float a, float b) {
  return __uint_as_float(choose(mask, __float_as_uint(a), __float_as_uint(b)));
}

/// The sign bits of 8 registers of pairs: bit i that of pixel i of 16.
__device__ inline uint32_t signs_of(const uint32_t (&v)[8]) {
  uint32_t b[4];  // bytes of copies: pixels i, i + 8, i + 4, i + 12
#pragma unroll
  for (int i = 0; i < 4; ++i) b[i] = packed::permute_bytes<0xfdb9>(v[i], v[i + 4]);
  const uint32_t x = choose(0x55555555u, b[0], b[1]), y = choose(0x55555555u, b[2], b[3]);
  const uint32_t z = choose(0x33333333u, x, y);
  return choose(0x00000f0fu, z, z >> 16);
}
/// Of 4 registers: of 8 pixels.
__device__ inline uint32_t signs_of(const uint32_t (&v)[4]) {
  const uint32_t x =
      choose(0x55555555u, packed::permute_bytes<0xfdb9>(v[0], v[2]),
             packed::permute_bytes<0xfdb9>(v[1], v[3]));  // pixels 0, 4, 2, 6 and next
  const uint32_t z = choose(0x33333333u, x, x >> 16);
  return choose(0x0fu, z, z >> 8) & 255;
}
/// Of 8 floats: bit i that of v[i].
__device__ inline uint32_t signs_of(const float (&v)[8]) {
  uint32_t b[4];  // bytes of copies: i, i + 4
#pragma unroll
  for (int i = 0; i < 4; ++i)
    b[i] = packed::permute_bytes<0x00fb>(__float_as_uint(v[i]), __float_as_uint(v[i + 4]));
  const uint32_t x = choose(0x5555u, b[0], b[1]), y = choose(0x5555u, b[2], b[3]);
  const uint32_t z = choose(0x3333u, x, y);
  return choose(0x0fu, z, z >> 8) & 255;
}

/// 1024 and a byte each: the fp16 of 1024 + v ends in v. Pairs of the first word's bytes and the
/// second's.
__device__ inline void unpack(uint32_t first, uint32_t second, uint32_t* to) {
  constexpr uint32_t thousand = packed::both(0x6400);
  const uint32_t low = packed::permute_bytes<0x5410>(first, second);
  const uint32_t high = packed::permute_bytes<0x7632>(first, second);
  to[0] = (low & packed::both(0xff)) | thousand;
  to[1] = packed::permute_bytes<0x5351>(low, thousand);
  to[2] = (high & packed::both(0xff)) | thousand;
  to[3] = packed::permute_bytes<0x5351>(high, thousand);
}

/// The first and the last of a row's P + 2 pairs, which begin at pixel −1, from the lanes beside.
template <int P>
__device__ inline void take_ends(uint32_t* v) {
  const uint32_t left = __shfl_up_sync(~0u, v[P], 1), right = __shfl_down_sync(~0u, v[1], 1);
  v[0] = packed::permute_bytes<0x5432>(left, v[P]);
  v[P + 1] = packed::permute_bytes<0x5432>(v[1], right);
}

// ---- gradients

template <int P>
struct Gradients {
  uint32_t last[P + 2];   // the last row, 1024 and a pixel, from pixel −1
  uint32_t falls[P + 2];  // what it was more than the one before
  uint32_t rises[P];      // right − left in the last row
  uint32_t sums[P];       // the same, of the last two

  /// A row comes; gx, gy are those of the row before.
  __device__ void push(const uint32_t (&row)[P + 2], uint32_t (&gx)[P], uint32_t (&gy)[P]) {
    uint32_t fall[P + 2];
#pragma unroll
    for (int i = 0; i < P + 2; ++i) {
      const uint32_t more = sub(row[i], last[i]);
      fall[i] = add(more, falls[i]);
      falls[i] = more;
      last[i] = row[i];
    }
#pragma unroll
    for (int i = 0; i <= P; ++i) fall[i] = add(fall[i], fall[i + 1]);
#pragma unroll
    for (int j = 0; j < P; ++j) {
      gy[j] = add(fall[j], fall[j + 1]);
      const uint32_t rise = sub(row[j + 2], row[j]), two = add(rise, rises[j]);
      gx[j] = add(two, sums[j]);
      rises[j] = rise;
      sums[j] = two;
    }
  }
};

template <int P>
struct Directions {
  uint32_t straight[P];  // sign: the gradient is not diagonal
  uint32_t which[P];     // sign: there, it is horizontal; else, it is along /

  __device__ void find(const uint32_t (&gx)[P], const uint32_t (&gy)[P]) {
#pragma unroll
    for (int j = 0; j < P; ++j) {
      const __half2 x = __habs2(halves(gx[j])), y = __habs2(halves(gy[j]));
      const __half2 larger = __hmax2(x, y);
      // −181/128 and −5/2^15.
      straight[j] = bits(__hfma2(larger, halves(0x89008900u),
                                 __hfma2(larger, halves(0xbda8bda8u), __hadd2(x, y))));
      which[j] =
          choose(straight[j], bits(__hsub2(y, x)), bits(__hmul2(halves(gx[j]), halves(gy[j]))));
    }
  }
};

// ---- a lane

/// What magnitudes are compared with: those above low count, less low; of these, those above high −
/// low are strong. Numbers as their bits; `minus_low` is that of a pixel, minus infinity where it
/// is outside the picture, so that its magnitude is 0. In a pair for l1, a float for l2.
template <int Floors>
struct Limits {
  uint32_t minus_low[Floors], high;
};

/// What the lanes of bytes share: pixels come in words of 4, gradients are pairs.
struct Bytes {
  /// The compute capability whose instructions it needs: for older ones the kernel is empty.
  static constexpr int min_major = 8;
  using Sample = uint8_t;
  using Gradient = uint32_t;
  using Table = canny_nms::LimitTable;
  using Limit = int32_t;
  static __device__ int32_t low_of(const Table& table, uint32_t picture) {
    return int32_t(table.above_low(picture)) - 1;
  }
  static __device__ int32_t high_of(const Table& table, uint32_t picture) {
    return int32_t(table.above_high(picture)) - 1;
  }
};

template <Norm N, int Pairs = N == Norm::l1 ? 8 : 4>
struct Lane;

template <int Pairs>
struct Lane<Norm::l1, Pairs> : Bytes {
  static constexpr Norm norm = Norm::l1;
  static constexpr int P = Pairs, pixels = 2 * P, gradients_of = P;
  static constexpr bool skips = false;            // rows of a warp without a magnitude above low
  static constexpr int warps = P == 8 ? 12 : 20;  // that a multiprocessor's registers are to hold
  using Group = std::conditional_t<P == 8, uint16_t, uint8_t>;  // a mask's bits of a lane

  Gradients<P> gradients;
  Directions<P> directions;
  uint32_t m[3][P + 2];  // rows of magnitudes, in turn

  using Limits = canny_half::Limits<P>;

  /// inside(i): pixel i is in the picture.
  template <class Inside>
  __device__ static Limits limits(int32_t low, int32_t high, Inside&& inside) {
    const auto half = [](int32_t v) { return uint32_t(__half_as_ushort(__int2half_rn(v))); };
    constexpr uint32_t minus_infinity = 0xfc00;
    low = min(low, 2047);
    Limits limits{{}, packed::both(half(min(high, 2047) - low))};
#pragma unroll
    for (int j = 0; j < P; ++j)
      limits.minus_low[j] = (inside(j) ? half(-low) : minus_infinity) |
                            (inside(j + P) ? half(-low) : minus_infinity) << 16;
    return limits;
  }
  /// Row r comes in, as words of 4 pixels. Magnitudes are those of row r − 1, in m[turn], where
  /// turn is r modulo 3; 0 where that row is not one of the picture.
  template <int turn>
  __device__ void measure(const uint32_t* words, const Limits& limits, bool in_rows,
                          uint32_t (&gx)[P], uint32_t (&gy)[P]) {
    uint32_t row[P + 2];
    unpack(words[0], words[P / 4], row + 1);
    if constexpr (P == 8) unpack(words[1], words[3], row + 5);
    take_ends<P>(row);
    gradients.push(row, gx, gy);
    uint32_t* down = m[turn];
#pragma unroll
    for (int j = 0; j < P; ++j) {
      const __half2 sum = __hadd2(__habs2(halves(gx[j])), __habs2(halves(gy[j])));
      down[j + 1] = bits(__hfma2_relu(sum, halves(0x3c003c00u), halves(limits.minus_low[j])));
    }
    if (!in_rows) {
#pragma unroll
      for (int j = 0; j < P; ++j) down[j + 1] = 0;
    }
    take_ends<P>(down);
  }
  /// Whether the last row of magnitudes has one that is not 0.
  template <int turn>
  __device__ bool any() const {
    uint32_t all = 0;
#pragma unroll
    for (int j = 0; j < P; ++j) all |= m[turn][j + 1];
    return all != 0;
  }
  /// each(magnitude) for the pixels of the last row, where there is no low to take off: times 2^-24
  /// a half's bits are its integer.
  template <int turn, class Each>
  __device__ void each_magnitude(Each&& each) const {
#pragma unroll
    for (int j = 0; j < P; ++j) {
      const uint32_t v = bits(__hmul2(halves(m[turn][j + 1]), halves(packed::both(1))));
      each(v & 0xffff);
      each(v >> 16);
    }
  }
  /// The maxima of row r − 2, by the directions of the step before. "Not below the next" is above
  /// the next smaller number, as halves that are not negative order like integers.
  template <int turn>
  __device__ void find_maxima(const Limits& limits, uint32_t& candidates, uint32_t& strong) const {
    const uint32_t *down = m[turn], *up = m[(turn + 1) % 3], *row = m[(turn + 2) % 3];
    uint32_t maxima[P], above[P];
#pragma unroll
    for (int j = 0; j < P; ++j) {
      const uint32_t here = row[j + 1], which = directions.which[j];
      const uint32_t beside = __viaddmax_s16x2(row[j + 2], ~0u, row[j]);
      const uint32_t over = __viaddmax_s16x2(down[j + 1], ~0u, up[j + 1]);
      const uint32_t along = __vmaxs2(up[j], down[j + 2]), across = __vmaxs2(up[j + 2], down[j]);
      const uint32_t straight = choose(which, sub(beside, here), sub(over, here));
      const uint32_t diagonal = choose(which, sub(across, here), sub(along, here));
      maxima[j] = choose(directions.straight[j], straight, diagonal);
      above[j] = sub(limits.high, here);
    }
    candidates = signs_of(maxima);
    strong = candidates & signs_of(above);
  }
};

template <>
struct Lane<Norm::l2, 4> : Bytes {
  static constexpr Norm norm = Norm::l2;
  static constexpr int P = 4, pixels = 2 * P, gradients_of = P;
  static constexpr bool skips = false;
  static constexpr int warps = 16;
  using Group = uint8_t;

  Gradients<P> gradients;
  Directions<P> directions;
  float m[3][pixels + 2];  // from pixel −1

  using Limits = canny_half::Limits<pixels>;

  template <class Inside>
  __device__ static Limits limits(int32_t low, int32_t high, Inside&& inside) {
    constexpr int32_t most = 2 * 1020 * 1020;
    constexpr uint32_t minus_infinity = 0xff800000u;
    low = min(low, most);
    Limits limits{{}, __float_as_uint(float(min(high, most) - low))};
#pragma unroll
    for (int i = 0; i < pixels; ++i)
      limits.minus_low[i] = inside(i) ? __float_as_uint(float(-low)) : minus_infinity;
    return limits;
  }
  template <int turn>
  __device__ void measure(const uint32_t* words, const Limits& limits, bool in_rows,
                          uint32_t (&gx)[P], uint32_t (&gy)[P]) {
    uint32_t row[P + 2];
    unpack(words[0], words[1], row + 1);
    take_ends<P>(row);
    gradients.push(row, gx, gy);
    float* down = m[turn];
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      const __half2 gx2 = halves(gx[i % P]), gy2 = halves(gy[i % P]);
      const float x = i < P ? __low2float(gx2) : __high2float(gx2);
      const float y = i < P ? __low2float(gy2) : __high2float(gy2);
      down[i + 1] = fmaxf(fmaf(x, x, fmaf(y, y, __uint_as_float(limits.minus_low[i]))), 0.0f);
    }
    if (!in_rows) {
#pragma unroll
      for (int i = 0; i < pixels; ++i) down[i + 1] = 0;
    }
    down[0] = __shfl_up_sync(~0u, down[pixels], 1);
    down[pixels + 1] = __shfl_down_sync(~0u, down[1], 1);
  }
  template <int turn>
  __device__ bool any() const {
    uint32_t all = 0;
#pragma unroll
    for (int i = 0; i < pixels; ++i) all |= __float_as_uint(m[turn][i + 1]);
    return all != 0;
  }
  template <int turn, class Each>
  __device__ void each_magnitude(Each&& each) const {
#pragma unroll
    for (int i = 0; i < pixels; ++i) each(uint32_t(m[turn][i + 1]));
  }
  template <int turn>
  __device__ void find_maxima(const Limits& limits, uint32_t& candidates, uint32_t& strong) const {
    const float *down = m[turn], *up = m[(turn + 1) % 3], *row = m[(turn + 2) % 3];
    float maxima[pixels], above[pixels];
#pragma unroll
    for (int i = 0; i < pixels; ++i) {
      const auto wide = [&](uint32_t pair) {  // the pixel's sign everywhere
        return i < P ? packed::permute_bytes<0x9999>(pair, 0)
                     : packed::permute_bytes<0xbbbb>(pair, 0);
      };
      const uint32_t is_straight = wide(directions.straight[i % P]);
      const uint32_t which = wide(directions.which[i % P]);
      // "Not below the next" is above the next smaller number, as floats that are not negative
      // order like integers.
      const auto before = [](float next, float other) {
        return __int_as_float(__viaddmax_s32(__float_as_int(next), -1, __float_as_int(other)));
      };
      const float beside = before(row[i + 2], row[i]), over = before(down[i + 1], up[i + 1]);
      const float along = fmaxf(up[i], down[i + 2]), across = fmaxf(up[i + 2], down[i]);
      const float least =
          choose(is_straight, choose(which, beside, over), choose(which, across, along));
      maxima[i] = least - row[i + 1];
      above[i] = __uint_as_float(limits.high) - row[i + 1];
    }
    candidates = signs_of(maxima);
    strong = candidates & signs_of(above);
  }
};

}  // namespace cuesta::canny_half
