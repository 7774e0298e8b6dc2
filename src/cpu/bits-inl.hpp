// Masks of one bit a pixel, made from and turned into bytes, 64 pixels at a time. Include after
// cpu/simd-inl.hpp.
#if defined(CUESTA_CPU_BITS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CUESTA_CPU_BITS_INL_HPP
#undef CUESTA_CPU_BITS_INL_HPP
#else
#define CUESTA_CPU_BITS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/mask_bytes.hpp"
#include "cpu/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace cuesta::HWY_NAMESPACE {

/// The byte lanes that one step of the functions below works on: 16, 32, 64, or 1 where Highway has
/// its scalar target only.
using ByteTag = hn::CappedTag<uint8_t, 64>;

/// A word whose bit i is lane i % Lanes of mask_at(d, i - i % Lanes), d being a ByteTag: 64
/// comparisons of bytes as one word.
template <class MaskAt>
HWY_INLINE uint64_t word_of(MaskAt mask_at) {
  const ByteTag d;
  uint64_t word = 0;
  if constexpr (hn::MaxLanes(ByteTag()) < 8) {
    for (size_t i = 0; i < 64; ++i) word |= uint64_t(hn::AllTrue(d, mask_at(d, i))) << i;
  } else {
    uint8_t bytes[8];
    for (size_t i = 0; i < 64; i += hn::Lanes(d))
      hn::StoreMaskBits(d, mask_at(d, i), bytes + i / 8);
    word = word_of_bytes(bytes);
  }
  return word;
}

/// `width` pixels as (width + 63) / 64 words: word_at(block, i) is the word of the 64 bytes at
/// block, and bits past width come from bytes of 0. No byte past src[width - 1] is read.
template <class WordAt>
HWY_INLINE void pack_row_with(const uint8_t* src, ptrdiff_t width, uint64_t* HWY_RESTRICT dst,
                              WordAt word_at) {
  ptrdiff_t x = 0;
  for (; x + 64 <= width; x += 64) *dst++ = word_at(src + x);
  if (x == width) return;
  HWY_ALIGN uint8_t tail[64] = {};
  std::memcpy(tail, src + x, size_t(width - x));
  *dst = word_at(tail);
}

/// Bits of a row of bytes: non-zero is set; bits past width are 0.
HWY_INLINE void pack_row(const uint8_t* src, ptrdiff_t width, uint64_t* HWY_RESTRICT dst) {
  pack_row_with(src, width, dst, [](const uint8_t* block) {
    return word_of(
        [block](auto d, size_t i) { return hn::Ne(hn::LoadU(d, block + i), hn::Zero(d)); });
  });
}

/// The same, and whether every byte was 0 or 255.
HWY_INLINE bool pack_two_valued_row(const uint8_t* src, ptrdiff_t width,
                                    uint64_t* HWY_RESTRICT dst) {
  const ByteTag tag;
  auto strange = hn::Zero(tag);
  pack_row_with(src, width, dst, [&strange](const uint8_t* block) {
    return word_of([block, &strange](auto d, size_t i) {
      const auto v = hn::LoadU(d, block + i);
      const auto set = hn::Ne(v, hn::Zero(d));
      strange = hn::Or(strange, hn::Xor(v, hn::VecFromMask(d, set)));
      return set;
    });
  });
  return hn::AllTrue(tag, hn::Eq(strange, hn::Zero(tag)));
}

/// Bytes 0 or 255 of the first `width` bits. Reads whole words, writes exactly width bytes.
HWY_INLINE void unpack_row(const uint64_t* HWY_RESTRICT src, ptrdiff_t width, uint8_t* dst) {
  if constexpr (hn::MaxLanes(ByteTag()) < 8) {
    for (ptrdiff_t x = 0; x < width; ++x) dst[x] = (src[x / 64] >> (x % 64)) & 1 ? 255 : 0;
  } else {
    const ByteTag d;
    for (ptrdiff_t x = 0; x < width; x += 64) {
      uint8_t bytes[16] = {};  // LoadMaskBits reads 8 bytes wherever it begins
      bytes_of_word(src[x / 64], bytes);
      for (ptrdiff_t i = 0; i < 64; i += ptrdiff_t(hn::Lanes(d))) {
        const auto set = hn::LoadMaskBits(d, bytes + i / 8);
        store_upto(hn::VecFromMask(d, set), d, dst + x + i, width - x - i);
      }
    }
  }
}

/// Lane i of a vector at x into bit x + i of a row of words. Vectors come from left to right.
template <class D, class Mask>
HWY_INLINE void store_bits(D d, Mask mask, ptrdiff_t x, uint8_t* bits) {
  if (hn::Lanes(d) >= 8 && has_little_words) {
    hn::StoreMaskBits(d, mask, bits + x / 8);
  } else if (hn::Lanes(d) >= 8) {
    uint8_t some[16];
    hn::StoreMaskBits(d, mask, some);
    for (size_t i = 0; i < hn::Lanes(d) / 8; ++i)
      bits[byte_in_words(x / 8 + ptrdiff_t(i))] = some[i];
  } else {
    uint8_t some[8];
    hn::StoreMaskBits(d, mask, some);
    const unsigned lanes = some[0] & ((1u << hn::Lanes(d)) - 1);
    uint8_t& to = bits[byte_in_words(x / 8)];
    to = uint8_t((x % 8 ? to : 0) | lanes << (x % 8));
  }
}

}  // namespace cuesta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
