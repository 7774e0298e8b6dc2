// What is in a folder, and which file a path leads to.
#pragma once

#include <sys/types.h>

#include <compare>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace cuesta::io {

/// The names in a folder, in their order, without "." and ".."; none, and `error`, where it cannot
/// be read. At most `most` are looked at. (std::filesystem's iterator of libstdc++ 12 ends the
/// process where memory is short.)
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error,
                                  size_t most = size_t(-1));

/// Where a chain of symbolic links ends, whether something is there or not. Of links that form a
/// loop, one of them.
std::filesystem::path end_of_links(std::filesystem::path path);

/// A file by its system's numbers. One that does not exist has those of the nearest folder above it
/// that does, and the names from there.
struct FilePlace {
  dev_t device = 0;
  ino_t inode = 0;
  std::string names{};
  auto operator<=>(const FilePlace&) const = default;

  /// Whether a file is there.
  bool exists() const { return names.empty(); }
};
/// Nothing where no folder leads there.
std::optional<FilePlace> file_place(const std::filesystem::path& path);

}  // namespace cuesta::io
