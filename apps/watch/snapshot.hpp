// A small picture of an object in its frame.
#pragma once

#include "cuesta/image.hpp"
#include "cuesta/io/frames.hpp"

namespace cuesta::cli {

/// RGB: the box and as much around it again, at least 96 x 72 pixels where the frame has them,
/// with a line around the box; shrunk to at most 320 x 240.
Image<uint8_t> snapshot_of(const io::Frame& frame, const io::StreamFormat& format, const Rect& box);

/// Means of whole square blocks of an RGB picture, as small as it takes to fit into `most`; what
/// does not fill a block at the far sides is left out.
Image<uint8_t> shrunk(const Image<uint8_t>& rgb, Size most);

}  // namespace cuesta::cli
