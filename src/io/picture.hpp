// Picture files, through libvips.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuesta/image.hpp"

namespace cuesta::io {

/// What a picture file carries besides samples: ICC profile, EXIF, XMP, IPTC. Cheap to copy.
class Metadata {
 public:
  Metadata() = default;
  explicit Metadata(std::shared_ptr<void> fields) : fields_(std::move(fields)) {}
  explicit operator bool() const { return fields_ != nullptr; }
  void* fields() const { return fields_.get(); }

 private:
  std::shared_ptr<void> fields_;
};

/// A decoded picture, upright. Channels: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
struct Picture {
  AnyImage pixels{};  ///< u8 or u16
  bool has_alpha = false;
  Metadata metadata{};

  ConstAnyView view() const { return pixels; }
  int32_t width() const { return pixels.width(); }
  int32_t height() const { return pixels.height(); }
  int32_t channels() const { return pixels.channels(); }
};

struct ReadLimits {
  int64_t max_pixels = int64_t(1) << 28;  ///< checked before any sample is decoded
  bool allow_partial = false;             ///< take what a truncated file still holds; the rest is 0
};

/// Reads a picture of 8 or 16 bits: JPEG, PNG, TIFF, WebP, PNM, GIF, HEIF, JPEG 2000, JPEG XL, BMP,
/// whatever the file is called. EXIF orientation is applied, palettes are looked up, CMYK becomes
/// RGB as cv::imread makes it; samples of JPEG files equal cv::imread's. Of files with several
/// pictures the first is read. Throws Error{input} naming the file and the reason; damage inside a
/// JPEG's scans is found where libjpeg can tell, for they carry no checksum.
Picture read_picture(const std::filesystem::path& path, const ReadLimits& limits = {});
/// The same from memory; `name` stands for the file in messages.
Picture read_picture(std::span<const uint8_t> bytes, const std::string& name,
                     const ReadLimits& limits = {});

/// True when the file begins as a picture that read_picture knows. False too where it cannot be
/// opened.
bool is_picture(const std::filesystem::path& path);

/// True when read_picture or write_picture know the extension (".jpg", any case).
bool is_picture_extension(std::string_view extension);
bool is_writable_extension(std::string_view extension);

struct WriteOptions {
  Metadata metadata{};
  bool has_alpha = false;  ///< the last of 2 or 4 channels
};

/// Writes u8, u16 or f32 samples, 1 to 4 channels, in the format that the extension names; formats
/// of 8 bits get the high byte of u16 samples, f32 goes to TIFF only. The file appears when it is
/// whole. Throws Error{output} naming the file and the reason.
void write_picture(const std::filesystem::path& path, ConstAnyView pixels,
                   const WriteOptions& options = {});
/// The bytes of such a file, without metadata: ".png", ".jpg". Throws as write_picture does.
std::vector<uint8_t> encode_picture(std::string_view extension, ConstAnyView pixels);

}  // namespace cuesta::io
