#if defined(CUESTA_HAS_PICTURES)
#include "io/picture_open.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "io/errors.hpp"
#include "io/extras.hpp"
#include "io/formats.hpp"
#include "io/raw_picture.hpp"
#include "io/tiff_pages.hpp"
#include "io/tiff_tags.hpp"

namespace cuesta::io {
namespace {

// libvips opens OpenEXR by a file's name alone, which a descriptor has here, too.
VipsImage* open_openexr(VipsSource* source, VipsFailOn fail_on) {
  const std::string name = fmt::format("/proc/self/fd/{}", VIPS_CONNECTION(source)->descriptor);
  return vips_image_new_from_file(name.c_str(), "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                  fail_on, nullptr);
}

// libjpeg calls corrupt samples a warning; what others call warnings (odd tags and profiles) leaves
// the samples alone.
VipsFailOn fail_on_of(std::string_view loader, const ReadLimits& limits, bool is_lenient) {
  if (limits.allow_partial) return VIPS_FAIL_ON_NONE;
  return loader.starts_with("VipsForeignLoadJpeg") && !is_lenient ? VIPS_FAIL_ON_WARNING
                                                                  : VIPS_FAIL_ON_ERROR;
}

bool has_pages(const Format& format) { return format.pages || format.name == "HEIF"; }

// The number of frames that an animated PNG declares before its samples, in a chunk acTL; 0 for
// another file.
int64_t frames_of_png(std::span<const uint8_t> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (!text.starts_with("\x89PNG")) return 0;
  const size_t at = text.find("acTL");
  if (at == text.npos || at + 8 > text.size() || at > text.find("IDAT")) return 0;
  uint32_t frames = 0;
  for (size_t i = 0; i < 4; ++i) frames = frames << 8 | head[at + 4 + i];
  return frames;
}

std::span<const uint8_t> head_of(VipsSource* source) {
  unsigned char* bytes = nullptr;
  const gint64 have = vips_source_sniff_at_most(source, &bytes, head_bytes);
  return {bytes, size_t(std::max<gint64>(have, 0))};
}

// Leaves the source's position where it is, but for one in memory.
ReadAt reader_of(VipsSource* source) {
  return [source](uint64_t offset, std::span<uint8_t> bytes) {
    if (offset > uint64_t(std::numeric_limits<gint64>::max())) return false;
    const int file = VIPS_CONNECTION(source)->descriptor;
    if (file < 0 && vips_source_seek(source, gint64(offset), SEEK_SET) < 0) return false;
    for (size_t have = 0; have < bytes.size();) {
      void* to = bytes.data() + have;
      const gint64 got = file < 0 ? vips_source_read(source, to, bytes.size() - have)
                                  : pread(file, to, bytes.size() - have, off_t(offset + have));
      if (got <= 0) return false;
      have += size_t(got);
    }
    return true;
  };
}

std::vector<int> tiff_pages_in(VipsSource* source) {
  std::vector<int> pages = tiff_pages(reader_of(source));
  vips_source_rewind(source);
  return pages;
}

// The number by which libvips knows the page that `limits` mean.
int page_number(VipsSource* source, const std::string& name, const ReadLimits& limits) {
  const Pages pages = pages_in(source);
  if (!limits.page && pages.count > 1) {
    throw_input(
        name,
        fmt::format("the file has {} {}; choose one", pages.count, pages.move ? "frames" : "pages"),
        Hint::choose_page);
  }
  const int page = limits.page.value_or(0);
  if (page < 0 || page >= pages.count)
    throw_input(name, fmt::format("page {} does not exist; the file has {}", int64_t(page) + 1,
                                  pages.count));
  if (page > 0 && frames_of_png(head_of(source)) > 1)
    throw_input(name,
                fmt::format("frame {} of an animated PNG is not supported; use frame 1", page + 1));
  return size_t(page) < pages.numbers.size() ? pages.numbers[size_t(page)] : page;
}

// The header of the picture in `source`; samples are decoded when they are requested.
VipsImagePtr open_image(VipsSource* source, std::span<const uint8_t> memory,
                        const std::string& name, const ReadLimits& limits, bool is_lenient,
                        Prepared& out) {
  VipsImage* image = nullptr;
  check_extras(source, name);
  const int number = page_number(source, name, limits);
  if (const char* loader = vips_foreign_find_load_source(source);
      loader && format_of_loader(loader)) {
    if (const auto tag = tag_past_end(reader_of(source), number); tag && !limits.allow_partial)
      throw_input(name, fmt::format("the file ends before the values of its tag {}", *tag),
                  Hint::allow_partial);
    out.extras = extras_of(reader_of(source), number, limits.page.value_or(0));
    vips_source_rewind(source);
    const std::string page = number > 0 ? fmt::format("page={}", number) : "";
    image = vips_image_new_from_source(source, page.c_str(), "access", VIPS_ACCESS_SEQUENTIAL,
                                       "fail_on", fail_on_of(loader, limits, is_lenient), nullptr);
  } else if (const unsigned char* head = vips_source_sniff(source, 4);
             head && begins_as_openexr({head, 4})) {
    vips_error_clear();
    image = open_openexr(source, fail_on_of("", limits, is_lenient));
  } else if (begins_as_bmp(memory)) {
    // libvips has BMP through ImageMagick only, which decodes at once: look at the size before.
    vips_error_clear();
    const MagickAllowed for_bmp;
    image = vips_image_new_from_buffer(memory.data(), memory.size(), "", "access",
                                       VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                       fail_on_of("", limits, is_lenient), nullptr);
  } else {
    vips_error_clear();
    throw_input(name, "not a picture in a format that this build reads");
  }
  if (image) return VipsImagePtr(image);
  const auto type = odd_samples(reader_of(source), number);
  if (!type.empty()) {
    vips_error_clear();
    throw_input(name, fmt::format("its samples are {}; save it as float32", type));
  }
  throw_input(name, fmt::format("cannot be read as a picture: {}", take_vips_error()));
}

bool is_cmyk(const VipsImage* image, VipsInterpretation colors) {
  return colors == VIPS_INTERPRETATION_CMYK && image->Bands == 4 &&
         image->BandFmt == VIPS_FORMAT_UCHAR;
}

// Whether samples are gray or RGB as they stand, in whatever type.
bool is_plain(const VipsImage* image, VipsInterpretation colors) {
  switch (colors) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_RGB16:
    case VIPS_INTERPRETATION_MULTIBAND: return true;
    // What libvips calls every RGB of floats; what its numbers mean is whiten()'s to say.
    case VIPS_INTERPRETATION_scRGB: return image->BandFmt != VIPS_FORMAT_UCHAR;
    default: return false;
  }
}

// The RGB of LogLuv, as cv::imread has it: libvips gives X, Y and Z in parts of D65's.
VipsImagePtr rgb_of_luv(VipsImagePtr image, const std::string& name) {
  image = transformed(std::move(image), name, [](VipsImage* in, VipsImage** out) {
    const double factors[] = {1 / VIPS_D65_X0, 1 / VIPS_D65_Y0, 1 / VIPS_D65_Z0},
                 none[] = {0, 0, 0};
    return vips_linear(in, out, factors, none, 3, nullptr);
  });
  image = transformed(std::move(image), name, [](VipsImage* in, VipsImage** out) {
    const VipsImagePtr matrix(vips_image_new_matrixv(3, 3, 3.240479, -1.53715, -0.498535, -0.969256,
                                                     1.875991, 0.041556, 0.055648, -0.204043,
                                                     1.057311));
    return vips_recomb(in, out, matrix.get(), nullptr);
  });
  return transformed(std::move(image), name, [](VipsImage* in, VipsImage** out) {
    return vips_copy(in, out, "interpretation", VIPS_INTERPRETATION_scRGB, nullptr);
  });
}

// Whether samples are numbers that f32 stands for, rounded where it does not hold them.
bool is_number(VipsBandFormat format) {
  switch (format) {
    case VIPS_FORMAT_CHAR:
    case VIPS_FORMAT_SHORT:
    case VIPS_FORMAT_UINT:
    case VIPS_FORMAT_INT:
    case VIPS_FORMAT_DOUBLE: return true;
    default: return false;
  }
}

// One channel of the stored samples, as gray.
VipsImagePtr band_of(VipsImagePtr image, const std::string& name, int band) {
  if (band > image->Bands)
    throw_input(name,
                fmt::format("band {} does not exist; the picture has {}", band, image->Bands));
  image = transformed(std::move(image), name, [band](VipsImage* in, VipsImage** out) {
    return vips_extract_band(in, out, band - 1, nullptr);
  });
  return transformed(std::move(image), name, [](VipsImage* in, VipsImage** out) {
    return vips_copy(
        in, out, "interpretation",
        in->BandFmt == VIPS_FORMAT_USHORT ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W,
        nullptr);
  });
}

}  // namespace

bool begins_as_bmp(std::span<const uint8_t> bytes) {
  const auto raw = raw_picture_of(bytes);
  return raw && raw->kind == 'B';
}

// Its directory may be at the end, so that libvips does not know it by its head.
bool begins_as_tiff(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  using namespace std::string_view_literals;
  return text.starts_with("II*\0"sv) || text.starts_with("MM\0*"sv) ||
         text.starts_with("II+\0"sv) || text.starts_with("MM\0+"sv);
}

bool begins_as_openexr(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with("\x76\x2f\x31\x01");
}

void check_extras(VipsSource* source, const std::string& name) {
  const gint64 size = vips_source_length(source);
  if (size >= 0) check_extras(reader_of(source), uint64_t(size), name);
  vips_source_rewind(source);
  vips_error_clear();
}

Pages pages_in(VipsSource* source) {
  Pages pages;
  if (const int64_t frames = frames_of_png(head_of(source)); frames > 1) {
    pages.count = int(std::min<int64_t>(frames, std::numeric_limits<int>::max()));
    pages.move = true;
    return pages;
  }
  const char* loader = vips_foreign_find_load_source(source);
  const Format* format = loader ? format_of_loader(loader) : nullptr;
  if (format && format->name == "TIFF") {
    pages.numbers = tiff_pages_in(source);
    pages.count = std::max(1, int(pages.numbers.size()));
  } else if (format && has_pages(*format)) {
    if (const VipsImagePtr image(vips_image_new_from_source(source, "", nullptr)); image)
      pages.count = vips_image_get_n_pages(image.get());
    pages.move = pages.count > 1 && (format->name == "GIF" || format->name == "WebP");
  }
  vips_error_clear();
  return pages;
}

// Whether a sample can be the number for no data.
static bool has_no_data(const VipsImage* image, const Prepared& of) {
  if (!of.extras.hole) return false;
  const double most = image->BandFmt == VIPS_FORMAT_UCHAR    ? 255
                      : image->BandFmt == VIPS_FORMAT_USHORT ? 65535
                                                             : -1;
  const double hole = *of.extras.hole;
  return most < 0 || (hole >= 0 && hole <= most && hole == std::floor(hole));
}

// Whether samples may be NaN where they have no data: those that become floats, and those of 8 and
// 16 bits where numbers are wanted.
static bool can_have_holes(const VipsImage* image, const ReadLimits& limits, const Prepared& of) {
  const bool is_bytes = image->BandFmt == VIPS_FORMAT_UCHAR;
  return of.extras.has_no_data &&
         (!(is_bytes || image->BandFmt == VIPS_FORMAT_USHORT) ||
          keeps_numbers(limits, of.holds_light) || limits.floats == recipes::Floats::holes);
}

bool keeps_numbers(const ReadLimits& limits, bool holds_light) {
  return limits.floats == recipes::Floats::raw ||
         (limits.floats == recipes::Floats::numbers && !holds_light && !limits.white.is_given());
}

bool makes_levels(const ReadLimits& limits) {
  return limits.white.is_given() && limits.floats != recipes::Floats::raw;
}

void set_holes(float* row, int32_t width, int32_t channels, bool has_alpha, float hole) {
  const int32_t seen = channels - int32_t(has_alpha);
  for (int32_t x = 0; x < width; ++x, row += channels) {
    for (int32_t c = 0; c < seen; ++c)
      if (row[c] == hole) row[c] = std::numeric_limits<float>::quiet_NaN();
  }
}

Prepared prepare(VipsSource* source, std::span<const uint8_t> memory, const std::string& name,
                 const ReadLimits& limits, bool is_lenient) {
  Prepared out;
  VipsImagePtr& image = out.image;
  image = open_image(source, memory, name, limits, is_lenient, out);
  check_pixels(name, image->Xsize, image->Ysize, limits.max_pixels);
  check_memory(name, image->Xsize, image->Ysize, int64_t(VIPS_IMAGE_SIZEOF_PEL(image.get())),
               limits.max_memory);
  const char* loader = nullptr;
  if (vips_image_get_typeof(image.get(), VIPS_META_LOADER) != 0)
    vips_image_get_string(image.get(), VIPS_META_LOADER, &loader);
  out.holds_light = loader && (std::string_view(loader).starts_with("rad") ||
                               std::string_view(loader).starts_with("openexr"));

  if (image->Coding == VIPS_CODING_RAD) {
    image = transformed(std::move(image), name, [](VipsImage* in, VipsImage** made) {
      return vips_rad2float(in, made, nullptr);
    });
  }
  if (image->Type == VIPS_INTERPRETATION_XYZ && image->Bands == 3)
    image = rgb_of_luv(std::move(image), name);
  if (limits.band > 0) image = band_of(std::move(image), name, limits.band);
  const VipsInterpretation colors = vips_image_guess_interpretation(image.get());
  out.cmyk = is_cmyk(image.get(), colors);
  const bool changes_colors = !out.cmyk && !is_plain(image.get(), colors);
  out.extras.has_no_data = !out.cmyk && !changes_colors && has_no_data(image.get(), out);
  if (!can_have_holes(image.get(), limits, out)) out.extras.hole.reset();
  if (changes_colors) {
    image = transformed(std::move(image), name, [](VipsImage* in, VipsImage** made) {
      return vips_colourspace(in, made, VIPS_INTERPRETATION_sRGB, nullptr);
    });
  }
  if (is_number(image->BandFmt) || (out.extras.hole && image->BandFmt != VIPS_FORMAT_FLOAT)) {
    image = transformed(std::move(image), name, [](VipsImage* in, VipsImage** made) {
      return vips_cast(in, made, VIPS_FORMAT_FLOAT, nullptr);
    });
  }
  if (image->Bands < 1 || image->Bands > 4)
    throw_input(name,
                fmt::format("the picture has {} channels and 1 to 4 are supported; choose one",
                            image->Bands),
                Hint::choose_band);
  out.has_alpha = !out.cmyk && (image->Bands == 2 || image->Bands == 4);
  return out;
}

}  // namespace cuesta::io
#endif
