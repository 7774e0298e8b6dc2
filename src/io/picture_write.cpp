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

// What libvips' writer is told behind the name.
std::string saver_options(const Format& format, const WriteOptions& options) {
  if (format.name == "JPEG") return fmt::format("[Q={}]", options.quality);
  const bool has_the_option =
      format.name == "WebP" || format.name == "JPEG 2000" || format.name == "JPEG XL";
  return options.lossless && has_the_option ? "[lossless]" : "";
}

// `plane` must outlive the image, which is null where libvips refuses.
VipsImagePtr image_to_write(const ConstAnyView& plane, const WriteOptions& options) {
  VipsImagePtr image = image_over(plane);
  if (!image) return nullptr;
  attach(image.get(), options.metadata);
  if (options.page_height > 0 && options.page_height < plane.height)
    vips_image_set_int(image.get(), VIPS_META_PAGE_HEIGHT, options.page_height);
  if (!options.delays.empty())
    vips_image_set_array_int(image.get(), "delay", options.delays.data(),
                             int(options.delays.size()));
  return image;
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
  if (pixels.type == PixelType::f32 && !format->floats)
    throw_output(path, "float samples go to .tif only");
  start_vips();
  StagedFile file(path);
  const std::string place = file.path().string() + saver_options(*format, options);
  with_own_errors([&] {
    const VipsImagePtr image = image_to_write(pixels, options);
    // libvips names the staged file, which is nobody's business.
    if (!image || vips_image_write_to_file(image.get(), place.c_str(), nullptr) != 0)
      throw_output(path, take_vips_error());
  });
  file.commit();
}

std::vector<uint8_t> encode_picture(std::string_view extension, ConstAnyView pixels,
                                    const WriteOptions& options) {
  check_pixels_to_write(pixels);
  start_vips();
  const Format* format = format_of_extension(extension);
  const std::string place =
      std::string(extension) + (format ? saver_options(*format, options) : std::string());
  return with_own_errors([&] {
    const VipsImagePtr image = image_to_write(pixels, options);
    void* bytes = nullptr;
    size_t size = 0;
    if (!image ||
        vips_image_write_to_buffer(image.get(), place.c_str(), &bytes, &size, nullptr) != 0)
      throw_output(std::string(extension), take_vips_error());
    const auto* begin = static_cast<const uint8_t*>(bytes);
    std::vector<uint8_t> out(begin, begin + size);
    g_free(bytes);
    return out;
  });
}

}  // namespace cuesta::io
#endif
