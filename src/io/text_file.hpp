// Files of text that people write or keep: kernels, scenes, options, lists, earlier results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuesta::io {

/// The file's bytes. Throws Error{input} naming it: it cannot be read, holds more than `most`
/// bytes, or is a folder, a pipe or a device, which might never end.
std::string text_of_file(const std::string& path, int64_t most = int64_t(1) << 26);

/// A cell of CSV that holds text: in quotes where RFC 4180 wants them, and with an apostrophe in
/// front where a spreadsheet would take it for a formula.
std::string csv_cell(std::string_view text);

}  // namespace cuesta::io
