// What files of raw samples declare, before any of them is read: PNM, PFM and BMP.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cuesta::io {

struct RawPicture {
  char kind = 0;  ///< '1' to '6' of PNM, 'f' and 'F' of PFM, 'B' for BMP
  int64_t width = 0, height = 0;
  int64_t samples = 0;      ///< numbers in it
  int64_t pixel_bytes = 1;  ///< that a pixel has at least, once decoded
  int64_t begin = 0;        ///< of the samples, in bytes
  int64_t least = 0;        ///< bytes that a whole file has, where that is known
  int64_t most = 0;         ///< bytes that one can need
  int coding = 0;           ///< of a BMP: 1 and 2 are runs of 8 and of 4 bits
  bool is_text() const { return kind >= '1' && kind <= '3'; }
};

/// What a file that begins with `head` (4 KiB, or all of it) declares; nothing where it is of
/// another kind, or its header is damaged. Sizes are at most 2⁴⁰ pixels.
std::optional<RawPicture> raw_picture_of(std::span<const uint8_t> head);

/// How many of the numbers of a PNM file of text, P1 to P3, `file` has: as many as it declares, or
/// fewer.
int64_t numbers_in_text(const RawPicture& picture, std::span<const uint8_t> file);

/// Whether every run of a BMP is within the picture. True for other codings and kinds.
bool runs_stay_inside(const RawPicture& picture, std::span<const uint8_t> file);

/// Zeros for what a cut file lacks.
void complete(const RawPicture& picture, std::vector<uint8_t>& file);

}  // namespace cuesta::io
