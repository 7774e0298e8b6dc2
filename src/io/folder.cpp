#include "io/folder.hpp"

#include <dirent.h>
#include <sys/stat.h>

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

std::filesystem::path end_of_links(std::filesystem::path path) {
  constexpr int max_links = 40;  // Linux follows no more
  std::error_code error;
  for (int i = 0;
       i < max_links && std::filesystem::is_symlink(std::filesystem::symlink_status(path, error));
       ++i) {
    const auto next = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

std::optional<FilePlace> file_place(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) return FilePlace{status.st_dev, status.st_ino, {}};
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(end_of_links(path), error), names;
  if (error) return std::nullopt;
  // Folders that do not exist yet have no links: ".." leads back where it was.
  at = at.lexically_normal();
  while (at.has_relative_path()) {
    names = at.filename() / names;
    at = at.parent_path();
    if (stat(at.c_str(), &status) == 0)
      return FilePlace{status.st_dev, status.st_ino, (names / "").parent_path().string()};
  }
  return std::nullopt;
}

}  // namespace cuesta::io
