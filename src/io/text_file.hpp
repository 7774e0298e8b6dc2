// Files of text that people write or keep: kernels, scenes, options, earlier results.
#pragma once

#include <cstdint>
#include <string>

namespace cuesta::io {

/// The file's bytes. Throws Error{input} naming it: it cannot be read, holds more than `most`
/// bytes, or is a folder, a pipe or a device, which might never end.
std::string text_of_file(const std::string& path, int64_t most = int64_t(1) << 26);

}  // namespace cuesta::io
