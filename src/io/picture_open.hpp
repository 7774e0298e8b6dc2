// A picture file as a libvips image: its format, its pages, its header.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/errors.hpp"
#include "io/metadata.hpp"
#include "io/vips.hpp"

namespace cuesta::io {

bool begins_as_bmp(std::span<const uint8_t> bytes);
bool begins_as_tiff(std::span<const uint8_t> bytes);
bool begins_as_openexr(std::span<const uint8_t> bytes);

/// Reported by libjpeg where a camera left bytes between the last scan and the end of the file. All
/// samples are decoded by then.
inline constexpr std::string_view harmless_jpeg_warning = "extraneous bytes before marker 0xd9";

/// Bytes that detect a format.
inline constexpr size_t head_bytes = 4096;

/// The pages of a file, at least one.
Pages pages_in(VipsSource* source);

/// check_extras() of io/extras.hpp for a source, which then stands at its beginning.
void check_extras(VipsSource* source, const std::string& name);

/// One libvips operation on an owned image. Throws Error{input} naming the file.
template <class Operation>
VipsImagePtr transformed(VipsImagePtr image, const std::string& name, Operation&& operation) {
  VipsImage* out = nullptr;
  if (operation(image.get(), &out) != 0)
    throw_input(name, fmt::format("cannot be read as a picture: {}", take_vips_error()));
  return VipsImagePtr(out);
}

/// A picture whose samples are gray or RGB once they are requested, but for what only whole
/// pictures can be: upright, of levels instead of floats.
struct Prepared {
  VipsImagePtr image{};
  bool cmyk = false, holds_light = false, has_alpha = false;
  TiffExtras extras{};
};

/// The metadata of a picture as it is when it is upright. Empty without memory.
Metadata metadata_of(VipsImage* image, TiffExtras extras);
/// NaN for each sample of a row, but not of its alpha, that stands for no data.
void set_holes(float* row, int32_t width, int32_t channels, bool has_alpha, float hole);
/// Whether floats stay the numbers that they are.
bool keeps_numbers(const ReadLimits& limits, bool holds_light);
/// Whether samples of 8 and 16 bits become levels, by a black or white that is given.
bool makes_levels(const ReadLimits& limits);

/// The header of the picture in `source`, with the limits checked; samples are decoded when they
/// are requested. `memory` has the bytes of a BMP. `is_lenient`: samples that libjpeg warns about
/// are accepted. Throws Error{input} naming the file.
Prepared prepare(VipsSource* source, std::span<const uint8_t> memory, const std::string& name,
                 const ReadLimits& limits, bool is_lenient);

}  // namespace cuesta::io
