// Tags of a TIFF file that libvips neither reads nor writes: the georeference (GeoTIFF 1.1), and
// GDAL's number for samples without data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/metadata.hpp"
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

/// What a TIFF says of the picture in directory `number`, which is page `page`, both from 0.
TiffExtras extras_of(const ReadAt& read, int number, int page);
/// The tag of a description.
TiffTag description_tag(const std::string& text);

/// The tag of a file whose samples without data are NaN.
TiffTag no_data_is_nan();

/// The map that tags of GeoTIFF place a picture on: a transformation, or a pixel scale and one tie
/// point. Nothing for other tags.
std::optional<MapGrid> map_grid_of(const std::vector<TiffTag>& georeference);

/// The same for a part of the picture whose first pixel is at (x, y).
std::vector<TiffTag> moved(std::vector<TiffTag> georeference, int32_t x, int32_t y);

/// Adds tags to the first directory, or replaces those that it has, of a TIFF file in this
/// machine's byte order that libvips has written. The file keeps its samples where they are. A
/// failed write stays in `file`.
void add_tags(OutputFile& file, const std::vector<TiffTag>& tags);
/// The same for a file in memory.
void add_tags(std::vector<uint8_t>& file, const std::vector<TiffTag>& tags);

}  // namespace cuesta::io
