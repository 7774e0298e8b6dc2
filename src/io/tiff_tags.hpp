// Tags of a TIFF file that libvips neither reads nor writes: the georeference (GeoTIFF 1.1).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "io/picture.hpp"
#include "io/tiff_file.hpp"

namespace cuesta::io {

class OutputFile;

/// One tag with its values, in this machine's byte order.
struct TiffTag {
  uint16_t tag = 0, type = 0;
  uint64_t count = 0;
  std::vector<uint8_t> bytes{};
};

/// Returns the tag of resolution, color profile or georeference of a page whose values the file
/// ends before; nothing where it has them all, or is no TIFF. `number` counts from 0.
std::optional<uint16_t> tag_past_end(const ReadAt& read, int number);

/// The tags of GeoTIFF in directory `number`, from 0: pixel scale, tie points, transformation,
/// keys. Empty where the directory has none, and where one of them is damaged.
std::vector<TiffTag> georeference_of(const ReadAt& read, int number);

/// The map that tags of GeoTIFF place a picture on: a transformation, or a pixel scale and one tie
/// point. Nothing for other tags.
std::optional<MapGrid> map_grid_of(const std::vector<TiffTag>& georeference);

/// The same for a part of the picture whose first pixel is at (x, y).
std::vector<TiffTag> moved(std::vector<TiffTag> georeference, int32_t x, int32_t y);

/// Adds tags to the first directory of a TIFF file in this machine's byte order that libvips has
/// written. The file keeps its samples where they are. A failed write stays in `file`.
void add_tags(OutputFile& file, const std::vector<TiffTag>& tags);
/// The same for a file in memory.
void add_tags(std::vector<uint8_t>& file, const std::vector<TiffTag>& tags);

}  // namespace cuesta::io
