// Parts of a video file, copied packet by packet: nothing is decoded or encoded.
#pragma once

#include <filesystem>
#include <string>

namespace cuesta::io {

/// Writes what `source` shows from `begin` to `end` (seconds, as Frame::time counts them), pictures
/// and sound, into `target`, whose extension names the container. It begins at the last frame
/// before `begin` that can be decoded by itself, and ends with the frame at `end` or, where frames
/// are stored out of order, with those that are stored before it. Throws Error{input} for a source
/// that cannot be read a second time, Error{output} naming the target, Error{unsupported} in a
/// build without libav.
void cut_clip(const std::string& source, const std::filesystem::path& target, double begin,
              double end);

/// The extension for clips of `source`: its own where that is a container that can be written, else
/// ".mkv". Empty for y4m, which is not encoded.
std::string clip_extension(const std::string& source);

}  // namespace cuesta::io
