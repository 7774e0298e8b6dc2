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
#include "recipes/white.hpp"

namespace cuesta::recipes {
class Recipe;
struct Output;
}  // namespace cuesta::recipes
namespace cuesta {
enum class TiffLayout : uint8_t;  // cuesta/io.hpp
}

namespace cuesta::io {

/// From pixels, counted from the upper left corner of the picture, to a map.
struct MapGrid {
  double across[3] = {1, 0, 0};  ///< x of the map: [0] * x + [1] * y + [2]
  double down[3] = {0, 1, 0};    ///< y of the map
  int epsg = 0;                  ///< its coordinate system; 0 where the file names none
};
struct TiffTag;
struct Microscopy;

/// What a TIFF says of a picture besides what libvips reads. Cheap to copy.
struct TiffExtras {
  using Tags = std::shared_ptr<const std::vector<TiffTag>>;
  Tags georeference{};                             ///< null without one
  Tags resolution{};                               ///< without a unit; null where it has one
  std::shared_ptr<const Microscopy> microscopy{};  ///< null without one
  std::optional<float> hole{};  ///< the sample that stands for no data, which is read as NaN
};

/// What a picture file carries besides samples: ICC profile, EXIF, XMP, IPTC; resolution,
/// georeference, pixel size and names of channels, which describe its grid. Cheap to copy.
class Metadata {
 public:
  Metadata() = default;
  Metadata(std::shared_ptr<void> fields, TiffExtras extras)
      : fields_(std::move(fields)), extras_(std::move(extras)) {}
  explicit operator bool() const { return fields_ != nullptr; }
  void* fields() const { return fields_.get(); }
  const TiffExtras& extras() const { return extras_; }
  /// Nothing without a georeference, and for one of several tie points.
  std::optional<MapGrid> map_grid() const;

  /// That of a result in the grid of a part of the picture, from (x, y) on: all of it, or what
  /// describes the grid alone.
  Metadata of_result(int32_t x, int32_t y, bool keeps_all) const;

 private:
  std::shared_ptr<void> fields_{};
  TiffExtras extras_{};
};

/// A decoded picture, upright. Channels: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
struct Picture {
  AnyImage pixels{};  ///< u8 or u16; f32 as ReadLimits::floats says
  bool has_alpha = false;
  Metadata metadata{};
  std::string remark{};  ///< how the file's numbers were taken, in words; empty of u8 and u16
  double clipped = 0;    ///< which part of the samples lay outside black … white
  double scale = 1;      ///< levels of `pixels` that one of the file's own is
  /// By Floats::holes: 255 where there are no data, and `pixels` continue there as around; else
  /// empty.
  Image<uint8_t> holes{};

  /// A sentence for the user where more than 1 % of the samples were clipped; else empty.
  std::string warning() const;
  ConstAnyView view() const { return pixels; }
  int32_t width() const { return pixels.width(); }
  int32_t height() const { return pixels.height(); }
  int32_t channels() const { return pixels.channels(); }
};

struct ReadLimits {
  /// Takes page and band as the public interface has them: from 1, 0 for none. Throws
  /// Error{invalid_argument} for numbers below 0.
  void select(int page_from_1, int band_from_1);

  int64_t max_pixels = int64_t(1) << 28;  ///< checked before any sample is decoded
  bool allow_partial = false;             ///< take what a truncated file still holds; the rest is 0
  std::optional<int> page{};              ///< from 0; nothing: the only page of a file with one
  int band = 0;                           ///< this channel alone, from 1; 0: all channels
  recipes::White white{};
  recipes::Floats floats = recipes::Floats::levels;  ///< of files that are not of 8 or 16 bits
  int64_t max_memory = std::numeric_limits<int64_t>::max();  ///< bytes of the decoded samples
};

/// Reads a picture of 8 or 16 bits: JPEG, PNG, TIFF, WebP, PNM, GIF, HEIF, JPEG 2000, JPEG XL, BMP,
/// or of other numbers: TIFF, PFM, Radiance, OpenEXR, whatever the file is called. Signed integers,
/// integers of 32 bits and floats are read as f32, LogLuv as RGB, and become u16 as
/// recipes/white.hpp says. Samples without data, by GDAL's tag of a TIFF, are NaN: of 8 and 16 bits
/// where ReadLimits::floats takes numbers, whose pictures are then f32. EXIF orientation is
/// applied, palettes are looked up, CMYK becomes RGB as cv::imread makes it; samples of JPEG files
/// equal cv::imread's. Throws Error{input} naming the file and the reason; damage inside a JPEG's
/// scans is found where libjpeg can tell, for they carry no checksum.
Picture read_picture(const std::filesystem::path& path, const ReadLimits& limits = {});
/// The same from memory; `name` stands for the file in messages.
Picture read_picture(std::span<const uint8_t> bytes, const std::string& name,
                     const ReadLimits& limits = {});

/// True when the file begins as a picture that read_picture knows. False too where it cannot be
/// opened.
bool is_picture(const std::filesystem::path& path);
bool is_picture(std::span<const uint8_t> head);

/// The pictures that a picture file holds. Overviews of reduced resolution and transparency masks
/// of a TIFF (pyramids, COG) do not count.
struct Pages {
  int count = 1;
  bool move = false;           ///< frames of an animation: GIF, WebP or PNG
  std::vector<int> numbers{};  ///< of a TIFF: the number of each page's directory, from 0
};
/// The pages of a file, or of one in memory, that is_picture() knows; one where its header is
/// damaged.
Pages pages_of(const std::filesystem::path& path);
Pages pages_of(std::span<const uint8_t> bytes);

/// True when read_picture or write_picture know the extension (".jpg", any case).
bool is_picture_extension(std::string_view extension);
bool is_writable_extension(std::string_view extension);

/// Whether the format of this extension keeps every sample, where `lossless` asks it to.
bool can_be_lossless(std::string_view extension);
/// Whether it holds several pictures; whether it holds floats.
bool holds_pages(std::string_view extension);
bool holds_floats(std::string_view extension);
/// How a recipe takes numbers whose result goes to a file of this extension.
recipes::Floats floats_for(const recipes::Recipe& recipe, std::string_view extension);

struct WriteOptions {
  Metadata metadata{};
  bool has_alpha = false;     ///< the last of 2 or 4 channels
  bool lossless = false;      ///< every sample as it is, where the format can
  int32_t page_height = 0;    ///< rows of one of several pages, which are below each other; 0: one
  int quality = 95;           ///< of JPEG, at most 100
  TiffLayout layout{};        ///< of a TIFF; others take strips only
  std::vector<int> delays{};  ///< of an animation: milliseconds for which each page is shown
};

/// How a result is written: what of the source's metadata describes it, too. Masks are lossless,
/// and have the source's grid alone.
WriteOptions writing_of(const Metadata& source, const recipes::Output& output, bool has_alpha,
                        const std::optional<Rect>& region);

/// A sentence where a file of this extension cannot have what `metadata` has of a TIFF; else empty.
std::string dropped(const Metadata& metadata, std::string_view extension);

/// Writes u8, u16 or f32 samples, 1 to 4 channels, in the format that the extension names; formats
/// of 8 bits get the high byte of u16 samples, f32 goes to TIFF only. The file appears when it is
/// whole. Throws Error{output} naming the file and the reason.
void write_picture(const std::filesystem::path& path, ConstAnyView pixels,
                   const WriteOptions& options = {});
/// What of that can be known before there are samples. Throws Error{output}.
void check_writable(const std::filesystem::path& path, PixelType type,
                    const WriteOptions& options = {});
/// The bytes of such a file: ".png", ".jpg". Throws as write_picture does.
std::vector<uint8_t> encode_picture(std::string_view extension, ConstAnyView pixels,
                                    const WriteOptions& options = {});

}  // namespace cuesta::io
