// The row loops of strategy `simd`; compiled once for every instruction set. Rows have room for a
// vector past their end, and what is computed there is never used.
#if defined(CUESTA_CANNY_GRADIENT_NMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CANNY_GRADIENT_NMS_INL_HPP
#undef CUESTA_CANNY_GRADIENT_NMS_INL_HPP
#else
#define CUESTA_CANNY_GRADIENT_NMS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "cpu/bits-inl.hpp"
#include "ops/shared/gradient.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

// ---- smoothing: taps in units of 1/256, symmetric, with sum 256; Half is ksize / 2, or −1 for any

/// sums[x] = Σ taps[j] · rows[j][x], at most 255 · 256.
template <int Half>
void smooth_vertically(const uint8_t* const* rows, const uint16_t* taps, int any_half,
                       ptrdiff_t count, uint16_t* HWY_RESTRICT sums) {
  const hn::ScalableTag<uint16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const int half = Half < 0 ? any_half : Half;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto at = [&](int j) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d8, rows[j] + x)); };
    auto sum = hn::Mul(at(half), hn::Set(d, taps[half]));
    for (int j = 0; j < half; ++j)
      sum = hn::Add(sum, hn::Mul(hn::Add(at(j), at(2 * half - j)), hn::Set(d, taps[j])));
    hn::StoreU(sum, d, sums + x);
  }
}

/// out[x] = (Σ taps[i] · sums[x + i] + 2^15) >> 16, in 16-bit lanes: with s = 256 h + l the sum S
/// is 256 H + L where H = Σ taps · h and L = Σ taps · l both fit 16 bits, and L is what S mod 2^16
/// leaves of 256 H.
template <int Half>
void smooth_horizontally(const uint16_t* HWY_RESTRICT sums, const uint16_t* taps, int any_half,
                         ptrdiff_t width, uint8_t* HWY_RESTRICT out) {
  const hn::ScalableTag<uint16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const int half = Half < 0 ? any_half : Half;
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto centre = hn::LoadU(d, sums + x + half);
    auto low = hn::Mul(centre, hn::Set(d, taps[half]));
    auto high = hn::Mul(hn::ShiftRight<8>(centre), hn::Set(d, taps[half]));
    for (int i = 0; i < half; ++i) {
      const auto a = hn::LoadU(d, sums + x + i), b = hn::LoadU(d, sums + x + 2 * half - i);
      const auto tap = hn::Set(d, taps[i]);
      low = hn::Add(low, hn::Mul(hn::Add(a, b), tap));
      high = hn::Add(high, hn::Mul(hn::Add(hn::ShiftRight<8>(a), hn::ShiftRight<8>(b)), tap));
    }
    const auto rest = hn::ShiftRight<8>(hn::Sub(low, hn::ShiftLeft<8>(high)));
    const auto rounded = hn::ShiftRight<8>(hn::Add(hn::Add(high, rest), hn::Set(d, 128)));
    hn::StoreU(hn::DemoteTo(d8, hn::BitCast(hn::RebindToSigned<decltype(d)>(), rounded)), d8,
               out + x);
  }
}

// ---- gradient

/// The vertical sums of K rows.
template <int K>
void sum_vertically(const uint8_t* const* rows, ptrdiff_t first, ptrdiff_t count,
                    int16_t* HWY_RESTRICT smooth, int16_t* HWY_RESTRICT derive) {
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto at = [&](int j)
                        HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d8, rows[j] + first + x)); };
    auto s = hn::Mul(at(K / 2), hn::Set(d, int16_t(taps.smoothing[K / 2])));
    auto v = hn::Zero(d);
    for (int j = 0; j < K / 2; ++j) {
      const auto a = at(j), b = at(K - 1 - j);
      s = hn::Add(s, hn::Mul(hn::Add(a, b), hn::Set(d, int16_t(taps.smoothing[j]))));
      v = hn::Add(v, hn::Mul(hn::Sub(a, b), hn::Set(d, int16_t(taps.derivative[j]))));
    }
    hn::StoreU(s, d, smooth + x);
    hn::StoreU(v, d, derive + x);
  }
}

/// gx and gy of `count` pixels; for aperture 7 divided by 16, half to even.
template <int K>
void sum_horizontally(const int16_t* HWY_RESTRICT smooth, const int16_t* HWY_RESTRICT derive,
                      ptrdiff_t count, int16_t* HWY_RESTRICT gx, int16_t* HWY_RESTRICT gy) {
  constexpr auto taps = gradient::taps(K);
  // Aperture 7 reaches 163,200 before the division.
  using Sum = std::conditional_t<K == 7, int32_t, int16_t>;
  const hn::ScalableTag<Sum> d;
  const hn::Rebind<int16_t, decltype(d)> d16;
  const auto load = [&](const int16_t* from) HWY_ATTR {
    if constexpr (K == 7)
      return hn::PromoteTo(d, hn::LoadU(d16, from));
    else
      return hn::LoadU(d, from);
  };
  const auto store = [&](auto g, int16_t* to) HWY_ATTR {
    if constexpr (K == 7) {
      const auto odd = hn::And(hn::ShiftRight<4>(g), hn::Set(d, 1));
      const auto sixteenth = hn::ShiftRight<4>(hn::Add(hn::Add(g, hn::Set(d, 7)), odd));
      hn::StoreU(hn::DemoteTo(d16, sixteenth), d16, to);
    } else {
      hn::StoreU(g, d, to);
    }
  };
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    auto sx = hn::Zero(d);
    auto sy = hn::Mul(load(derive + x + K / 2), hn::Set(d, Sum(taps.smoothing[K / 2])));
    for (int i = 0; i < K / 2; ++i) {
      const int j = K - 1 - i;
      sx = hn::Add(sx, hn::Mul(hn::Sub(load(smooth + x + i), load(smooth + x + j)),
                               hn::Set(d, Sum(taps.derivative[i]))));
      sy = hn::Add(sy, hn::Mul(hn::Add(load(derive + x + i), load(derive + x + j)),
                               hn::Set(d, Sum(taps.smoothing[i]))));
    }
    store(sx, gx + x);
    store(sy, gy + x);
  }
}

/// Gradients as lanes of magnitudes.
template <class D>
HWY_INLINE auto load_gradient(D d, const int16_t* from) {
  if constexpr (sizeof(hn::TFromD<D>) == 2)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<int16_t, D>(), from));
}

/// |gx| + |gy| in int16_t, at most 24,480; gx² + gy² in int32_t. 0 where `mask` is; a null mask is
/// everywhere.
template <class M>
void measure(const int16_t* gx, const int16_t* gy, const uint8_t* mask, ptrdiff_t count,
             M* HWY_RESTRICT magnitude) {
  const hn::ScalableTag<M> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto a = load_gradient(d, gx + x), b = load_gradient(d, gy + x);
    auto m = hn::Zero(d);
    if constexpr (sizeof(M) == 2)
      m = hn::Add(hn::Abs(a), hn::Abs(b));
    else
      m = hn::Add(hn::Mul(a, a), hn::Mul(b, b));
    if (mask) {
      const auto inside = hn::PromoteTo(d, hn::LoadU(d8, mask + x));
      m = hn::IfThenZeroElse(hn::Eq(inside, hn::Zero(d)), m);
    }
    hn::StoreU(m, d, magnitude + x);
  }
}

/// The magnitudes of given gradients, any 16 bits: |gx| + |gy|, or gx² + gy²; 2^31 alone,
/// the largest, becomes 2^31 − 1. Gradients of −32,768 lose one: no direction notices, and then
/// |gx| < 2^15.
inline void measure_given(Norm norm, const uint8_t* mask, ptrdiff_t count, int16_t* HWY_RESTRICT gx,
                          int16_t* HWY_RESTRICT gy, int32_t* HWY_RESTRICT magnitude) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<int16_t, decltype(d)> d16;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const auto least = hn::Set(d16, int16_t(-32767));
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto a = load_gradient(d, gx + x), b = load_gradient(d, gy + x);
    auto m = hn::Zero(d);
    if (norm == Norm::l1) {
      m = hn::Add(hn::Abs(a), hn::Abs(b));
    } else {
      m = hn::Add(hn::Mul(a, a), hn::Mul(b, b));
      m = hn::IfThenElse(hn::Lt(m, hn::Zero(d)), hn::Set(d, 0x7FFFFFFF), m);
    }
    if (mask) {
      const auto inside = hn::PromoteTo(d, hn::LoadU(d8, mask + x));
      m = hn::IfThenZeroElse(hn::Eq(inside, hn::Zero(d)), m);
    }
    hn::StoreU(m, d, magnitude + x);
    hn::StoreU(hn::Max(hn::LoadU(d16, gx + x), least), d16, gx + x);
    hn::StoreU(hn::Max(hn::LoadU(d16, gy + x), least), d16, gy + x);
  }
}

/// Where `other` is larger than `magnitude`, it and its gradient take the others' place.
template <class M>
void keep_stronger(const M* other, const int16_t* other_gx, const int16_t* other_gy,
                   ptrdiff_t count, M* HWY_RESTRICT magnitude, int16_t* HWY_RESTRICT gx,
                   int16_t* HWY_RESTRICT gy) {
  const hn::ScalableTag<M> d;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto mine = hn::LoadU(d, magnitude + x), others = hn::LoadU(d, other + x);
    const auto stronger = hn::Gt(others, mine);
    const auto keep = [&](const int16_t* from, int16_t* to) HWY_ATTR {
      const auto g = hn::IfThenElse(stronger, load_gradient(d, from), load_gradient(d, to));
      if constexpr (sizeof(M) == 2)
        hn::StoreU(g, d, to);
      else
        hn::StoreU(hn::DemoteTo(hn::Rebind<int16_t, decltype(d)>(), g),
                   hn::Rebind<int16_t, decltype(d)>(), to);
    };
    keep(other_gx + x, gx + x);
    keep(other_gy + x, gy + x);
    hn::StoreU(hn::Max(mine, others), d, magnitude + x);
  }
}

/// The samples of three channels, each to a row of its own.
inline void take_channels(const uint8_t* HWY_RESTRICT from, ptrdiff_t count, uint8_t* const* to) {
  const hn::ScalableTag<uint8_t> d;
  ptrdiff_t x = 0;
  for (; x + ptrdiff_t(hn::Lanes(d)) <= count; x += ptrdiff_t(hn::Lanes(d))) {
    auto a = hn::Zero(d), b = hn::Zero(d), c = hn::Zero(d);
    hn::LoadInterleaved3(d, from + 3 * x, a, b, c);
    hn::StoreU(a, d, to[0] + x);
    hn::StoreU(b, d, to[1] + x);
    hn::StoreU(c, d, to[2] + x);
  }
  for (; x < count; ++x) {
    for (int i = 0; i < 3; ++i) to[i][x] = from[3 * x + i];
  }
}

// ---- suppression

/// Non-maximum suppression of a row of magnitudes between its neighbours `up` and `down`: what is
/// above `low` becomes a candidate, above `high` strong. Magnitudes hold one pixel, 0, to the left,
/// and zeros to the right.
template <class M>
void suppress(const M* up, const M* row, const M* down, const int16_t* gx, const int16_t* gy,
              ptrdiff_t width, M low, M high, uint8_t* HWY_RESTRICT candidates,
              uint8_t* HWY_RESTRICT strong) {
  const hn::ScalableTag<M> d;
  const auto lows = hn::Set(d, low), highs = hn::Set(d, high);
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto sx = load_gradient(d, gx + x), sy = load_gradient(d, gy + x);
    const auto ax = hn::Abs(sx), ay = hn::Abs(sy);
    // ax · tan 22.5° and, as tan 67.5° = 2 + tan 22.5°, ax · tan 67.5°, both floored. Neither is an
    // integer unless ax is 0 (13573 is odd and ax < 2^15), so that "less" is "not above the floor".
    auto flat = hn::Zero(d);
    if constexpr (sizeof(M) == 2)
      flat = hn::MulHigh(hn::Add(ax, ax), hn::Set(d, M(gradient::tan_22_5)));
    else
      flat = hn::ShiftRight<15>(hn::Mul(ax, hn::Set(d, M(gradient::tan_22_5))));
    const auto steep = hn::Add(flat, hn::Add(ax, ax));
    const auto sloped = hn::Gt(ay, flat), vertical = hn::Gt(ay, steep);
    const auto rising = hn::Lt(hn::Xor(sx, sy), hn::Zero(d));  // gradient along /

    const auto at = [&](const M* from) HWY_ATTR { return hn::LoadU(d, from + x); };
    auto before = hn::IfThenElse(rising, at(up + 1), at(up - 1));
    auto after = hn::IfThenElse(rising, at(down - 1), at(down + 1));
    // Right and below may be equal: m >= n is m > n − 1.
    const auto one = hn::Set(d, M(1));
    before = hn::IfThenElse(vertical, at(up), before);
    after = hn::IfThenElse(vertical, hn::Sub(at(down), one), after);
    before = hn::IfThenElse(sloped, before, at(row - 1));
    after = hn::IfThenElse(sloped, after, hn::Sub(at(row + 1), one));

    const auto m = at(row);
    const auto bound = hn::Max(hn::Max(before, after), lows);
    store_bits(d, hn::Gt(m, bound), x, candidates);
    store_bits(d, hn::Gt(m, hn::Max(bound, highs)), x, strong);
  }
}

/// floor(sqrt(v)) of int32 lanes v >= 0; floor_sqrt() ends below 46,340².
template <class D, class V>
HWY_INLINE V floor_sqrt_of_any(D d, V v) {
  const auto below = floor_sqrt(d, hn::Min(v, hn::Set(d, 46340 * 46340 - 50000)));
  return hn::IfThenElse(hn::Lt(v, hn::Set(d, 46340 * 46340)), below, hn::Set(d, 46340));
}

/// Adds sizes to two copies of the bins (one where `copy` is 0): equal neighbours, the rule in flat
/// parts, then need not wait for each other.
inline void count_sizes(const uint16_t* size, ptrdiff_t width, uint64_t* bins, ptrdiff_t copy) {
  ptrdiff_t x = 0;
  for (; x + 2 <= width; x += 2) {
    ++bins[size[x]];
    ++bins[copy + size[x + 1]];
  }
  if (x < width) ++bins[size[x]];
}

/// Counts magnitudes by their size, l2's by the floored root; 65,535 is the largest. Those of given
/// gradients are `Any` below 2^31, and lanes hold l1's too.
template <bool Any, class M>
void count_magnitudes(const M* row, Norm norm, ptrdiff_t width, uint16_t* HWY_RESTRICT sizes,
                      uint64_t* bins, ptrdiff_t copy) {
  const auto* size = reinterpret_cast<const uint16_t*>(row);
  if constexpr (sizeof(M) == 4) {
    const hn::ScalableTag<M> d;
    const hn::Rebind<uint16_t, decltype(d)> d16;
    for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
      const auto m = hn::LoadU(d, row + x);
      if constexpr (Any)
        hn::StoreU(hn::DemoteTo(d16, norm == Norm::l1 ? m : floor_sqrt_of_any(d, m)), d16,
                   sizes + x);
      else
        hn::StoreU(hn::DemoteTo(d16, floor_sqrt(d, m)), d16, sizes + x);
    }
    size = sizes;
  }
  count_sizes(size, width, bins, copy);
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
