// Which files a recording is made of.
#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "cuesta/io/clip.hpp"
#include "cuesta/io/frames.hpp"
#include "io/errors.hpp"
#include "io/folder.hpp"
#include "io/formats.hpp"

namespace cuesta::io {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits are compared as numbers: "chunk9" comes before "chunk10".
bool is_before(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i + 1 < a.size() && a[i] == '0' && is_digit(a[i + 1])) ++i;
    while (j + 1 < b.size() && b[j] == '0' && is_digit(b[j + 1])) ++j;
    size_t m = i, n = j;
    while (m < a.size() && is_digit(a[m])) ++m;
    while (n < b.size() && is_digit(b[n])) ++n;
    if (m - i != n - j) return m - i < n - j;
    if (const int order = a.compare(i, m - i, b, j, n - j)) return order < 0;
    i = m, j = n;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // as many zeros before a number
}

std::vector<std::string> videos_in(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> out;
  for (const std::string& name : names_in(folder, error)) {
    const fs::path path = fs::path(folder) / name;
    std::error_code ignored;
    if (!name.starts_with(".") && is_video_extension(path.extension().string()) &&
        fs::is_regular_file(path, ignored))
      out.push_back(path.string());
  }
  if (error) throw_input(folder, error.message());
  if (out.empty()) throw_input(folder, "the folder has no videos");
  std::ranges::sort(out, is_before);
  return out;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int error = glob(pattern.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> out;
  if (error == 0) out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (error == GLOB_NOSPACE) throw std::bad_alloc();
  if (error == GLOB_ABORTED) throw_input(pattern, "its folder cannot be read");
  if (out.empty()) throw_input(pattern, "no file has such a name");
  std::ranges::sort(out, is_before);
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

// A word as FFmpeg's lists quote it: 'it'\''s'.
std::string unquoted(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\'')
      quoted = !quoted;
    else if (text[i] == '\\' && !quoted && i + 1 < text.size())
      out += text[++i];
    else
      out += text[i];
  }
  return out;
}

constexpr size_t max_listed = size_t(1) << 24;  // bytes

bool is_list(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) > max_listed)
    return false;
  std::ifstream in(path, std::ios::binary);
  for (std::string line; std::getline(in, line);) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    return text.starts_with("ffconcat version") || text.starts_with("file ");
  }
  return false;
}

std::vector<std::string> files_of_list(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::string> out;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#') || text.starts_with("ffconcat ") ||
        text.starts_with("duration "))
      continue;
    if (!text.starts_with("file "))
      throw_input(path, fmt::format("line {}: \"{}\" is not supported; a list of recordings has "
                                    "lines file 'NAME'",
                                    number, text));
    const fs::path file = unquoted(trimmed(text.substr(5)));
    out.push_back((fs::path(path).parent_path() / file).string());  // absolute ones stay
  }
  if (out.empty()) throw_input(path, "the list names no file");
  return out;
}

}  // namespace

std::vector<std::string> recording_files(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return videos_in(path);
  if (!fs::exists(path, ignored) && path.find_first_of("*?[") != path.npos) return matches_of(path);
  if (is_list(path)) return files_of_list(path);
  return {path};
}

}  // namespace cuesta::io
