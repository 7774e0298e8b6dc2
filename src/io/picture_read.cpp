#if defined(CUESTA_HAS_PICTURES)
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "io/errors.hpp"
#include "io/formats.hpp"
#include "io/picture.hpp"
#include "io/picture_rows.hpp"
#include "io/raw_picture.hpp"
#include "io/tiff_pages.hpp"
#include "io/vips.hpp"

namespace cuesta::io {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(const std::filesystem::path& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) throw_input(path.string(), reason_of(errno));
  }
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(number_); }
  int number() const { return number_; }

 private:
  int number_;
};

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

// libvips opens OpenEXR by a file's name alone, which a descriptor has here, too.
VipsImage* open_openexr(VipsSource* source, VipsFailOn fail_on) {
  const std::string name = fmt::format("/proc/self/fd/{}", VIPS_CONNECTION(source)->descriptor);
  return vips_image_new_from_file(name.c_str(), "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                  fail_on, nullptr);
}

// What libjpeg says where a camera left bytes between the last scan and the end of the file. All
// samples are there by then.
constexpr std::string_view harmless_jpeg_warning = "extraneous bytes before marker 0xd9";

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

constexpr size_t head_bytes = 4096;

std::span<const uint8_t> head_of(VipsSource* source) {
  unsigned char* bytes = nullptr;
  const gint64 have = vips_source_sniff_at_most(source, &bytes, head_bytes);
  return {bytes, size_t(std::max<gint64>(have, 0))};
}

std::vector<int> tiff_pages_in(VipsSource* source) {
  std::vector<int> pages = tiff_pages([source](uint64_t offset, std::span<uint8_t> bytes) {
    if (offset > uint64_t(std::numeric_limits<gint64>::max())) return false;
    if (vips_source_seek(source, gint64(offset), SEEK_SET) < 0) return false;
    for (size_t have = 0; have < bytes.size();) {
      const gint64 got = vips_source_read(source, bytes.data() + have, bytes.size() - have);
      if (got <= 0) return false;
      have += size_t(got);
    }
    return true;
  });
  vips_source_rewind(source);
  return pages;
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
                        const std::string& name, const ReadLimits& limits,
                        bool is_lenient = false) {
  VipsImage* image = nullptr;
  const int number = page_number(source, name, limits);
  if (const char* loader = vips_foreign_find_load_source(source);
      loader && format_of_loader(loader)) {
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
    image = vips_image_new_from_buffer(memory.data(), memory.size(), "", "access",
                                       VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                       fail_on_of("", limits, is_lenient), nullptr);
  } else {
    vips_error_clear();
    throw_input(name, "not a picture in a format that this build reads");
  }
  if (!image) throw_input(name, fmt::format("cannot be read as a picture: {}", take_vips_error()));
  return VipsImagePtr(image);
}

// One libvips operation on an owned image.
template <class Operation>
VipsImagePtr transformed(VipsImagePtr image, const std::string& name, Operation&& operation) {
  VipsImage* out = nullptr;
  if (operation(image.get(), &out) != 0)
    throw_input(name, fmt::format("cannot be read as a picture: {}", take_vips_error()));
  return VipsImagePtr(out);
}

// Profile and descriptions, on an image without samples worth keeping.
Metadata metadata_of(VipsImage* image) {
  VipsImage* holder = nullptr;
  if (vips_black(&holder, 1, 1, nullptr) != 0) {
    vips_error_clear();
    return {};
  }
  // An image that an operation made may be shared; a copy may be written to.
  VipsImage* fields = nullptr;
  const int failed = vips_copy(holder, &fields, nullptr);
  g_object_unref(holder);
  if (failed) {
    vips_error_clear();
    return {};
  }
  vips_image_map(
      image,
      [](VipsImage*, const char* field, GValue* value, void* to) -> void* {
        const std::string_view key = field;
        // The pixels are made upright, and may become another size than the file's thumbnail shows.
        if (key.starts_with("exif-ifd0-Orientation") || key.starts_with("exif-ifd1"))
          return nullptr;
        if (key == VIPS_META_ICC_NAME || key == VIPS_META_XMP_NAME || key == VIPS_META_IPTC_NAME ||
            key == VIPS_META_EXIF_NAME || key.starts_with("exif-ifd"))
          vips_image_set(static_cast<VipsImage*>(to), field, value);
        return nullptr;
      },
      fields);
  // Writers set the tag inside a whole EXIF block, too, from this.
  if (vips_image_get_typeof(fields, VIPS_META_EXIF_NAME) != 0)
    vips_image_set_int(fields, VIPS_META_ORIENTATION, 1);
  return Metadata(std::shared_ptr<void>(fields, [](void* object) { g_object_unref(object); }));
}

// A row of CMYK (0 = no ink) to RGB, as cv::imread computes it.
void cmyk_to_rgb(const uint8_t* from, int32_t width, uint8_t* to) {
  for (int32_t x = 0; x < width; ++x, from += 4, to += 3) {
    const int white = 255 - from[3];
    for (int c = 0; c < 3; ++c) to[c] = uint8_t(white - ((from[c] * white) >> 8));
  }
}

void cmyk_to_rgb(Image<uint8_t>& picture) {
  Image<uint8_t> rgb(picture.width(), picture.height(), 3);
  for (int32_t y = 0; y < picture.height(); ++y)
    cmyk_to_rgb(picture.row(y), picture.width(), rgb.row(y));
  picture = std::move(rgb);
}

template <class T>
Image<T> samples_of(VipsImage* image, const std::string& name) {
  const int32_t width = image->Xsize, height = image->Ysize, channels = image->Bands;
  Image<T> out(width, height, channels);
  const VipsRegionPtr region(vips_region_new(image));
  // Strips of the height that decoders like (MCUs, tiles); sequential access goes downwards.
  constexpr int32_t strip = 256;
  for (int32_t y = 0; y < height; y += strip) {
    const VipsRect rect{0, y, width, std::min(strip, height - y)};
    if (vips_region_prepare(region.get(), &rect) != 0)
      throw_input(name, fmt::format("cannot be decoded: {}", take_vips_error()));
    for (int32_t i = 0; i < rect.height; ++i) {
      std::memcpy(out.row(y + i), VIPS_REGION_ADDR(region.get(), 0, y + i),
                  size_t(width) * size_t(channels) * sizeof(T));
    }
  }
  return out;
}

VipsImagePtr upright(VipsImagePtr image, const std::string& name) {
  if (vips_image_get_orientation(image.get()) <= 1) return image;
  // Turning reads in another order than files are decoded in.
  image.reset(vips_image_copy_memory(image.get()));
  if (!image) throw_input(name, fmt::format("cannot be decoded: {}", take_vips_error()));
  return transformed(std::move(image), name,
                     [](VipsImage* in, VipsImage** out) { return vips_autorot(in, out, nullptr); });
}

bool is_float(const VipsImage* image) {
  return image->BandFmt == VIPS_FORMAT_FLOAT || image->BandFmt == VIPS_FORMAT_DOUBLE;
}

void set_floats(Picture& out, VipsImage* image, const std::string& name, const ReadLimits& limits,
                bool holds_light) {
  auto samples = samples_of<float>(image, name);
  if (limits.keep_floats) {
    out.remark = "floats as they are";
    out.pixels = std::move(samples);
    return;
  }
  Whitened white = whiten(samples, out.has_alpha, limits.white, holds_light);
  out.pixels = std::move(white.pixels);
  out.remark = std::move(white.remark);
  out.clipped = white.clipped;
  out.scale = white.scale;
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
    case VIPS_INTERPRETATION_scRGB: return is_float(image);
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

// A picture whose samples are gray or RGB once they are requested, but for what only whole pictures
// can be: upright, of levels instead of floats.
struct Prepared {
  VipsImagePtr image{};
  bool cmyk = false, holds_light = false, has_alpha = false;
};

Prepared prepare(VipsSource* source, std::span<const uint8_t> memory, const std::string& name,
                 const ReadLimits& limits, bool is_lenient) {
  Prepared out;
  VipsImagePtr& image = out.image;
  image = open_image(source, memory, name, limits, is_lenient);
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
  if (limits.band > 0) image = band_of(std::move(image), name, limits.band);
  const VipsInterpretation colors = vips_image_guess_interpretation(image.get());
  out.cmyk = is_cmyk(image.get(), colors);
  if (!out.cmyk && !is_plain(image.get(), colors)) {
    image = transformed(std::move(image), name, [](VipsImage* in, VipsImage** made) {
      return vips_colourspace(in, made, VIPS_INTERPRETATION_sRGB, nullptr);
    });
  }
  if (image->BandFmt == VIPS_FORMAT_DOUBLE) {
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

[[noreturn]] void refuse_type(const VipsImage* image, const std::string& name) {
  throw_input(
      name,
      fmt::format(
          "samples are of type {}; they must be unsigned 8-bit, unsigned 16-bit or 32-bit float",
          vips_enum_nick(VIPS_TYPE_BAND_FORMAT, image->BandFmt)));
}

Picture decode(VipsSource* source, std::span<const uint8_t> memory, const std::string& name,
               const ReadLimits& limits, bool is_lenient) {
  auto [image, cmyk, holds_light, has_alpha] = prepare(source, memory, name, limits, is_lenient);
  Picture out;
  out.has_alpha = has_alpha;
  out.metadata = metadata_of(image.get());
  image = upright(std::move(image), name);
  switch (image->BandFmt) {
    case VIPS_FORMAT_UCHAR: {
      auto samples = samples_of<uint8_t>(image.get(), name);
      if (cmyk) cmyk_to_rgb(samples);
      out.pixels = std::move(samples);
      break;
    }
    case VIPS_FORMAT_USHORT: out.pixels = samples_of<uint16_t>(image.get(), name); break;
    case VIPS_FORMAT_FLOAT: set_floats(out, image.get(), name, limits, holds_light); break;
    default: refuse_type(image.get(), name);
  }
  vips_error_clear();
  return out;
}

// `new_source` opens the file from its beginning.
template <class NewSource>
Picture decode_twice(NewSource&& new_source, std::span<const uint8_t> memory,
                     const std::string& name, const ReadLimits& limits) {
  const auto open = [&] {
    VipsSourcePtr source(new_source());
    if (!source) throw_input(name, take_vips_error());
    return source;
  };
  try {
    return decode(open().get(), memory, name, limits, false);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(harmless_jpeg_warning) == std::string_view::npos) throw;
  }
  return decode(open().get(), memory, name, limits, true);
}

std::vector<uint8_t> begin_of_file(int file, int64_t size) {
  std::vector<uint8_t> bytes(size_t(size), 0);
  int64_t have = 0;
  while (have < size) {
    const ssize_t got = pread(file, bytes.data() + have, size_t(size - have), have);
    if (got <= 0) break;
    have += got;
  }
  bytes.resize(size_t(have));
  return bytes;
}

// What a file of raw samples declares is looked at before anything is read of it: libvips takes
// what is missing for black, and reads for each sample of text that is not there.
void check_raw(const RawPicture& raw, int64_t size, const std::string& name,
               const ReadLimits& limits) {
  check_pixels(name, raw.width, raw.height, limits.max_pixels);
  check_memory(name, raw.width, raw.height, raw.pixel_bytes, limits.max_memory);
  if (size >= raw.least) return;
  // A few bytes that declare a giant are not worth one: what a file costs is bounded by its size.
  constexpr int64_t at_least_of = 1000;
  const bool has_enough = size >= raw.least / at_least_of;
  if (limits.allow_partial && has_enough) return;
  throw_input(name,
              fmt::format("the file is truncated: {} x {} pixels require {} bytes and it has {}{}",
                          raw.width, raw.height, raw.least, size,
                          has_enough ? "" : ", less than a thousandth"),
              has_enough ? Hint::allow_partial : Hint::none);
}

// Whole in memory go BMP, because libvips has it that way only; PNM of text, whose numbers are
// counted; and on request cut-off PNM, because libvips does not read what is there of it.
bool goes_through_memory(const RawPicture& raw, const ReadLimits& limits) {
  return raw.kind == 'B' || raw.is_text() || limits.allow_partial;
}

// What fills memory that malloc() gives, as long as it lives, with zeros: libde265, behind HEIF,
// shows what was there where a damaged file says nothing.
class ZeroedMemory {
 public:
#if defined(M_PERTURB)
  ZeroedMemory() {
    if (users_++ == 0) mallopt(M_PERTURB, 0xff);  // glibc fills with the complement
  }
  ~ZeroedMemory() {
    if (--users_ == 0) mallopt(M_PERTURB, 0);
  }
#else
  ZeroedMemory() = default;
  ~ZeroedMemory() = default;
#endif
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

 private:
  inline static std::atomic<int> users_{0};
};

// ISO/IEC 14496-12: a box "ftyp" first.
bool begins_as_heif(std::span<const uint8_t> head) {
  return head.size() > 12 && std::memcmp(&head[4], "ftyp", 4) == 0;
}

Picture decode_file(int file, const std::string& name, const ReadLimits& limits) {
  return decode_twice(
      [&] {
        lseek(file, 0, SEEK_SET);
        return vips_source_new_from_descriptor(file);
      },
      {}, name, limits);
}

FileDescriptor file_in_memory(std::span<const uint8_t> bytes, const std::string& name) {
  const int file = memfd_create("picture", MFD_CLOEXEC);
  size_t have = 0;
  while (file >= 0 && have < bytes.size()) {
    const ssize_t put = write(file, bytes.data() + have, bytes.size() - have);
    if (put <= 0) break;
    have += size_t(put);
  }
  if (have < bytes.size()) {
    const std::string reason = reason_of(errno);
    if (file >= 0) close(file);
    throw_input(name, reason);
  }
  return FileDescriptor(file);
}

}  // namespace

Picture read_picture(const std::filesystem::path& path, const ReadLimits& limits) {
  const std::string name = path.string();
  const FileDescriptor file(path);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) throw_input(name, reason_of(errno));
  if (S_ISDIR(status.st_mode)) throw_input(name, "this is a folder; name a picture file");
  if (!S_ISREG(status.st_mode)) throw_input(name, "this is not a regular file");
  if (status.st_size == 0) throw_input(name, "the file is empty");
  const auto head =
      begin_of_file(file.number(), std::min<int64_t>(status.st_size, int64_t(head_bytes)));
  // libvips would seek in all of it for what it might be.
  if (!is_picture(head)) throw_input(name, "not a picture in a format that this build reads");
  if (const auto raw = raw_picture_of(head)) {
    check_raw(*raw, status.st_size, name, limits);
    if (goes_through_memory(*raw, limits)) {
      return read_picture(begin_of_file(file.number(), std::min(status.st_size, raw->most)), name,
                          limits);
    }
  }
  start_vips();
  std::optional<ZeroedMemory> zeroed;
  if (begins_as_heif(head)) zeroed.emplace();
  return with_own_errors([&] { return decode_file(file.number(), name, limits); });
}

Picture read_picture(std::span<const uint8_t> bytes, const std::string& name,
                     const ReadLimits& limits) {
  if (bytes.empty()) throw_input(name, "the file is empty");
  start_vips();
  std::vector<uint8_t> completed;
  if (const auto raw = raw_picture_of(bytes.first(std::min(bytes.size(), head_bytes)))) {
    check_raw(*raw, int64_t(bytes.size()), name, limits);
    if (raw->kind != 'B' && limits.allow_partial) {
      completed.assign(bytes.begin(), bytes.end());
      complete(*raw, completed);
      bytes = completed;
    } else if (const int64_t found = raw->is_text() ? numbers_in_text(*raw, bytes) : raw->samples;
               found < raw->samples) {
      throw_input(
          name, fmt::format("the file is truncated: it has {} of {} numbers", found, raw->samples),
          Hint::allow_partial);
    }
  }
  std::optional<ZeroedMemory> zeroed;
  if (begins_as_heif(bytes)) zeroed.emplace();
  return with_own_errors([&] {
    if (begins_as_openexr(bytes)) {
      const FileDescriptor file = file_in_memory(bytes, name);
      return decode_file(file.number(), name, limits);
    }
    return decode_twice([&] { return vips_source_new_from_memory(bytes.data(), bytes.size()); },
                        bytes, name, limits);
  });
}

Pages pages_of(const std::filesystem::path& path) {
  const FileDescriptor file(path);
  start_vips();
  const VipsUse use;
  uint8_t head[head_bytes] = {};
  const ssize_t have = pread(file.number(), head, sizeof head, 0);
  // One page; libvips would look for a line's end in all of it.
  if (have > 0 && begins_as_bmp({head, size_t(have)})) return {};
  const VipsSourcePtr source(vips_source_new_from_descriptor(file.number()));
  if (!source || have < 0) return {};
  return pages_in(source.get());
}

Pages pages_of(std::span<const uint8_t> bytes) {
  start_vips();
  const VipsUse use;
  const VipsSourcePtr source(vips_source_new_from_memory(bytes.data(), bytes.size()));
  return source ? pages_in(source.get()) : Pages();
}

bool is_picture(std::span<const uint8_t> head) {
  if (head.empty()) return false;
  start_vips();
  const VipsUse use;
  const VipsSourcePtr source(vips_source_new_from_memory(head.data(), head.size()));
  const char* loader = source ? vips_foreign_find_load_source(source.get()) : nullptr;
  const bool known = (loader && format_of_loader(loader)) || begins_as_bmp(head) ||
                     begins_as_tiff(head) || begins_as_openexr(head);
  vips_error_clear();
  return known;
}

bool is_picture(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  struct stat status {};
  bool known = false;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
    known = is_picture(begin_of_file(file, std::min<int64_t>(status.st_size, head_bytes)));
  close(file);
  return known;
}

struct PictureRows::State {
  State(const std::filesystem::path& path, const ReadLimits& limits)
      : name(path.string()), file(path) {
    struct stat status {};
    if (fstat(file.number(), &status) != 0) throw_input(name, reason_of(errno));
    if (!S_ISREG(status.st_mode))
      throw_input(name,
                  "this is a folder, pipe or device; reading in bands requires a regular file");
    ReadLimits of_rows = limits;  // whose bands are bounded by their caller
    of_rows.max_memory = std::numeric_limits<int64_t>::max();
    const auto head =
        begin_of_file(file.number(), std::min<int64_t>(status.st_size, int64_t(head_bytes)));
    if (const auto raw = raw_picture_of(head)) {
      check_raw(*raw, status.st_size, name, of_rows);
      if (goes_through_memory(*raw, limits)) {
        throw_input(name,
                    "BMP, text PNM and damaged PNM cannot be read in bands; convert the picture to "
                    "TIFF first");
      }
    }
    start_vips();
    Prepared made = with_own_errors([&] {
      lseek(file.number(), 0, SEEK_SET);
      source.reset(vips_source_new_from_descriptor(file.number()));
      if (!source) throw_input(name, take_vips_error());
      return prepare(source.get(), {}, name, of_rows, true);
    });
    image = std::move(made.image);
    cmyk = made.cmyk;
    if (const int turned = vips_image_get_orientation(image.get()); turned > 1) {
      facts.refusal = fmt::format(
          "its EXIF orientation is {} and it cannot be read in bands; rotate it first (vips "
          "autorot) "
          "or raise the memory limit",
          turned);
    }
    facts.size = {image->Xsize, image->Ysize};
    facts.channels = cmyk ? 3 : image->Bands;
    facts.has_alpha = made.has_alpha;
    facts.metadata = metadata_of(image.get());
    switch (image->BandFmt) {
      case VIPS_FORMAT_UCHAR: facts.type = PixelType::u8; break;
      case VIPS_FORMAT_USHORT: facts.type = PixelType::u16; break;
      case VIPS_FORMAT_FLOAT:
        if (!limits.keep_floats) {
          facts.refusal =
              "its samples are floats and it cannot be read in bands; convert it to 16 bits "
              "first or read the whole picture into memory";
        }
        facts.type = PixelType::f32;
        break;
      default: refuse_type(image.get(), name);
    }
  }

  std::string name;
  FileDescriptor file;
  VipsSourcePtr source{};
  VipsImagePtr image{};
  PictureFacts facts{};
  bool cmyk = false;
  int32_t next = 0;
};

PictureRows::PictureRows(const std::filesystem::path& path, const ReadLimits& limits,
                         const std::optional<Rect>& region)
    : state_(std::make_unique<State>(path, limits)) {
  if (!region) return;
  State& s = *state_;
  detail::check_region(s.facts.size, *region);
  s.image = transformed(std::move(s.image), s.name, [&](VipsImage* in, VipsImage** out) {
    return vips_extract_area(in, out, region->x, region->y, region->width, region->height, nullptr);
  });
  s.facts.size = {region->width, region->height};
}
PictureRows::~PictureRows() = default;

const PictureFacts& PictureRows::facts() const { return state_->facts; }

void PictureRows::read(int32_t first, AnyView rows) {
  State& s = *state_;
  if (!s.facts.refusal.empty()) throw_input(s.name, s.facts.refusal);
  const size_t row_bytes =
      size_t(rows.width) * size_t(rows.channels) * size_t(bytes_per_sample(rows.type));
  constexpr int32_t strip = 64;
  const int32_t end = first + rows.height;
  const VipsUse use;
  const VipsRegionPtr region(vips_region_new(s.image.get()));  // belongs to a thread
  // What is before is decoded and passed over, in order, as decoders want it.
  for (int32_t y = s.next; y < end;) {
    const VipsRect rect{0, y, s.image->Xsize, std::min(strip, (y < first ? first : end) - y)};
    if (vips_region_prepare(region.get(), &rect) != 0)
      throw_input(s.name, fmt::format("cannot be decoded: {}", take_vips_error()));
    for (int32_t i = y; y >= first && i < y + rect.height; ++i) {
      char* to = static_cast<char*>(rows.data) + ptrdiff_t(i - first) * rows.stride_bytes;
      const VipsPel* from = VIPS_REGION_ADDR(region.get(), 0, i);
      if (s.cmyk)
        cmyk_to_rgb(from, rows.width, reinterpret_cast<uint8_t*>(to));
      else
        std::memcpy(to, from, row_bytes);
    }
    y += rect.height;
  }
  s.next = end;
}

}  // namespace cuesta::io
#endif
