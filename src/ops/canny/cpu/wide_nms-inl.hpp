// The row loops of wide_rows-inl.hpp; compiled once for every instruction set that multiplies and
// adds in one rounding. Rows have room for a vector past their end, and what is computed there is
// never used.
#if defined(CUESTA_CANNY_WIDE_NMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CANNY_WIDE_NMS_INL_HPP
#undef CUESTA_CANNY_WIDE_NMS_INL_HPP
#else
#define CUESTA_CANNY_WIDE_NMS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "cpu/bits-inl.hpp"
#include "ops/canny/cpu/tensor-inl.hpp"
#include "ops/canny/thresholds.hpp"
#include "ops/shared/gradient.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

/// Samples of 8 to 32 bits as floats.
template <class D, class V>
HWY_INLINE auto as_floats(D d, V samples) {
  if constexpr (std::is_same_v<hn::TFromV<V>, float>)
    return samples;
  else
    return hn::ConvertTo(d, hn::PromoteTo(hn::RebindToSigned<D>(), samples));
}

/// The samples of one or three interleaved channels, each to a row of its own. No byte past the
/// last sample is read.
template <class S>
void to_floats(const S* HWY_RESTRICT from, int32_t channels, ptrdiff_t count, float* const* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<S, decltype(d)> ds;
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  ptrdiff_t x = 0;
  if (channels == 1) {
    for (; x + lanes <= count; x += lanes)
      hn::StoreU(as_floats(d, hn::LoadU(ds, from + x)), d, to[0] + x);
  } else {
    for (; x + lanes <= count; x += lanes) {
      auto a = hn::Zero(ds), b = hn::Zero(ds), c = hn::Zero(ds);
      hn::LoadInterleaved3(ds, from + 3 * x, a, b, c);
      hn::StoreU(as_floats(d, a), d, to[0] + x);
      hn::StoreU(as_floats(d, b), d, to[1] + x);
      hn::StoreU(as_floats(d, c), d, to[2] + x);
    }
  }
  for (; x < count; ++x) {
    for (int32_t c = 0; c < channels; ++c) to[c][x] = float(from[channels * x + c]);
  }
}

/// sum + tap · value in one rounding; taps of 0 are left out (ops/sobel/sums.hpp).
template <class D, class V>
HWY_INLINE V add_float_tap(D d, V sum, int32_t tap, V value) {
  return tap ? hn::MulAdd(hn::Set(d, float(tap)), value, sum) : sum;
}

/// The sums down K rows from column `first` on: smoothed and derived. Whole samples' are exact.
template <int K>
void wide_vertically(const float* const* rows, ptrdiff_t first, ptrdiff_t count,
                     float* HWY_RESTRICT smooth, float* HWY_RESTRICT derived) {
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<float> d;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    auto s = hn::Zero(d), v = hn::Zero(d);
    for (int j = 0; j < K; ++j) {
      const auto p = hn::LoadU(d, rows[j] + first + x);
      s = add_float_tap(d, s, taps.smoothing[j], p);
      v = add_float_tap(d, v, taps.derivative[j], p);
    }
    hn::StoreU(s, d, smooth + x);
    hn::StoreU(v, d, derived + x);
  }
}

/// gx and gy from those sums. `Sixteenths`: whole ones of aperture 7, which pass 2^24 before they
/// are divided by 16, half to even.
template <int K, bool Sixteenths>
void wide_horizontally(const float* HWY_RESTRICT smooth, const float* HWY_RESTRICT derived,
                       ptrdiff_t count, float* HWY_RESTRICT gx, float* HWY_RESTRICT gy) {
  constexpr auto taps = gradient::taps(K);
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    if constexpr (Sixteenths) {
      auto sx = hn::Zero(di), sy = hn::Zero(di);
      for (int i = 0; i < K; ++i) {
        const auto s = hn::ConvertTo(di, hn::LoadU(d, smooth + x + i));
        const auto v = hn::ConvertTo(di, hn::LoadU(d, derived + x + i));
        sx = hn::Add(sx, hn::Mul(s, hn::Set(di, taps.derivative[i])));
        sy = hn::Add(sy, hn::Mul(v, hn::Set(di, taps.smoothing[i])));
      }
      const auto sixteenth = [&](auto g) HWY_ATTR {
        const auto odd = hn::And(hn::ShiftRight<4>(g), hn::Set(di, 1));
        return hn::ConvertTo(d, hn::ShiftRight<4>(hn::Add(hn::Add(g, hn::Set(di, 7)), odd)));
      };
      hn::StoreU(sixteenth(sx), d, gx + x);
      hn::StoreU(sixteenth(sy), d, gy + x);
    } else {
      auto sx = hn::Zero(d), sy = hn::Zero(d);
      for (int i = 0; i < K; ++i) {
        sx = add_float_tap(d, sx, taps.derivative[i], hn::LoadU(d, smooth + x + i));
        sy = add_float_tap(d, sy, taps.smoothing[i], hn::LoadU(d, derived + x + i));
      }
      hn::StoreU(sx, d, gx + x);
      hn::StoreU(sy, d, gy + x);
    }
  }
}

/// Gradients as lanes of magnitudes.
template <class D>
HWY_INLINE auto load_wide(D d, const float* from) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}
template <class D, class V>
HWY_INLINE void store_wide(D d, V v, float* to) {
  if constexpr (std::is_same_v<hn::TFromD<D>, float>)
    hn::StoreU(v, d, to);
  else
    hn::StoreU(hn::DemoteTo(hn::Rebind<float, D>(), v), hn::Rebind<float, D>(), to);
}

/// |gx| + |gy| or gx² + gy²; squares of floats are exact in doubles. In floats l1 alone.
template <class M>
void measure_wide(Norm norm, const float* gx, const float* gy, ptrdiff_t count,
                  M* HWY_RESTRICT magnitude) {
  const hn::ScalableTag<M> d;
  const bool l1 = sizeof(M) == 4 || norm == Norm::l1;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto a = load_wide(d, gx + x), b = load_wide(d, gy + x);
    const auto m = l1 ? hn::Add(hn::Abs(a), hn::Abs(b)) : hn::MulAdd(a, a, hn::Mul(b, b));
    hn::StoreU(m, d, magnitude + x);
  }
}

/// Where `other` is larger than `magnitude`, it and its gradient take the others' place; a NaN is
/// larger than nothing.
template <class M>
void keep_stronger_wide(const M* other, const float* other_gx, const float* other_gy,
                        ptrdiff_t count, M* HWY_RESTRICT magnitude, float* HWY_RESTRICT gx,
                        float* HWY_RESTRICT gy) {
  const hn::ScalableTag<M> d;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto mine = hn::LoadU(d, magnitude + x), others = hn::LoadU(d, other + x);
    const auto stronger = hn::Gt(others, mine);
    const auto keep = [&](const float* from, float* to) HWY_ATTR {
      store_wide(d, hn::IfThenElse(stronger, load_wide(d, from), load_wide(d, to)), to);
    };
    keep(other_gx + x, gx + x);
    keep(other_gy + x, gy + x);
    hn::StoreU(hn::IfThenElse(stronger, others, mine), d, magnitude + x);
  }
}

/// The eigenvalue and direction of three channels' tensor; the direction takes the place of the
/// first channel's gradient.
template <bool Whole>
void measure_tensor_of(float* const* gx, float* const* gy, ptrdiff_t count,
                       double* HWY_RESTRICT magnitude) {
  const hn::ScalableTag<double> d;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    auto xx = hn::Zero(d), yy = hn::Zero(d), xy = hn::Zero(d);
    for (int c = 0; c < 3; ++c) {
      const auto a = load_wide(d, gx[c] + x), b = load_wide(d, gy[c] + x);
      xx = hn::MulAdd(a, a, xx);  // products are exact, so that this is one rounding either way
      yy = hn::MulAdd(b, b, yy);
      xy = hn::MulAdd(a, b, xy);
    }
    const auto eigen = largest_eigen<Whole>(d, xx, yy, xy);
    hn::StoreU(Whole ? hn::Floor(eigen.value) : eigen.value, d, magnitude + x);
    store_wide(d, eigen.x, gx[0] + x);
    store_wide(d, eigen.y, gy[0] + x);
  }
}

/// |gx| + |gy| of lengths' squares, 0 where these are.
template <class D, class V>
HWY_INLINE V sum_of(D d, V squares, V gx, V gy) {
  return hn::IfThenZeroElse(hn::Eq(squares, hn::Zero(d)), hn::Add(hn::Abs(gx), hn::Abs(gy)));
}
/// The same of a row, in place of the squares.
template <class M>
void sums_of(const float* gx, const float* gy, ptrdiff_t width, M* HWY_RESTRICT row) {
  const hn::ScalableTag<M> d;
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d)))
    hn::StoreU(sum_of(d, hn::LoadU(d, row + x), load_wide(d, gx + x), load_wide(d, gy + x)), d,
               row + x);
}

/// Non-maximum suppression of a row of magnitudes between its neighbours, as suppress() in
/// gradient_nms-inl.hpp. Whatever is NaN is no maximum. `by_length`: magnitudes are squares, and
/// limits those of sums.
template <class M>
void suppress_wide(const M* up, const M* row, const M* down, const float* gx, const float* gy,
                   ptrdiff_t width, const BasicCannyLimits<M>& limits, bool by_length,
                   uint8_t* HWY_RESTRICT candidates, uint8_t* HWY_RESTRICT strong) {
  const hn::ScalableTag<M> d;
  const auto lows = hn::Set(d, limits.low), highs = hn::Set(d, limits.high);
  const auto zero = hn::Zero(d);
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto at = [&](const M* from) HWY_ATTR { return hn::LoadU(d, from + x); };
    const auto m = at(row);
    const auto size = by_length ? sum_of(d, m, load_wide(d, gx + x), load_wide(d, gy + x)) : m;
    const auto above = hn::Gt(size, lows);
    if (hn::AllFalse(d, above)) {  // most of most pictures
      store_bits(d, above, x, candidates);
      store_bits(d, above, x, strong);
      continue;
    }
    const auto sx = load_wide(d, gx + x), sy = load_wide(d, gy + x);
    // y 2^15 − tap · |gx|, whose sign one rounding leaves right.
    const auto ax = hn::Abs(sx), y = hn::Mul(hn::Abs(sy), hn::Set(d, M(32768)));
    const auto flat = hn::Lt(hn::NegMulAdd(ax, hn::Set(d, M(gradient::tan_22_5)), y), zero);
    const auto steep =
        hn::Gt(hn::NegMulAdd(ax, hn::Set(d, M(gradient::tan_22_5 + 65536)), y), zero);
    const auto rising = hn::Xor(hn::Lt(sx, zero), hn::Lt(sy, zero));  // gradient along /
    auto before = hn::IfThenElse(rising, at(up + 1), at(up - 1));
    auto after = hn::IfThenElse(rising, at(down - 1), at(down + 1));
    before = hn::IfThenElse(steep, at(up), before);
    after = hn::IfThenElse(steep, at(down), after);
    before = hn::IfThenElse(flat, at(row - 1), before);
    after = hn::IfThenElse(flat, at(row + 1), after);
    // Right and below may be equal.
    const auto equal = hn::And(hn::Or(flat, steep), hn::Eq(m, after));
    const auto most = hn::And(hn::Gt(m, before), hn::Or(hn::Gt(m, after), equal));
    const auto candidate = hn::And(above, most);
    store_bits(d, candidate, x, candidates);
    store_bits(d, hn::And(candidate, hn::Gt(size, highs)), x, strong);
  }
}

/// The bins of a row of magnitudes (canny_bin()); of floats that are not finite canny_float_bins,
/// behind the last one.
template <bool Floats, class M>
void sizes_of(const M* row, Norm norm, ptrdiff_t width, uint16_t* HWY_RESTRICT sizes) {
  const hn::ScalableTag<M> d;
  const hn::Rebind<uint16_t, decltype(d)> d16;
  const hn::Rebind<int32_t, decltype(d)> d32;
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    auto size = hn::LoadU(d, row + x);
    if (norm == Norm::l2) size = hn::Sqrt(size);
    if constexpr (Floats) {
      const hn::Rebind<float, decltype(d)> df;
      const hn::Rebind<uint32_t, decltype(d)> du;
      const auto bits = hn::BitCast(du, hn::DemoteTo(df, size));
      const auto bin = hn::TruncateTo(d16, hn::ShiftRight<16>(hn::ShiftLeft<1>(bits)));
      hn::StoreU(hn::Min(bin, hn::Set(d16, uint16_t(canny_float_bins))), d16, sizes + x);
    } else {
      size = hn::Min(size, hn::Set(d, M(canny_bins - 1)));
      if constexpr (sizeof(M) == 8)
        hn::StoreU(hn::DemoteTo(d16, hn::DemoteTo(d32, size)), d16, sizes + x);
      else
        hn::StoreU(hn::DemoteTo(d16, hn::ConvertTo(d32, size)), d16, sizes + x);
    }
  }
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
