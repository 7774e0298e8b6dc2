// Which directories of a TIFF file are pictures of their own.
#pragma once

#include <string>
#include <vector>

#include "io/tiff_file.hpp"

namespace cuesta::io {

/// The numbers, from 0, of the main directories that are pages: those that are neither overviews of
/// reduced resolution nor transparency masks (TIFF 6.0, tag NewSubfileType; COG and pyramids).
/// Classic TIFF and BigTIFF of both byte orders. Empty for another format, and where the first
/// directory is damaged. At most 65,536 directories are read; a chain that returns to itself ends.
std::vector<int> tiff_pages(const ReadAt& read);

/// The type of a TIFF's samples, in its directory `number`, from 0: "float64". Empty where it is
/// one that libtiff's readers take, and where there is no such directory.
std::string odd_samples(const ReadAt& read, int number);

}  // namespace cuesta::io
