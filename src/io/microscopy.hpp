// What microscopes write into the description of a TIFF: OME-XML (Open Microscopy Environment,
// 2016-06), and the lines of ImageJ. Both are read for the size of a pixel and the names of
// channels, and written again for a result, which has other samples and perhaps fewer pages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuesta/image.hpp"
#include "io/tiff_file.hpp"

namespace cuesta::io {

struct Microscopy {
  /// The size of a pixel along x, y and z as the file has it; empty where it has none.
  struct Length {
    std::string value{}, unit{};
  };
  bool is_ome = false;
  std::array<Length, 3> pixel{};          ///< of OME
  std::string order = "XYCZT";            ///< of OME: dimensions, the fastest first
  std::array<int64_t, 3> sizes{1, 1, 1};  ///< of OME: C in planes, Z, T
  std::vector<std::string> channels{};    ///< of OME: the names, in the order of planes
  std::vector<std::pair<std::string, std::string>> lines{};  ///< of ImageJ
  int64_t page = 0;                                          ///< the one that was read, from 0

  int64_t pages() const;
  /// The channel of that page, from 0.
  int64_t channel() const;
};

/// Nothing where the first directory has neither of the two descriptions, or a damaged one.
std::optional<Microscopy> microscopy_of(const ReadAt& read, int page);

/// The description of a result with `pages` pages of `size`. All pages of the source keep their
/// dimensions and names.
std::string description_of(const Microscopy& source, Size size, int32_t channels, PixelType type,
                           int64_t pages);

}  // namespace cuesta::io
