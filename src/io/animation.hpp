// Animations that libvips reads and writes: WebP in, WebP and GIF out. (GIF and PNG in are
// libav's.)
#pragma once

#include <memory>
#include <string>

#include "cuesta/io/frames.hpp"
#include "cuesta/io/input.hpp"
#include "io/input_bytes.hpp"

namespace cuesta::io {

/// Its frames: luma is to_gray()'s, full range, and color is JFIF's at 4:4:4; alpha is left out.
/// Throws Error{input}.
std::unique_ptr<FrameSource> open_animation(std::unique_ptr<InputBytes> bytes,
                                            const StreamLimits& limits);

/// Writes every frame when the last one came. One that goes beyond limits.max_pixels samples in all
/// is refused: Error{output}. WebP keeps every sample, GIF those of gray frames.
std::unique_ptr<FrameSink> create_animation(const std::string& path, const StreamFormat& format,
                                            const StreamLimits& limits);

}  // namespace cuesta::io
