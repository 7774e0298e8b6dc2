// The colors of a frame of video, and samples in fewer bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cuesta/image.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::io {

/// Computes three channels, 0 to 255, of a frame's luma and color planes.
/// By the stream's own matrix (BT.601 if it names none); each color sample is repeated over the
/// pixels that it stands for. `rgb` has the luma's size.
void make_rgb(const Frame& frame, const StreamFormat& format, ImageView<uint8_t> rgb);

/// Computes the planes of a picture of three channels, the inverse of make_rgb().
/// Luma is gray as to_gray() has it, color differences are those of JFIF (BT.601, full range), in
/// Q15. All have the size of `rgb`.
void make_planes(ImageView<const uint8_t> rgb, ImageView<uint8_t> luma, ImageView<uint8_t> cb,
                 ImageView<uint8_t> cr);

/// Rounds a sample of 8 to 16 bits to 8: (v + half) >> (bits - 8), at most 255.
inline uint8_t to_8_bits(uint32_t value, int depth) {
  if (depth <= 8) return uint8_t(value);
  return uint8_t(std::min<uint32_t>(255, (value + (1u << (depth - 9))) >> (depth - 8)));
}

}  // namespace cuesta::io
