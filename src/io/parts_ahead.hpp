// A file's parts, decoded at once on a GPU's decoders, and given in order.
#pragma once

#include <memory>
#include <string>

#include "cuesta/io/frames.hpp"

namespace cuesta::io {

/// The frames of a file; its next `limits.gpu->decoders` parts are decoded at once, each
/// by a reader and on a thread of its own; luma is copied off the decoders' surfaces and waits in
/// the GPU's memory, a quarter of it at most, roughly. Frames, and the errors of a part
/// when it is its turn, are those of a reader of the whole. Null where the limits do not ask for it
/// (a GPU, several decoders, no planes in host memory, the whole of a file and all of it
/// undamaged), where the file cannot be cut (video_parts()), and where the GPU does not decode it.
/// Throws as open_video().
std::unique_ptr<FrameSource> open_parts_ahead(const std::string& path, const StreamLimits& limits);

}  // namespace cuesta::io
