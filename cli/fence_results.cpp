#include "cli/fence_results.hpp"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "cuesta/io/input.hpp"
#include "cuesta/io/picture.hpp"
#include "io/folder.hpp"

namespace cuesta::cli {
namespace fs = std::filesystem;

fs::path folder_at(const std::string& path) {
  std::error_code error;
  fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) whole = path;
  return whole.has_filename() ? whole : whole.parent_path();
}

std::optional<Identity> identity_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

std::optional<Spot> spot_of(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.empty() || name == "." || name == "..") return std::nullopt;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  Descriptor open_folder(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto where = open_folder ? identity_of(open_folder.get()) : std::nullopt;
  if (!where) return std::nullopt;
  return Spot{std::move(open_folder), *where, name};
}

FencedResults::FencedResults(const std::vector<std::string>& results, pid_t child)
    : mark_(fmt::format(".{}-", child)) {
  for (const auto& one : results) {
    folders_to_be_.insert(folder_at(one).string());
    std::error_code ignored;
    if (fs::is_directory(one, ignored)) {
      add_folder(one);
    } else if (const auto spot = spot_of(io::end_of_links(one))) {
      files_.insert({spot->where, spot->name});
    }
  }
}

bool FencedResults::may_be(const Spot& spot) const {
  if (files_.contains({spot.where, spot.name}) || is_staged(spot)) return true;
  for (const char* kind : {".cuesta-rows", ".cuesta-journal"})
    if (spot.name.starts_with('.') && spot.name.ends_with(kind) &&
        may_be_whole(spot.where, spot.name.substr(1, spot.name.size() - 1 - std::strlen(kind))))
      return true;
  return may_be_whole(spot.where, spot.name);
}

bool FencedResults::is_staged(const Spot& spot) const {
  return spot.name.starts_with('.') && spot.name.find(mark_) != std::string::npos &&
         has_results(spot.where);
}

bool FencedResults::has_results(Identity folder) const {
  const auto first = files_.lower_bound({folder, std::string()});
  return folders_.contains(folder) || (first != files_.end() && first->first == folder);
}

bool FencedResults::may_be_folder(const fs::path& wanted) const {
  if (!wanted.is_absolute()) return false;
  for (const fs::path one : folders_to_be_)
    if (std::mismatch(wanted.begin(), wanted.end(), one.begin(), one.end()).first == wanted.end())
      return true;
  return false;
}

void FencedResults::clean() {
  for (const auto& [key, folder] : made_)
    if (key.second.starts_with('.') && key.second.find(mark_) != std::string::npos)
      unlinkat(folder.get(), key.second.c_str(), 0);
}

void FencedResults::add_folder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (const auto where = folder ? identity_of(folder.get()) : std::nullopt) folders_.insert(*where);
}

bool FencedResults::may_be_whole(Identity where, const std::string& name) const {
  if (files_.contains({where, name})) return true;
  const std::string kind = fs::path(name).extension().string();
  return folders_.contains(where) && !name.starts_with('.') &&
         (io::is_picture_extension(kind) || io::is_video_extension(kind) || kind == ".svg" ||
          kind == ".json" || kind == ".geojson");
}

}  // namespace cuesta::cli
#endif
