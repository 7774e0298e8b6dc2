// What readers of every kind do to samples: fewer bits, other samplings of color.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuesta/image.hpp"
#include "io/frames.hpp"

namespace cuesta::io {

/// log2 of how many luma samples share a chroma sample.
struct ChromaShift {
  int x = 0, y = 0;
  friend bool operator==(const ChromaShift&, const ChromaShift&) = default;
};
ChromaShift shift_of(Chroma chroma);
/// The size of a plane that is sampled so.
inline int32_t shifted(int32_t size, int shift) { return (size + (1 << shift) - 1) >> shift; }

/// Means when there are fewer samples after than before, repeats where there are more. `src` and
/// `dst` are one color plane of a picture at both samplings.
void resample_chroma(ImageView<const uint8_t> src, ChromaShift from, ImageView<uint8_t> dst,
                     ChromaShift to);

/// A sample of 8 to 16 bits in 8, rounded: (v + half) >> (bits − 8), at most 255.
inline uint8_t to_8_bits(uint32_t value, int depth) {
  if (depth <= 8) return uint8_t(value);
  return uint8_t(std::min<uint32_t>(255, (value + (1u << (depth - 9))) >> (depth - 8)));
}

}  // namespace cuesta::io
