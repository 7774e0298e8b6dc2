// What is in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace cuesta::io {

/// The names in a folder, in their order, without "." and ".."; none, and `error`, where it cannot
/// be read. At most `most` are looked at. (std::filesystem's iterator of libstdc++ 12 ends the
/// process where memory is short.)
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error,
                                  size_t most = size_t(-1));

}  // namespace cuesta::io
