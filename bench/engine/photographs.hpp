// Photographs from a folder that CUESTA_PHOTOGRAPHS names, as scripts/fetch-photographs makes one.
// Each is used for squares that it holds, so none is mirrored or repeated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuesta/image.hpp"

namespace cuesta::bench {

struct Photograph {
  std::string name{};  ///< of its file; "generated" if it is no photograph
  Image<uint8_t> gray{};
};

/// All photographs of the folder in the order of their names, of 8 bits in one or three channels.
/// None if no folder is named, or if the build reads no files. Throws Error{input} for a folder
/// that cannot be read.
std::vector<Photograph> read_photographs();

/// The middle of a photograph, scaled down by a whole factor; empty if it is smaller than the
/// square.
Image<uint8_t> square_of(const Image<uint8_t>& gray, int32_t side);

}  // namespace cuesta::bench
