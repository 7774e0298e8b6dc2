// The kinds of files that are known by name or by their first bytes, one row each. What is in no
// row is left to libav, which tells containers by itself.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "cuesta/io/input.hpp"

namespace cuesta::io {

enum class FileKind : uint8_t { picture, video };

struct Format {
  std::string_view name{};
  FileKind kind = FileKind::picture;
  std::array<std::string_view, 5>
      extensions{};  ///< lower case, with their dot; what is left is empty
  bool writable = true;
  std::string_view magic{};                   ///< the first bytes; empty where a library tells
  std::array<std::string_view, 2> loaders{};  ///< libvips' classes for it, behind "VipsForeignLoad"
  bool lossless = true;                       ///< writes every sample as it is, if asked to
  bool pages = false;                         ///< holds several pictures
  bool floats = false;                        ///< holds f32
  bool light = false;                         ///< its floats are linear light
};

std::span<const Format> formats();

/// The row with this extension (".JPG", any case); null where there is none.
const Format* format_of_extension(std::string_view extension);
/// The row whose magic `head` begins with; null where there is none.
const Format* format_of_bytes(std::string_view head);
/// Reads the first bytes of a file, as many as any magic has, or all there are.
std::error_code read_head(const std::filesystem::path& path, std::string& head);
/// The row that reads what libvips' loader class `loader` reads. Null for loaders that are not
/// trusted: libvips has some that run whole programs (PDF, ImageMagick).
const Format* format_of_loader(std::string_view loader);

/// Lower case of ASCII letters.
std::string lower(std::string_view text);

}  // namespace cuesta::io
