#include "io/folder.hpp"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace cuesta::io {
namespace {

struct Close {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error,
                                  size_t most) {
  error.clear();
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> open(opendir(folder.empty() ? "." : folder.c_str()));
  errno = open ? 0 : errno;
  while (open && names.size() < most) {
    const dirent* entry = readdir(open.get());
    if (!entry) break;
    const std::string_view name(static_cast<const char*>(entry->d_name));
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) {
    error.assign(errno, std::generic_category());
    return {};
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace cuesta::io
