// What is wanted of a row of whole gradients, int16_t or int32_t. Included as cpu/simd-inl.hpp is.
#if defined(CUESTA_SOBEL_OUTPUTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_SOBEL_OUTPUTS_INL_HPP
#undef CUESTA_SOBEL_OUTPUTS_INL_HPP
#else
#define CUESTA_SOBEL_OUTPUTS_INL_HPP
#endif

#include <cmath>
#include <cstring>

#include "cpu/simd-inl.hpp"
#include "ops/shared/gradient.hpp"
#include "ops/sobel/args.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace {

template <class Acc>
void write_gradient(AnyView out, int32_t y, const Acc* g, ptrdiff_t width) {
  if (out.type == PixelType::s16) {
    const hn::ScalableTag<int16_t> d;
    int16_t* to = out.as<int16_t>().row(y);
    if constexpr (sizeof(Acc) == 2) {
      std::memcpy(to, g, size_t(width) * 2);
    } else {
      const hn::Half<decltype(d)> half;
      const hn::ScalableTag<int32_t> d32;
      for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(half))) {
        store_upto(hn::DemoteTo(half, hn::LoadU(d32, g + x)), half, to + x, width - x);
      }
    }
  } else if (out.type == PixelType::s32) {
    int32_t* to = out.as<int32_t>().row(y);
    for (ptrdiff_t x = 0; x < width; ++x) to[x] = g[x];
  }
}

/// Gradients as lanes of 32 bits.
template <class Acc>
HWY_INLINE auto load32(const Acc* from) {
  const hn::ScalableTag<int32_t> d;
  if constexpr (sizeof(Acc) == 4)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<int16_t, decltype(d)>(), from));
}
/// As lanes of doubles, where their squares and those times 2^17 are exact.
template <class Acc>
HWY_INLINE auto load64(const Acc* from) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<int32_t, decltype(d)> d32;
  const auto g = hn::LoadU(hn::Rebind<Acc, decltype(d)>(), from);
  if constexpr (sizeof(Acc) == 4)
    return hn::PromoteTo(d, g);
  else
    return hn::PromoteTo(d, hn::PromoteTo(d32, g));
}

/// Whole magnitudes of 32 bits, saturated to a row of u8 or u16.
template <class D, class V>
HWY_INLINE void store_magnitude(D d, V m, AnyView out, int32_t y, ptrdiff_t x, ptrdiff_t left) {
  const hn::Rebind<uint8_t, D> d8;
  const hn::Rebind<uint16_t, D> d16;
  // Highway demotes 32 bits to u8 by way of i16, which is wrong past 32,767: clamp first.
  if (out.type == PixelType::u8)
    store_upto(hn::DemoteTo(d8, hn::Min(m, hn::Set(d, 255))), d8, out.as<uint8_t>().row(y) + x,
               left);
  else
    store_upto(hn::DemoteTo(d16, m), d16, out.as<uint16_t>().row(y) + x, left);
}

/// |gx| + |gy| of 16 bits: at most 2 · 12,240.
inline void write_l1(AnyView out, int32_t y, const int16_t* gx, const int16_t* gy,
                     ptrdiff_t width) {
  const hn::ScalableTag<int16_t> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto m = hn::Add(hn::Abs(hn::LoadU(d, gx + x)), hn::Abs(hn::LoadU(d, gy + x)));
    if (out.type == PixelType::u8)
      store_upto(hn::DemoteTo(d8, m), d8, out.as<uint8_t>().row(y) + x, width - x);
    else
      store_upto(hn::BitCast(du, m), du, out.as<uint16_t>().row(y) + x, width - x);
  }
}

/// √(gx² + gy²), in doubles: squares below 2^52 are exact, and the root's floor is right.
template <class Acc>
void write_root(AnyView out, int32_t y, const Acc* gx, const Acc* gy, ptrdiff_t width) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const hn::Rebind<int32_t, decltype(d)> d32;
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto a = load64(gx + x), b = load64(gy + x);
    const auto root = hn::Sqrt(hn::Add(hn::Mul(a, a), hn::Mul(b, b)));
    if (out.type == PixelType::f32)
      store_upto(hn::DemoteTo(df, root), df, out.as<float>().row(y) + x, width - x);
    else
      store_magnitude(d32, hn::DemoteTo(d32, root), out, y, x, width - x);  // towards 0
  }
}

template <class Acc>
void write_magnitude(AnyView out, Norm norm, int32_t y, const Acc* gx, const Acc* gy,
                     ptrdiff_t width) {
  const hn::ScalableTag<int32_t> d;
  const hn::ScalableTag<float> df;
  const bool floats = out.type == PixelType::f32, l1 = norm == Norm::l1;
  if (!l1 && (floats || sizeof(Acc) == 4)) return write_root(out, y, gx, gy, width);
  if constexpr (sizeof(Acc) == 2) {
    if (l1 && !floats) return write_l1(out, y, gx, gy, width);
  }
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto a = load32(gx + x), b = load32(gy + x);
    const auto m =
        l1 ? hn::Add(hn::Abs(a), hn::Abs(b)) : floor_sqrt(d, hn::Add(hn::Mul(a, a), hn::Mul(b, b)));
    if (floats)
      store_upto(hn::ConvertTo(df, m), df, out.as<float>().row(y) + x, width - x);
    else
      store_magnitude(d, m, out, y, x, width - x);
  }
}

/// Octants of 16-bit gradients in 32 bits.
inline void write_octants(uint8_t* to, const int16_t* gx_row, const int16_t* gy_row,
                          ptrdiff_t width) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto gx = load32(gx_row + x), gy = load32(gy_row + x);
    const auto ax = hn::Abs(gx), ay = hn::ShiftLeft<15>(hn::Abs(gy));
    const auto low = hn::Mul(ax, hn::Set(d, gradient::tan_22_5));
    const auto high = hn::Add(low, hn::ShiftLeft<16>(ax));
    const auto diagonal =
        hn::IfThenElse(hn::Lt(hn::Xor(gx, gy), hn::Zero(d)), hn::Set(d, 3), hn::Set(d, 1));
    const auto code = hn::IfThenElse(hn::Gt(ay, high), hn::Set(d, 2), diagonal);
    store_upto(hn::DemoteTo(d8, hn::IfThenZeroElse(hn::Lt(ay, low), code)), d8, to + x, width - x);
  }
}
/// The same of 32-bit ones, in doubles.
inline void write_octants(uint8_t* to, const int32_t* gx_row, const int32_t* gy_row,
                          ptrdiff_t width) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<int32_t, decltype(d)> d32;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const auto zero = hn::Zero(d);
  for (ptrdiff_t x = 0; x < width; x += ptrdiff_t(hn::Lanes(d))) {
    const auto gx = load64(gx_row + x), gy = load64(gy_row + x);
    const auto ax = hn::Abs(gx), ay = hn::Mul(hn::Abs(gy), hn::Set(d, 32768.0));
    const auto low = hn::Mul(ax, hn::Set(d, double(gradient::tan_22_5)));
    const auto high = hn::Mul(ax, hn::Set(d, double(gradient::tan_22_5 + 65536)));
    const auto falls = hn::Xor(hn::Lt(gx, zero), hn::Lt(gy, zero));
    const auto diagonal = hn::IfThenElse(falls, hn::Set(d, 3.0), hn::Set(d, 1.0));
    const auto code = hn::IfThenElse(hn::Gt(ay, high), hn::Set(d, 2.0), diagonal);
    const auto octant = hn::DemoteTo(d32, hn::IfThenZeroElse(hn::Lt(ay, low), code));
    store_upto(hn::DemoteTo(d8, octant), d8, to + x, width - x);
  }
}

/// Octants, or radians.
template <class Acc>
void write_direction(AnyView out, int32_t y, const Acc* gx, const Acc* gy, ptrdiff_t width) {
  if (out.type == PixelType::u8) return write_octants(out.as<uint8_t>().row(y), gx, gy, width);
  float* to = out.as<float>().row(y);
  for (ptrdiff_t x = 0; x < width; ++x) to[x] = sobel_sums::angle(float(gx[x]), float(gy[x]));
}

}  // namespace
}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
