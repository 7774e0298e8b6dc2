// The files that a sandboxed process may open for reading.
#pragma once

#include <string>
#include <vector>

namespace cuesta::cli {

/// From here on this process opens for reading: `read` (a folder with all below it), and what the
/// libraries need of the system: their own folders, /usr, /proc/self and a few files of /etc,
/// /proc, /sys and /dev. It lists `listed` folders and those below. It opens nothing for writing,
/// and neither signals nor connects to processes outside, by ways that the system's Landlock knows.
/// Returns whether there is Landlock at all; where there is none, nothing changes. Throws
/// Error{unsupported} where it is there and fails.
bool restrict_files(const std::vector<std::string>& read, const std::vector<std::string>& listed);

}  // namespace cuesta::cli
