// The models `mean` and `mixture`, in lanes of 32 bits.
#if defined(CUESTA_BACKGROUND_MIXTURE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_BACKGROUND_MIXTURE_INL_HPP
#undef CUESTA_BACKGROUND_MIXTURE_INL_HPP
#else
#define CUESTA_BACKGROUND_MIXTURE_INL_HPP
#endif

#include <hwy/highway.h>

#include "ops/background/args.hpp"
#include "ops/background/cpu/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

namespace gaussians = background::gaussians;

template <class T>
void learn_row(background::BasicMean<T>, const BackgroundArgs& args, int32_t y,
               const Verdicts<T>& to) {
  const D32 d;
  const T* frame = args.frame.as<T>().row(y);
  uint16_t* means = args.state.as<uint16_t>().row(y);
  const auto dither = hn::Set(d, args.now.dither);
  const int rate = args.now.rate;
  for_row(d, args.frame.width, [&](Place at) HWY_ATTR {
    const auto v = load_wide(frame, at);
    const auto m = load_wide(means, at);
    const auto level = hn::Min(from_q8<T>(m), hn::Set(d, background::most<T>));
    const auto delta = hn::Add(hn::Sub(to_q8<T>(v), m), dither);
    store_u16(hn::Add(m, hn::ShiftRightSame(delta, rate)), means, at);
    to.put(Of32<T>(), at, level_of<T>(level), level_of<T>(distance(v, level)));
  });
}

// floor(log2 v) of v in 1 .. 65535: the exponent of the float, which is exact.
template <class V>
HWY_INLINE V log2_of(V v) {
  const D32 d;
  const hn::RebindToFloat<D32> df;
  return hn::Sub(hn::ShiftRight<23>(hn::BitCast(d, hn::ConvertTo(df, v))), hn::Set(d, 127));
}

// The components of a vector of pixels. Vectors of all ones or zeros stand for conditions.
struct Components {
  static constexpr int count = gaussians::count;
  using V = hn::VFromD<D32>;
  V w[count], m[count], s[count];  // weights, means, variances
  V squared[count], match[count];  // distance² of the pixels; the one component that learns them
  V matched, explained, nearest;  // any of them does; distance to the nearest one of the background
};

HWY_INLINE void load(Components& c, uint16_t* const* planes, Place at) {
  for (int k = 0; k < c.count; ++k) {
    c.w[k] = load_wide(planes[k], at);
    c.m[k] = load_wide(planes[c.count + k], at);
    c.s[k] = load_wide(planes[2 * c.count + k], at);
  }
}

HWY_INLINE void store(const Components& c, uint16_t* const* planes, Place at) {
  for (int k = 0; k < c.count; ++k) {
    store_u16(c.w[k], planes[k], at);
    store_u16(c.m[k], planes[c.count + k], at);
    store_u16(c.s[k], planes[2 * c.count + k], at);
  }
}

template <class T>
HWY_INLINE void compare(Components& c, Components::V v) {
  using V = Components::V;
  const D32 d;
  const V zero = hn::Zero(d), v8 = to_q8<T>(v);
  const auto holds = [&](auto mask) HWY_ATTR { return hn::VecFromMask(d, mask); };
  c.explained = c.matched = zero;
  c.nearest = hn::Set(d, background::most<T>);
  for (int k = 0; k < c.count; ++k) {
    const V apart = hn::ShiftRight<4>(distance(v8, c.m[k]));
    c.squared[k] = hn::Mul(apart, apart);
    const V present = holds(hn::Gt(c.w[k], zero));
    const V far = holds(hn::Gt(c.squared[k], hn::Mul(c.s[k], hn::Set(d, gaussians::learn_within))));
    c.match[k] = hn::AndNot(c.matched, hn::AndNot(far, present));
    c.matched = hn::Or(c.matched, c.match[k]);
    const V unexplained =
        holds(hn::Gt(c.squared[k], hn::Mul(c.s[k], hn::Set(d, gaussians::explain_within))));
    V fits = hn::AndNot(unexplained, present);
    V level = distance(v, from_q8<T>(c.m[k]));
    if (k > 0) {
      const auto lasts = hn::Gt(c.w[k], hn::Set(d, gaussians::lasting));
      fits = hn::And(fits, holds(lasts));
      level = hn::IfThenElse(lasts, level, hn::Set(d, background::most<T>));
    }
    c.explained = hn::Or(c.explained, fits);
    c.nearest = hn::Min(c.nearest, level);
  }
}

// The matched component, if any, learns v8; otherwise the last one begins again with it.
HWY_INLINE void learn(Components& c, Components::V v8, int rate_shift, int32_t dithering) {
  using V = Components::V;
  const D32 d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1);
  const V rate = hn::Set(d, rate_shift), dither = hn::Set(d, dithering);
  V cw = one, cm = zero, cs = zero, cq = zero;
  for (int k = 0; k < c.count; ++k) {
    const auto here = hn::MaskFromVec(c.match[k]);
    cw = hn::IfThenElse(here, c.w[k], cw);
    cm = hn::IfThenElse(here, c.m[k], cm);
    cs = hn::IfThenElse(here, c.s[k], cs);
    cq = hn::IfThenElse(here, c.squared[k], cq);
  }
  const V shift = hn::Max(hn::Sub(hn::Add(rate, log2_of(cw)), hn::Set(d, 15)), one);
  const V finer = hn::Shr(dither, hn::Sub(rate, shift));
  cm = hn::Add(cm, hn::Shr(hn::Add(hn::Sub(v8, cm), finer), shift));
  cs = hn::Add(cs, hn::Shr(hn::Add(hn::Sub(cq, cs), finer), shift));
  cs = hn::Min(hn::Max(cs, hn::Set(d, gaussians::min_variance)),
               hn::Set(d, gaussians::max_variance));
  for (int k = 0; k < c.count; ++k) {
    const auto here = hn::MaskFromVec(c.match[k]);
    c.m[k] = hn::IfThenElse(here, cm, c.m[k]);
    c.s[k] = hn::IfThenElse(here, cs, c.s[k]);
    const V rise = hn::Sub(hn::Set(d, gaussians::whole), c.w[k]);
    const V gain = hn::ShiftRightSame(hn::Add(rise, dither), rate_shift);
    const V loss = hn::ShiftRightSame(hn::Add(c.w[k], dither), rate_shift);
    c.w[k] = hn::IfThenElse(here, hn::Add(c.w[k], gain), hn::Sub(c.w[k], loss));
  }
  const auto fresh = hn::MaskFromVec(hn::Not(c.matched));
  const auto begin = [&](V& of, V value) HWY_ATTR { of = hn::IfThenElse(fresh, value, of); };
  begin(c.w[c.count - 1], hn::Set(d, gaussians::whole >> rate_shift));
  begin(c.m[c.count - 1], v8);
  begin(c.s[c.count - 1], hn::Set(d, gaussians::first_variance));
}

// One pass of a bubble sort, the heaviest component first.
HWY_INLINE void sort(Components& c) {
  for (int k = c.count - 1; k > 0; --k) {
    const auto swap = hn::Gt(c.w[k], c.w[k - 1]);
    for (auto* of : {c.w, c.m, c.s}) {
      const auto low = hn::IfThenElse(swap, of[k - 1], of[k]);
      of[k - 1] = hn::IfThenElse(swap, of[k], of[k - 1]);
      of[k] = low;
    }
  }
}

template <class T>
void learn_row(background::BasicMixture<T>, const BackgroundArgs& args, int32_t y,
               const Verdicts<T>& to) {
  constexpr int planes_of_row = 3 * Components::count;
  const T* frame = args.frame.as<T>().row(y);
  uint16_t* planes[planes_of_row];
  for (int p = 0; p < planes_of_row; ++p)
    planes[p] = args.state.as<uint16_t>().row(planes_of_row * y + p);

  for_row(D32(), args.frame.width, [&](Place at) HWY_ATTR {
    Components c;
    load(c, planes, at);
    const auto v = load_wide(frame, at);
    compare<T>(c, v);
    to.put(Of32<T>(), at, level_of<T>(from_q8<T>(c.m[0])),
           level_of<T>(hn::AndNot(c.explained, c.nearest)));
    learn(c, to_q8<T>(v), args.now.rate, args.now.dither);
    sort(c);
    store(c, planes, at);
  });
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
