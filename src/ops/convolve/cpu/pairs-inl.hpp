// Multiply neighbouring lanes and add each pair: the workhorse of exact integer filters. Included
// as cpu/simd-inl.hpp is.
#if defined(CUESTA_CONVOLVE_PAIRS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CONVOLVE_PAIRS_INL_HPP
#undef CUESTA_CONVOLVE_PAIRS_INL_HPP
#else
#define CUESTA_CONVOLVE_PAIRS_INL_HPP
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<uint8_t>;
using SignedBytes = hn::ScalableTag<int8_t>;
using Words = hn::ScalableTag<int16_t>;
using Longs = hn::ScalableTag<int32_t>;

/// s32 lane i = a[2i] b[2i] + a[2i + 1] b[2i + 1]. Not both pairs −32,768 twice.
HWY_INLINE hn::VFromD<Longs> multiply_pairs(hn::VFromD<Words> a, hn::VFromD<Words> b) {
#if HWY_TARGET == HWY_AVX3
  return hn::VFromD<Longs>{_mm512_madd_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::VFromD<Longs>{_mm256_madd_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4
  return hn::VFromD<Longs>{_mm_madd_epi16(a.raw, b.raw)};
#else
  const Longs d;
  const auto a32 = hn::BitCast(d, a), b32 = hn::BitCast(d, b);
  const auto even = [](auto v) { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  return hn::Add(hn::Mul(even(a32), even(b32)),
                 hn::Mul(hn::ShiftRight<16>(a32), hn::ShiftRight<16>(b32)));
#endif
}

/// s16 lane i = u[2i] s[2i] + u[2i + 1] s[2i + 1]. The caller sees to it that the sum fits.
HWY_INLINE hn::VFromD<Words> multiply_pairs(hn::VFromD<Bytes> u, hn::VFromD<SignedBytes> s) {
#if HWY_TARGET == HWY_AVX3
  return hn::VFromD<Words>{_mm512_maddubs_epi16(u.raw, s.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::VFromD<Words>{_mm256_maddubs_epi16(u.raw, s.raw)};
#elif HWY_TARGET == HWY_SSE4
  return hn::VFromD<Words>{_mm_maddubs_epi16(u.raw, s.raw)};
#else
  const Words d;
  const auto u16 = hn::BitCast(d, u), s16 = hn::BitCast(d, s);
  const auto even =
      hn::Mul(hn::And(u16, hn::Set(d, 255)), hn::ShiftRight<8>(hn::ShiftLeft<8>(s16)));
  const hn::RebindToUnsigned<Words> du;
  const auto odd = hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(du, u16)));
  return hn::Add(even, hn::Mul(odd, hn::ShiftRight<8>(s16)));
#endif
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
