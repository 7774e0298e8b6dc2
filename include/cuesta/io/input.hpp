// What inputs are, by their names and first bytes; and standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace cuesta::io {

/// Returns whether files of this extension (".mp4", any case) are usually videos.
/// It selects files of a folder; the content of a file is determined by its bytes.
bool is_video_extension(std::string_view extension);
/// Returns whether a file begins as y4m; false if it cannot be read.
bool begins_as_video(const std::filesystem::path& path);
/// Returns whether a file that begins with these bytes, 21 at least, is an animated WebP.
bool begins_as_animation(std::string_view head);

/// Returns the first bytes of standard input, fewer if it is shorter.
/// They remain to be read. Throws Error{input} if it is a terminal or cannot be read.
std::string_view peek_standard_input(size_t count);
/// Reads all of standard input, once a process. Throws Error{input}.
std::vector<uint8_t> read_standard_input();

}  // namespace cuesta::io
