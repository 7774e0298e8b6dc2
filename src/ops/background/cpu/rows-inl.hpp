// A row of pixels in vectors, for every background model: places, verdicts, wider lanes.
#if defined(CUESTA_BACKGROUND_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_BACKGROUND_ROWS_INL_HPP
#undef CUESTA_BACKGROUND_ROWS_INL_HPP
#else
#define CUESTA_BACKGROUND_ROWS_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "cpu/simd-inl.hpp"
#include "ops/shared/background_models.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

using background::gray_level;

using D32 = hn::ScalableTag<int32_t>;
template <class T>
using Of32 = hn::Rebind<T, D32>;

template <class V>
HWY_INLINE V distance(V a, V b) {
  return hn::Sub(hn::Max(a, b), hn::Min(a, b));
}

// One vector at column x: `count` pixels of it exist.
struct Place {
  ptrdiff_t x, count;
};

// Where one row's verdicts go: `difference` always, `background` by request.
template <class T>
struct Verdicts {
  T *background, *difference;
  template <class D, class V>
  HWY_INLINE void put(D d, Place at, V level, V apart) const {
    if (background) store_upto(level, d, background + at.x, at.count);
    store_upto(apart, d, difference + at.x, at.count);
  }
};

// step(place) for every vector of a row.
template <class D, class Step>
HWY_INLINE void for_row(D d, ptrdiff_t width, const Step& step) {
  const auto lanes = ptrdiff_t(hn::Lanes(d));
  for (ptrdiff_t x = 0; x < width; x += lanes) step(Place{x, width - x});
}

// T of values that fit, after a clamp at its most.
template <class T, class V>
HWY_INLINE auto level_of(V v) {
  return hn::DemoteTo(Of32<T>(), hn::Min(v, hn::Set(D32(), background::most<T>)));
}
// As background::to_q8() and from_q8().
template <class T, class V>
HWY_INLINE V to_q8(V v) {
  if constexpr (sizeof(T) == 1)
    return hn::ShiftLeft<8>(v);
  else
    return v;
}
template <class T, class V>
HWY_INLINE V from_q8(V q8) {
  if constexpr (sizeof(T) == 1)
    return hn::ShiftRight<8>(hn::Add(q8, hn::Set(D32(), 128)));
  else
    return q8;
}
template <class T>
HWY_INLINE auto load_wide(const T* from, Place at) {
  return hn::PromoteTo(D32(), load_upto(Of32<T>(), from + at.x, at.count));
}
template <class V>
HWY_INLINE void store_u16(V v, uint16_t* to, Place at) {
  const Of32<uint16_t> d;
  store_upto(hn::DemoteTo(d, v), d, to + at.x, at.count);
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
