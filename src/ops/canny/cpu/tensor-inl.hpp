// The structure tensor of three channels in vectors (canny_channels::of_structure() is its
// definition); compiled once for every instruction set. It multiplies and adds in one rounding, as
// the definition does, so that it is for instruction sets that can.
#if defined(CUESTA_CANNY_TENSOR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CANNY_TENSOR_INL_HPP
#undef CUESTA_CANNY_TENSOR_INL_HPP
#else
#define CUESTA_CANNY_TENSOR_INL_HPP
#endif

#include <hwy/highway.h>

#include "cpu/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

/// Jxx, Jyy and Jxy of 16-bit gradients, each a row `stride` from the one before. Of u8 pictures
/// they stay below 2^29.
inline void add_to_tensor(const int16_t* gx, const int16_t* gy, bool first, ptrdiff_t count,
                          int32_t* HWY_RESTRICT xx, ptrdiff_t stride) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<int16_t, decltype(d)> d16;
  int32_t *yy = xx + stride, *xy = yy + stride;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto a = hn::PromoteTo(d, hn::LoadU(d16, gx + x));
    const auto b = hn::PromoteTo(d, hn::LoadU(d16, gy + x));
    const auto add = [&](auto product, int32_t* to) HWY_ATTR {
      hn::StoreU(first ? product : hn::Add(product, hn::LoadU(d, to + x)), d, to + x);
    };
    add(hn::Mul(a, a), xx);
    add(hn::Mul(b, b), yy);
    add(hn::Mul(a, b), xy);
  }
}

/// The largest eigenvalue of a tensor, not floored, and a vector in the octant of its direction.
template <class V>
struct Eigen {
  V value, x, y;
};

/// floor(√(a² + b²)) of whole a and b below 2^30. The root of the rounded sum is less than ½ off,
/// so that it can only be one too large once it is rounded; r² − a² − b² says whether it is. As
/// (r − a) (r + a) − b² that is exact: the fma leaves less than 2^33, and what b² lost is added.
template <class D, class V>
HWY_INLINE V floor_hypotenuse(D d, V a, V b) {
  const V root = hn::Round(hn::Sqrt(hn::MulAdd(a, a, hn::Mul(b, b))));
  const V square = hn::Mul(b, b), lost = hn::MulSub(b, b, square);
  const V above = hn::Sub(hn::MulSub(hn::Sub(root, a), hn::Add(root, a), square), lost);
  return hn::Sub(root, hn::IfThenElseZero(hn::Gt(above, hn::Zero(d)), hn::Set(d, 1.0)));
}

/// In doubles. `Whole`: the gradients were, and the root is floored (beyond 2^30 that of the
/// double).
template <bool Whole, class D, class V>
HWY_INLINE Eigen<V> largest_eigen(D d, V xx, V yy, V xy) {
  const V across = hn::Sub(xx, yy), along = hn::Add(xy, xy);
  V root = hn::Zero(d);
  if constexpr (Whole) {
    const V exact = hn::Set(d, double(1 << 30));
    const auto small = hn::Lt(hn::Max(hn::Abs(across), hn::Abs(along)), exact);
    root = floor_hypotenuse(d, across, along);
    if (!hn::AllTrue(d, small)) {
      const V rounded = hn::Sqrt(hn::MulAdd(across, across, hn::Mul(along, along)));
      root = hn::IfThenElse(small, root, hn::Floor(rounded));
    }
  } else {
    root = hn::Sqrt(hn::MulAdd(across, across, hn::Mul(along, along)));
  }
  const V half = hn::Mul(hn::Add(hn::Add(xx, yy), root), hn::Set(d, 0.5));
  const V one = hn::Set(d, 1.0), size = hn::Abs(along);
  const auto horizontal = hn::Gt(across, size), vertical = hn::Gt(hn::Neg(across), size);
  const V falling = hn::IfThenElse(hn::Lt(along, hn::Zero(d)), hn::Set(d, -1.0), one);
  return {half, hn::IfThenZeroElse(vertical, one),
          hn::IfThenZeroElse(horizontal, hn::IfThenElse(vertical, one, falling))};
}

/// The magnitudes of a row of tensors, floored, 0 where `mask` is, and their directions.
inline void measure_tensor(const int32_t* xx, ptrdiff_t stride, const uint8_t* mask,
                           ptrdiff_t count, int32_t* HWY_RESTRICT magnitude,
                           int16_t* HWY_RESTRICT gx, int16_t* HWY_RESTRICT gy) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<int32_t, decltype(d)> d32;
  const hn::Rebind<int16_t, decltype(d)> d16;
  const int32_t *yy = xx + stride, *xy = yy + stride;
  for (ptrdiff_t x = 0; x < count; x += ptrdiff_t(hn::Lanes(d))) {
    const auto load = [&](const int32_t* from)
                          HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(d32, from + x)); };
    const auto eigen = largest_eigen<true>(d, load(xx), load(yy), load(xy));
    hn::StoreU(hn::DemoteTo(d32, eigen.value), d32, magnitude + x);  // which rounds towards 0
    hn::StoreU(hn::DemoteTo(d16, hn::DemoteTo(d32, eigen.x)), d16, gx + x);
    hn::StoreU(hn::DemoteTo(d16, hn::DemoteTo(d32, eigen.y)), d16, gy + x);
  }
  for (ptrdiff_t x = 0; mask && x < count; ++x) magnitude[x] = mask[x] ? magnitude[x] : 0;
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
