// Which extensions mean pictures, with and without libvips.
#include <algorithm>
#include <array>

#include "io/picture.hpp"

namespace cuesta::io {
namespace {

constexpr std::array<std::string_view, 19> writable = {
    ".jpg", ".jpeg", ".jpe",  ".png",  ".tif",  ".tiff", ".webp", ".ppm", ".pgm", ".pnm",
    ".pbm", ".gif",  ".heic", ".heif", ".avif", ".jp2",  ".j2k",  ".jxl", ".bmp"};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return out;
}

}  // namespace

bool is_writable_extension(std::string_view extension) {
  return std::find(writable.begin(), writable.end(), lower(extension)) != writable.end();
}

bool is_picture_extension(std::string_view extension) {
  return is_writable_extension(extension) || lower(extension) == ".dib";
}

}  // namespace cuesta::io
