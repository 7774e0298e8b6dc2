#include "io/formats.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cuesta/io/picture.hpp"
#include "io/y4m.hpp"

namespace cuesta::io {
namespace {

constexpr auto picture = FileKind::picture;

constexpr Format table[] = {
    {.name = "JPEG",
     .kind = picture,
     .extensions = {".jpg", ".jpeg", ".jpe"},
     .loaders = {"Jpeg"},
     .lossless = false},
    {.name = "PNG", .kind = picture, .extensions = {".png"}, .loaders = {"Png"}},
    {.name = "TIFF",
     .kind = picture,
     .extensions = {".tif", ".tiff"},
     .loaders = {"Tiff"},
     .pages = true,
     .floats = true},
    {.name = "WebP", .kind = picture, .extensions = {".webp"}, .loaders = {"Webp"}, .pages = true},
    {.name = "PNM",
     .kind = picture,
     .extensions = {".ppm", ".pgm", ".pnm", ".pbm"},
     .loaders = {"Ppm"}},
    {.name = "PFM", .kind = picture, .extensions = {".pfm"}, .writable = false},  // read as PNM
    {.name = "GIF",
     .kind = picture,
     .extensions = {".gif"},
     .loaders = {"Nsgif", "Gif"},
     .lossless = false,  // of color
     .pages = true},
    {.name = "HEIF",
     .kind = picture,
     .extensions = {".heic", ".heif", ".avif"},
     .loaders = {"Heif"},
     .lossless = false},
    {.name = "JPEG 2000", .kind = picture, .extensions = {".jp2", ".j2k"}, .loaders = {"Jp2k"}},
    {.name = "JPEG XL", .kind = picture, .extensions = {".jxl"}, .loaders = {"Jxl"}},
    {.name = "Radiance",
     .kind = picture,
     .extensions = {".hdr"},
     .writable = false,
     .loaders = {"Rad"},
     .light = true},
    {.name = "OpenEXR",
     .kind = picture,
     .extensions = {".exr"},
     .writable = false,
     .loaders = {"Openexr"},
     .light = true},
    // libvips has these through ImageMagick alone, so that we look at the head first.
    {.name = "BMP", .kind = picture, .extensions = {".bmp"}, .magic = "BM"},
    {.name = "BMP", .kind = picture, .extensions = {".dib"}, .writable = false, .magic = "BM"},
    {.name = "y4m", .kind = FileKind::video, .extensions = {".y4m"}, .magic = y4m_magic},
};

template <class Fits>
const Format* first(Fits&& fits) {
  const auto found = std::find_if(std::begin(table), std::end(table), fits);
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

std::span<const Format> formats() { return table; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return out;
}

const Format* format_of_extension(std::string_view extension) {
  if (extension.empty()) return nullptr;
  return first([wanted = lower(extension)](const Format& format) {
    return std::find(format.extensions.begin(), format.extensions.end(), wanted) !=
           format.extensions.end();
  });
}

const Format* format_of_bytes(std::string_view head) {
  return first([head](const Format& format) {
    return !format.magic.empty() && head.starts_with(format.magic);
  });
}

const Format* format_of_loader(std::string_view loader) {
  constexpr std::string_view prefix = "VipsForeignLoad";
  if (!loader.starts_with(prefix)) return nullptr;
  return first([rest = loader.substr(prefix.size())](const Format& format) {
    return std::any_of(format.loaders.begin(), format.loaders.end(), [rest](std::string_view name) {
      return !name.empty() && rest.starts_with(name);
    });
  });
}

std::error_code read_head(const std::filesystem::path& path, std::string& head) {
  head.assign(32, '\0');
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  const auto error = [] { return std::error_code(errno, std::generic_category()); };
  if (!file) {
    head.clear();
    return error();
  }
  head.resize(std::fread(head.data(), 1, head.size(), file));
  const std::error_code status = std::ferror(file) ? error() : std::error_code();
  std::fclose(file);
  return status;
}

bool is_writable_extension(std::string_view extension) {
  const Format* format = format_of_extension(extension);
  return format && format->kind == FileKind::picture && format->writable;
}

bool is_picture_extension(std::string_view extension) {
  const Format* format = format_of_extension(extension);
  return format && format->kind == FileKind::picture;
}

bool is_video_extension(std::string_view extension) {
  constexpr std::string_view usual[] = {".y4m", ".mp4", ".m4v", ".mov",  ".mkv", ".webm",
                                        ".avi", ".ts",  ".mts", ".m2ts", ".mpg", ".mpeg",
                                        ".wmv", ".flv", ".3gp", ".ogv",  ".mxf"};
  return std::ranges::find(usual, lower(extension)) != std::end(usual);
}

bool can_be_lossless(std::string_view extension) {
  const Format* format = format_of_extension(extension);
  return format && format->lossless;
}

bool holds_pages(std::string_view extension) {
  const Format* format = format_of_extension(extension);
  return format && format->pages;
}

bool holds_floats(std::string_view extension) {
  const Format* format = format_of_extension(extension);
  return format && format->floats;
}

bool begins_as_video(const std::filesystem::path& path) {
  std::string head;
  if (read_head(path, head)) return false;
  const Format* format = format_of_bytes(head);
  return format && format->kind == FileKind::video;
}

}  // namespace cuesta::io
