// From rows of sums to samples: divide, round, absolute value, offset, saturate. Included as
// cpu/simd-inl.hpp is.
#if defined(CUESTA_CONVOLVE_FINISH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CONVOLVE_FINISH_INL_HPP
#undef CUESTA_CONVOLVE_FINISH_INL_HPP
#else
#define CUESTA_CONVOLVE_FINISH_INL_HPP
#endif

#include <type_traits>

#include "cpu/simd-inl.hpp"
#include "ops/convolve/cpu/plan.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

// What a sum goes through. Quotients of exact sums are exact or rounded once (plan.hpp), so that
// rounding them again to whole numbers never meets a false tie.
struct Finish {
  double divisor = 1, inverse = 1, half = 0;
  bool divide = false;  // else multiply by the inverse, which is exact
  bool half_up = false, absolute = false, has_offset = false;
  float offset = 0;
  int32_t bias = 0;  // s16 sums are this much too high

  Finish(const ConvolveArgs& args, const Plan& plan)
      : divisor(double(plan.divisor)),
        inverse(1 / divisor),
        half(double(plan.divisor / 2)),
        divide(exact_log2(plan.divisor) < 0),
        half_up(args.rounding == Rounding::half_up && plan.divisor > 1),
        absolute(args.absolute),
        has_offset(args.offset != 0),
        offset(float(args.offset)) {}
  // Nothing but saturation is left for sums of type s16.
  bool is_plain() const { return divisor == 1 && bias == 0; }
};

// sum / divisor; with `Whole` rounded, NaN as 0, and cut at ±2^20, which no output type reaches.
template <bool Whole, class D, class V>
HWY_INLINE V quotient(D d, V sum, const Finish& f) {
  using T = hn::TFromD<D>;
  if constexpr (Whole) {
    if (f.half_up)
      return hn::Floor(hn::Mul(hn::Add(sum, hn::Set(d, T(f.half))), hn::Set(d, T(f.inverse))));
  }
  V q = f.divide ? hn::Div(sum, hn::Set(d, T(f.divisor))) : hn::Mul(sum, hn::Set(d, T(f.inverse)));
  if constexpr (Whole) {
    const V limit = hn::Set(d, T(1 << 20));
    q = hn::IfThenElseZero(hn::Eq(q, q), q);
    q = hn::Round(hn::Max(hn::Neg(limit), hn::Min(limit, q)));
  }
  return q;
}

template <bool Whole, class D>
HWY_INLINE auto load_quotient(D d, const float* from, const Finish& f) {
  return quotient<Whole>(d, hn::LoadU(d, from), f);
}
template <bool Whole, class D>
HWY_INLINE auto load_quotient(D d, const double* from, const Finish& f) {
  const hn::Half<D> half;
  const hn::RepartitionToWide<D> wide;
  const auto part = [&](const double* p) {
    return hn::DemoteTo(half, quotient<Whole>(wide, hn::LoadU(wide, p), f));
  };
  return hn::Combine(d, part(from + hn::Lanes(wide)), part(from));
}
template <bool Whole, class D>
HWY_INLINE auto load_quotient(D d, const int16_t* from, const Finish& f) {
  const hn::RebindToSigned<D> di;
  const auto sum = hn::PromoteTo(di, hn::LoadU(hn::Rebind<int16_t, D>(), from));
  return quotient<Whole>(d, hn::ConvertTo(d, hn::Sub(sum, hn::Set(di, f.bias))), f);
}

template <class Out, class Sum>
void finish_row(const Sum* HWY_RESTRICT sums, const Finish& f, Out* HWY_RESTRICT to,
                ptrdiff_t count) {
  if constexpr (std::is_same_v<Sum, int16_t> && !std::is_same_v<Out, float> &&
                !std::is_same_v<Out, uint16_t>) {
    if (f.is_plain() && !f.absolute && !f.has_offset) {
      const hn::ScalableTag<int16_t> d;
      for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
        const auto sum = hn::LoadU(d, sums + x);
        if constexpr (std::is_same_v<Out, int16_t>) {
          store_upto(sum, d, to + x, count - x);
        } else {
          const hn::Rebind<uint8_t, decltype(d)> narrow;
          store_upto(hn::DemoteTo(narrow, sum), narrow, to + x, count - x);
        }
      }
      return;
    }
  }
  constexpr bool whole = !std::is_same_v<Out, float>;
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    auto q = load_quotient<whole>(d, sums + x, f);
    if (f.absolute) q = hn::Abs(q);
    if (f.has_offset) q = hn::Add(q, hn::Set(d, f.offset));
    if constexpr (whole) {
      constexpr auto least = float(hwy::LimitsMin<Out>()), most = float(hwy::LimitsMax<Out>());
      const auto cut = hn::Max(hn::Set(d, least), hn::Min(hn::Set(d, most), q));
      const hn::Rebind<Out, decltype(d)> narrow;
      store_upto(hn::DemoteTo(narrow, hn::ConvertTo(di, cut)), narrow, to + x, count - x);
    } else {
      store_upto(with_one_nan(d, q), d, to + x, count - x);
    }
  }
}

/// Sums of row `y` from pixel `x` on, `count` samples of them, to dst.
template <class Sum>
void finish_row(const ConvolveArgs& args, const Sum* sums, const Finish& f, int32_t x, int32_t y,
                ptrdiff_t count) {
  const ptrdiff_t at = ptrdiff_t(x) * args.dst.channels;
  switch (args.dst.type) {
    case PixelType::u8: return finish_row(sums, f, args.dst.as<uint8_t>().row(y) + at, count);
    case PixelType::u16: return finish_row(sums, f, args.dst.as<uint16_t>().row(y) + at, count);
    case PixelType::s16: return finish_row(sums, f, args.dst.as<int16_t>().row(y) + at, count);
    default: return finish_row(sums, f, args.dst.as<float>().row(y) + at, count);
  }
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
