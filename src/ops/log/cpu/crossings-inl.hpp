// Zero crossings of responses of any lane type. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_LOG_CROSSINGS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_LOG_CROSSINGS_INL_HPP
#undef CUESTA_LOG_CROSSINGS_INL_HPP
#else
#define CUESTA_LOG_CROSSINGS_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

/// Which lanes of `row` from x on are edges: responses change sign to the right or below by more
/// than `limit`, or a response of 0 is between two that do.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Mask<D> crossings_at(D d, const T* upper, const T* row, const T* lower, ptrdiff_t x,
                                    hn::Vec<D> limit) {
  using V = hn::Vec<D>;
  const V zero = hn::Zero(d);
  const auto crosses = [&](V a, V b) HWY_ATTR {
    const V low = hn::Min(a, b), high = hn::Max(a, b);
    return hn::And(hn::And(hn::Lt(low, zero), hn::Gt(high, zero)),
                   hn::Gt(hn::Sub(high, low), limit));
  };
  const V centre = hn::LoadU(d, row + x), left = hn::LoadU(d, row + x - 1),
          right = hn::LoadU(d, row + x + 1), above = hn::LoadU(d, upper + x),
          below = hn::LoadU(d, lower + x);
  const auto onward = hn::Or(crosses(centre, right), crosses(centre, below));
  const auto through = hn::Or(crosses(left, right), crosses(above, below));
  return hn::Or(onward, hn::And(hn::Eq(centre, zero), through));
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
