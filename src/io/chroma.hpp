// Other samplings of color.
#pragma once

#include <cstdint>

#include "cuesta/image.hpp"
#include "cuesta/io/frames.hpp"

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

}  // namespace cuesta::io
