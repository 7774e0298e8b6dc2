// The colors of a frame of video.
#pragma once

#include "cuesta/image.hpp"
#include "io/frames.hpp"

namespace cuesta::io {

/// Three channels, 0 to 255, of the frame's luma and color planes: by the stream's own matrix
/// (BT.601 where it names none), each color sample repeated over the pixels it stands for. `rgb`
/// has the luma's size.
void make_rgb(const Frame& frame, const StreamFormat& format, ImageView<uint8_t> rgb);

/// The way back: gray as to_gray() has it, color differences as JFIF has them (BT.601, full range),
/// in Q15. All have the size of `rgb`, which has three channels.
void make_planes(ImageView<const uint8_t> rgb, ImageView<uint8_t> luma, ImageView<uint8_t> cb,
                 ImageView<uint8_t> cr);

}  // namespace cuesta::io
