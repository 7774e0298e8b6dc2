// What Highway code of several operations shares; compiled once for every instruction set.
// A cpu.cpp begins as src/ops/sobel/cpu.cpp does: HWY_TARGET_INCLUDE, foreach_target.h, then this.
#if defined(CUESTA_CPU_SIMD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CPU_SIMD_INL_HPP
#undef CUESTA_CPU_SIMD_INL_HPP
#else
#define CUESTA_CPU_SIMD_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstring>

#include "core/one_nan.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Stores the first `count` lanes (all, when count reaches that far): no byte past them is touched.
template <class D, class V, class T>
HWY_INLINE void store_upto(V v, D d, T* HWY_RESTRICT to, ptrdiff_t count) {
  if (count >= ptrdiff_t(hn::Lanes(d))) {
    hn::StoreU(v, d, to);
  } else if (count > 0) {
    HWY_ALIGN T lanes[hn::MaxLanes(d)];
    hn::Store(v, d, lanes);
    std::memcpy(to, lanes, size_t(count) * sizeof(T));
  }
}

/// Loads the first `count` lanes (all, when count reaches that far), the others 0: no byte past
/// them is read.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::VFromD<D> load_upto(D d, const T* from, ptrdiff_t count) {
  if (count >= ptrdiff_t(hn::Lanes(d))) return hn::LoadU(d, from);
  HWY_ALIGN T lanes[hn::MaxLanes(d)] = {};
  if (count > 0) std::memcpy(lanes, from, size_t(count) * sizeof(T));
  return hn::Load(d, lanes);
}

/// floor(sqrt(v)) of int32 lanes 0 <= v < 2^31 − 2^17: the float root is off by one at most, and
/// the integers put it right.
template <class D, class V>
HWY_INLINE V floor_sqrt(D d, V v) {
  const hn::RebindToFloat<D> df;
  V root = hn::ConvertTo(d, hn::Sqrt(hn::ConvertTo(df, v)));
  root = hn::Sub(root, hn::IfThenElseZero(hn::Gt(hn::Mul(root, root), v), hn::Set(d, 1)));
  const V next = hn::Add(root, hn::Set(d, 1));
  return hn::IfThenElse(hn::Gt(hn::Mul(next, next), v), root, next);
}

/// Doubles as floats, infinite beyond the largest one. Highway's targets without vector
/// instructions clamp there.
template <class V>
HWY_INLINE auto as_float(V value) {
  const hn::DFromV<V> d;
  const hn::Rebind<float, decltype(d)> to;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  HWY_ALIGN double wide[hn::MaxLanes(hn::DFromV<V>())];
  HWY_ALIGN float narrow[hn::MaxLanes(hn::DFromV<V>())];
  hn::Store(value, d, wide);
  for (size_t i = 0; i < hn::Lanes(d); ++i) narrow[i] = float(wide[i]);
  return hn::Load(to, narrow);
#else
  return hn::DemoteTo(to, value);
#endif
}

/// Every NaN of f32 lanes as the same one.
template <class D, class V>
HWY_INLINE V with_one_nan(D d, V value) {
  const hn::RebindToUnsigned<D> du;
  return hn::IfThenElse(hn::IsNaN(value), hn::BitCast(d, hn::Set(du, nan_bits)), value);
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
