// What a picture file holds beside its samples: text, profiles, EXIF, directories. Libraries read
// all of it before anything else, at a cost that a few bytes can make as large as they like; so it
// is bounded first.
#pragma once

#include <string>

#include "io/tiff_file.hpp"

namespace cuesta::io {

constexpr uint64_t max_extra_bytes = uint64_t(1) << 24;  ///< of text and profiles, decompressed
constexpr int max_extra_pieces = 4096;                   ///< chunks of text, segments of a JPEG
constexpr int max_exif_entries = 4096, max_exif_directories = 64;
constexpr int max_tiff_directories = 16384;

/// Throws Error{input} naming the file: PNG, JPEG, WebP, TIFF, HEIF or JPEG XL with more beside the
/// samples than these limits, or EXIF directories that contain each other. Damage that costs
/// nothing is left to the decoders.
void check_extras(const ReadAt& read, uint64_t size, const std::string& name);
/// The same for a file in memory.
void check_extras(std::span<const uint8_t> file, const std::string& name);

}  // namespace cuesta::io
