#if defined(CUESTA_HAS_PICTURES)
#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "io/errors.hpp"
#include "io/formats.hpp"
#include "io/picture.hpp"
#include "io/staged_file.hpp"
#include "io/vips.hpp"

namespace cuesta::io {
namespace {

VipsBandFormat band_format_of(PixelType type) {
  return type == PixelType::u8    ? VIPS_FORMAT_UCHAR
         : type == PixelType::u16 ? VIPS_FORMAT_USHORT
                                  : VIPS_FORMAT_FLOAT;
}

VipsInterpretation interpretation_of(PixelType type, bool is_gray) {
  switch (type) {
    case PixelType::u16: return is_gray ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16;
    default: return is_gray ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
  }
}

// Hands libvips the rows it asks for, from a view with any stride.
int copy_rows(VipsRegion* region, void*, void* view, void*, gboolean*) {
  const auto& plane = *static_cast<const ConstAnyView*>(view);
  const VipsRect& rect = region->valid;
  const size_t pixel = size_t(plane.channels) * size_t(bytes_per_sample(plane.type));
  for (int y = rect.top; y < rect.top + rect.height; ++y) {
    std::memcpy(VIPS_REGION_ADDR(region, rect.left, y),
                static_cast<const char*>(plane.data) + ptrdiff_t(y) * plane.stride_bytes +
                    size_t(rect.left) * pixel,
                size_t(rect.width) * pixel);
  }
  return 0;
}

// `plane` must outlive the image.
VipsImagePtr image_over(const ConstAnyView& plane) {
  VipsImagePtr image(vips_image_new());
  vips_image_init_fields(image.get(), plane.width, plane.height, plane.channels,
                         band_format_of(plane.type), VIPS_CODING_NONE,
                         interpretation_of(plane.type, plane.channels <= 2), 1, 1);
  if (vips_image_pipelinev(image.get(), VIPS_DEMAND_STYLE_THINSTRIP, nullptr) != 0 ||
      vips_image_generate(image.get(), nullptr, copy_rows, nullptr,
                          const_cast<ConstAnyView*>(&plane), nullptr) != 0)
    return nullptr;
  return image;
}

void attach(VipsImage* image, const Metadata& metadata) {
  if (!metadata) return;
  vips_image_map(
      static_cast<VipsImage*>(metadata.fields()),
      [](VipsImage*, const char* field, GValue* value, void* to) -> void* {
        const std::string_view key = field;
        // The pixels are upright and may have another size than the file had.
        if (!key.starts_with("exif-ifd0-Orientation") && !key.starts_with("exif-ifd1"))
          vips_image_set(static_cast<VipsImage*>(to), field, value);
        return nullptr;
      },
      image);
}

void check_pixels_to_write(ConstAnyView pixels) {
  check_view(pixels, "write_picture: pixels", {PixelType::u8, PixelType::u16, PixelType::f32}, 1,
             4);
  if (pixels.space != Space::host)
    throw_invalid("space", "write_picture: pixels live on the device; download them first");
}

int save(VipsImage* image, const std::filesystem::path& path, const Format& format) {
  if (format.name == "JPEG") return vips_image_write_to_file(image, path.c_str(), "Q", 95, nullptr);
  return vips_image_write_to_file(image, path.c_str(), nullptr);
}

}  // namespace

void write_picture(const std::filesystem::path& path, ConstAnyView pixels,
                   const WriteOptions& options) {
  check_pixels_to_write(pixels);
  const std::string extension = path.extension().string();
  if (extension.empty())
    throw_output(path, "the name has no extension to choose a format by, such as .png");
  const Format* format = format_of_extension(extension);
  if (!format || format->kind != FileKind::picture || !format->writable)
    throw_output(path,
                 fmt::format("no picture format is named {}; try .png, .tif, .jpg, .webp or .pgm",
                             extension));
  if (pixels.type == PixelType::f32 && format->name != "TIFF")
    throw_output(path, "float samples go to .tif only");
  start_vips();
  StagedFile file(path);
  const VipsImagePtr image = image_over(pixels);
  if (!image) throw_output(path, take_vips_error());
  attach(image.get(), options.metadata);
  if (save(image.get(), file.path(), *format) != 0) {
    // libvips names the staged file, which is nobody's business.
    throw_output(path, take_vips_error());
  }
  file.commit();
}

std::vector<uint8_t> encode_picture(std::string_view extension, ConstAnyView pixels) {
  check_pixels_to_write(pixels);
  start_vips();
  const VipsImagePtr image = image_over(pixels);
  void* bytes = nullptr;
  size_t size = 0;
  if (!image || vips_image_write_to_buffer(image.get(), std::string(extension).c_str(), &bytes,
                                           &size, nullptr) != 0)
    throw_output(std::string(extension), take_vips_error());
  const auto* begin = static_cast<const uint8_t*>(bytes);
  std::vector<uint8_t> out(begin, begin + size);
  g_free(bytes);
  return out;
}

}  // namespace cuesta::io
#endif
