#include "cli/run_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <utility>

#include "cli/common.hpp"
#include "cuesta/io/address.hpp"

namespace cuesta::cli {
namespace {

namespace fs = std::filesystem;

bool is_null_device(const struct stat& status) {
  return S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

// "yard.mp4" and the place of its folder.
std::pair<std::string, std::optional<io::FilePlace>> name_and_folder(const std::string& path) {
  const fs::path end = io::end_of_links(path);
  const fs::path folder = end.has_parent_path() ? end.parent_path() : fs::path(".");
  return {end.filename().string(), io::file_place(folder)};
}

}  // namespace

RunFiles::RunFiles(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    const std::string type = option->get_type_name();
    if (type.substr(0, type.find(':')) != "FILE" || option->get_positional()) continue;
    for (const std::string& path : option->results()) {
      if (option->check_name("--save-config"))
        writes(path, "--save-config");
      else
        reads(path, option->get_name());
    }
  }
}

std::optional<RunFiles::Entry> RunFiles::entry_of(const std::string& path, int standard_stream,
                                                  std::string shown) {
  if (path.empty() || io::is_address(path)) return std::nullopt;
  struct stat status {};
  const bool exists =
      path == "-" ? fstat(standard_stream, &status) == 0 : stat(path.c_str(), &status) == 0;
  const auto place =
      exists ? io::FilePlace{status.st_dev, status.st_ino, {}} : io::file_place(path);
  if (!place) return std::nullopt;  // opening it will say what is wrong
  const bool is_file = exists && (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode));
  return Entry{*place, path, is_file, exists && is_null_device(status), std::move(shown), {}};
}

void RunFiles::reads(const std::string& path, std::string_view what) {
  auto entry = entry_of(path, STDIN_FILENO,
                        path == "-" ? "standard input" : fmt::format("{} {}", what, path));
  if (!entry || !entry->is_file) return;
  for (const Entry& one : written_)
    if (one.place == entry->place)
      usage_error(one.path, "{}: {} would be overwritten; choose another name", one.shown,
                  entry->shown);
  read_.push_back(std::move(*entry));
}

void RunFiles::writes(const std::string& path, std::string_view what, std::string_view whose,
                      std::string_view remedy) {
  std::error_code ignored;
  if (path != "-" && fs::is_directory(path, ignored)) return;
  auto entry = entry_of(path, STDOUT_FILENO, fmt::format("{} {}{}", what, path, whose));
  if (!entry) return;
  const auto [name, folder] = name_and_folder(path);
  for (const Entry& one : written_)
    if (!one.prefix.empty() && folder == one.place && name.starts_with(one.prefix))
      usage_error(path, "{} is among the files of {}; {}", entry->shown, one.shown, remedy);
  add_result(std::move(*entry), remedy);
}

void RunFiles::writes_in(const std::string& folder, const std::string& prefix,
                         std::string_view what, std::string_view whose, std::string_view remedy) {
  const std::string shown = fmt::format("{} {}{}", what, folder, whose);
  auto entry = entry_of(folder, STDOUT_FILENO, shown);
  if (!entry) return;
  entry->prefix = prefix;
  add_result(*entry, remedy);
  std::error_code error;
  for (const std::string& name : io::names_in(folder, error)) {
    if (!name.starts_with(prefix)) continue;
    auto file = entry_of((fs::path(folder) / name).string(), STDOUT_FILENO, shown);
    if (!file) continue;
    refuse_read(*file, remedy);
    written_.push_back(std::move(*file));
  }
}

void RunFiles::refuse_read(const Entry& result, std::string_view remedy) const {
  for (const Entry& one : read_)
    if (one.place == result.place)
      usage_error(result.path, "{}: {} would be overwritten; {}", result.shown, one.shown, remedy);
}

void RunFiles::add_result(Entry entry, std::string_view remedy) {
  refuse_read(entry, remedy);
  for (const Entry& one : written_) {
    if (entry.path == "-" && one.path == "-")
      usage_error("-", "{} and {}: standard output takes one of them; {}", one.shown, entry.shown,
                  remedy == remedy_of_one ? "name a file" : remedy);
    if (one.place == entry.place && !entry.takes_all)
      usage_error(entry.path, "{} and {} are one file; {}", one.shown, entry.shown, remedy);
  }
  written_.push_back(std::move(entry));
}

}  // namespace cuesta::cli
