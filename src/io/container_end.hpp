// Whether a file of a container is as long as the container itself says.
#pragma once

#include <string_view>

#include "io/av.hpp"

namespace cuesta::io {

/// Whether the file behind `bytes`, which can be sought in, ends before its container does: by the
/// sizes that AVI, Matroska, MP4, ASF and FLV state, by the end of Ogg's
/// streams, GIF's trailer and MPEG-TS's packets. `container` is libav's name of it. False where the
/// container does not say. The position of `bytes` is lost.
bool ends_before_its_container(std::string_view container, AVIOContext& bytes);

}  // namespace cuesta::io
