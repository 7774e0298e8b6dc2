// Picture files, through libvips.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/image.hpp"
#include "cuesta/io.hpp"
#include "cuesta/recipes/recipe.hpp"
#include "cuesta/recipes/samples.hpp"

namespace cuesta::io {

/// From pixels, counted from the upper left corner of the picture, to a map.
struct MapGrid {
  double across[3] = {1, 0, 0};  ///< x of the map: [0] * x + [1] * y + [2]
  double down[3] = {0, 1, 0};    ///< y of the map
  int epsg = 0;                  ///< its coordinate system; 0 if the file names none
};

struct MetadataParts;

/// What a picture file carries besides samples.
/// ICC profile, EXIF, XMP and IPTC; resolution, georeference, pixel size and names of channels,
/// which describe its grid. Cheap to copy.
class Metadata {
 public:
  Metadata() = default;
  explicit operator bool() const { return parts_ != nullptr; }
  /// Returns the georeference; nothing without one, and for one of several tie points.
  std::optional<MapGrid> map_grid() const;
  /// Returns the metadata of a result in the grid of a part of the picture, from (x, y) on.
  /// All of it, or only what describes the grid.
  Metadata of_result(int32_t x, int32_t y, bool keeps_all) const;

 private:
  friend struct MetadataParts;
  std::shared_ptr<const MetadataParts> parts_{};
};

/// A decoded picture, upright.
/// Channels: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
struct Picture {
  AnyImage pixels{};  ///< u8 or u16; f32 as ReadLimits::floats says
  bool has_alpha = false;
  Metadata metadata{};
  std::string remark{};  ///< how the file's numbers were taken, in words; empty for u8 and u16
  double clipped = 0;    ///< part of the samples outside black to white
  double scale = 1;      ///< levels of `pixels` for one level of the file
  /// By Floats::holes: 255 where there are no data, and `pixels` continue there as around;
  /// otherwise empty.
  Image<uint8_t> holes{};

  /// Returns a sentence for the user if more than 1 % of the samples were clipped; else empty.
  std::string warning() const;
  ConstAnyView view() const { return pixels; }
  int32_t width() const { return pixels.width(); }
  int32_t height() const { return pixels.height(); }
  int32_t channels() const { return pixels.channels(); }
};

/// What is read of a picture file, and how much at most.
struct ReadLimits {
  /// Takes page and band as the public interface has them: from 1, 0 for none. Throws
  /// Error{invalid_argument} for numbers below 0.
  void select(int page_from_1, int band_from_1);
  /// Sets `floats` for a caller that takes numbers so. A white or black that is given makes levels.
  void take(recipes::Floats as);

  int64_t max_pixels = int64_t(1) << 28;  ///< checked before any sample is decoded
  bool allow_partial = false;             ///< take what a truncated file still holds; the rest is 0
  std::optional<int> page{};              ///< from 0; empty: the only page of a file with one
  int band = 0;                           ///< this channel alone, from 1; 0: all channels
  recipes::White white{};
  recipes::Floats floats = recipes::Floats::levels;  ///< of files that are not of 8 or 16 bits
  int64_t max_memory = std::numeric_limits<int64_t>::max();  ///< bytes of the decoded samples
};

/// Reads a picture file with its metadata.
/// The formats are those of cuesta::read(), detected from content. Signed integers, integers of 32
/// bits and floats are read as f32, LogLuv as RGB; they become u16 by ReadLimits::white
/// (cuesta/recipes/samples.hpp). Samples without data, by GDAL's tag of a TIFF, are NaN. Pictures
/// of 8 and 16 bits that have some are f32 if ReadLimits::floats takes numbers. EXIF orientation is
/// applied, palettes are looked up, and CMYK becomes RGB as cv::imread does it. Samples of JPEG
/// files equal those of cv::imread. Throws Error{input} naming the file and the reason. Damage
/// inside a JPEG's scans is found if libjpeg reports it; they carry no checksum.
Picture read_picture(const std::filesystem::path& path, const ReadLimits& limits = {});
/// Reads a picture file in memory; `name` is the file's in messages.
Picture read_picture(std::span<const uint8_t> bytes, const std::string& name,
                     const ReadLimits& limits = {});

/// Returns whether a file, or one in memory, begins as a picture that read_picture() reads.
/// False also if it cannot be opened.
bool is_picture(const std::filesystem::path& path);
bool is_picture(std::span<const uint8_t> head);

/// The pictures that a picture file holds.
/// Overviews of reduced resolution and transparency masks of a TIFF (pyramids, COG) do not count.
struct Pages {
  int count = 1;
  bool move = false;           ///< they are frames of an animation: GIF, WebP or PNG
  std::vector<int> numbers{};  ///< of a TIFF: the number of each page's directory, from 0
};
/// Returns the pages of a picture file, or of one in memory; one if its header is damaged.
Pages pages_of(const std::filesystem::path& path);
Pages pages_of(std::span<const uint8_t> bytes);

/// Returns whether pictures of this extension (".jpg", any case) can be read, or written.
bool is_picture_extension(std::string_view extension);
bool is_writable_extension(std::string_view extension);

/// Returns whether the format of this extension can keep every sample (WriteOptions::lossless).
bool can_be_lossless(std::string_view extension);
/// Returns whether the format of this extension holds several pictures, or floats.
bool holds_pages(std::string_view extension);
bool holds_floats(std::string_view extension);
/// Returns how a recipe takes numbers if its result goes to a file of this extension.
recipes::Floats floats_for(const recipes::Recipe& recipe, std::string_view extension);

/// How a picture file is written.
struct WriteOptions {
  Metadata metadata{};
  bool has_alpha = false;     ///< the last of 2 or 4 channels
  bool lossless = false;      ///< every sample as it is, if the format can
  int32_t page_height = 0;    ///< rows of one of several pages, which are below each other; 0: one
  int quality = 95;           ///< of JPEG, at most 100
  TiffLayout layout{};        ///< of a TIFF; others take strips only
  std::vector<int> delays{};  ///< of an animation: milliseconds for which each page is shown
};

/// Returns how the result of a recipe is written, with what still holds of the source's metadata.
/// Masks are lossless and have the source's grid alone.
WriteOptions writing_of(const Metadata& source, const recipes::Output& output, bool has_alpha,
                        const std::optional<Rect>& region);

/// Returns a sentence if a file of this extension drops metadata of a TIFF; else empty.
std::string dropped(const Metadata& metadata, std::string_view extension);

/// Writes a picture file in the format that the extension names.
/// Samples are u8, u16 or f32, of 1 to 4 channels. Formats of 8 bits get the high byte of u16
/// samples, f32 goes to TIFF only. The file appears when it is complete. Throws Error{output}
/// naming the file and the reason.
void write_picture(const std::filesystem::path& path, ConstAnyView pixels,
                   const WriteOptions& options = {});
/// Throws Error{output} if write_picture() would refuse samples of this type.
void check_writable(const std::filesystem::path& path, PixelType type,
                    const WriteOptions& options = {});
/// Returns the bytes of a picture file: ".png", ".jpg". Throws as write_picture() does.
std::vector<uint8_t> encode_picture(std::string_view extension, ConstAnyView pixels,
                                    const WriteOptions& options = {});

}  // namespace cuesta::io
