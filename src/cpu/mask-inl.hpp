// Words of 64 mask bits from comparisons of samples, and back; compiled once for every instruction
// set. Include it after foreach_target.h, as cpu/simd-inl.hpp.
#if defined(CUESTA_CPU_MASK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CPU_MASK_INL_HPP
#undef CUESTA_CPU_MASK_INL_HPP
#else
#define CUESTA_CPU_MASK_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstring>

#include "cpu/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

/// 64 pixels of one bit: bit i + j is lane j of the mask that compare(i) gives, for
/// i = 0, Lanes(d), ... 64.
template <class D, class Compare>
HWY_INLINE uint64_t mask_word(D d, Compare&& compare) {
  constexpr size_t lanes = hn::MaxLanes(d);
  static_assert(lanes <= 64);
  if constexpr (lanes >= 8) {
    uint8_t bytes[16];  // Highway may write 8 bytes where it needs fewer
    for (size_t i = 0; i < 64; i += lanes) hn::StoreMaskBits(d, compare(i), bytes + i / 8);
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    return word;
  } else {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; i += lanes) {
      uint8_t bytes[8] = {};
      hn::StoreMaskBits(d, compare(i), bytes);
      word |= uint64_t(bytes[0]) << i;
    }
    return word;
  }
}

/// The first `count` of 64 pixels as u8 0 or 255.
HWY_INLINE void unpack_word(uint64_t word, uint8_t* to, ptrdiff_t count) {
  const hn::ScalableTag<uint8_t> d;
  if constexpr (hn::MaxLanes(d) < 8) {
    for (ptrdiff_t i = 0; i < 64 && i < count; ++i) to[i] = (word >> i) & 1 ? 255 : 0;
    return;
  }
  uint8_t bytes[16] = {};  // Highway may read 8 bytes where it needs fewer
  std::memcpy(bytes, &word, 8);
  for (ptrdiff_t i = 0; i < 64 && i < count; i += ptrdiff_t(hn::Lanes(d))) {
    const auto set = hn::LoadMaskBits(d, bytes + i / 8);
    store_upto(hn::IfThenElseZero(set, hn::Set(d, uint8_t(255))), d, to + i, count - i);
  }
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
