// Which directories of a TIFF file are pictures of their own.
#pragma once

#include <vector>

#include "io/tiff_file.hpp"

namespace cuesta::io {

/// The numbers, from 0, of the main directories that are pages: those that are neither overviews of
/// reduced resolution nor transparency masks (TIFF 6.0, tag NewSubfileType; COG and pyramids).
/// Classic TIFF and BigTIFF of both byte orders. Empty for another format, and where the first
/// directory is damaged. At most 65,536 directories are read; a chain that returns to itself ends.
std::vector<int> tiff_pages(const ReadAt& read);

}  // namespace cuesta::io
