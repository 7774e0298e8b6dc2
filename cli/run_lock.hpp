// Folders and files that one run at a time writes to.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cuesta::cli {

struct RunLock;

/// Makes the folder, and keeps other runs out of it as long as the result lives, or this process.
/// A file system without locks keeps nobody out. Throws Error{output}: the folder cannot be made,
/// or another run has it.
std::shared_ptr<const RunLock> lock_folder(const std::string& folder, std::string_view option);

/// The same of a file, which is not made: null where there is none. Throws Error{output} where
/// another run has it.
std::shared_ptr<const RunLock> lock_file(const std::string& path, std::string_view option);

}  // namespace cuesta::cli
