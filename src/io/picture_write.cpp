#if defined(CUESTA_HAS_PICTURES)
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.hpp"
#include "cuesta/io.hpp"
#include "cuesta/io/picture.hpp"
#include "io/errors.hpp"
#include "io/formats.hpp"
#include "io/microscopy.hpp"
#include "io/output_file.hpp"
#include "io/picture_rows.hpp"
#include "io/tiff_tags.hpp"
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

// Rows in flight to libvips, and what went wrong with them. Its threads ask for them, ordered by
// GLib's locks, which a sanitizer does not see: `steps` orders the same for everybody.
struct Filling {
  explicit Filling(const RowSource& from) : rows(from) { step(); }
  void step() { steps.fetch_add(1, std::memory_order_acq_rel); }

  const RowSource& rows;
  std::atomic<uint64_t> steps{};
  std::mutex mutex{};
  std::exception_ptr fault{};
};

// Hands libvips the rows it asks for.
int fill_rows(VipsRegion* region, void*, void* filling, void*, gboolean*) {
  auto& from = *static_cast<Filling*>(filling);
  const VipsRect& rect = region->valid;
  int failed = 0;
  from.step();
  try {
    for (int y = rect.top; y < rect.top + rect.height; ++y)
      from.rows.fill(rect.left, y, rect.width, VIPS_REGION_ADDR(region, rect.left, y));
  } catch (...) {  // libvips is C
    const std::lock_guard lock(from.mutex);
    if (!from.fault) from.fault = std::current_exception();
    failed = -1;
  }
  from.step();
  return failed;
}

// The rows of a view with any stride, which must outlive them.
RowSource rows_of(const ConstAnyView& plane) {
  return {plane.size(), plane.channels, plane.type,
          [&plane](int32_t x, int32_t y, int32_t count, void* to) {
            const size_t pixel = size_t(plane.channels) * size_t(bytes_per_sample(plane.type));
            std::memcpy(to,
                        static_cast<const char*>(plane.data) + ptrdiff_t(y) * plane.stride_bytes +
                            size_t(x) * pixel,
                        size_t(count) * pixel);
          }};
}

// `filling` must outlive the image.
VipsImagePtr image_over(Filling& filling) {
  const RowSource& rows = filling.rows;
  VipsImagePtr image(vips_image_new());
  vips_image_init_fields(image.get(), rows.size.width, rows.size.height, rows.channels,
                         band_format_of(rows.type), VIPS_CODING_NONE,
                         interpretation_of(rows.type, rows.channels <= 2), 1, 1);
  if (vips_image_pipelinev(image.get(), VIPS_DEMAND_STYLE_THINSTRIP, nullptr) != 0 ||
      vips_image_generate(image.get(), nullptr, fill_rows, nullptr, &filling, nullptr) != 0)
    return nullptr;
  return image;
}

void attach(VipsImage* image, const Metadata& metadata) {
  if (!metadata) return;
  auto* from = static_cast<VipsImage*>(MetadataParts::of(metadata)->fields.get());
  image->Xres = from->Xres;
  image->Yres = from->Yres;
  vips_image_map(
      from,
      [](VipsImage*, const char* field, GValue* value, void* to) -> void* {
        vips_image_set(static_cast<VipsImage*>(to), field, value);
        return nullptr;
      },
      image);
}

void check_pixels_to_write(ConstAnyView pixels) {
  check_view(pixels, "write_picture: pixels",
             {PixelType::u8, PixelType::u16, PixelType::s32, PixelType::f32}, 1, 4);
  if (pixels.space != Space::host)
    throw_invalid("space", "write_picture: the pixels are on the device; download them first");
}

// The samples as files hold them: labels have 16 bits.
ConstAnyView in_file(const std::filesystem::path& path, ConstAnyView pixels, AnyImage& holder) {
  if (pixels.type != PixelType::s32) return pixels;
  const auto from = pixels.as<int32_t>();
  const auto to = holder.create(pixels.size(), pixels.channels, PixelType::u16).as<uint16_t>();
  for (int32_t y = 0; y < from.height; ++y) {
    for (int32_t i = 0; i < from.width * from.channels; ++i) {
      const int32_t label = from.row(y)[i];
      if (label < 0 || label > 65535)
        throw_output(path,
                     fmt::format("a label is {}; pictures hold labels from 0 to 65535", label));
      to.row(y)[i] = uint16_t(label);
    }
  }
  return holder;
}

// The options of libvips' writer, behind the name.
std::string saver_options(const Format& format, const RowSource& rows,
                          const WriteOptions& options) {
  if (format.name == "JPEG") return fmt::format("[Q={}]", options.quality);
  if (format.name == "TIFF") {
    // Offsets of 32 bits end at 4 GiB; the levels of a pyramid are a third more.
    const double bytes = double(rows.size.width) * rows.size.height * rows.channels *
                         bytes_per_sample(rows.type) *
                         (options.layout == TiffLayout::pyramid ? 1.34 : 1);
    return fmt::format(
        "[{}{}{}]", bytes > 4.2e9 ? "bigtiff," : "",
        options.layout == TiffLayout::strips ? "" : "tile,tile-width=256,tile-height=256,",
        options.layout == TiffLayout::pyramid ? "pyramid," : "");
  }
  const bool has_the_option =
      format.name == "WebP" || format.name == "JPEG 2000" || format.name == "JPEG XL";
  return options.lossless && has_the_option ? "[lossless]" : "";
}

// `filling` must outlive the image, which is null where libvips refuses.
VipsImagePtr image_to_write(Filling& filling, const WriteOptions& options) {
  VipsImagePtr image = image_over(filling);
  if (!image) return nullptr;
  attach(image.get(), options.metadata);
  if (options.page_height > 0 && options.page_height < filling.rows.size.height)
    vips_image_set_int(image.get(), VIPS_META_PAGE_HEIGHT, options.page_height);
  if (!options.delays.empty())
    vips_image_set_array_int(image.get(), "delay", options.delays.data(),
                             int(options.delays.size()));
  return image;
}

// libvips 8.14 heads PNM files with the time, in a comment behind the magic number:
// "P6\n#vips2ppm - Mon Nov 23 03:40:06 2026\n\n". The same picture is the same file.
std::string_view without_date(std::string_view head, std::string& kept) {
  constexpr std::string_view mark = "\n#vips2ppm - ";
  if (head.size() < 2 || head[0] != 'P' || !head.substr(2).starts_with(mark)) return head;
  const size_t line = head.find('\n', 2 + mark.size());
  if (line == head.npos) return head;
  const size_t rest = head.find_first_not_of('\n', line);
  kept = std::string(head.substr(0, 3)) + std::string(head.substr(std::min(rest, head.size())));
  return kept;
}

// Where libvips writes to. A failed write is not reported to it: its encoders pass over that (TIFF)
// or try for ever (JPEG 2000). The file keeps the first error, takes nothing more, and throws when
// it is committed.
class Target {
 public:
  explicit Target(OutputFile& file) : file_(file), target_(VIPS_TARGET(vips_target_custom_new())) {
    const auto connect = [&](const char* signal, GCallback function) {
      g_signal_connect(target_.get(), signal, function, this);
    };
    connect("write", G_CALLBACK(write));
    connect("read", G_CALLBACK(read));
    connect("seek", G_CALLBACK(seek));
  }
  VipsTarget* get() const { return target_.get(); }

 private:
  static gint64 write(VipsTargetCustom*, void* data, gint64 size, Target* self) {
    std::string_view bytes(static_cast<const char*>(data), size_t(size));
    try {
      std::string kept;
      if (self->file_.size() == 0) bytes = without_date(bytes, kept);
      self->file_.put(bytes);
    } catch (const std::bad_alloc&) {  // libvips is C
      self->file_.fail(ENOMEM);
    }
    return size;
  }
  static gint64 read(VipsTargetCustom*, void* data, gint64 size, Target* self) {
    return self->file_.get({static_cast<char*>(data), size_t(size)});
  }
  static gint64 seek(VipsTargetCustom*, gint64 offset, int whence, Target* self) {
    return self->file_.seek(offset, whence);
  }

  OutputFile& file_;
  VipsTargetPtr target_;
};

// The tags of a TIFF that libvips does not write.
std::vector<TiffTag> tags_of(const WriteOptions& options, const RowSource& rows) {
  std::vector<TiffTag> tags;
  const TiffExtras extras = extras_of(options.metadata);
  for (const auto& some : {extras.georeference, extras.resolution})
    if (some) tags.insert(tags.end(), some->begin(), some->end());
  if (extras.hole && rows.type == PixelType::f32) tags.push_back(no_data_is_nan());
  if (extras.microscopy) {
    const int32_t height = options.page_height > 0 ? options.page_height : rows.size.height;
    tags.push_back(
        description_tag(description_of(*extras.microscopy, {rows.size.width, height}, rows.channels,
                                       rows.type, rows.size.height / height)));
  }
  return tags;
}

// As encode_picture(), with libvips started and used by this thread already.
std::vector<uint8_t> encode(std::string_view extension, const RowSource& rows,
                            const WriteOptions& options) {
  const Format* format = format_of_extension(extension);
  const std::string place =
      std::string(extension) + (format ? saver_options(*format, rows, options) : std::string());
  Filling filling(rows);
  const VipsImagePtr image = image_to_write(filling, options);
  void* bytes = nullptr;
  size_t size = 0;
  const bool failed =
      !image || vips_image_write_to_buffer(image.get(), place.c_str(), &bytes, &size, nullptr) != 0;
  const std::unique_ptr<void, decltype(&g_free)> owned(bytes, g_free);
  filling.step();
  if (filling.fault) std::rethrow_exception(filling.fault);
  if (failed) throw_output(std::string(extension), take_vips_error());
  std::string kept;
  const auto all = without_date({static_cast<const char*>(bytes), size}, kept);
  std::vector<uint8_t> file(all.begin(), all.end());
  if (const auto tags = tags_of(options, rows); !tags.empty() && format && format->name == "TIFF")
    add_tags(file, tags);
  return file;
}

const Format& format_to_write(const std::filesystem::path& path, PixelType type,
                              const WriteOptions& options) {
  const std::string extension = path.extension().string();
  if (extension.empty())
    throw_output(path, "the name has no extension to choose a format by, such as .png");
  const Format* format = format_of_extension(extension);
  if (!format || format->kind != FileKind::picture || !format->writable)
    throw_output(
        path,
        fmt::format("{} is not a picture format; use .png, .tif, .jpg, .webp or .pgm", extension));
  if (type == PixelType::f32 && !format->floats)
    throw_output(path, "float samples are supported by .tif only");
  if (options.layout != TiffLayout::strips && format->name != "TIFF")
    throw_output(path, "tiles and pyramids are supported by .tif only");
  return *format;
}

}  // namespace

void check_writable(const std::filesystem::path& path, PixelType type,
                    const WriteOptions& options) {
  format_to_write(path, type, options);
}

void write_rows(const std::filesystem::path& path, const RowSource& rows,
                const WriteOptions& options) {
  const Format& format = format_to_write(path, rows.type, options);
  const std::string extension = lower(path.extension().string());
  start_vips();
  with_own_errors([&] {
    OutputFile file(path, Placing::when_whole);
    if (file.grows())
      throw_output(path, "it exists and is not a regular file; choose another name");
    if (format.name == "BMP") {  // ImageMagick's, which libvips writes to memory or by name only
      const auto bytes = encode(extension, rows, options);
      file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    } else {
      Filling filling(rows);
      const VipsImagePtr image = image_to_write(filling, options);
      if (!image) throw_output(path, take_vips_error());
      const Target target(file);
      const std::string kind = extension + saver_options(format, rows, options);
      const int failed =
          vips_image_write_to_target(image.get(), kind.c_str(), target.get(), nullptr);
      file.check();
      filling.step();
      if (filling.fault) std::rethrow_exception(filling.fault);
      if (failed != 0) throw_output(path, take_vips_error());
      if (const auto tags = tags_of(options, rows); !tags.empty() && format.name == "TIFF")
        add_tags(file, tags);
    }
    file.commit();
  });
}

void write_picture(const std::filesystem::path& path, ConstAnyView pixels,
                   const WriteOptions& options) {
  check_pixels_to_write(pixels);
  AnyImage holder;
  const ConstAnyView samples = in_file(path, pixels, holder);
  write_rows(path, rows_of(samples), options);
}

std::vector<uint8_t> encode_picture(std::string_view extension, ConstAnyView pixels,
                                    const WriteOptions& options) {
  check_pixels_to_write(pixels);
  start_vips();
  AnyImage holder;
  const ConstAnyView samples = in_file(extension, pixels, holder);
  return with_own_errors([&] { return encode(extension, rows_of(samples), options); });
}

}  // namespace cuesta::io
#endif
