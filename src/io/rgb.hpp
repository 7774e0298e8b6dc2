// The colors of a frame of video.
#pragma once

#include "cuesta/image.hpp"
#include "io/frames.hpp"

namespace cuesta::io {

/// Three channels, 0 to 255, of the frame's luma and color planes: by the stream's own matrix
/// (BT.601 where it names none), each color sample repeated over the pixels it stands for. `rgb`
/// has the luma's size.
void make_rgb(const Frame& frame, const StreamFormat& format, ImageView<uint8_t> rgb);

}  // namespace cuesta::io
